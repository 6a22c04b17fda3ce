"""Measures PostgreSQL with the distribution's settings and with those given: prints both, in JSON.

  settings.py SCALE SECONDS ROUNDS < PARAMETERS
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SCALE, SECONDS, ROUNDS = sys.argv[1:]
NOBODY = 65534
BIN = os.path.dirname(sorted(glob.glob("/usr/lib/postgresql/*/bin/pgbench"))[-1])
top = tempfile.mkdtemp(prefix="settings", dir="/var/tmp")  # a disk, where /tmp may be memory
os.chown(top, NOBODY, NOBODY)


def does(program, *words):
    done = subprocess.run([f"{BIN}/{program}", *words], user=NOBODY, group=NOBODY, extra_groups=[], cwd=top, capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "PGHOST": top, "PGUSER": "postgres", "PGDATABASE": "postgres", "LC_ALL": "C"})
    if done.returncode:
        sys.exit(f"{program}: {done.stderr}")
    return done.stdout


def tps(*words):
    return float(re.search(r"tps = ([0-9.]+)", does("pgbench", "-n", "-c", "8", "-j", "2", "-T", SECONDS, *words))[1])


def measured(parameters):
    """From a start, since some of them are taken only then."""
    options = " ".join(f"-c {name}={value}" for name, value in parameters.items())
    does("pg_ctl", "-D", "data", "-w", "-s", "-l", "log", "-o", f"-k {top} -c listen_addresses='' {options}", "start")
    try:
        does("psql", "-qc", "SELECT count(*) FROM pgbench_accounts")
        found = {"read": tps("-S"), "write": tps()}
        begin = time.monotonic()
        does("psql", "-qc", "CREATE INDEX again ON pgbench_accounts (bid, abalance, aid)")
        found["index"] = time.monotonic() - begin
        does("psql", "-qc", "DROP INDEX again", "-c", "VACUUM pgbench_accounts", "-c", "CHECKPOINT")
        return found
    finally:
        does("pg_ctl", "-D", "data", "-w", "-s", "-m", "fast", "stop")


try:
    fitting = json.load(sys.stdin)
    does("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "--data-checksums")
    does("pg_ctl", "-D", "data", "-w", "-s", "-l", "log", "-o", f"-k {top} -c listen_addresses=''", "start")
    does("pgbench", "-i", "-q", "-s", SCALE)
    does("pg_ctl", "-D", "data", "-w", "-s", "-m", "fast", "stop")
    rounds = [(measured({}), measured(fitting)) for _ in range(int(ROUNDS))]  # in turns
    print(json.dumps([{what: statistics.median(r[which][what] for r in rounds) for what in ("read", "write", "index")} for which in (0, 1)]))
finally:
    shutil.rmtree(top)
