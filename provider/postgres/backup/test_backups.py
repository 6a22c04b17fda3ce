"""Backups and drills of a node that leads, or does not."""
import os
import re
import shutil
import signal
import time
import unittest

from world import BIN, handed, needed, World


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
        with open(self.data + "/standby.signal", "w", encoding="utf-8"):
            pass
        self.start_postgres()
        self.does([BIN + "/pg_ctl", "-D", self.data, "-w", "promote"])
        self.patroni["node"]["role"] = "primary"
        self.assertRegex(self.ok("look"), "makes a full backup\n.*is complete\n.*as they were written")
        self.assertEqual("0", self.metrics()["quorum_backup_overdue"])

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

    def switch_over(self):
        """The node as another one that follows it to its end, and then leads."""
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop"])
        with open(self.data + "/standby.signal", "w", encoding="utf-8"):
            pass
        self.start_postgres()
        self.does([BIN + "/pg_ctl", "-D", self.data, "-w", "promote"])

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
        with open(self.data + "/standby.signal", "w", encoding="utf-8"):
            pass
        self.start_postgres()
        self.does([BIN + "/pg_ctl", "-D", self.data, "-w", "promote"])

    def forget_away(self):
        """Lets quorum-wal try at once."""
        for name in os.listdir(self.own):
            if name.startswith("away"):
                os.remove(f"{self.own}/{name}")


if __name__ == "__main__":
    unittest.main()
