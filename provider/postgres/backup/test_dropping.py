"""WAL that is dropped, or is not."""
import os
import re
import subprocess
import time
import unittest

from world import BIN, needed, World


@unittest.skipIf(needed(), needed())
class Dropping(World):
    def path(self, name):
        return f"{self.own}/{name}"

    def test_burst_on_a_volume_that_is_nearly_full(self):
        self.on_small_volume(3000)
        self.backed_up()
        self.leave(290)  # less than a tenth, and with what is written more than a twentieth
        written = [self.sql("INSERT INTO t VALUES (1); SELECT pg_walfile_name(pg_switch_wal())") for _ in range(8)]
        self.wait(lambda: all(self.objects(f"/{wal}-") for wal in written), "S3 has all of it")
        self.assertFalse(os.path.exists(self.path("dropped")))

    def test_without_a_limit(self):
        """archivePushQueueMax: 0, as PostgreSQL does it alone. The volume grows as one of libvirt does, and all that was acknowledged is there and in S3."""
        self.on_small_volume(700)
        self.backed_up()
        self.configure("pgbackrest.conf", **{"archive-push-queue-max": str(1 << 52)})
        self.stop_s3()
        written = 0

        def stops():
            nonlocal written
            done = self.does([BIN + "/psql", "-XqAt", "-c", "INSERT INTO t VALUES (1)", "-c", "SELECT pg_switch_wal()", "postgres"], check=False)
            written += not done.returncode
            return self.does([BIN + "/pg_ctl", "-D", self.data, "status"], check=False).returncode == 3
        self.wait(stops, "PostgreSQL stops")
        self.assertGreater(written, 10)
        self.assertFalse(os.path.exists(self.path("dropped")))
        subprocess.run(["mount", "-o", "remount,size=3000m", self.volume], check=True)
        self.start_postgres()
        self.assertLessEqual(written, int(self.sql("SELECT count(*) FROM t")))
        self.start_s3()
        self.archived()
        self.ok("look")
        self.assertFalse(os.path.exists(self.path("dropped")))

    def pushed(self, files, free, away):
        """What pgBackRest is told may wait of so many files, on a volume of 100000 MiB."""
        os.makedirs(self.top + "/bin", exist_ok=True)
        said = self.write("said", "")
        os.chmod(said, 0o666)
        os.chmod(self.write("bin/pgbackrest", f'#!/bin/sh\necho "$@" >{said}\n'), 0o755)
        os.chmod(self.write("bin/df", f'#!/bin/sh\necho; echo volume 100000 0 {free}\n'), 0o755)
        self.environment["PATH"] = f"{self.top}/bin:{self.environment['PATH']}"
        status = self.top + "/fake/pg_wal/archive_status"
        os.makedirs(status, exist_ok=True)
        for number in range(files):
            with open(f"{status}/{number:024X}.ready", "w", encoding="utf-8"):
                pass
        for name, seconds in (("away-push", 70 if away else None), ("dropping", None)):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
            if seconds:
                with open(self.path(name), "w", encoding="utf-8"):
                    pass
                os.utime(self.path(name), (time.time() - seconds,) * 2)
                os.chmod(self.path(name), 0o666)
        self.does([self.top + "/quorum-wal", "push", self.conf, "main", self.own, f"{self.top}/fake/pg_wal/{0:024X}"])
        with open(said, encoding="utf-8") as file:
            return int(re.search(r"--archive-push-queue-max=(\d+)", file.read())[1])

    def test_how_much_may_wait(self):
        enough = 1 << 52
        self.assertEqual(enough, self.pushed(400, 9000, away=False))
        self.assertEqual(enough, self.pushed(400, 5000, away=False))
        self.assertEqual(0, self.pushed(400, 4900, away=False), "less than a twentieth is free")
        self.assertEqual(0, self.pushed(400, 9000, away=True))
        self.assertEqual((11000 - 4096) << 20, self.pushed(400, 11000, away=True))
        self.assertEqual(50000 << 20, self.pushed(400, 90000, away=True))

    def test_mark_that_was_left_behind(self):
        """By a node that was killed while it dropped WAL: months later it leads again."""
        self.backed_up()
        self.does(["touch", "-d", "-90 days", self.path("dropping")])
        self.switch_over()
        self.sql("INSERT INTO t VALUES (1)")
        self.archived()
        self.assertFalse(os.path.exists(self.path("dropping")))
        self.assertFalse(os.path.exists(self.path("dropped")))
        self.assertNotIn("makes a", self.ok("look"))

    def test_marks_of_a_former_leader(self):
        self.backed_up()
        self.does(["touch", self.path("dropping"), self.path("dropped")])
        self.patroni["node"] = {**self.patroni["node"], "role": "replica", "state": "starting"}
        self.ok("look")
        self.assertTrue(os.path.exists(self.path("dropped")), "it may go on to lead")
        self.patroni["node"]["state"] = "running"
        self.ok("look")
        self.assertEqual([], [name for name in os.listdir(self.own) if name.startswith("dropp")])

    def test_dropped_by_a_clock_that_was_ahead(self):
        self.backed_up()
        self.does(["touch", "-d", "+1 hour", self.path("dropped")])
        self.assertIn("makes a full backup", self.ok("look"))
        self.assertNotIn("makes a", self.ok("look"))
        self.assertFalse(os.path.exists(self.path("dropped")))

    def test_what_is_known_cannot_be_noted(self):
        """As on a full disk: the backup is made all the same."""
        self.backed_up()
        os.mkdir(self.path("known.json.new"))
        time.sleep(1.1)
        self.assertIn("is complete", self.ok("look", full="*-*-* *:*:*"))


if __name__ == "__main__":
    unittest.main()
