"""What is found in a PostgreSQL that runs, and what pg_upgrade makes of its data. The host has one version, which is both."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

from quorum_upgrade import checks
from quorum_upgrade.report import Problem

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = "/usr/lib/postgresql"
VERSION = max(os.listdir(INSTALLED), key=float) if os.path.isdir(INSTALLED) else ""
AS_POSTGRES = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

PROGRAM = r'''
import json, os, sys
top, version = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, top + "/program")
from types import SimpleNamespace
from quorum_upgrade import after, checks, commands
from quorum_upgrade.data import Data
clean = commands.environment
commands.environment = lambda: {**clean(), "PGHOST": top + "/volume"}
data = Data({"dataDir": top + "/volume/data", "installed": "/usr/lib/postgresql"})
tools = data.tools(version)
def must(*command):
    done = commands.run(command)
    assert done.returncode == 0, done.stdout
must(tools + "/initdb", "--pgdata=" + data.directory, "--username=postgres", "--locale=C", "--encoding=UTF8", "--data-checksums", "--wal-segsize=4")
with open(data.directory + "/postgresql.conf", "a") as file:
    file.write(f"listen_addresses=''\nunix_socket_directories='{top}/volume'\nfsync=off\nwal_level=logical\nmax_prepared_transactions=2\n")
os.makedirs(f"{top}/shared/{version}/extension")
with open(f"{top}/shared/{version}/extension/plpgsql.control", "w") as file:
    file.write("# plpgsql extension\ndefault_version = '9.9'\n")
def start():
    must(tools + "/pg_ctl", "start", "-D", data.directory, "-l", top + "/volume/log", "-w")
def found(**more):
    marker = {"from": version, "to": version, "action": "check", "nodes": ["a"], "reports": {}, **more}
    check = checks.Check({"shared": top + "/shared"}, data, marker)
    check.run()
    return {"problems": check.problems, "notes": check.notes, "bytes": check.bytes}
said = {}
start()
data.sql("CREATE TABLE public.numbers AS SELECT generate_series(1, 1000) n")
said["well"] = found()
said["backup"] = found(action="run")["problems"]
data.sql("CREATE ROLE mallory LOGIN")
data.sql("CREATE DATABASE hers OWNER mallory")
data.sql("SET SESSION AUTHORIZATION mallory; CREATE SCHEMA evil; CREATE TABLE public.indexed AS SELECT 1 AS n; CREATE FUNCTION evil.f() RETURNS text LANGUAGE plpgsql AS "
         "$$BEGIN IF current_setting('is_superuser') = 'on' THEN ALTER ROLE mallory SUPERUSER; END IF; RETURN ''; END$$; "
         "CREATE VIEW evil.pg_extension AS SELECT extname, extversion || evil.f() AS extversion FROM pg_catalog.pg_extension; "
         "ALTER DATABASE hers SET search_path = evil, pg_catalog; ALTER DATABASE hers SET role = mallory; ALTER DATABASE hers SET statement_timeout = 1; "
         "ALTER DATABASE hers SET client_min_messages = debug5", "hers")
said["hers"] = [found()["problems"], after.After(SimpleNamespace(data=data, config={})).statistics({"action": "run"}), data.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"),
                data.sql("SELECT count(*) FROM pg_stats WHERE tablename = 'pg_authid'", "hers"), data.sql("SELECT current_user", "hers")]
data.sql("DROP DATABASE hers")
data.sql("CREATE DATABASE half")
data.sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'half'")
said["half"] = found()["problems"]
data.sql("DROP DATABASE half")
said["another"] = found(**{"from": "14"})["problems"]
data.sql("CREATE DATABASE other")
data.sql("SELECT pg_create_logical_replication_slot('follows', 'pgoutput')")
data.sql("CREATE TABLE public.unfit (name regproc, fine regclass)", "other")
data.sql("CREATE EXTENSION pg_trgm SCHEMA public", "other")
data.sql("BEGIN; INSERT INTO public.numbers VALUES (0); PREPARE TRANSACTION 'forgotten'")
data.sql("ALTER SYSTEM SET work_mem = '5MB'")
said["ill"] = found()
data.sql("ROLLBACK PREPARED 'forgotten'")
said["slot"] = data.sql("SELECT pg_drop_replication_slot('follows')")
data.sql("DROP DATABASE other")
said["again"] = found()["problems"]
before = data.system_id()
data.stop()
said["state"] = data.control()["Database cluster state"]
beside = data.beside
data.beside = lambda major: beside("new")  # it is the same version
checks.prepare(data, version, {**data.noted("initdb"), "command": [word.replace(beside(version), beside("new")) for word in data.noted("initdb")["command"]]})
status, output = commands.watched(checks.pg_upgrade(data, version, version), lambda: True, data.work())
assert status == 0, output
said["old"] = sorted(name for name in os.listdir(data.directory + "/global") if "pg_control" in name)
os.rename(data.directory, beside("old"))
os.rename(beside("new"), data.directory)
with open(data.directory + "/postgresql.conf", "a") as file:
    file.write(f"listen_addresses=''\nunix_socket_directories='{top}/volume'\n")
start()
said["rows"] = data.sql("SELECT count(*) FROM public.numbers")
said["segments"] = data.sql("SHOW wal_segment_size") + data.sql("SHOW data_checksums")
said["other id"] = data.system_id() != before
data.sql("CREATE FUNCTION public.inner_of(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n'")
data.sql("CREATE FUNCTION public.outer_of(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN inner_of(n); END'")
data.sql("SET search_path = public; CREATE INDEX ON numbers (outer_of(n))")
data.sql("CREATE DATABASE \"it's well\" TEMPLATE template0")
afterwards = after.After(SimpleNamespace(data=data, config={}))
said["statistics"] = [afterwards.statistics({"action": "run"}), afterwards.unmade]
data.stop()
print(json.dumps(said))
'''


@unittest.skipUnless(VERSION, "no PostgreSQL is installed")
class Checks(unittest.TestCase):
    def test_all(self):
        top = tempfile.mkdtemp(prefix="quorum-upgrade-")
        self.addCleanup(shutil.rmtree, top, ignore_errors=True)
        os.chmod(top, 0o755)
        shutil.copytree(HERE + "/quorum_upgrade", top + "/program/quorum_upgrade")
        for name in ("volume", "shared"):
            os.mkdir(f"{top}/{name}")
            if AS_POSTGRES:
                shutil.chown(f"{top}/{name}", "postgres", "postgres")
        done = subprocess.run(["/usr/bin/python3", "-c", PROGRAM, top, VERSION], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd=top, **AS_POSTGRES)
        self.assertEqual(0, done.returncode, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual([], said["well"]["problems"])
        self.assertGreater(said["well"]["bytes"], 1 << 20)
        self.assertIn("ALTER EXTENSION \"plpgsql\" UPDATE, from 1.0 to 9.9", said["well"]["notes"][0])
        self.assertIn("upgrade.withoutBackup", said["backup"][0])
        self.assertEqual([[], True, ["f"]], said["hers"][:3], "what the owner of a database has made and set is not used")
        self.assertEqual(["postgres"], said["hers"][4])
        self.assertNotEqual(["0"], said["hers"][3], "statistics are those of a superuser")
        self.assertEqual("the database half: a DROP DATABASE that was cut short has left it: DROP DATABASE it once more", said["half"][0])
        self.assertEqual([f"the data are of PostgreSQL {VERSION}, and by upgrade.from of 14"], said["another"])
        ill = "\n".join(said["ill"]["problems"])
        for what in ("the prepared transaction forgotten", "the logical replication slot follows", "database other: the column public.unfit.name", "database other: the extension pg_trgm"):
            self.assertIn(what, ill)
        self.assertNotIn("unfit.fine", ill)
        self.assertIn("ALTER SYSTEM has set work_mem", "\n".join(said["ill"]["notes"]))
        self.assertEqual([], said["again"])
        self.assertEqual("shut down", said["state"])
        self.assertTrue(said["statistics"][0], "it is done as far as it can be")
        self.assertEqual(1, len(said["statistics"][1]), said["statistics"])
        self.assertRegex(said["statistics"][1][0], "^database postgres: has no statistics, .*inner_of")
        self.assertEqual((["pg_control.old"], ["1000"], ["4MB", "on"], True), (said["old"], said["rows"], said["segments"], said["other id"]))


class Late(unittest.TestCase):
    def test_an_upgrade_without_end(self):
        """It is ended by the end of this program, with all that it has started, and the next run gives up."""
        notes = {"initdb": {"command": [], "libraries": "", "fresh": True}}
        data = SimpleNamespace(noted=notes.get, note=lambda name, **values: notes.update({name: values}), work=lambda: "/nowhere", beside=lambda _: "/nowhere")

        def watched(_, goes_on, __):
            return sys.exit(1) if not goes_on() else (0, "")
        with mock.patch.multiple(checks, version=lambda _: "17", pg_upgrade=lambda *_: [], watched=watched, LATE=-60):
            with self.assertRaises(SystemExit):
                checks.upgrade(data, "15", "17", lambda: True)
            with self.assertRaisesRegex(Problem, "pg_upgrade: no end within"):
                checks.upgrade(data, "15", "17", lambda: True)


if __name__ == "__main__":
    unittest.main()
