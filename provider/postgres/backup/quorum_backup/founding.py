"""A cluster that is founded from a backup: Patroni runs this in the place of initdb."""
import contextlib
import datetime
import hashlib
import json
import os
import shutil
import time

from quorum_backup.metrics import Metrics, RESTORE
from quorum_backup.node import Node
from quorum_backup.origin import note_origin
from quorum_backup.recovery import forget_recovery, Server
from quorum_backup.report import complain, Failure, say
from quorum_backup.repository import Repository
from quorum_backup.restoring import command_for_wal, need_room, programs
from quorum_backup.state import drop, load, store

AGAIN, MORE = 10, 1 << 20  # seconds between attempts, and bytes that are more than what is written beside
UNFINISHED = "restoring"  # quorum-patroni looks for it: such data must not become a cluster


def found(config):
    """Tries until it succeeds, or until nothing but another program can help: `refused` says so to the next start of Patroni."""
    told, config["attempt"] = "", attempt_number(config)
    while True:
        try:
            if config["restore"]["type"] == "standby" and Node(config).leader():
                return 1  # whose data are copied instead
            attempt(config, config["restore"])
            drop(config, UNFINISHED)
            Metrics(config, RESTORE).write()  # of nothing: it is done
            return 0
        except (Failure, OSError) as error:  # such as of a full disk
            failure = Failure(str(error), getattr(error, "again", True))
            if config["restore"].get("streams"):
                complain(f"standby: {failure}; it copies the source's data instead")
                drop(config, UNFINISHED)
                Metrics(config, RESTORE).write()
                return 1
            if failure.again is False:
                complain(f"restore: {failure}")
                try:
                    give_up(config, failure)
                except OSError:  # the volume is full of what is of no use
                    shutil.rmtree(config["dataDir"], ignore_errors=True)
                    give_up(config, failure)
                return 1
            if str(failure) != told:
                told = str(failure)
                complain(f"restore: {told}; " + ("tries again" if failure.again else "goes on when there is more room"))
            with contextlib.suppress(OSError):  # the volume is full
                tell(config, failure)
            wait(config, failure.again)


def wait(config, again):
    """Until the next attempt: where room lacks, not before there is more, or an update gave something else, since an attempt may take hours."""
    free, wanted = shutil.disk_usage(config["directory"]).free, digest(config)
    while True:
        time.sleep(config.get("again", AGAIN))
        with open(config["path"], encoding="utf-8") as file:  # an update may have changed it meanwhile
            config.update(json.load(file))
        if again:
            return
        if shutil.disk_usage(config["directory"]).free > free + MORE or digest(config) != wanted:
            with contextlib.suppress(OSError):
                tell(config)  # before the next update asks
            return


def attempt_number(config):
    """More than one where the same was restored before, and Patroni, or the machine, failed after that."""
    with contextlib.suppress(OSError):  # the volume is full
        wanted, known = digest(config), load(config, "attempt")
        number = 1 + (known["number"] if known.get("wanted") == wanted else 0)
        store(config, "attempt", {"wanted": wanted, "number": number})
        return number
    return 1


def give_up(config, failure):
    """Patroni moves away what there is of data."""
    tell(config, failure)
    store(config, "refused", {"wanted": digest(config), "reason": str(failure)})
    drop(config, UNFINISHED)


def tell(config, failure=None):
    metrics, wanted = Metrics(config, RESTORE), config["restore"]
    if not failure or failure.again:
        metrics.set("restoring", 1, stanza=wanted["stanza"], target=describe(wanted), attempt=config["attempt"])
    if failure:
        metrics.fail("restore", failure)
    metrics.write()


def digest(config):
    """Of all that decides how a restore ends: settings, keys, authorities, versions of PostgreSQL, and the size of the volume."""
    told, directory = hashlib.sha256(), os.path.dirname(config["restore"]["conf"])
    for name in sorted(os.listdir(directory)):
        if name != os.path.basename(config["path"]) and os.path.isfile(f"{directory}/{name}"):
            with open(f"{directory}/{name}", "rb") as file:
                told.update(file.read())
    volume = os.statvfs(config["directory"])
    told.update(json.dumps([config["restore"], config["stanza"], sorted(os.listdir(config["installed"])), volume.f_blocks * volume.f_frsize]).encode())
    return told.hexdigest()


def refusal(config):
    """Why the same restore was given up before, or None."""
    refused = load(config, "refused")
    return refused.get("reason") if config["restore"] and refused.get("wanted") == digest(config) else None


