"""Patroni of the distribution gives the roles of a new cluster their passwords, in a real PostgreSQL that is slow, or fails at it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # that has Patroni
INSTALLED = "/usr/lib/postgresql"
BIN = f"{INSTALLED}/{max(os.listdir(INSTALLED), key=float)}/bin" if os.path.isdir(INSTALLED) else ""
AS_POSTGRES = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
PASSWORD = "it's \\ hush\\' hush"

# Another session keeps the first role from being changed, for longer than a statement may take here, or ends the statement.
DRIVER = r"""
import importlib.machinery, importlib.util, io, logging, sys, threading, time
from types import SimpleNamespace
sys.dont_write_bytecode = True
program, directory, password, mended, fails = sys.argv[1:]
import psycopg2
import patroni.postgresql.bootstrap as bootstrap
log = logging.StreamHandler(sys.stdout)
log.setFormatter(logging.Formatter("%(message)s"))
logging.getLogger().addHandler(log)
if mended:
    loader = importlib.machinery.SourceFileLoader("program", program)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("program", loader))
    loader.exec_module(module)
    module.calm(bootstrap.Bootstrap)
    logging.Formatter.format = module.discreet(logging.Formatter.format)
def connect(options=""):
    connection = psycopg2.connect(host=directory, dbname="postgres", user="postgres", options=options)
    connection.autocommit = True
    return connection
def ask(connection, text):
    cursor = connection.cursor()
    cursor.execute(text)
    return cursor
patroni, other = connect("-c statement_timeout=300"), connect()
ask(other, "BEGIN")
ask(other, "LOCK TABLE pg_authid IN EXCLUSIVE MODE")
def end():
    time.sleep(1)
    if fails:
        ask(connect(), f"SELECT pg_cancel_backend({patroni.get_backend_pid()})")
    ask(other, "ROLLBACK")
threading.Thread(target=end).start()
roles = {name: {"username": name, "password": password} for name in ("postgres", "replicator", "rewinder")}
later = SimpleNamespace(bootstrap=lambda: None)
founded = bootstrap.Bootstrap(SimpleNamespace(query=lambda text: ask(patroni, text), connection=lambda: patroni, citus_handler=later, mpp_handler=later,
    config=SimpleNamespace(superuser=roles["postgres"], replication=roles["replicator"], rewind_credentials=roles["rewinder"])))
task = SimpleNamespace(result=None)
task.complete = lambda result: setattr(task, "result", result)
print("founded:", founded.post_bootstrap({}, task))
print("then:", *(ask(patroni, "SHOW " + name).fetchone()[0] for name in ("statement_timeout", "log_error_verbosity")))
"""


class Founding(unittest.TestCase):
    def setUp(self):
        found = subprocess.run([PYTHON, "-c", "import patroni.postgresql, psycopg2"], capture_output=True, text=True, check=False)
        if found.returncode or not BIN:
            self.skipTest("no Patroni or no PostgreSQL")
        self.directory = tempfile.mkdtemp(prefix="quorum-founding-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        if AS_POSTGRES:
            shutil.chown(self.directory, "postgres", "postgres")
        self.does("initdb", "-N", "-A", "trust", "-U", "postgres")
        self.does("pg_ctl", "-l", self.directory + "/log", "-w", "-o", f"-c listen_addresses='' -k {self.directory}", "start")
        self.addCleanup(self.does, "pg_ctl", "-m", "immediate", "stop")

    def does(self, name, *arguments):
        subprocess.run([f"{BIN}/{name}", "-D", self.directory + "/data", *arguments], cwd=self.directory, stdout=subprocess.DEVNULL, timeout=120, check=True, **AS_POSTGRES)

    def founds(self, mended="mended", fails=""):
        """What is printed and logged."""
        done = subprocess.run([PYTHON, "-c", DRIVER, HERE + "/quorum-patroni", self.directory, PASSWORD, mended, fails], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        with open(self.directory + "/log", encoding="utf-8") as file:
            return done.stdout, file.read()

    def test_a_slow_disk(self):
        said, log = self.founds()
        self.assertEqual("founded: True\nthen: 300ms default\n", said)
        self.assertNotIn("hush", log)

    def test_a_failure_tells_no_password(self):
        said, log = self.founds(fails="fails")
        self.assertIn("founded: False\nthen: 300ms default\n", said)
        self.assertIn("LOGIN PASSWORD '...'\"\n", said)
        self.assertIn("canceling statement due to user request", log)
        self.assertNotIn("hush", said + log)

    def test_the_faults_are_there_to_be_mended(self):
        said, log = self.founds(mended="")
        self.assertIn("founded: False", said)
        self.assertIn("hush", said)
        self.assertIn("hush", log)


if __name__ == "__main__":
    sys.exit(unittest.main())
