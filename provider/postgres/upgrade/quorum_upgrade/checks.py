"""What is looked at before anything stops: each thing that is in the way is named."""
import glob
import json
import os
import shutil
import time

from quorum_upgrade.commands import run, watched
from quorum_upgrade.data import remove, version
from quorum_upgrade.report import Problem

TODAY = 24 * 3600  # seconds that a backup may be old
LATE = 3600  # seconds: writes wait meanwhile
ROOM = 1.1  # of its data, that a node needs which keeps the former ones
CATALOGS = 100 << 20, 25 << 20  # bytes that the leader needs for the new catalogs: at least, and for each database

DATABASES = "SELECT datname FROM pg_database WHERE datallowconn AND datconnlimit <> -2 ORDER BY 1"
UNFIT = {  # in the whole cluster
    "SELECT datname FROM pg_database WHERE datconnlimit = -2 ORDER BY 1": "the database {}: a DROP DATABASE that was cut short has left it: DROP DATABASE it once more",
    "SELECT gid FROM pg_prepared_xacts ORDER BY 1": "the prepared transaction {}: commit it, or roll it back",
    "SELECT slot_name FROM pg_replication_slots WHERE slot_type = 'logical' ORDER BY 1": "the logical replication slot {}: it would be lost, drop it",
    "SELECT spcname FROM pg_tablespace WHERE spcname NOT LIKE 'pg\\_%' ORDER BY 1": "the tablespace {}: data in tablespaces are not upgraded here",
    "SELECT datname FROM pg_database WHERE datcollversion IS NOT NULL AND datcollversion <> pg_database_collation_actual_version(oid) ORDER BY 1":
        "the database {}: it sorts in another way than when its indexes were made: set reindexCollations first",
    "SELECT pid FROM pg_stat_progress_basebackup ORDER BY 1": "a copy of the data is being made (process {}): wait until it is done",
}
UNFIT_IN = {  # in each database
    "SELECT c.collname FROM pg_collation c WHERE c.collversion IS NOT NULL AND c.collversion <> pg_collation_actual_version(c.oid) "
    "AND EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_collation'::regclass AND d.refobjid = c.oid) ORDER BY 1":  # initdb makes one for each locale there is
        "the collation {}: it sorts in another way than when indexes were made: set reindexCollations first",
    "SELECT n.nspname || '.' || c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE NOT a.attisdropped AND c.relkind IN ('r', 'm', 'i') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%' "
    "AND a.atttypid IN ('regcollation'::regtype, 'regconfig'::regtype, 'regdictionary'::regtype, 'regnamespace'::regtype, 'regoper'::regtype, 'regoperator'::regtype, "
    "'regproc'::regtype, 'regprocedure'::regtype) ORDER BY 1":
        "the column {}: the numbers that its type keeps are others afterwards: change its type to text, and back",
}


def report(config, data, to):
    """What this node has."""
    tools, usage = data.tools(to), shutil.disk_usage(os.path.dirname(data.directory))
    lacks = [name for name in ("pg_upgrade", "initdb", "postgres", "vacuumdb") if not os.path.exists(f"{tools}/{name}")]
    return {"lacks": f"{tools}/{lacks[0]}" if lacks else "", "free": usage.free}


