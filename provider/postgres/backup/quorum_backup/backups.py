"""What a node does every few minutes: the leader makes the backups that are due, one node the drill, and each says how it stands."""
import contextlib
import os
import time

from quorum_backup.commands import run
from quorum_backup.drill import drill, tidy
from quorum_backup.gaps import first_missing
from quorum_backup.looks import Looks, SKEW
from quorum_backup.making import expire, make_backup, verify
from quorum_backup.node import follows_by, leads_by, Node, system_id_by
from quorum_backup.origin import origins
from quorum_backup.recovery import SAFELY
from quorum_backup.report import Failure
from quorum_backup.repository import Info, Repository
from quorum_backup.restoring import programs
from quorum_backup.schedule import next_after
from quorum_backup.standing import take
from quorum_backup.state import drop, load, store

PATIENCE = 3600  # seconds until a drill that failed is tried again
GRACE = 3600  # seconds after which a backup that is due is overdue
ATTEMPTS, PAUSE = 20, 3  # while the archiver holds the lock of pgBackRest


def look(config):
    """One look; returns whether all went well."""
    if not config["conf"]:
        return True  # only how a restore goes is to be told
    tidy(config)
    return Look(config).look()


class Look(Looks):
    """What is known at this look."""

    def __init__(self, config):
        super().__init__(config, stanza=config["stanza"], id=config["id"])
        self.node = Node(config)
        self.repository = Repository(config["conf"], config["stanza"])
        self.found, self.info, self.cluster = None, None, ""  # what the repository has; the same if it is of this cluster; the system id of that
        self.archived, self.wal, self.started = 0, "", ""  # when WAL was last archived, the file of WAL that is written, and since when PostgreSQL runs, where this node leads
        self.lacks = None  # what the archive lacks since the newest backup

    def back_up(self):
        status = self.node.status()
        leads = leads_by(status)
        self.cluster = system_id_by(status) if leads else status.get("database_system_identifier")
        self.metrics.set("leader", int(leads))
        if leads:
            self.look_at_archive()
        elif follows_by(status):
            self.forget_dropped()
        self.learn()
        if leads:
            self.make_stanza()
            expire(self)
            make_backup(self)
            verify(self)
        elif not self.info and not follows_by(status):
            raise Failure("PostgreSQL does not run here yet")  # the first backup need not wait for the next look

    def learn(self):
        """What the repository has. While it does not answer, metrics have what was known last, and it counts for what is overdue."""
        place = self.repository.place()
        try:
            told = self.repository.told()
        except Failure:
            known = load(self.config, "known")
            self.know(known.get("told") if [known.get("place"), known.get("id")] == [place, self.config["id"]] else None, away=True)
            raise
        if load(self.config, "known").get("place") != place:
            drop(self.config, "whole")
        self.remember("known", {"place": place, "id": self.config["id"], "told": told})
        self.know(told)
        self.metrics.set("in_use", int(bool(self.found and (self.found.all or self.found.has_wal))))

    def remember(self, name, value):
        """On a disk that is full the backup is made all the same."""
        with contextlib.suppress(OSError):
            store(self.config, name, value)

    def know(self, told, away=False):
        self.found = Info(told, time.time() + SKEW) if told else None
        self.info = self.found if self.found and self.found.system_id == self.cluster and not self.is_origin() else None
        if self.info:
            self.lacks = self.lacking(away)
            take(self.metrics, self.info)
            self.metrics.set("restorable_to_timestamp_seconds", self.restorable_to())

    def look_at_archive(self):
        """How far the archive is behind, and of what it is."""
        data, waiting = self.config["dataDir"], []
        for name in os.listdir(data + "/pg_wal/archive_status"):
            with contextlib.suppress(FileNotFoundError):
                if name.endswith(".ready"):
                    waiting.append(os.stat(f"{data}/pg_wal/archive_status/{name}").st_mtime)
        self.metrics.set("archive_lag_seconds", max(0, int(time.time() - min(waiting))) if waiting else 0)
        # A checkpointer that began before PostgreSQL had started up sleeps for checkpoint_timeout: woken, it minds archive_timeout.
        told = self.ask("SELECT pg_walfile_name(pg_current_wal_lsn()), extract(epoch FROM last_archived_time)::bigint, pg_postmaster_start_time(), "
                        "CASE WHEN pg_postmaster_start_time() > now() - interval '9m' THEN pg_reload_conf() END FROM pg_stat_archiver")
        if told:
            self.wal, archived, self.started, _ = told.split("|")
            self.archived = int(archived or 0)
        self.metrics.set("dropped_timestamp_seconds", self.dropped())

    def ask(self, statement):
        with open(self.config["dataDir"] + "/PG_VERSION", encoding="utf-8") as file:
            tools = programs(self.config, file.read().strip())
        return run([tools + "/psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--dbname=postgres", "--command=" + statement], 30, SAFELY).stdout.strip()

    def restorable_to(self):
        """Up to when the cluster can be restored for certain, or None."""
        newest = self.info.newest()
        if newest and self.wal:
            until = max(newest["timestamp"]["stop"], 0 if self.lacks else self.archived)
            return min(until, self.dropped() or until)

    def lacking(self, away):
        """What the archive lacks since the newest backup, or None. What a leader that was lost had not archived, no other node archives, and nobody
        what was written while PostgreSQL ran without an archive, or with another one."""
        newest = self.info.newest()
        if not newest or newest["archive"]["stop"] >= self.wal:
            return None
        of = [self.repository.place(), newest["label"], self.wal[:8], self.started]
        if load(self.config, "whole") == of:
            return None
        if away:
            return "what S3 does not tell of"
        lacks = first_missing(self.repository, self.info, self.config["dataDir"] + "/pg_wal", self.wal)
        if not lacks:
            self.remember("whole", of)
        return lacks

    def dropped(self):
        """When WAL was dropped that waited for S3, if there is no backup since."""
        with contextlib.suppress(FileNotFoundError):
            return min(int(os.stat(self.config["directory"] + "/dropped").st_mtime), int(time.time()))

    def forget_dropped(self):
        """Which leader follows now, and what it dropped, the one that leads finds missing in the archive."""
        for name in ("dropping", "dropped"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{self.config['directory']}/{name}")

    def make_stanza(self):
        if self.is_origin():
            raise Failure(f"stanza {self.config['stanza']} is the one that this cluster was restored from: set another backup.stanza", again=False)
        if self.found is None:
            patiently(lambda: self.repository.create(self.cluster))
            self.push_again()
            self.learn()
        if not self.info:
            raise Failure(f"stanza {self.config['stanza']} is of another cluster, {self.found.system_id}, and not of {self.cluster}: set another backup.stanza", again=False)

    def push_again(self):
        """A push that began while the stanza was made goes on to wait for one in the background, which had no lock. The archiver waits for a minute when it
        has failed three times, or until it is woken."""
        with contextlib.suppress(Failure):
            run(["pkill", "--full", f"^pgbackrest --config={self.config['conf']} --stanza={self.config['stanza']} archive-push "], 30)
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.config["directory"] + "/away-push")
        with contextlib.suppress(Failure):
            self.ask("SELECT pg_reload_conf()")

    def is_origin(self):
        """Whether this cluster was restored from these backups. Earlier releases noted it beside the data."""
        return self.repository.name() in origins(self.config["dataDir"]) or load(self.config, "restored").get("from") == self.repository.place()

    def is_overdue(self):
        """Whether a backup is missing that should be there."""
        full, last = (self.info.newest("full"), self.info.newest()) if self.info else (None, None)
        if not full:
            return True
        due = min(next_after(self.config["full"], full["timestamp"]["start"]), next_after(self.config["differential"], last["timestamp"]["start"]))
        return due + GRACE < time.time()

    def practise(self):
        """The drill, if it is due and this node's."""
        if not self.config["drill"] or not self.info or not self.info.backups:
            return
        last, failed = self.info.drill(), load(self.config, "drill")
        if abs(time.time() - failed.get("failed", 0)) < PATIENCE:  # the clock may have been ahead
            raise Failure(failed["reason"], failed.get("again", True))
        if (last is None or next_after(self.config["drill"], last["time"]) <= time.time()) and self.node.drills():
            self.begin()
            try:
                drill(self.config, self.repository, self.info)
            except Failure as failure:
                store(self.config, "drill", {"failed": time.time(), "reason": str(failure), "again": failure.again})
                raise
            self.learn()


def patiently(step):
    """The archiver of PostgreSQL holds pgBackRest's lock for moments."""
    for left in reversed(range(ATTEMPTS)):
        try:
            return step()
        except Failure as failure:
            if not left or "lock" not in str(failure):
                raise
            time.sleep(PAUSE)
