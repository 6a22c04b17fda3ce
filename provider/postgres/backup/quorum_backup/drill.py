"""The drill: the newest backup and all WAL after it become a server beside the one that runs, whose data are looked at."""
import json
import os
import re
import shutil
import time

from quorum_backup.commands import run
from quorum_backup.recovery import PASSES, Server
from quorum_backup.report import Failure, say
from quorum_backup.repository import DRILL
from quorum_backup.restoring import command_for_wal, need_room, programs

KEEPS_FREE = 0.1  # of the volume: the cluster goes on to write meanwhile
LONGEST = 24 * 3600


def place_of(config):
    return config["directory"] + "/drill"


def tidy(config):
    """Removes what a drill has left that was killed."""
    shutil.rmtree(place_of(config), ignore_errors=True)


def drill(config, repository, info):
    """Restores, checks, removes, and notes that it went well."""
    place, began = place_of(config), time.time()
    need_room(config["directory"], info, KEEPS_FREE)
    tools, data = programs(config, info.version), place + "/data"
    os.makedirs(data, mode=0o700)
    os.makedirs(config["directory"] + "/recovery", mode=0o700, exist_ok=True)
    try:
        say(f"drill: restores {info.newest()['label']}")
        # A restore empties the queues: not those of the server that runs.
        repository.run("restore", f"--pg1-path={data}", f"--tablespace-map-all={place}/tablespaces", f"--lock-path={place}",
                       f"--spool-path={config['directory']}/recovery", f"--recovery-option=restore_command={command_for_wal(config, repository, data)}")
        server = Server(tools, data, place + "/log", lasting=False, spare=shutil.disk_usage(place).total * KEEPS_FREE / 2)
        with server.running():
            to = server.sql("postgres", "SELECT extract(epoch FROM pg_last_xact_replay_timestamp())::bigint")
            server.came_to(info.last_wal)
            check_indexes(tools, server)
        check_pages(tools, data)
    finally:
        tidy(config)
    took = time.time() - began
    repository.mark(info.newest()["label"], DRILL, json.dumps({"time": int(time.time()), "seconds": round(took, 1), "to": int(to) if to else None}))
    say(f"drill: {info.newest()['label']} is good, with all WAL that is archived: {took:.0f} s")


def check_indexes(tools, server):
    """Every table and index of every database, as PostgreSQL's amcheck does it."""
    # What databases and roles have set, and event triggers, are for those who work with them. An amcheck of an older major version lacks functions.
    done = run([tools + "/pg_amcheck", f"--host={server.socket}", "--all", "--install-missing", "--no-strict-names"], LONGEST,
               {"PGOPTIONS": "-cdefault_transaction_read_only=0 -cstatement_timeout=0 -clock_timeout=0 -crole=none -csession_replication_role=replica"})
    judge_check("pg_amcheck", done, done.returncode == 2 and any(found and not re.search(PASSES + "|function .* does not exist", found) for found in re.split(r"\n(?=\S)", done.stdout.strip())))


def check_pages(tools, data):
    """The checksum of every page, which only a stopped server's files have for certain."""
    done = run([tools + "/pg_checksums", "--check", f"--pgdata={data}"], LONGEST)
    if "not enabled" not in done.stderr:
        judge_check("pg_checksums", done, re.search(r"Bad checksums: +[1-9]|: read \d+ of ", done.stdout + done.stderr))


def judge_check(program, done, broken):
    """Fails where a program found something, or did not come to its end."""
    if done.returncode:
        raise Failure(f"{program} {'finds restored data broken' if broken else 'could not look at all that was restored'}: " + (done.stdout + done.stderr).strip()[-800:], again=not broken)
