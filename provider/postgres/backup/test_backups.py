"""Backups and drills of a node that leads, or does not."""
import os
import signal
import time
import unittest

from world import handed, needed, World


@unittest.skipIf(needed(), needed())
class Backups(World):
    def test_first_backup_drill_and_nothing_more(self):
        self.start_postgres()
        self.sql("CREATE TABLE t AS SELECT generate_series(1, 1000) i")
        said = self.ok("look", drill="weekly")
        self.assertRegex(said, r"makes a full backup\n.*F is complete\n.*all files of the repository are as they were written\n.*drill: restores .*\n.*drill: .* is good")
        known = self.metrics()
        for name in ("last_success_timestamp_seconds{type=\"full\"}", "verified_timestamp_seconds", "drill_last_success_timestamp_seconds",
                     "restorable_from_timestamp_seconds"):
            self.assertAlmostEqual(time.time(), int(known["quorum_backup_" + name]), delta=100, msg=name)
        self.assertEqual(("1", "0", "0"), tuple(known["quorum_backup_" + name] for name in ("leader", "overdue", "archive_lag_seconds")))
        self.assertIn('quorum_backup_info{stanza="main",id="4e1d"}', known)
        self.assertNotIn("quorum_backup_running", known)
        self.assertFalse(os.path.exists(self.own + "/drill"))
        self.assertEqual("", self.ok("look", drill="weekly"))
        self.assertTrue(os.listdir(self.own + "/spool/archive/main/out"), "the drill leaves the server's queue alone")

    def test_schedules(self):
        self.backed_up()
        time.sleep(1.1)
        self.assertIn("makes a differential backup", self.ok("look", differential="*-*-* *:*:*"))
        time.sleep(1.1)
        self.assertIn("makes a full backup", self.ok("look", full="*-*-* *:*:*"))
        self.fails("look", "is no schedule", full="neverly")

    def test_only_the_leader_makes_them(self):
        self.start_postgres()
        self.patroni["node"]["role"] = "replica"
        self.assertEqual("", self.ok("look"))
        self.assertEqual([], self.objects("backup.info"))
        self.assertEqual("0", self.metrics()["quorum_backup_leader"])
        self.patroni["node"]["role"] = "primary"
        self.ok("look")
        self.patroni["node"]["role"] = "replica"
        time.sleep(1.1)
        self.assertEqual("", self.ok("look", full="*-*-* *:*:*"))
        self.assertIn('quorum_backup_last_success_timestamp_seconds{type="full"}', self.metrics(), "it tells of those that there are")

    def test_archive_timeout_after_a_start(self):
        """PostgreSQL that starts with nothing to recover may sleep until its next checkpoint before it minds `archive_timeout`."""
        self.backed_up()
        self.assertEqual("", self.ok("look"))
        before = self.objects("/archive/.*zst$")
        self.sql("INSERT INTO t VALUES (1)")
        self.wait(lambda: len(self.objects("/archive/.*zst$")) > len(before), "a file of WAL that is not full is archived")

    def test_before_postgres_runs(self):
        """The first look fails, so that systemd has it look again soon. That ends as soon as the node follows, or backups are there."""
        self.patroni["node"].update(role="uninitialized", state="starting")
        self.fails("look", "backup: PostgreSQL does not run here yet")
        known = self.metrics()
        self.assertIn('quorum_backup_failure{of="backup",reason="PostgreSQL does not run here yet",again="true"}', known)
        self.assertEqual("0", known["quorum_backup_leader"])
        self.assertRegex(handed("/etc/systemd/system/quorum-backup.service"), "\nRestart=on-failure\nRestartSec=20\n")
        self.patroni["node"].update(role="replica", state="running")
        self.assertEqual("", self.ok("look"))
        self.patroni["node"]["role"] = "primary"
        self.backed_up()
        self.patroni["node"]["state"] = "stopped"
        self.assertEqual("", self.ok("look"), "the next regular look is soon enough")
        self.assertNotIn("quorum_backup_failure", str(self.metrics()))

    def test_patroni_founds_the_cluster(self):
        """Until it has, it does not tell the system id of what runs: that is nobody else's cluster."""
        self.backed_up()
        known = self.patroni["node"].pop("database_system_identifier")
        said = self.fails("look", "backup: Patroni does not say yet which cluster this is")
        self.assertNotIn("another cluster", said)
        self.assertRegex(str(self.metrics()), 'of="backup",reason="Patroni .*again="true"')
        self.patroni["node"]["database_system_identifier"] = known
        self.ok("look")

    def test_drill_of_a_standby(self):
        self.backed_up()
        members = self.patroni["cluster"]["members"]
        members.append({"name": "postgres-2", "role": "sync_standby", "state": "streaming"})
        self.assertEqual("", self.ok("look", drill="weekly"), "the standby does it")
        members[1]["state"] = "stopped"
        self.assertIn("is good", self.ok("look", drill="weekly"))

    def test_stanza_of_another_cluster(self):
        self.backed_up()
        self.patroni["node"]["database_system_identifier"] = "4711"
        self.fails("look", "stanza main is of another cluster", "set another backup.stanza")

    def test_killed(self):
        self.start_postgres()
        for after in (0.3, 1, 2):
            with self.begin("look", drill="weekly") as process:
                time.sleep(after)
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.ok("look", drill="weekly")
        self.assertFalse(os.path.exists(self.own + "/drill"))
        self.assertIn("quorum_backup_drill_last_success_timestamp_seconds", self.metrics())

    def test_killed_in_a_backup_and_in_a_drill(self):
        """It alone: what it has begun ends with it, and the next look does the work."""
        self.start_postgres()
        self.sql("CREATE TABLE t AS SELECT repeat(md5(i::text), 30) FROM generate_series(1, 100000) i")
        with self.begin("look", drill="weekly") as process:
            self.wait(lambda: self.objects("/backup/main/.*F/"), "files of a backup")
            process.kill()
            process.wait()
        self.assertEqual("1", self.metrics()["quorum_backup_running"])
        with self.begin("look", drill="weekly") as process:
            self.wait(lambda: os.path.exists(self.own + "/drill/data/postmaster.pid") or process.poll() is not None, "a drill")
            with open(self.own + "/drill/data/postmaster.pid", encoding="utf-8") as file:
                server = int(file.readline())
            process.kill()
            self.assertIn("F is complete", process.communicate()[0])
        self.wait(lambda: not os.path.exists(f"/proc/{server}"), "the drill's server ends")
        said = self.ok("look", drill="weekly")
        self.assertNotIn("makes a", said)
        self.assertIn("is good", said)
        self.assertFalse(os.path.exists(self.own + "/drill"))
        self.assertNotIn("quorum_backup_running", self.metrics())


if __name__ == "__main__":
    unittest.main()
