"""S3 that takes connections, or requests, and never answers: each wait has an end, and what it waits for is told."""
import os
import shutil
import signal
import time
import unittest

import test_founding
from world import needed, World

SILENT = r"S3: .*timeout after 1000ms waiting for read from 'localhost:"


@unittest.skipIf(needed(), needed())
class Frozen(World):
    restore = test_founding.Founding.restore

    def setUp(self):
        super().setUp()
        self.backed_up()

    def conf_of(self, name, port, **changes):
        return self.configure(name, **{"repo1-storage-port": str(port), "io-timeout": "1", "job-retry": "0", **changes})

    def test_look(self):
        said = self.fails("look", "backup: pgbackrest info: ", conf=self.conf_of("frozen.conf", self.frozen()))
        self.assertRegex(said, SILENT)
        self.assertRegex("\n".join(self.metrics()), 'of="backup",reason="pgbackrest info: ' + SILENT + '.*again="true"')
        self.assertIn('quorum_backup_last_success_timestamp_seconds{type="full"}', self.metrics(), "what is there is told all the same")
        self.ok("look")

    def test_backup(self):
        """It is frozen as soon as it has files of a backup."""
        self.sql("CREATE TABLE u AS SELECT repeat(md5(i::text), 30) FROM generate_series(1, 100000) i")
        before = self.objects("/backup/main/.*F/")
        time.sleep(1.1)
        with self.begin("look", conf=self.conf_of("pgbackrest.conf", self.port), full="*-*-* *:*:*") as process:
            self.wait(lambda: self.objects("/backup/main/.*F/") != before or process.poll() is not None, "files of a backup")
            self.s3.send_signal(signal.SIGSTOP)
            said, _ = process.communicate(timeout=120)
        self.s3.send_signal(signal.SIGCONT)
        self.assertEqual(1, process.returncode, said)
        self.assertRegex(said, "backup: pgbackrest .*: " + SILENT)
        self.assertIn("F is complete", self.ok("look", full="*-*-* *:*:*"))

    def test_drill(self):
        s3 = self.refuse("/bundle/", None)
        said = self.fails("look", "drill: pgbackrest restore: ", conf=self.conf_of("hangs.conf", s3.server_port), drill="weekly")
        self.assertRegex(said, SILENT)
        self.assertNotIn("broken", said)
        os.remove(self.own + "/drill.json")  # an hour later
        self.assertIn("is good", self.ok("look", drill="weekly"))

    def test_restore(self):
        self.archived()
        self.new = self.volume + "/new"
        self.source = self.conf_of("restore.conf", self.frozen())
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: "failure" in self.restoring() or process.poll() is not None, "a failure, or the end")
            self.assertRegex(self.restoring(), 'reason="pgbackrest info: ' + SILENT + '.*again="true"')
            self.configure("restore.conf", data=self.new)
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertRegex(said, SILENT + ".*; tries again")

    def test_wal(self):
        """PostgreSQL can be stopped and promoted meanwhile, and goes on when it answers."""
        os.mkdir(self.top + "/bin")
        os.chmod(self.write("bin/timeout", f'#!/bin/sh\nshift\nexec {shutil.which("timeout")} 1 "$@"\n'), 0o755)  # of 15 s
        self.environment["PATH"] = f"{self.top}/bin:{self.environment['PATH']}"
        wal = self.data + "/pg_wal/" + min(name for name in os.listdir(self.data + "/pg_wal") if len(name) == 24)
        frozen = self.conf_of("frozen.conf", self.frozen(), **{"spool-path": self.own + "/other", "archive-async": "n"})
        began = time.monotonic()
        self.assertEqual(124, self.does([self.top + "/quorum-wal", "push", frozen, "main", self.own, wal], check=False).returncode)
        self.assertIn("S3 does not answer", self.does([self.top + "/quorum-wal", "push", frozen, "main", self.own, wal], check=False).stdout)
        self.assertLess(time.monotonic() - began, 30)
        os.remove(self.own + "/away-push")
        os.remove(self.top + "/bin/timeout")
        # In the background it would take only what PostgreSQL has marked as ready.
        self.does([self.top + "/quorum-wal", "push", self.conf, "main", self.own, wal, "--no-archive-async"])


if __name__ == "__main__":
    unittest.main()