class Check:
    """A check of the cluster, by the node that leads."""

    def __init__(self, config, data, marker):
        self.config, self.data, self.marker = config, data, marker
        self.old, self.new = marker["from"], marker["to"]
        self.problems, self.notes, self.bytes, self.databases = [], [], 0, 0

    def run(self):
        if self.data.version() != self.old:
            self.problems.append(f"the data are of PostgreSQL {self.data.version() or '(none)'}, and by upgrade.from of {self.old}")
            return
        if not os.path.exists(self.data.tools(self.new) + "/pg_upgrade"):
            return  # this node's report says it
        self.bytes = int(self.data.sql("SELECT (SELECT sum(pg_database_size(oid)) FROM pg_database)::bigint + (SELECT coalesce(sum(size), 0) FROM pg_ls_waldir())::bigint")[0])
        for query, what in UNFIT.items():
            if "datcollversion" in query and float(self.old) < 15:
                continue  # it knows no version of them
            self.problems += [what.format(found) for found in self.data.sql(query)]
        databases = self.data.sql(DATABASES)
        self.databases = len(databases)
        for database in databases:
            self.look_into(database)
        elsewhere = {name for name in self.data.sql("SELECT application_name FROM pg_stat_replication WHERE state <> 'backup' ORDER BY 1")} - set(self.marker["nodes"])
        if elsewhere:
            self.notes.append(f"{', '.join(sorted(elsewhere))} follows from elsewhere, and will not any more: it has to be made anew")
        settings = self.data.sql("SELECT name FROM pg_file_settings WHERE sourcefile LIKE '%/postgresql.auto.conf' ORDER BY 1")
        if settings:
            self.notes.append(f"ALTER SYSTEM has set {', '.join(settings)}: the new version begins without")
        if not self.marker.get("withoutBackup"):
            self.look_at_backups(self.problems if self.marker["action"] == "run" else self.notes)
        self.try_upgrade()

    def look_into(self, database):
        for query, what in UNFIT_IN.items():
            self.problems += [f"database {database}: {what.format(found)}" for found in self.data.sql(query, database)]
        shared = self.config.get("shared", "/usr/share/postgresql")
        for line in self.data.sql("SELECT extname || '|' || extversion FROM pg_extension ORDER BY 1", database):
            name, has = line.split("|", 1)
            path = f"{shared}/{self.new}/extension/{name}.control"
            if not os.path.exists(path):
                self.problems.append(f"database {database}: the extension {name}: PostgreSQL {self.new} has none of that name here ({path}): give postgres.extensions, or drop it")
                continue
            with open(path, encoding="utf-8") as file:
                comes = next((line.split("=", 1)[1].strip().strip("'") for line in file if line.startswith("default_version")), has)
            if comes != has:
                self.notes.append(f"database {database}: ALTER EXTENSION \"{name}\" UPDATE, from {has} to {comes}, afterwards")

    def look_at_backups(self, told):
        """A backup of today: without it no upgrade begins. A check before tells it only."""
        backup = self.config.get("backup")
        if not backup:
            told.append("there are no backups: give backup, or upgrade.withoutBackup if none is wanted")
            return
        done = run(["pgbackrest", "--config=" + backup["conf"], "--stanza=" + backup["stanza"], "--log-level-console=off", "--output=json", "info"], 120)
        try:
            made = json.loads(done.stdout)[0]["backup"]
        except (ValueError, LookupError):
            told.append(f"pgbackrest info: {done.stdout.strip()[:300]}")
            return
        last = max((one["timestamp"]["stop"] for one in made if not one.get("error")), default=0)
        if last < time.time() - TODAY:
            when = time.strftime("the last backup ended at %Y-%m-%d %H:%M UTC", time.gmtime(last)) if last else "there is no backup yet"
            told.append(f"{when}: a backup of the last 24 hours is needed, or upgrade.withoutBackup if none is wanted")

    def try_upgrade(self):
        """Lets pg_upgrade judge. Its reports name what is in the way."""
        prepare(self.data, self.new, shape(self.data, self.new))
        status, output = watched(pg_upgrade(self.data, self.old, self.new, "--check"), lambda: True, self.data.work())
        if status:
            self.problems += told_by(output, self.data.beside(self.new))


def pg_upgrade(data, old, new, *more):
    command = [data.tools(new) + "/pg_upgrade", "--link", "--old-bindir=" + data.tools(old), "--new-bindir=" + data.tools(new), "--old-datadir=" + data.directory,
               "--new-datadir=" + data.beside(new), "--username=postgres", "--socketdir=" + data.work(), f"--jobs={len(os.sched_getaffinity(0))}", *more]
    try:
        with open(data.directory + "/postmaster.pid", encoding="utf-8") as file:
            command.append("--old-port=" + file.read().splitlines()[3])
    except (OSError, IndexError):
        pass  # it does not run
    return command