def attempt(config, wanted):
    need_own(config, claims=True)
    source, data = Repository(wanted["conf"], wanted["stanza"]), config["dataDir"]
    info = source.info()
    check_source(wanted, info)
    tools = programs(config, info.version)
    shutil.rmtree(data + ".failed", ignore_errors=True)  # where Patroni puts what a restore has left that failed
    need_room(os.path.dirname(data), info, there=data)
    os.makedirs(config["directory"] + "/recovery", mode=0o700, exist_ok=True)
    store(config, UNFINISHED, {"time": int(time.time())})
    say(f"restore: {wanted['stanza']}, {describe(wanted)}")
    tell(config)
    source.run("restore", "--delta", f"--pg1-path={data}", *(f"--{kind}-path={config['directory']}/recovery" for kind in ("lock", "spool")), *options(wanted),
               f"--recovery-option=restore_command={command_for_wal(config, source, data)}")
    if wanted["type"] != "standby":
        recover(config, wanted, tools, info)
    with contextlib.suppress(FileNotFoundError):
        os.remove(data + "/patroni.dynamic.json")  # of the source
    note_origin(data, source.name())


def recover(config, wanted, tools, info):
    data = config["dataDir"]
    server = Server(tools, data, config["directory"] + "/restore.log", spare=min(shutil.disk_usage(config["directory"]).total // 20, 1 << 30))
    with server.running():
        last = server.sql("postgres", "SELECT pg_last_xact_replay_timestamp()")
        if wanted["type"] == "default" and wanted.get("timeline") in (None, "latest"):
            server.came_to(info.last_wal, f". Restore to {last and 'a time before ' + last or 'target.immediate'}, to do without what follows")
        say("restore: PostgreSQL has recovered" + (f", up to the transaction of {last}" if last else ""))
    need_own(config)  # that took long
    forget_recovery(data)


def need_own(config, claims=False):
    """A cluster keeps the system id of its source: into the repository of that, or another one's, it must never write."""
    if not config["conf"]:
        return
    own, why, again = Repository(config["conf"], config["stanza"]), "has backups or WAL already", False
    try:
        info = own.info()
        if not info or not (info.backups or info.has_wal):
            why, again = own.claim(config["cluster"]) if claims else (None, False)
    except Failure as failure:  # or nobody knows which of the two S3 services it is from
        raise Failure(f"backup.s3: {failure}", failure.again) from None
    if why:
        raise Failure(f"backup.stanza {own.stanza} {why}: a restored cluster needs a stanza of its own", again)


def check_source(wanted, info):
    if info is None or not info.backups:
        raise Failure(f"there is no backup of {'standbyOf.backup' if wanted['type'] == 'standby' else 'restore'}.stanza {wanted['stanza']}", again=False)
    labels = [backup["label"] for backup in info.backups]
    if wanted.get("set") and wanted["set"] not in labels:
        raise Failure(f"restore.set {wanted['set']} is none of the backups: {', '.join(labels)}", again=False)
    if wanted["type"] == "time":
        first, target = info.first_end(), datetime.datetime.fromisoformat(wanted["target"]).timestamp()
        if target < first:
            raise Failure(f"restore.target.time is before the first backup that there is, which ended at {moment(first)}", again=False)
        if target > time.time():
            raise Failure("restore.target.time is in the future", again=target < time.time() + 900)  # by which S3 lets a clock be slow


def moment(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def options(wanted):
    """Of pgBackRest's restore."""
    all_of_it = [f"--type={wanted['type']}"]
    if wanted["type"] not in ("default", "standby"):
        all_of_it.append("--target-action=promote")
    if wanted.get("target"):
        all_of_it.append(f"--target={wanted['target']}")
    if wanted.get("exclusive"):
        all_of_it.append("--target-exclusive")
    if wanted.get("timeline"):
        kind = "recovery-option=recovery_target_" if wanted["type"] == "immediate" else "target-"  # which it does not take itself there
        all_of_it.append(f"--{kind}timeline={wanted['timeline']}")
    if wanted.get("set"):
        all_of_it.append(f"--set={wanted['set']}")
    return all_of_it


def describe(wanted):
    if wanted["type"] == "standby":
        return "for a standby"
    if wanted["type"] in ("default", "immediate"):
        return "to the end of its WAL" if wanted["type"] == "default" else "to the end of a backup"
    return f"to the {wanted['type']} {wanted['target']}"
