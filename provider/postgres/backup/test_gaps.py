"""WAL that no archive has, although the same node leads: backups that were taken out of the program and came back, or went elsewhere meanwhile."""
import time
import unittest

import test_founding
from world import needed, World


@unittest.skipIf(needed(), needed())
class Gaps(World):
    restore, rows = test_founding.Founding.restore, test_founding.Founding.rows

    def setUp(self):
        super().setUp()
        self.backed_up()

    def restart(self, **settings):
        self.stop_postgres()
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())
        self.start_postgres()

    def write_much(self):
        for number in range(4):
            self.sql(f"INSERT INTO t VALUES ({number}); SELECT pg_switch_wal(); CHECKPOINT")

    def is_noticed(self):
        """A backup follows at once, and until then nobody is told that later rows can be restored."""
        time.sleep(1.1)
        self.sql("INSERT INTO t VALUES (100)")
        self.archived()
        with self.begin("look") as process:
            self.wait(lambda: self.metrics().get("quorum_backup_running") or process.poll() is not None, "a backup, or the end")
            running = self.metrics()
            said, _ = process.communicate(timeout=120)
        self.assertRegex(said, "makes a differential backup: the archive lacks 0000000100000000")
        self.assertEqual(running['quorum_backup_last_success_timestamp_seconds{type="any"}'], running["quorum_backup_restorable_to_timestamp_seconds"])
        self.assertEqual("", self.ok("look"), "once is enough")
        self.new = self.volume + "/new"
        self.source = self.configure("restore.conf", data=self.new)
        self.ok("found", **self.restore())
        self.assertEqual("100", self.rows().split()[-1])

    def test_taken_out_and_given_again(self):
        self.restart(archive_mode="off")
        self.write_much()
        self.restart(archive_mode="on")
        self.is_noticed()

    def test_elsewhere_and_back(self):
        self.configure("pgbackrest.conf", **{"repo1-path": "/elsewhere"})
        self.ok("look")
        self.write_much()
        self.archived()
        self.configure("pgbackrest.conf")
        self.is_noticed()

    def test_restarts(self):
        """What waits is not missing, nor what PostgreSQL has not marked yet."""
        self.stop_s3()
        self.write_much()
        self.restart(archive_mode="on")
        self.fails("look", "unable to connect")
        self.start_s3()
        self.assertEqual("", self.ok("look"))


if __name__ == "__main__":
    unittest.main()
