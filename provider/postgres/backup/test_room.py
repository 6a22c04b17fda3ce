"""Volumes that have no room for a drill or a restore, or none any more."""
import os
import subprocess
import time
import unittest

from world import needed, World

GROWS = "CREATE TABLE more AS SELECT repeat(md5(i::text), 30) FROM generate_series(1, 250000) i"  # by a quarter of a GiB


@unittest.skipIf(needed(), needed())
class Room(World):
    def setUp(self):
        super().setUp()
        self.on_small_volume(2000)
        self.backed_up()
        self.new = self.volume + "/new"

    def test_no_room_for_a_drill(self):
        self.leave(210)  # of which 200 are the cluster's own
        said = self.fails("look", "drill: the backup is of ", f" MiB, and {self.own} has 2", drill="weekly")
        self.assertNotIn("quorum-backup: backup", said)
        self.told("drill", "the backup is of ")
        self.undisturbed()
        os.remove(self.volume + "/filler")
        os.remove(self.own + "/drill.json")  # as after an hour
        self.assertIn("is good", self.ok("look", drill="weekly"))

    def test_wal_of_a_drill_takes_what_was_free(self):
        self.sql(GROWS)
        self.archived()
        self.sql("DROP TABLE more; CHECKPOINT")
        self.leave(320)
        self.fails("look", "drill: WAL makes the data larger than the backup was: recovery was ended with ", drill="weekly")
        self.told("drill", "WAL makes the data larger")
        self.undisturbed()
        os.remove(self.volume + "/filler")
        os.remove(self.own + "/drill.json")
        self.assertIn("is good", self.ok("look", drill="weekly"))

    def test_no_room_for_a_restore(self):
        self.leave(20)
        with self.begin("found", **self.restore()) as process:
            self.short("the backup is of ")
            self.assertEqual([], [name for name in (self.new, self.own + "/restoring.json") if os.path.exists(name)])
            os.remove(self.volume + "/filler")
            self.goes_on(process, "the backup is of ")

    def test_wal_of_a_restore_takes_what_was_free(self):
        """Another attempt would take as long as the first: there is none before there is more room, as by a larger volume."""
        self.sql(GROWS)
        self.archived()
        self.leave(260)
        reason = "WAL makes the data larger than the backup was: recovery was ended with "
        with self.begin("found", **self.restore()) as process:
            self.short(reason)
            subprocess.run(["mount", "-o", "remount,size=3000m", self.volume], check=True)
            self.goes_on(process, reason)

    def short(self, reason):
        """It is told as what ends an update, and waited for."""
        self.wait(lambda: "failure" in self.restoring(), "a failure")
        told = self.restoring()
        self.assertRegex(told, f'\\Aquorum_backup_failure{{of="restore",reason="{reason}.*,again="false"}} 1\n\\Z')
        time.sleep(3)
        self.assertEqual(told, self.restoring())

    def goes_on(self, process, reason):
        said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertEqual(1, said.count(reason), said)
        self.assertIn("goes on when there is more room", said)
        self.ok("refused", **self.restore())
        self.assertEqual("", self.restoring())

    def undisturbed(self):
        """Nothing is left, and the cluster goes on to write."""
        self.assertFalse(os.path.exists(self.own + "/drill"))
        self.sql("INSERT INTO t VALUES (1)")
        self.archived()

    def told(self, of, reason):
        self.assertEqual(1, len([name for name in self.metrics() if name.startswith(f'quorum_backup_failure{{of="{of}",reason="{reason}')]), self.metrics())

    def restore(self):
        return {"restore": {"conf": self.configure("restore.conf", data=self.new), "stanza": "main", "type": "default", "target": ""},
                "dataDir": self.new, "conf": self.configure("own.conf", data=self.new), "stanza": "restored"}


if __name__ == "__main__":
    unittest.main()
