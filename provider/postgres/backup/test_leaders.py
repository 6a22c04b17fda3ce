"""Another node leads: during a backup, by a switchover, and by a failover."""
import os
import time
import unittest

from world import BIN, needed, World


@unittest.skipIf(needed(), needed())
class Leaders(World):
    def test_another_leads_during_a_backup(self):
        """The former leader's backup ends, and it makes no other; the new one makes it."""
        self.start_postgres()
        self.sql("CREATE TABLE t AS SELECT repeat(md5(i::text), 30) FROM generate_series(1, 100000) i")
        with self.begin("look") as process:
            self.wait(lambda: self.objects("/backup/main/.*F/"), "files of a backup")
            self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "immediate", "stop"])
            self.patroni["node"]["role"] = "replica"
            said, _ = process.communicate(timeout=120)
        self.assertEqual(1, process.returncode, said)
        self.assertIn("quorum-backup: backup: pgbackrest backup: ", said)
        self.assertIn('quorum_backup_failure{of="backup"', str(self.metrics()))
        self.assertEqual("", self.ok("look"), "it does not lead")
        self.assertNotIn("quorum_backup_failure", str(self.metrics()))
        self.lead_anew()
        self.patroni["node"]["role"] = "primary"
        self.assertRegex(self.ok("look"), "makes a full backup\n.*is complete\n.*as they were written")
        self.assertEqual("0", self.metrics()["quorum_backup_overdue"])

    def test_switchovers(self):
        """Nothing is lost: the old leader has archived all before it ends."""
        self.backed_up()
        for number in range(3):
            self.sql(f"INSERT INTO t VALUES ({number}); SELECT pg_switch_wal()")
            self.sql(f"INSERT INTO t VALUES ({number})")
            self.switch_over()
            self.archived()
            self.assertNotIn("makes a", self.ok("look"))
        time.sleep(1.1)
        self.sql("INSERT INTO t VALUES (3)")
        moment = int(self.sql("SELECT extract(epoch FROM now())::bigint"))
        self.archived()
        self.assertNotIn("makes a", self.ok("look", drill="weekly"))
        known = self.metrics()
        self.assertGreaterEqual(int(known["quorum_backup_drill_restored_to_timestamp_seconds"]), moment - 1)
        self.assertGreaterEqual(int(known["quorum_backup_restorable_to_timestamp_seconds"]), moment - 1)

    def test_gap_before_an_earlier_switchover(self):
        self.backed_up()
        self.sql("INSERT INTO t VALUES (1); SELECT pg_switch_wal()")
        self.sql("INSERT INTO t VALUES (2)")
        lost = self.sql("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.archived()
        self.switch_over()
        self.archived()
        self.switch_over()
        self.archived()
        for path in self.objects(f"/{lost}-"):
            os.remove(path)
        self.assertIn(f"makes a differential backup: the archive lacks {lost}", self.ok("look"))
        self.assertNotIn("makes a", self.ok("look"))

    def test_history_that_the_archive_lacks(self):
        """Recovery would end there, although all that follows is in the archive."""
        self.backed_up()
        self.switch_over()
        self.archived()
        self.switch_over()
        self.archived()
        for path in self.objects("/00000002.history$"):
            os.remove(path)
        self.assertIn("the archive lacks 00000002.history", self.ok("look"))

    def test_failover_while_wal_waits(self):
        self.backed_up()
        self.stop_s3()
        self.sql("INSERT INTO t VALUES (1); SELECT pg_switch_wal()")
        self.fail_over()
        self.sql("INSERT INTO t VALUES (2)")
        self.fails("look", "unable to connect")
        known = self.metrics()
        self.assertEqual(known['quorum_backup_last_success_timestamp_seconds{type="any"}'], known["quorum_backup_restorable_to_timestamp_seconds"], "what is certain")
        self.start_s3()
        self.forget_away()
        self.assertIn("makes a differential backup: the archive lacks", self.ok("look"))
        self.assertGreater(self.metrics()["quorum_backup_restorable_to_timestamp_seconds"], known["quorum_backup_restorable_to_timestamp_seconds"])
        time.sleep(1.1)
        self.sql("INSERT INTO t VALUES (3)")
        moment = int(self.sql("SELECT extract(epoch FROM now())::bigint"))
        self.archived()
        self.assertEqual([], self.objects(f"/{self.lost}-"), "the archive has a gap")
        self.assertNotIn("makes a", self.ok("look", drill="weekly"), "once is enough")
        self.assertGreaterEqual(int(self.metrics()["quorum_backup_drill_restored_to_timestamp_seconds"]), moment - 1)

    def fail_over(self):
        """The node as another one that had followed it, and does not archive what is not its own."""
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "immediate", "stop"])
        status = self.data + "/pg_wal/archive_status/"
        self.lost = next(name[:-6] for name in sorted(os.listdir(status)) if name.endswith(".ready"))
        for name in os.listdir(status):
            os.rename(status + name, status + name.replace(".ready", ".done"))
        self.lead_anew()


if __name__ == "__main__":
    unittest.main()
