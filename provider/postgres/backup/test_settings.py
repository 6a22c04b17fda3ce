"""What the cluster, its databases and its roles have set, and changed since the backup, keeps nobody from a restore or a drill."""
import json
import os
import shutil
import subprocess
import time
import unittest

import test_founding
from world import BIN, needed, VERSION, World

DRILL = "*-*-* *:*:*"
ROOM = ["max_replication_slots", "max_active_replication_origins"][:1 + (VERSION > "17")]  # for subscriptions


@unittest.skipIf(needed(), needed())
class Settings(World):
    restore, insert, rows = test_founding.Founding.restore, test_founding.Founding.insert, test_founding.Founding.rows

    def setUp(self):
        super().setUp()
        self.on_small_volume(800)
        self.backed_up()
        self.new = self.volume + "/new"
        self.source = self.configure("restore.conf", data=self.new)

    def test_more_prepared_transactions(self):
        """More than were allowed at the time of the backup."""
        self.stop_postgres()
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write("max_prepared_transactions=50\nmax_connections=300\nmax_worker_processes=30\nmax_wal_senders=30\nmax_locks_per_transaction=200\n")
        self.start_postgres()
        time.sleep(1.1)
        self.sql("BEGIN; INSERT INTO t VALUES (7); PREPARE TRANSACTION 'x'")
        self.archived()
        self.sql("COMMIT PREPARED 'x'")
        self.archived()
        self.assertIn("is good", self.ok("look", drill=DRILL))
        self.ok("found", **self.restore())
        self.assertEqual("7", self.rows())
        shutil.rmtree(self.new)
        self.start_postgres()
        self.ok("look", differential=DRILL)  # whose data say how much it was
        self.ok("found", **self.restore())

    def test_of_databases_and_roles(self):
        """Those that a drill cannot work with are for others."""
        self.sql("CREATE DATABASE app")
        for text in ("CREATE SCHEMA evil",
                     "CREATE FUNCTION evil.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE owner SUPERUSER; RETURN pg_catalog.pg_current_wal_lsn(); END $$",
                     "CREATE FUNCTION evil.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it is asked'; END $$",
                     "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$",
                     "CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse()",
                     "ALTER DATABASE template1 SET statement_timeout = 1",
                     "ALTER DATABASE app SET default_transaction_read_only = on", "CREATE ROLE owner", "ALTER DATABASE app SET role = owner"):
            self.sql(text)
        self.archived()
        self.sql("ALTER DATABASE postgres SET search_path = evil, pg_catalog")
        self.assertIn("is good", self.ok("look", drill=DRILL))
        self.assertEqual("f", self.sql("SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = 'owner'"), "what its owner has made in a database is not run")

    def test_what_postgres_has_room_for(self):
        """When transactions were committed, and up to where more subscriptions have come than a server takes by default."""
        self.stop_postgres()
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write("track_commit_timestamp=on\n" + "".join(f"{name}=30\n" for name in ROOM))
        self.start_postgres()
        for number in range(1, 15):
            self.sql(f"SELECT pg_replication_origin_create('o{number}'); SELECT pg_replication_origin_advance('o{number}', '0/{number}')")
        self.sql("INSERT INTO t VALUES (1)")
        time.sleep(1.1)
        self.assertIn("is good", self.ok("look", full=DRILL, drill=DRILL))
        self.sql("INSERT INTO t VALUES (2)")
        self.archived()
        known = "SELECT (SELECT string_agg(i || ' ' || pg_xact_commit_timestamp(xmin), ', ' ORDER BY i) FROM t), count(*) FROM pg_replication_origin_status"
        before = self.sql(known)
        self.assertRegex(before, r"^1 2\d.*, 2 2\d.*\|14$")
        self.end_soon("found", **self.restore())
        self.stop_postgres()
        self.start_as(self.new, "-c archive_mode=off -c track_commit_timestamp=on" + "".join(f" -c {name}=30" for name in ROOM))
        self.assertEqual(before, self.sql(known))

    def test_older_amcheck(self):
        """As a database has it that came from PostgreSQL 13 by pg_upgrade. That is no word on the data."""
        self.sql("CREATE EXTENSION amcheck VERSION '1.2'")
        self.archived()
        self.assertNotIn("broken", self.fails("look", "drill: pg_amcheck could not look at all that was restored: ", "verify_heapam", drill=DRILL))
        self.sql("ALTER EXTENSION amcheck UPDATE")
        self.archived()
        os.remove(self.own + "/drill.json")  # an hour later
        self.assertIn("is good", self.ok("look", drill=DRILL))

    def test_tablespace_since_the_backup(self):
        """A drill leaves its place alone, which is the one of the data that run, and goes on with the next backup. A restore waits for it."""
        place = self.volume + "/place"
        os.mkdir(place, mode=0o700)
        if not os.geteuid():
            shutil.chown(place, "postgres", "postgres")
        self.sql(f"CREATE TABLESPACE elsewhere LOCATION '{place}'")
        self.sql("CREATE TABLE u TABLESPACE elsewhere AS SELECT i FROM generate_series(1, 1000) i")
        self.archived()
        self.box()
        self.fails("look", "drill: PostgreSQL: could not set permissions on directory", drill=DRILL)
        self.assertIn('again="true"', str(self.metrics()))
        os.remove(self.own + "/drill.json")  # an hour later
        time.sleep(1.1)
        self.assertIn("is good", self.ok("look", differential=DRILL, drill=DRILL))
        self.assertEqual("1000", self.sql("SELECT count(*) FROM u"))

    def test_tablespace_that_has_no_place(self):
        place = self.volume + "/place"
        os.mkdir(place, mode=0o700)
        shutil.chown(place, "postgres", "postgres")
        self.sql(f"CREATE TABLESPACE elsewhere LOCATION '{place}'")
        self.sql("CREATE TABLE u TABLESPACE elsewhere AS SELECT i FROM generate_series(1, 1000) i; INSERT INTO t VALUES (1)")
        self.archived()
        self.stop_postgres()
        os.rename(place, place + ".lost")
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: "failure" in self.restoring() or process.poll() is not None, "a failure, or the end")
            self.assertRegex(self.restoring(), r'PostgreSQL: directory \\"[^"]*/place\\" does not exist.*again="true"')
            os.mkdir(place, mode=0o700)
            shutil.chown(place, "postgres", "postgres")
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertEqual("1", self.rows())

    def end_soon(self, verb, **changes):
        """It succeeds without a second attempt."""
        with self.begin(verb, **changes) as process:
            self.wait(lambda: "failure" in self.restoring() or process.poll() is not None, "a failure, or the end")
            self.assertNotIn("failure", self.restoring())
            self.assertEqual(0, process.wait(), process.stdout.read())

    def start_as(self, data, options):
        """Runs restored data as a cluster of its own."""
        self.does([BIN + "/pg_ctl", "-D", data, "-o", f"{options} -c unix_socket_directories={self.volume}", "-l", self.volume + "/log", "-w", "start"])
        self.addCleanup(self.does, [BIN + "/pg_ctl", "-D", data, "-m", "immediate", "stop"], check=False)

    def box(self):
        """As systemd has it, quorum-backup may write below its own directory only."""
        world, run = self, World.begin

        def begin(verb, **changes):
            before = subprocess.Popen

            def boxed(command, **how):
                how.pop("user", None), how.pop("group", None), how.pop("extra_groups", None)
                inner = (f"mount --bind {world.volume} {world.volume} && mount --bind {world.own} {world.own} && mount -o remount,ro,bind {world.volume} && "
                         'exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"')
                return before(["unshare", "--mount", "sh", "-c", inner, "sh", *command], **how)
            subprocess.Popen = boxed
            try:
                return run(world, verb, **changes)
            finally:
                subprocess.Popen = before
        self.begin = begin


