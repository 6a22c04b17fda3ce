"""S3 that goes away, and a leader that hands over, while a snapshot is made or restored."""
import os
import shutil
import time
import unittest

from world import Member, real, World


@real
class Middle(World):
    def waits(self, name, before):
        """Has a program, once, say that it was begun for a command, and wait until `go_on`. Returns where it is."""
        for mark in ("begun", "on"):
            if os.path.exists(f"{self.top}/{mark}"):
                os.remove(f"{self.top}/{mark}")
        shutil.rmtree(self.top + "/waits", ignore_errors=True)
        shutil.copytree(self.top + "/bin", self.top + "/waits", symlinks=True)
        program = shutil.which(name, path=self.top + "/bin:" + os.environ["PATH"])
        if os.path.lexists(f"{self.top}/waits/{name}"):
            os.remove(f"{self.top}/waits/{name}")
        self.program("waits/" + name, f"import os, sys, time\nif {before!r} in sys.argv and not os.path.exists('{self.top}/begun'):\n open('{self.top}/begun', 'w').close()\n"
                     f" while not os.path.exists('{self.top}/on'): time.sleep(0.1)\nos.execv('{program}', sys.argv)")
        return self.top + "/waits"

    def begun(self):
        self.wait(lambda: os.path.exists(self.top + "/begun"), "the command is begun")

    def go_on(self):
        with open(self.top + "/on", "w", encoding="utf-8"):
            pass

    def away(self, member, verb, command, back):
        """Has S3 go as a command of restic begins, and come back before that gives up, or after."""
        before = os.environ["PATH"]
        os.environ["PATH"] = self.waits("restic", command) + ":" + before
        try:
            with member.begin(verb) as process:
                self.begun()
                self.stop_s3()
                self.go_on()
                if back:
                    time.sleep(4)
                    self.start_s3()
                said, _ = process.communicate(timeout=120)
        finally:
            os.environ["PATH"] = before
        if not back:
            self.assertIn("refused", said)
            self.assertIn('again="true"', "".join(member.metrics("restore" if verb == "prepare" else "metrics")))
            self.start_s3()
        self.assertEqual(int(not back), process.returncode, said)
        return said

    def test_s3_away(self):
        self.numbers = (1,)
        (member,) = self.found()
        self.assertIn("is complete", self.away(member, "look", "backup", True))
        member.configure(schedule="*-*-* *:*:*")
        self.away(member, "look", "backup", False)
        self.assertEqual("1", member.metrics()["quorum_backup_snapshots"], "what is there is told")
        self.assertIn("is complete", member.ok("look"))
        member.stop()
        restored = Member(self, 1, "restored")
        restored.configure(restore=self.wanted())
        self.away(restored, "prepare", "dump", False)
        self.assertIn("-restored-", self.away(restored, "prepare", "dump", True))
        self.assertEqual({}, restored.metrics("restore"))

    def test_another_leader(self):
        """The one that is about to make a snapshot comes to lead, and makes it; no other does."""
        members = self.found()
        leader = next(m for m in members if m.status()["leader"] == m.status()["header"]["member_id"])
        maker, other = sorted((m for m in members if m is not leader), key=lambda m: m.name)
        maker.configure(etcd=self.waits("etcdctl", "save"))
        with maker.begin("look") as process:
            self.begun()
            leader.ctl("move-leader", f"{maker.status()['header']['member_id']:x}")
            self.assertNotIn("makes a snapshot", other.ok("look"))
            self.go_on()
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        for member in members:
            self.assertNotIn("makes a snapshot", member.ok("look"))
            self.assertEqual("1", member.metrics()["quorum_backup_snapshots"])

    def test_refused(self):
        """A restore tells at once which key or place is wrong, and what a later attempt does not mend."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        member.stop()
        restored = Member(self, 1, "restored")
        for what, words in (({"secretKey": "another"}, "restic snapshots: Fatal: unable to open config file: Stat: Access Denied."), ({"accessKey": "another"}, "S3: XAdminUserNotFound: No user exists"),
                            ({"url": f"s3:https://localhost:{self.port}/no-such-bucket/x"}, "S3: NoSuchBucket: The specified bucket does not exist.: no-such-bucket"),
                            ({"url": f"s3:https://localhost:{self.port}/backups/other"}, "there is no snapshot in restore.s3")):
            restored.configure(restore=self.wanted(repository=self.repository("bad.json", **what)))
            restored.fails("prepare", "restore: " + words)
            self.assertRegex("".join(restored.metrics("restore")), 'of="restore",.*again="false"')
        restored.configure(restore=self.wanted())
        restored.ok("prepare")


if __name__ == "__main__":
    unittest.main()