def shape(data, new):
    """The commands that make an empty cluster of the new version beside the data, as they are in what cannot be changed later."""
    has = json.loads(data.sql("SELECT row_to_json(d) FROM pg_database d WHERE datname = 'template0'")[0])
    says = dict(line.split("|", 1) for line in data.sql(
        "SELECT name || '|' || setting FROM pg_settings WHERE name IN ('data_checksums', 'lc_messages', 'lc_monetary', 'lc_numeric', 'lc_time', 'shared_preload_libraries')"))
    encoding = data.sql(f"SELECT pg_encoding_to_char({int(has['encoding'])})")[0]
    command = [data.tools(new) + "/initdb", "--pgdata=" + data.beside(new), "--username=postgres", "--encoding=" + encoding, "--auth-local=peer", "--auth-host=scram-sha-256",
               "--lc-collate=" + has["datcollate"], "--lc-ctype=" + has["datctype"], f"--wal-segsize={int(data.control()['Bytes per WAL segment']) >> 20}"]
    command += [f"--{name.replace('_', '-')}={says[name]}" for name in ("lc_messages", "lc_monetary", "lc_numeric", "lc_time") if says.get(name)]
    provider = {"i": "icu", "b": "builtin"}.get(has.get("datlocprovider"))
    if provider:
        command += ["--locale-provider=" + provider, f"--{provider}-locale={has.get('datlocale') or has.get('daticulocale')}"]
    if says["data_checksums"] == "on":
        command.append("--data-checksums")
    elif float(new) >= 18:
        command.append("--no-data-checksums")
    return {"command": command, "libraries": says.get("shared_preload_libraries", "")}


def prepare(data, new, given):
    """Makes that cluster. It is as good as new until pg_upgrade has begun with it."""
    directory = data.beside(new)
    remove(directory)
    done = run(given["command"], 600)
    if done.returncode:
        raise Problem(f"initdb of PostgreSQL {new}: {' '.join(done.stdout.split())[-500:]}")
    if given["libraries"]:
        with open(directory + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write("shared_preload_libraries = '%s'\n" % given["libraries"].replace("'", "''"))
    data.note("initdb", **{**given, "fresh": True})


def upgrade(data, old, new, beat):
    """Upgrades data that nobody uses: also after this was cut short, since in link mode none of them is changed before the new version starts."""
    given = data.noted("initdb")
    if not given:
        raise Problem("what the check noted of the data is gone: have it checked again")
    if given.get("late"):
        raise Problem(f"pg_upgrade: no end within {LATE // 60} minutes")
    if not given["fresh"] or version(data.beside(new)) != new:
        data.put_back(old, new)
        prepare(data, new, given)
    data.note("initdb", **{**given, "fresh": False})
    begun = time.monotonic()

    def goes_on():
        if time.monotonic() - begun > LATE:  # it is ended with all that it started, and the next run gives up
            data.note("initdb", **{**given, "fresh": False, "late": True})
            return False
        return beat()
    status, output = watched(pg_upgrade(data, old, new), goes_on, data.work())
    if status:
        raise Problem(told_by(output, data.beside(new)))


def told_by(output, directory):
    """What pg_upgrade found, with what its reports name."""
    lines = [line.strip() for line in output.replace("\r", "\n").splitlines()]
    lines = [line for line in lines if line and not line.endswith(" ok") and set(line) != {"-"} and not line.startswith(("Performing", "Failure", "*failure*"))]
    found = ["pg_upgrade: " + " ".join(" ".join(lines).split())[:1000]]
    for path in sorted(glob.glob(directory + "/pg_upgrade_output.d/**/*.txt", recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            found += [f"pg_upgrade: {os.path.basename(path)}: {line.strip()}" for line in file if line.strip()][:20]
    return found


def room(marker, leader, check):
    """The nodes that have room for the former data beside their new ones, and what is said of those that lack room."""
    others = [name for name in marker["nodes"] if name != leader]
    free = {name: (said or {}).get("free", 0) for name, said in ((name, marker["reports"].get(name)) for name in marker["nodes"])}
    needed, own = int(check.bytes * ROOM), CATALOGS[0] + check.databases * CATALOGS[1]
    fit, lacks = [name for name in others if free[name] >= needed], []
    if free.get(leader, 0) < own:
        lacks.append(f"{leader} has no room for the new catalogs: {own >> 20} MiB are needed, and {free.get(leader, 0) >> 20} MiB are free")
    if others and not fit:
        most = max(others, key=free.get)
        lacks.append(f"no replica has room to keep the former data: {needed >> 20} MiB are needed beside them, and {most} has {free[most] >> 20} MiB")
    return fit, lacks


def unfit(marker):
    """What nodes lack, and which did not say."""
    found = []
    for name in marker["nodes"]:
        said = marker["reports"].get(name)
        if said is None:
            found.append(f"{name}: did not say what it has: its quorum-upgrade.service must run")
        elif said["lacks"]:
            found.append(f"{name}: has no {said['lacks']}")
    return found


