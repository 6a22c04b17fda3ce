"""A stanza that was made in part, and one of which a part is gone or damaged."""
import contextlib
import fcntl
import os
import unittest

from world import needed, World


@unittest.skipIf(needed(), needed())
class Stanza(World):
    def setUp(self):
        super().setUp()
        self.start_postgres()

    def make_a_part(self, pattern):
        """As where it was killed before it wrote what matches, for which it waits in vain."""
        s3 = self.refuse(pattern, status=403, command="PUT")
        self.fails("look", "backup: pgbackrest stanza-create: S3: ", conf=self.configure("refused.conf", **{"repo1-storage-port": str(s3.server_port), "job-retry": "0"}))
        self.assertGreater(s3.refused, 0)

    def is_mended(self, last):
        """WAL comes into the part that is there. The next look makes all of it, and what it makes is good."""
        self.assertEqual(last, os.path.basename(self.objects("/(archive|backup)/main/[a-z.]*$")[-1]))
        self.archived()
        self.assertRegex(self.ok("look", drill="weekly"), r"F is complete\n.*as they were written\n.*drill: .*\n.*is good")
        self.assertNotIn("makes a", self.ok("look"))

    def test_killed_between_copies(self):
        self.make_a_part("archive.info.copy$")
        self.is_mended("archive.info")

    def test_killed_between_archive_and_backup(self):
        self.make_a_part("backup.info$")
        self.is_mended("archive.info.copy")

    def test_killed_at_the_end(self):
        self.make_a_part("backup.info.copy$")
        self.is_mended("backup.info")

    def test_push_meanwhile(self):
        """One that got no lock while the stanza was made waits for nothing: it is ended, and begun again at once."""
        self.does(["mkdir", self.own + "/lock"])
        with contextlib.ExitStack() as locks:
            for name in "main-archive.lock", "main-archive-1.lock":  # as pgBackRest calls it until 2.48, and since
                path = f"{self.own}/lock/{name}"
                self.does(["touch", path])
                fcntl.flock(locks.enter_context(open(path, "w", encoding="utf-8")), fcntl.LOCK_EX)
            self.sql("CREATE TABLE t AS SELECT 1; SELECT pg_switch_wal()")
            self.wait(lambda: not self.does(["pgrep", "--full", f"^pgbackrest --config={self.conf} .*archive-push "], check=False).returncode, "a push")
            process = self.begin("look")
            self.wait(lambda: not self.does(["pgrep", "--full", f"^pgbackrest --config={self.conf} .*stanza-create"], check=False).returncode, "the stanza is about to be made")
        said, _ = process.communicate(timeout=120)
        self.assertIn("F is complete", said)
        with open(self.volume + "/log", encoding="utf-8") as log:
            self.assertIn("archive command failed with exit code 63", log.read(), "as a program that was asked to end")

    def test_another_cluster_meanwhile(self):
        """One that was given the same stanza takes nothing away from the one that is about to make it."""
        self.make_a_part("backup.info$")
        self.archived()
        first = self.objects("/archive/")
        self.stop_postgres()
        other = self.volume + "/other"
        self.start_postgres(other)
        self.fails("look", "the repository is damaged: it has no backup.info", dataDir=other, conf=self.configure("other.conf", data=other))
        self.assertEqual(first, self.objects("/archive/"))
        self.stop_postgres(other)
        self.start_postgres()
        self.ok("look")
        self.stop_postgres()
        self.start_postgres(other)
        self.fails("look", "stanza main is of another cluster", dataDir=other, conf=self.configure("other.conf", data=other))

    def test_all_backups_gone(self):
        """There were some, as the archive tells: WAL must stay for when they are brought back."""
        self.ok("look")
        self.archived()
        wal = self.objects("/archive/")
        kept = self.top + "/kept"
        os.rename(f"{self.top}/s3/backups/postgres/main/backup", kept)
        for _ in range(2):
            self.fails("look", "backup: the repository is damaged: it has no backup.info")
        self.assertEqual([], [path for path in wal if not os.path.exists(path)])
        os.rename(kept, f"{self.top}/s3/backups/postgres/main/backup")
        self.ok("look", drill="weekly")

    def test_damaged_with_its_copy(self):
        """That may look like what another key has written, and both are told."""
        self.ok("look")
        for path in self.objects("/backup.info"):
            with open(path, "r+b") as file:
                file.seek(-1, os.SEEK_END)
                file.write(b"q")
        self.fails("look", "backup: pgbackrest info: the repository cannot be decrypted: it was written with another encryptionKey, or backup.info or archive.info is damaged, with its copy")
        self.assertIn('again="false"', str(self.metrics()))


if __name__ == "__main__":
    unittest.main()
