"""A cluster that is founded from a snapshot: etcd-join runs this on each member, before etcd starts without data."""
import datetime
import hashlib
import json
import os
import shutil

from quorum_backup.drill import fetch
from quorum_backup.etcd import alone, configuration, utl
from quorum_backup.log import index_of, raise_index
from quorum_backup.metrics import Metrics, RESTORE
from quorum_backup.report import complain, Failure, say
from quorum_backup.restic import Repository
from quorum_backup.room import need_room

BEYOND = 1_000_000_000  # what revisions and the index of the log are raised by: clients have seen later ones than the snapshot's
HOUR, FULL = 3600, "NOSPACE"  # an alarm that is a reason to have a snapshot
LOCKS = ("leader", "sync", "failover")  # of a cluster of Patroni


def restore_place(config):
    return config["directory"] + "/restore"


def prepare(config, *again):
    """Makes what all members found the cluster from, once or again, and prints what tells it from other clusters."""
    wanted, place = config["restore"], restore_place(config)
    ready = {"wanted": digest(wanted)}
    try:
        with open(place + "/ready.json", encoding="utf-8") as file:
            known = json.load(file)
    except (FileNotFoundError, ValueError):
        known = {}
    if again or known.get("wanted") != ready["wanted"]:
        try:
            known = {**ready, **make(config, wanted, place)}
        except (Failure, OSError) as failure:
            tell(config, failure)
            complain(f"restore: {failure}")
            return False
        with open(place + "/ready.json", "w", encoding="utf-8") as file:
            json.dump(known, file)
    tell(config)
    print(known["token"], flush=True)
    return True


def tell(config, failure=None):
    metrics = Metrics(config, RESTORE)
    if failure:
        metrics.fail("restore", failure)
    metrics.write()


def digest(wanted):
    with open(wanted["repository"], encoding="utf-8") as file:
        url = json.load(file)["url"]
    return hashlib.sha256(json.dumps([wanted, url], sort_keys=True).encode()).hexdigest()


def make(config, wanted, place):
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place, mode=0o700)
    repository = Repository(wanted["repository"])
    snapshot = choose(repository.snapshots(), wanted)
    say(f"restore: snapshot {snapshot.id[:8]} of {moment(snapshot.time)}")
    need_room(place, 3 * repository.size(snapshot))
    fetch(config, repository, snapshot, place + "/etcd.db")
    with alone(config, place + "/etcd.db", place, "--bump-revision", str(BEYOND), "--mark-compacted") as etcd:
        log_in(etcd)
        end_leases(etcd)
        if wanted["dropPatroniLocks"]:
            drop_locks(etcd)
        compact(etcd)
        reopen(etcd)
        data = etcd.hash()
        etcd.ctl("snapshot", "save", place + "/final.db", seconds=3600)
        if etcd.hash() != data:
            raise Failure("the data of the snapshot changed while they were made")
    shutil.rmtree(place + "/alone")
    index = index_of(place + "/etcd.db") + BEYOND
    os.remove(place + "/etcd.db")
    return {"token": f"-restored-{snapshot.id[:8]}-{data:08x}", "index": index}


def choose(snapshots, wanted):
    if not snapshots:
        raise Failure("there is no snapshot in restore.s3", again=False)
    if wanted["snapshot"]:
        found = [s for s in snapshots if s.id.startswith(wanted["snapshot"])]
        if len(found) != 1:
            raise Failure(f"restore.snapshot {wanted['snapshot']} is {'several' if found else 'none'} of the {len(snapshots)} snapshots", again=False)
        return found[0]
    until = datetime.datetime.fromisoformat(wanted["until"].replace("Z", "+00:00")).timestamp()
    found = [s for s in snapshots if s.time <= until]
    if not found:
        raise Failure(f"the first snapshot is of {moment(snapshots[0].time)}, later than {wanted['until']}", again=False)
    return found[-1]


def moment(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def log_in(etcd):
    try:
        etcd.get("quorum/identity")
    except Failure as failure:
        if "invalid user ID or password" in str(failure):
            raise Failure("root has another password in the snapshot: give the one that it had then as rootPassword", again=False) from None
        raise


def end_leases(etcd):
    """Ends those that could end by themselves meanwhile, at another moment on each member, whose data would not be the same then.
    However one ends, its keys go in one revision."""
    for lease, granted in etcd.leases().items():
        if granted <= HOUR:
            try:
                etcd.ctl("lease", "revoke", lease)
            except Failure as failure:
                if "lease not found" not in str(failure):
                    raise


def compact(etcd):
    """Forgets in which order keys were removed, which differs where a lease ended by itself."""
    try:
        etcd.ctl("compact", "--physical", str(etcd.status()["header"]["revision"]), seconds=3600)
    except Failure as failure:
        if "has been compacted" not in str(failure):
            raise


def reopen(etcd):
    """Ends the alarm of a database that was full: it is in the snapshot, of a member that is gone. Where there is still no room, the first write raises it again."""
    if FULL in etcd.ctl("alarm", "list"):
        etcd.ctl("defrag", seconds=3600)
        etcd.ctl("alarm", "disarm")
        say("restore: the database was full: it is defragmented, and alarm NOSPACE disarmed")


def drop_locks(etcd):
    """Removes who leads each cluster of Patroni, which may be long over."""
    keys = set(etcd.ctl("get", "", "--prefix", "--keys-only").split("\n"))
    scopes = sorted(key.removesuffix("/initialize") for key in keys if key.endswith("/initialize") and key.removesuffix("initialize") + "config" in keys)
    for scope in scopes:
        for lock in LOCKS:
            if f"{scope}/{lock}" in keys:
                etcd.ctl("del", f"{scope}/{lock}")
                say(f"restore: {scope}/{lock} is removed")


def found(config, token):
    """Makes this member's data, all of it or nothing."""
    try:
        put(config, token)
    except (Failure, OSError) as failure:
        tell(config, str(failure))
        raise Failure(f"restore: {failure}") from None
    say("restore: the data of the snapshot are in place")
    return True


def put(config, token):
    place, conf = restore_place(config), configuration(config)
    with open(place + "/ready.json", encoding="utf-8") as file:
        index = json.load(file)["index"]
    shutil.rmtree(place + "/member", ignore_errors=True)
    utl(config, "snapshot", "restore", place + "/final.db", "--data-dir", place + "/member", "--name", conf["name"], "--initial-cluster", conf["initial-cluster"],
        "--initial-cluster-token", token, "--initial-advertise-peer-urls", conf["initial-advertise-peer-urls"])
    raise_index(config, place + "/member/member", index)
    os.sync()
    os.rename(place + "/member/member", conf["data-dir"] + "/member")
    os.sync()
    shutil.rmtree(place)
