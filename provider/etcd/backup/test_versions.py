"""A snapshot of another minor version than the one that is to have it."""
import os

from world import Member, real, World


@real
class Versions(World):
    numbers = (1,)

    def use(self, release):
        os.remove(self.top + "/bin/etcd")
        os.symlink(f"{os.path.dirname(os.environ['ETCD'])}/etcd-{release}", self.top + "/bin/etcd")

    def restored(self, before, after):
        """Its users and keys are there, it can be written to, and it makes snapshots."""
        self.use(before)
        (member,) = self.found()
        member.ctl("put", "a", "before")
        self.wait(lambda: f'"etcdcluster":"{before[:3]}' in self.version(member), "the cluster's version")
        member.ok("look")
        self.stop([member])
        self.use(after)
        again = Member(self, 1, "restored")
        again.configure(restore=self.wanted())
        self.start([again])
        self.assertEqual("before", again.ctl("get", "a", "--print-value-only").strip())
        self.assertIn("root", again.ctl("user", "list"))
        again.ctl("put", "b", "after")
        self.assertIn("is complete", again.ok("look"))
        self.stop([again])
        self.start([again])
        self.assertEqual("after", again.ctl("get", "b", "--print-value-only").strip())
        self.assertIn(f'"etcdserver":"{after}"', self.version(again))

    def version(self, member):
        return self.health(member, "/version").replace(" ", "")

    def test_newer(self):
        self.restored("3.6.11", "3.5.16")

    def test_older(self):
        self.restored("3.5.16", "3.6.11")