@unittest.skipIf(needed(), needed())
class Drills(World):
    def test_is_not_forgotten_with_its_backup(self):
        """It comes by its schedule, though the backup that it was of is kept no longer."""
        self.on_small_volume(800)
        self.backed_up()
        conf = self.configure("pgbackrest.conf", **{"repo1-retention-full": "1"})
        self.assertIn("is good", self.ok("look", conf=conf, drill="yearly"))
        first = self.metrics()["quorum_backup_drill_last_success_timestamp_seconds"]
        for _ in range(3):
            time.sleep(1.1)
            self.assertNotIn("drill", self.ok("look", conf=conf, full=DRILL, drill="yearly"))
        self.assertEqual(2, len(self.objects("F/backup.manifest$")))  # of four
        self.assertEqual(first, self.metrics()["quorum_backup_drill_last_success_timestamp_seconds"])

    def test_failed_by_a_clock_that_was_ahead(self):
        """S3 refuses such a one. It is no reason to wait until then."""
        self.on_small_volume(800)
        self.backed_up()
        with open(self.own + "/drill.json", "w", encoding="utf-8") as file:
            json.dump({"failed": time.time() + 365 * 86400, "reason": "S3: RequestTimeTooSkewed", "again": True}, file)
        self.assertIn("is good", self.ok("look", drill="weekly"))


if __name__ == "__main__":
    unittest.main()
