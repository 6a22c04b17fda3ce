"""A cluster whose database was full when the snapshot was made: etcd keeps its alarm in the data."""
import os
import time

from world import Member, real, World

QUOTA = 4 << 20


@real
class Full(World):
    numbers = (1, 2)

    def fill(self, member):
        """Writes until etcd refuses it, each key twice: of the first values, a restore keeps none."""
        n = 0
        while member.ctl("put", f"full/{n // 2}", os.urandom(50_000).hex(), check=False):
            n += 1
        self.assertIn("NOSPACE", member.ctl("alarm", "list"))

    def restored(self, cluster, quota):
        members = [Member(self, n, cluster, **{"quota-backend-bytes": quota}) for n in self.numbers]
        for member in members:
            member.configure(restore=self.wanted())
            member.start()
        for member in members:
            self.wait(lambda: "true" in self.health(member, "/health?exclude=NOSPACE"), "it serves")
        return members

    def test_restored(self):
        members = self.found(**{"quota-backend-bytes": QUOTA})
        for member in members:
            member.ok("look")
        self.fill(members[0])
        time.sleep(1.1)
        for member in members:
            member.configure(schedule="*-*-* *:*:*")
        self.assertIn("is complete", members[0].run("look")[1] + members[1].run("look")[1])
        size = members[0].status()["dbSizeInUse"]
        self.stop(members)
        for quota in (QUOTA, 2 * QUOTA):
            members = self.restored(f"of-{quota}", quota)
            self.assertEqual("", members[0].ctl("alarm", "list").strip())
            members[0].ctl("put", "a", "v")
            self.wait(lambda: len({m.hash() for m in members}) == 1, "the members have the same data")
            self.assertIn("alarm NOSPACE disarmed", members[1].log())
            self.stop(members)
        # With a quota that the data do not fit in, it is full, and says so of its own members.
        members = self.restored("of-little", size // 2)
        members[0].ctl("put", "a", "v", check=False)
        alarms, ids = members[0].ctl("alarm", "list"), [m.status()["header"]["member_id"] for m in members]
        self.assertTrue(any(f"memberID:{member} alarm:NOSPACE" in alarms for member in ids), alarms)
