"""S3 that takes connections, or requests, and never answers: each wait has an end, and what it waits for is told."""
import os
import re
import unittest

from world import Member, real, World


@real
class Frozen(World):
    def setUp(self):
        super().setUp()
        self.numbers = (1,)
        for module, name, seconds in ("restic", "WAITS", 3), ("bucket", "SILENCE", 2), ("watched", "LOOKS", 1), ("watched", "STANDS", 4):
            self.wait_less(module, name, seconds)

    def wait_less(self, module, name, seconds):
        path = f"program/quorum_backup/{module}.py"
        with open(f"{self.top}/{path}", encoding="utf-8") as file:
            text, count = re.subn(rf"^([\w, ]*{name}[\w, ]* = )(.*?)(  #.*)?$", lambda found: found[1] + ", ".join(
                str(seconds) if each == name else value for each, value in zip(found[1][:-3].split(", "), found[2].split(", "))), file.read(), count=1, flags=re.MULTILINE)
        self.assertEqual(1, count, name)
        self.write(path, text)

    def frozen_repository(self):
        return self.repository("frozen.json", url=f"s3:https://localhost:{self.frozen()}/backups/etcd")

    def test_snapshot(self):
        (member,) = self.found()
        member.configure(repository=self.frozen_repository())
        member.fails("look", "backup: S3: localhost:", "timed out")
        self.assertRegex("".join(member.metrics()), 'of="backup",reason="S3: localhost:.*again="true"')
        member.configure()
        self.assertIn("is complete", member.ok("look"))

    def test_drill(self):
        """It answers until restic reads the data."""
        (member,) = self.found()
        member.ok("look")
        s3 = self.refuse("/etcd/data/", None)
        member.configure(repository=self.repository("hangs.json", url=f"s3:https://localhost:{s3.server_port}/backups/etcd"), drill="weekly")
        said = member.fails("look", "drill: S3 does not answer: restic has been standing still for 4 s")
        self.assertNotIn("damaged", said)
        self.assertGreater(s3.refused, 0)
        os.remove(member.own + "/drill.json")  # an hour later
        member.configure(drill="weekly")
        self.assertIn("is good", member.ok("look"))

    def test_restore(self):
        (member,) = self.found()
        member.ok("look")
        member.stop()
        again = Member(self, 1, "restored")
        s3 = self.refuse("/etcd/data/", None)
        for repository, words in (self.frozen_repository(), "S3: localhost:"), (self.repository("hangs.json", url=f"s3:https://localhost:{s3.server_port}/backups/etcd"), ""):
            again.configure(restore=self.wanted(repository=repository))
            again.fails("prepare", "restore: " + words)
            self.assertIn('again="true"', "".join(again.metrics("restore")))
        again.configure(restore=self.wanted())
        again.ok("prepare")


if __name__ == "__main__":
    unittest.main()
