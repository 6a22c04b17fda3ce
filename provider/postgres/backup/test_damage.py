"""What is damaged, or gone, is found by the backup or the drill."""
import os
import shutil
import time
import unittest

from world import needed, World


@unittest.skipIf(needed(), needed())
class Damage(World):
    def test_drill_without_room_or_of_damaged_files(self):
        self.backed_up()
        found = self.objects("/bundle/1$")[0]
        with open(found, "r+b") as file:
            file.seek(os.path.getsize(found) // 2)
            file.write(b"quorum")
        said = self.fails("look", "drill: ", drill="weekly")
        self.assertNotIn("quorum-backup: backup", said)
        self.assertIn("quorum_backup_failure", str(self.metrics()))
        self.assertFalse(os.path.exists(self.own + "/drill"))

    def test_damaged_backup_is_found(self):
        self.backed_up()
        found = self.objects("/bundle/1$")[0]
        with open(found, "r+b") as file:
            file.seek(os.path.getsize(found) // 2)
            file.write(b"quorum")
        time.sleep(1.1)
        said = self.fails("look", "the repository is damaged: stanza: main status: error archiveId: ", "checksum invalid: 1", full="*-*-* *:*:*")
        self.assertNotIn("INFO", said)
        self.assertNotIn("quorum_backup_running", self.metrics())
        shutil.rmtree(os.path.dirname(os.path.dirname(found)))
        self.fails("look", "the repository is damaged", "checksum invalid: 1")  # as it was found

    def test_file_gone(self):
        """Of what the repository has somebody removed a part."""
        self.backed_up()
        os.remove(self.objects("/bundle/1$")[0])
        time.sleep(1.1)
        said = self.fails("look", "the repository is damaged: stanza: main status: error archiveId: ", full="*-*-* *:*:*")
        self.assertRegex(said, "F, status: invalid, .* missing: [1-9]")
        self.assertRegex(str(self.metrics()), 'of="backup",reason="the repository is damaged: .*again="false"')

    def test_first_wal_file_gone(self):
        """Without it the backup cannot be used."""
        self.backed_up()
        self.archived()
        name = os.path.basename(self.objects(r"/[0-9A-F]{24}\.[0-9A-F]{8}\.backup")[0])[:24]
        for path in self.objects(f"/{name}-"):
            os.remove(path)
        self.fails("look", f"drill: PostgreSQL: could not locate required checkpoint record (the backup needs WAL from {name} on)", drill="weekly")
        self.assertRegex(str(self.metrics()), 'of="drill",reason="PostgreSQL: could not locate .*again="false"')

    def test_second_wal_file_gone(self):
        """Recovery ends where the archive does, which is before the backup is consistent, or before what is archived after it."""
        self.backed_up()
        name = self.sql("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.archived()
        self.archived()
        self.ok("look")  # which finds all of it there
        for path in self.objects(f"/{name}-"):
            os.remove(path)
        self.fails("look", f"drill: WAL is missing in the archive: recovery ended before {name}, and there is WAL up to ", drill="weekly")


if __name__ == "__main__":
    unittest.main()
