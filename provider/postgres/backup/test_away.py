"""S3 that is away, or refuses, and the WAL that waits for it."""
import os
import re
import shutil
import time
import unittest

from world import needed, World


@unittest.skipIf(needed(), needed())
class Away(World):
    def test_s3_that_refuses_in_the_middle(self):
        """What it does not let be read is not damaged, and is read as soon as it lets."""
        self.backed_up()
        s3 = self.refuse("/bundle/2$")
        conf = self.configure("refused.conf", **{"repo1-storage-port": str(s3.server_port), "job-retry": "0"})
        time.sleep(1.1)
        said = self.fails("look", "F is complete", "backup: pgbackrest verify: S3: 403 Forbidden", conf=conf, full="*-*-* *:*:*")
        self.assertNotIn("damaged", said)
        self.assertFalse(os.path.exists(self.own + "/damaged.json"))
        self.assertIn("as they were written", self.ok("look"))
        refused = s3.refused
        said = self.fails("look", "drill: pgbackrest restore: S3: AccessDenied: Access Denied.", conf=conf, drill="weekly")
        self.assertGreater(s3.refused, refused)
        self.assertNotIn("broken", said)
        self.assertNotIn("quorum-backup: backup", said)
        os.remove(self.own + "/drill.json")  # an hour later
        self.assertIn("is good", self.ok("look", drill="weekly"))

    def test_s3_away_and_back(self):
        self.backed_up()
        self.stop_s3()
        began = time.monotonic()
        self.sql("CREATE TABLE u AS SELECT generate_series(1, 1000) i")
        self.sql("SELECT pg_switch_wal()")
        self.fails("look", "backup: pgbackrest info: S3: unable to connect to 'localhost:")
        self.assertLess(time.monotonic() - began, 60)
        known = self.metrics()
        self.assertEqual("0", known["quorum_backup_overdue"])
        for name in ('last_success_timestamp_seconds{type="full"}', "verified_timestamp_seconds", "archive_lag_seconds"):
            self.assertIn("quorum_backup_" + name, known)
        self.start_s3()
        self.forget_away()
        self.archived()
        self.assertEqual("", self.ok("look"))

    def test_s3_that_refuses_connections(self):
        """What is told names it well before the look gives up on pgBackRest, which by its own default tries for too long."""
        self.start_postgres()
        self.stop_s3()
        self.have_short_commands_wait("--io-timeout=0.5")
        began = time.monotonic()
        self.fails("look", f"backup: pgbackrest info: S3: unable to connect to 'localhost:{self.port}", "Connection refused", conf=self.configure("own.conf", **{"io-timeout": "60"}))
        self.assertLess(time.monotonic() - began, 30)
        self.assertIn("S3: unable to connect", str(self.metrics()))

    def test_wal_while_s3_is_away(self):
        """PostgreSQL waits for quorum-wal when it stops or is promoted: it gives up while pgBackRest goes on, and for a minute does not try."""
        self.backed_up()
        self.stop_s3()
        conf = self.configure("slow.conf", **{"io-timeout": "60", "archive-async": "n"})
        os.mkdir(self.top + "/bin")
        os.chmod(self.write("bin/timeout", f'#!/bin/sh\nshift\nexec {shutil.which("timeout")} 1 "$@"\n'), 0o755)  # of 15 s
        self.environment["PATH"] = f"{self.top}/bin:{self.environment['PATH']}"
        wal = self.data + "/pg_wal/" + min(name for name in os.listdir(self.data + "/pg_wal") if len(name) == 24)
        push = [self.top + "/quorum-wal", "push", conf, "main", self.own, wal]
        began = time.monotonic()
        self.assertEqual(124, self.does(push, check=False).returncode)
        self.assertGreater(time.monotonic() - began, 1)
        began = time.monotonic()
        self.assertEqual((1, "quorum-wal: S3 does not answer\n"), ((done := self.does(push, check=False)).returncode, done.stdout))
        self.assertLess(time.monotonic() - began, 1)
        self.start_s3()
        self.assertEqual(1, self.does(push, check=False).returncode, "not yet")
        os.utime(self.own + "/away-push", (time.time() - 61,) * 2)
        self.does(push)
        self.assertFalse(os.path.exists(self.own + "/away-push"))

    def test_wrong_keys(self):
        self.start_postgres()
        self.fails("look", "S3: SignatureDoesNotMatch", conf=self.configure("wrong.conf", **{"repo1-s3-key-secret": "another"}))
        self.fails("look", "S3: XAdminUserNotFound", conf=self.configure("wrong.conf", **{"repo1-s3-key": "another"}))
        self.fails("look", "S3: NoSuchBucket", conf=self.configure("wrong.conf", **{"repo1-s3-bucket": "another"}))
        self.assertIn('again="false"', str(self.metrics()))
        self.ok("look")
        self.fails("look", "it was written with another encryptionKey", conf=self.configure("wrong.conf", **{"repo1-cipher-pass": "another-key-of-all"}))

    def test_dropped_wal(self):
        self.backed_up()
        self.configure("pgbackrest.conf", **{"archive-push-queue-max": str(64 << 20)})
        self.stop_s3()
        for _ in range(6):
            self.sql("CREATE TABLE u AS SELECT generate_series(1, 100000) i; DROP TABLE u; SELECT pg_switch_wal()")
        self.wait(lambda: self.forget_away() or os.path.exists(self.own + "/dropped"), "WAL is dropped")
        self.fails("look", "unable to connect")
        self.assertIn("quorum_backup_dropped_timestamp_seconds", self.metrics())
        self.start_s3()
        self.forget_away()
        self.assertIn("makes a full backup", self.ok("look"))
        self.assertFalse(os.path.exists(self.own + "/dropped"))

    def test_dropped_before_the_volume_is_full(self):
        """Of a volume that the data fill by more than half: half of it is never there for WAL."""
        self.on_small_volume(700)
        self.backed_up()
        self.stop_s3()
        self.leave(250)  # of which 70 are to stay: some dozen files may wait
        for number in range(20):
            self.sql("CREATE TABLE IF NOT EXISTS u (i int); INSERT INTO u SELECT generate_series(1, 100000); TRUNCATE u; SELECT pg_switch_wal()")
            if number > 10:
                time.sleep(3)
            if os.path.exists(self.own + "/dropped"):
                break
        self.wait(lambda: not os.path.exists(self.own + "/dropping"), "all of it is dropped")
        for _ in range(6):  # more than is free, but for what was dropped
            self.sql("INSERT INTO u SELECT generate_series(1, 100000); TRUNCATE u; SELECT pg_switch_wal()")
        self.start_s3()
        self.forget_away()
        self.assertIn("makes a full backup", self.ok("look"))

    def test_limit_that_is_given(self):
        """It is what counts, whatever room there is; see test_dropping.py for what may wait without one."""
        self.backed_up()
        said = self.write("said", "")
        os.chmod(said, 0o666)
        os.mkdir(self.top + "/bin")
        os.chmod(self.write("bin/pgbackrest", f'#!/bin/sh\necho "$@" >{said}\n'), 0o755)
        self.environment["PATH"] = f"{self.top}/bin:{self.environment['PATH']}"
        wal = self.data + "/pg_wal/" + min(name for name in os.listdir(self.data + "/pg_wal") if len(name) == 24)

        def pushed(conf):
            self.does([self.top + "/quorum-wal", "push", conf, "main", self.own, wal])
            with open(said, encoding="utf-8") as file:
                return re.findall(r"--archive-push-queue-max=(\d+)", file.read())
        for given in ("20000000", str(1 << 52)):
            self.assertEqual([given], pushed(self.configure("given.conf", **{"archive-push-queue-max": given})))
        self.assertEqual([str(1 << 52)], pushed(self.conf), "S3 takes all of it")


if __name__ == "__main__":
    unittest.main()
