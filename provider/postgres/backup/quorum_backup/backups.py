"""What a node does every few minutes: the leader makes the backups that are due, one node the drill, and each says how it stands."""
import contextlib
import os
import time

from quorum_backup.commands import run
from quorum_backup.drill import drill, tidy
from quorum_backup.gaps import first_missing
from quorum_backup.looks import Looks
from quorum_backup.node import Node
from quorum_backup.report import Failure, say
from quorum_backup.repository import Info, Repository, VERIFIED, WAITS
from quorum_backup.restoring import programs
from quorum_backup.schedule import next_after
from quorum_backup.standing import take
from quorum_backup.state import load, store

DAY, PATIENCE = 24 * 3600, 3600  # seconds until damaged files, and a drill that failed, are looked at again
GRACE = 3600  # seconds after which a backup that is due is overdue
ATTEMPTS, PAUSE = 20, 3  # while the archiver holds pgBackRest's lock


def look(config):
    """One look; returns whether all went well."""
    if not config["conf"]:
        return True  # only how a restore goes is to be told
    tidy(config)
    this = Look(config)
    well = all([this.does("backup", this.back_up), this.does("drill", this.practise)])
    this.metrics.set("overdue", int(this.is_overdue()))
    this.tell()
    return well


class Look(Looks):
    """What is known at this look."""

    def __init__(self, config):
        super().__init__(config, stanza=config["stanza"], id=config["id"])
        self.node = Node(config)
        self.repository, self.info = Repository(config["conf"], config["stanza"]), None
        self.archived, self.wal = 0, ""  # when WAL was last archived, and the file of WAL that is written, where this node leads
        self.lacks = None  # what the archive lacks since the newest backup, as another node has come to lead

    def back_up(self):
        leads = self.node.leads()
        self.metrics.set("leader", int(leads))
        if leads:
            self.look_at_archive()
        self.learn()
        if leads:
            self.make_stanza()
            self.make_backup()
            self.verify()

    def learn(self):
        """What the repository has. While it does not answer, metrics have what was known last, and it counts for what is overdue."""
        place = self.repository.place()
        try:
            told = self.repository.told()
            store(self.config, "known", {"place": place, "told": told})
        except Failure:
            known = load(self.config, "known")
            self.know(known.get("told") if known.get("place") == place else None, away=True)
            raise
        self.know(told)

    def know(self, told, away=False):
        self.info = Info(told) if told else None
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
        with open(data + "/PG_VERSION", encoding="utf-8") as file:
            tools = programs(self.config, file.read().strip())
        told = run([tools + "/psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--dbname=postgres",
                    "--command=SELECT pg_walfile_name(pg_current_wal_lsn()), extract(epoch FROM last_archived_time)::bigint FROM pg_stat_archiver"], 30).stdout.strip()
        if told:
            self.wal, self.archived = told[:24], int(told[25:] or 0)
        self.metrics.set("dropped_timestamp_seconds", self.dropped())

    def restorable_to(self):
        """Up to when the cluster can be restored for certain, or None."""
        newest = self.info.newest()
        if newest and self.wal:
            until = max(newest["timestamp"]["stop"], 0 if self.lacks else self.archived)
            return min(until, self.dropped() or until)

    def lacking(self, away):
        """What the archive lacks since the newest backup, or None. What a leader that was lost had not archived, no other node archives."""
        newest = self.info.newest()
        if not newest or newest["archive"]["stop"][:8] >= self.wal[:8]:
            return None
        if away:
            return "what S3 does not tell of"
        of = [self.repository.place(), newest["label"], self.wal[:8]]
        if load(self.config, "whole") == of:
            return None
        lacks = first_missing(self.repository, self.info, self.config["dataDir"] + "/pg_wal", self.wal)
        if not lacks:
            store(self.config, "whole", of)
        return lacks

    def dropped(self):
        """When WAL was dropped that waited for S3, if there is no backup since."""
        with contextlib.suppress(FileNotFoundError):
            return int(os.stat(self.config["directory"] + "/dropped").st_mtime)

    def make_stanza(self):
        if load(self.config, "restored").get("from") == self.repository.place():
            raise Failure(f"stanza {self.config['stanza']} is the one that this cluster was restored from: set another backup.stanza", again=False)
        if self.info is None:
            patiently(lambda: self.repository.run("stanza-create", seconds=WAITS))
            self.learn()
        cluster = self.node.system_id()
        if self.info.system_id != cluster:
            raise Failure(f"stanza {self.config['stanza']} is of another cluster, {self.info.system_id}, and not of {cluster}: set another backup.stanza", again=False)

    def make_backup(self):
        kind = self.due()
        if not kind:
            return
        say(f"makes a {kind} backup" + (f": another node has come to lead, and the archive lacks {self.lacks}" if self.lacks else ""))
        self.begin()
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.config["directory"] + "/dropping")  # the WAL of this backup is wanted again
        began, dropped = time.time(), self.dropped()
        self.repository.run("backup", f"--type={'full' if kind == 'full' else 'diff'}")
        if dropped and self.dropped() < began:  # else more was dropped meanwhile
            os.remove(self.config["directory"] + "/dropped")
        self.learn()
        say(f"{self.info.newest()['label']} is complete")

    def due(self):
        """Which kind of backup is due, if any."""
        now, full, last = time.time(), self.info.newest("full"), self.info.newest()
        if full is None or self.dropped() or next_after(self.config["full"], full["timestamp"]["start"]) <= now:
            return "full"
        return "differential" if self.lacks or next_after(self.config["differential"], last["timestamp"]["start"]) <= now else None

    def verify(self):
        """Once for each full backup."""
        full, damaged = self.info.unverified(), load(self.config, "damaged")
        if full and damaged.get("label") == full["label"] and time.time() < damaged["time"] + DAY:
            raise Failure(damaged["reason"], again=False)  # to read all of it at each look would help nobody
        if full:
            self.begin()
            try:
                self.repository.verify()
            except Failure as failure:
                if not failure.again:
                    store(self.config, "damaged", {"label": full["label"], "time": time.time(), "reason": str(failure)})
                raise
            self.repository.mark(full["label"], VERIFIED, str(int(time.time())))
            self.learn()
            say("all files of the repository are as they were written")

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
        if time.time() < failed.get("failed", 0) + PATIENCE:
            raise Failure(failed["reason"])
        if (last is None or next_after(self.config["drill"], last["time"]) <= time.time()) and self.node.drills():
            self.begin()
            try:
                drill(self.config, self.repository, self.info)
            except Failure as failure:
                store(self.config, "drill", {"failed": time.time(), "reason": str(failure)})
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
