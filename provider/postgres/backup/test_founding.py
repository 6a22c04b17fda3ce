"""Data of a cluster that is founded from the backups of another one, and standbys."""
import os
import shutil
import signal
import time
import unittest

from world import BIN, needed, World


@unittest.skipIf(needed(), needed())
class Founding(World):
    def setUp(self):
        super().setUp()
        self.backed_up()
        self.new = self.volume + "/new"
        self.source = self.configure("restore.conf", data=self.new)

    def restore(self, kind="default", target="", **more):
        return {"restore": {"conf": self.source, "stanza": "main", "type": kind, "target": target, **more},
                "dataDir": self.new, "conf": self.configure("own.conf", data=self.new), "stanza": "restored"}

    def insert(self, number):
        """A row, and the moment after it."""
        self.sql(f"INSERT INTO t VALUES ({number})")
        time.sleep(0.2)
        return self.sql("SELECT now()")

    def rows(self):
        """Those of the restored data, as a cluster of its own has them."""
        self.stop_postgres()
        with open(self.new + "/postgresql.auto.conf", encoding="utf-8") as file:
            self.assertNotIn("restore_command", file.read())
        self.assertEqual([], [name for name in os.listdir(self.new) if name.endswith(".signal")])
        self.does([BIN + "/pg_ctl", "-D", self.new, "-o", f"-c archive_mode=off -c unix_socket_directories={self.volume}", "-l", self.volume + "/log", "-w", "start"])
        try:
            return self.sql("SELECT string_agg(i::text, ' ' ORDER BY i) FROM t")
        finally:
            self.does([BIN + "/pg_ctl", "-D", self.new, "-m", "fast", "-w", "stop"])

    def test_to_the_end(self):
        self.insert(1)
        self.archived()
        self.assertIn("PostgreSQL has recovered", self.ok("found", **self.restore()))
        self.fails("look", "stanza main is the one that this cluster was restored from", dataDir=self.new)
        self.assertEqual("1", self.rows())

    def test_lost_while_it_writes(self):
        """With all nodes, and without a stop: what is missing is the end that was not archived, and of that there is a file each `archive_timeout`."""
        self.ok("look")
        written, acknowledged = {}, 0  # when rows of each file of WAL were acknowledged
        archived = len(self.objects("/archive/.*zst$"))
        while len(self.objects("/archive/.*zst$")) < archived + 4:
            wal = self.sql(f"SELECT pg_walfile_name(pg_current_wal_insert_lsn()); INSERT INTO t VALUES ({acknowledged})")  # the file of the row before, or a later one
            written.setdefault(wal, []).append((time.time(), acknowledged - 1))
            acknowledged += 1
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "immediate", "stop"])
        time.sleep(1)  # what is being sent
        last = max(os.path.basename(path)[:24] for path in self.objects("/archive/.*zst$"))
        shutil.rmtree(self.data)
        self.ok("found", **self.restore())
        there = [int(number) for number in self.rows().split()]
        self.assertEqual(list(range(len(there))), there)
        self.assertGreater(len(there), max((row for wal, rows in written.items() if wal <= last for _, row in rows)), last)
        for wal, rows in written.items():
            self.assertLess(rows[-1][0] - rows[0][0], 2 + 10, f"{wal}: a slow machine takes some seconds more")

    def test_to_a_moment(self):
        self.insert(1)
        between = self.insert(2)
        self.insert(3)
        self.archived()
        self.ok("found", **self.restore("time", between))
        self.assertEqual("1 2", self.rows())

    def test_to_a_name_and_right_before_a_transaction(self):
        self.insert(1)
        self.sql("SELECT pg_create_restore_point('here')")
        xid = self.sql("BEGIN; INSERT INTO t VALUES (2); SELECT pg_current_xact_id(); COMMIT").splitlines()[0]
        self.insert(3)
        self.archived()
        self.ok("found", **self.restore("name", "here"))
        self.assertEqual("1", self.rows())
        shutil.rmtree(self.new)
        self.start_postgres()
        self.ok("found", **self.restore("xid", xid, exclusive=True))
        self.assertEqual("1", self.rows())

    def test_out_of_reach(self):
        self.insert(1)
        self.archived()
        self.fails("found", "before the first backup that there is, which ended at 2", **self.restore("time", "2020-01-01 00:00:00+00:00"))
        self.fails("found", "is in the future", **self.restore("time", "2120-01-01 00:00:00+00:00"))
        self.fails("found", "restore.set 20200101-000000F is none of the backups: 2", **self.restore(set="20200101-000000F"))
        self.fails("found", "there is no backup of restore.stanza main", **{**self.restore(), "restore": {**self.restore()["restore"], "conf": self.configure(
            "elsewhere.conf", data=self.new, **{"repo1-path": "/elsewhere"})}})
        self.fails("found", "PostgreSQL: recovery ended before configured recovery target was reached (the last transaction in the archive is of 2",
                   **self.restore("name", "nowhere"))
        time.sleep(1.1)
        self.fails("found", "PostgreSQL: recovery ended before configured recovery target was reached (the last transaction in the archive is of 2",
                   **self.restore("time", self.sql("SELECT now()")))  # after all WAL that there is

    def test_given_up_once(self):
        wanted = self.restore("name", "nowhere")
        self.fails("found", "recovery ended before", **wanted)
        self.fails("refused", "recovery ended before", **wanted)
        self.ok("refused", **self.restore())
        self.ok("refused", **{**wanted, "restore": None})
        shutil.rmtree(self.new)
        self.ok("found", **self.restore())

    def test_never_into_backups_that_there_are(self):
        wanted = self.restore()
        self.fails("found", "backup.stanza main has backups or WAL already", **{**wanted, "stanza": "main"})
        self.assertFalse(os.path.exists(self.new + "/PG_VERSION"))

    def test_s3_that_comes_back(self):
        self.archived()
        self.stop_s3()
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: "unable to connect" in self.restoring(), "a failure is told")
            self.start_s3()
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertIn("tries again", said)
        self.assertEqual("", self.restoring())

    def test_killed(self):
        self.sql("INSERT INTO t VALUES (1)")
        self.archived()
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: os.path.exists(self.own + "/restoring.json") and self.restoring(), "the mark")
            self.assertEqual('quorum_backup_restoring{stanza="main",target="to the end of its WAL",attempt="1"} 1\n', self.restoring())
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.assertTrue(os.path.exists(self.own + "/restoring.json"), "quorum-patroni finds it")
        shutil.rmtree(self.new, ignore_errors=True)
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: 'attempt="2"' in self.restoring(), "another attempt")
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertRegex(said, r"has recovered, up to the transaction of \d{4}-\d\d-\d\d ")
        self.assertEqual("", self.restoring())
        self.assertFalse(os.path.exists(self.own + "/restoring.json"))

    def test_s3_away_while_it_recovers(self):
        for number in range(1, 25):
            self.sql(f"INSERT INTO t VALUES ({number}); SELECT pg_switch_wal()")
        self.archived()
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: os.path.exists(self.own + "/restore.log"), "recovery")
            self.stop_s3()
            self.wait(lambda: "failure" in self.restoring() or process.poll() is not None, "a failure, or the end")
            self.start_s3()
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertEqual(" ".join(map(str, range(1, 25))), self.rows(), said)

    def test_wrong_key(self):
        self.source = self.configure("restore.conf", data=self.new, **{"repo1-cipher-pass": "another-key-of-all"})
        self.fails("found", "restore: pgbackrest info: the repository cannot be decrypted", **self.restore())
        self.fails("refused", "the repository cannot be decrypted", **self.restore())
        self.source = self.configure("restore.conf", data=self.new)
        self.ok("refused", **self.restore())

    def test_damaged(self):
        self.archived()
        found = self.objects("/bundle/1$")[0]
        with open(found, "r+b") as file:
            file.seek(os.path.getsize(found) // 2)
            file.write(b"quorum")
        self.fails("found", "restore: pgbackrest restore:", **self.restore())

    def test_file_gone(self):
        """Of the backup, and its manifest. Nothing is lost where it comes back."""
        self.archived()
        for pattern, words in (("/bundle/1$", "unable to open missing file '/postgres/main/backup/main/2"), ("/20[^/]*/backup.manifest", "unable to load backup manifest file")):
            gone = {path: f"{self.top}/gone-{n}" for n, path in enumerate(self.objects(pattern))}
            for path, kept in gone.items():
                os.rename(path, kept)
            self.fails("found", "restore: pgbackrest restore: ", words, **self.restore())
            self.assertIn('again="false"', self.restoring())
            for path, kept in gone.items():
                os.rename(kept, path)
        self.ok("found", **self.restore())

    def test_wal_gone(self):
        """In the middle: PostgreSQL takes it for the end. A time before it can be restored."""
        for number in range(1, 5):
            self.insert(number)
            self.archived()
        wal = sorted(self.objects("/[0-9A-F]{24}-"))
        self.ok("look")  # which finds all of it there
        os.rename(wal[-2], self.top + "/gone")
        self.fails("found", "restore: WAL is missing in the archive: recovery ended before 0", "Restore to a time before 2", **self.restore())
        self.assertIn('again="false"', self.restoring())
        self.fails("found", "restore: WAL is missing in the archive", **self.restore(timeline="latest"))  # as a program has it that gives a target of nothing
        self.fails("look", "WAL is missing in the archive", drill="*-*-* *:*:*")
        os.rename(self.top + "/gone", wal[-2])
        self.ok("found", **self.restore())
        self.assertEqual("1 2 3 4", self.rows())

    def test_first_wal_gone(self):
        """Before any transaction that it had: what the backup has can be restored."""
        self.archived()
        self.insert(1)
        self.archived()
        self.archived()
        ends = max(int(os.path.basename(path)[16:24], 16) for path in self.objects("[.]backup$"))
        for path in self.objects("/[0-9A-F]{24}-"):
            if int(os.path.basename(path)[16:24], 16) == ends + 1:
                os.remove(path)
        self.fails("found", "Restore to target.immediate, to do without what follows", **self.restore())
        self.ok("found", **self.restore("immediate"))
        self.assertEqual("", self.rows())

    def test_refused(self):
        """It tells at once which key or place is wrong, and what a later attempt does not mend."""
        for change, words in (({"repo1-s3-key-secret": "another"}, "S3: SignatureDoesNotMatch: "), ({"repo1-s3-key": "another"}, "S3: XAdminUserNotFound: "),
                              ({"repo1-s3-bucket": "no-such-bucket"}, "S3: NoSuchBucket: ")):
            self.source = self.configure("restore.conf", data=self.new, **change)
            self.fails("found", "restore: pgbackrest info: " + words, **self.restore())
            self.assertIn('again="false"', self.restoring())
        self.source = self.configure("restore.conf", data=self.new)
        own = self.configure("wrong.conf", data=self.new, **{"repo1-s3-bucket": "no-such-bucket"})
        self.fails("found", "restore: backup.s3: pgbackrest info: S3: NoSuchBucket: ", **{**self.restore(), "conf": own})
        self.assertIn('again="false"', self.restoring())

    def test_another_version(self):
        installed = self.top + "/installed"
        os.makedirs(installed + "/9.6/bin")
        os.makedirs(installed + "/9.6/bin/postgres")
        self.fails("found", "the backup is of PostgreSQL", "this machine has 9.6: set postgres.version", installed=installed, **self.restore())

    def test_nothing_to_look_after(self):
        """Where there is only a restore, of which the metrics tell."""
        self.ok("look", conf="")

    def test_standby(self):
        self.ok("standby", dataDir=self.new, conf=self.configure("standby.conf", data=self.new))
        self.assertTrue(os.path.exists(self.new + "/standby.signal"))
        shutil.rmtree(self.new)
        self.patroni["node"]["database_system_identifier"] = "4711"
        self.fails("standby", "the backups are of another cluster", "it copies the leader's data instead", dataDir=self.new)
        self.stop_s3()
        self.fails("standby", "it copies the leader's data instead", dataDir=self.new)


if __name__ == "__main__":
    unittest.main()
