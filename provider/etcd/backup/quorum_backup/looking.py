"""Every few minutes: one member makes the snapshot that is due, one the drill, and each says how it stands."""
import contextlib
import json
import os
import re
import shutil
import time

from quorum_backup.drill import drill
from quorum_backup.etcd import Etcd, state_of
from quorum_backup.founding import BEYOND, FULL
from quorum_backup.looks import Looks, SKEW
from quorum_backup.metrics import Metrics, RESTORE
from quorum_backup.report import Failure, say
from quorum_backup.restic import judge, outdated, REFUSED, Repository
from quorum_backup.room import need_room
from quorum_backup.schedule import next_after
from quorum_backup.state import drop, load, store

DAY, PATIENCE = 24 * 3600, 3600  # seconds until damaged data, and a drill that failed, are looked at again
GRACE = 3600  # seconds after which a snapshot that is due is overdue
TURN = 600  # seconds that each of those before a member has to do what is due
IDENTITY, NOTES, LOCK = "quorum/identity", "quorum/backup", "quorum/backup-lock"  # keys: of the cluster, what all members know of its backups


def look(config):
    """One look; returns whether all went well."""
    if not config["repository"]:
        return True  # only how a restore goes is to be told
    shutil.rmtree(work_place(config), ignore_errors=True)  # of one that was killed
    well = Look(config, repository=config["id"]).look()
    shutil.rmtree(work_place(config), ignore_errors=True)
    return well


def work_place(config):
    return config["directory"] + "/work"


class Look(Looks):
    snapshots, times, notes, turn, cluster, identity, owns = (), (), {}, None, "", "", False

    def back_up(self):
        self.repository = Repository(self.config["repository"])
        try:
            self.learn()
        finally:
            self.ask()  # what is known of earlier backups is told also while S3 is away
        if self.snapshots is None:
            if not self.is_mine("repository", self.config["id"]):
                return
            # One at a time, though two may take each other for the leader: a repository of two has two keys.
            with self.repository.asking():
                done = self.etcd.locked(LOCK, self.repository.command("init"), self.repository.environment())
            if done.returncode:
                raise Failure(*judge("init", done.stderr))
            self.learn()
        drop(self.config, "due-repository")
        self.require_own()
        self.owns = True
        if self.is_due() and self.is_mine("snapshot", self.snapshots[-1].id if self.snapshots else ""):
            self.make()
        if not self.notes.get("verified") and self.snapshots and self.is_mine("check", self.snapshots[-1].id):
            self.verify()

    def learn(self):
        """What the repository has. While it does not answer, metrics have what was known last, and it counts for what is overdue."""
        try:
            self.snapshots = self.repository.snapshots(time.time() + SKEW)
            store(self.config, "known", {"id": self.config["id"], "times": [s.time for s in self.snapshots or ()]})
        finally:
            known = load(self.config, "known")
            self.times = times = known["times"] if known.get("id") == self.config["id"] else []
            for name, at in (("restorable_from_timestamp_seconds", times[:1]), ("last_success_timestamp_seconds", times[-1:])):
                labels = {"type": "any"} if name.startswith("last") else {}
                self.metrics.set(name, int(at[0]) if at else None, **labels)
            self.metrics.set("snapshots", len(times))

    def ask(self):
        """What etcd says of the cluster, and of this member in it."""
        self.etcd = Etcd(self.config)
        status, voters = self.etcd.status(), self.etcd.voters()
        me, leader = status["header"]["member_id"], status.get("leader")
        wrong = [error for error in status.get("errors") or () if FULL not in error]
        if not leader or wrong:
            raise Failure(f"this member is not healthy: {'; '.join(wrong or ['it sees no leader'])}")
        self.size, self.cluster, self.restored = status["dbSize"], f"{status['header']['cluster_id']:x}", status["header"]["revision"] // BEYOND
        followers = sorted((name, member) for member, name in voters.items() if member != leader)
        order = [member for _, member in followers] + [leader]
        self.turn = order.index(me) if me in voters else None
        shutil.rmtree(self.config["directory"] + "/restore", ignore_errors=True)  # of a member that got its data from the others
        Metrics(self.config, RESTORE).write()  # of nothing: it is over
        self.identity = self.etcd.get(IDENTITY)
        notes = json.loads(self.etcd.get(NOTES) or "{}")
        self.notes = notes if notes.get("of") == self.what() else {}  # a restored cluster has those of another
        self.tell_notes()

    def what(self):
        return [self.config["id"], self.cluster]

    def tell_notes(self):
        last = self.notes.get("drill") or {}
        self.metrics.set("verified_timestamp_seconds", self.notes.get("verified") if self.times else None)
        self.metrics.set("drill_last_success_timestamp_seconds", last.get("time"))
        self.metrics.set("drill_duration_seconds", last.get("seconds"))

    def note(self, **what):
        self.notes = {**self.notes, "of": self.what(), **what}
        self.etcd.ctl("put", NOTES, json.dumps(self.notes))
        self.tell_notes()

    def is_mine(self, what, after=""):
        """Whether this member is to do what is due after something: the first one at once, each after it when that has been due for longer."""
        if self.turn is None:
            return False
        due = load(self.config, "due-" + what)
        if due.get("after") != after or due["since"] > time.time():
            due = {"after": after, "since": time.time()}
            store(self.config, "due-" + what, due)
        return time.time() >= due["since"] + self.turn * TURN

    def require_own(self):
        """A cluster that was founded empty must not push the snapshots of the lost one out, nor two clusters each other's."""
        if not self.identity:
            raise Failure("the cluster has no identity yet: an update gives it one when all members are healthy")
        if any(s.tags.get("identity", self.identity) != self.identity for s in self.snapshots):
            raise Failure("the repository has snapshots of another cluster: set another backup.s3.prefix, or found this cluster from them (restore)", again=False)
        mine = self.own()
        later = [(int(s.tags.get("revision", 0)) // BEYOND, s) for s in self.snapshots if mine and s.time > mine[-1].time]
        # One that was restored from this one's snapshots beside it gives way: its revisions are higher. Of the one that this
        # was restored from, one snapshot may be later only because its clock was ahead.
        others = [s for times, s in later if times == self.restored] or [s for times, s in later if times < self.restored][1:]
        if others:
            raise Failure(f"another cluster, {others[-1].tags.get('cluster', 'unknown')}, which has this one's data, makes snapshots here too: set another backup.s3.prefix for one of them", again=False)

    def own(self):
        return [s for s in self.snapshots if s.tags.get("cluster") == self.cluster]

    def is_due(self):
        return not self.own() or next_after(self.config["schedule"], self.own()[-1].time) <= time.time()

    def is_overdue(self):
        """Whether a snapshot is missing that should be there."""
        return not self.times or next_after(self.config["schedule"], self.times[-1]) + GRACE < time.time()

    def make(self):
        say("makes a snapshot")
        self.begin()
        need_room(self.config["directory"], self.size)
        os.makedirs(work_place(self.config), mode=0o700, exist_ok=True)
        path = work_place(self.config) + "/etcd.db"
        self.etcd.ctl("snapshot", "save", path, seconds=3600)
        state = state_of(self.config, path)
        self.repository.save(path, {"identity": self.identity, "cluster": self.cluster, **state})
        self.learn()
        self.repository.forget(outdated(self.own(), self.config["retention"]))
        self.learn()
        self.metrics.set("size_bytes", os.path.getsize(path))
        say(f"snapshot {self.snapshots[-1].id[:8]} is complete: revision {state['revision']}, {state['keys']} keys")

    def verify(self):
        """Reads all data of the repository."""
        damaged = load(self.config, "damaged")
        if damaged.get("id") == self.config["id"] and abs(time.time() - damaged["time"]) < DAY:
            raise Failure(damaged["reason"], again=False)  # to read all of it at each look would help nobody
        self.begin()
        try:
            self.repository.check()
        except Failure as failure:
            if not failure.again and not re.search(REFUSED, str(failure)):
                store(self.config, "damaged", {"id": self.config["id"], "time": time.time(), "reason": str(failure)})
                with contextlib.suppress(Failure):
                    self.note(verified=None)
            raise
        drop(self.config, "damaged")
        self.note(verified=int(time.time()))
        say("all data of the repository could be read")

    def practise(self):
        """The drill, if it is due and this member's."""
        if not self.config["drill"] or not self.owns or not self.snapshots or not self.notes.get("verified"):
            return
        last, failed = self.notes.get("drill"), load(self.config, "drill")
        if abs(time.time() - failed.get("failed", 0)) < PATIENCE:
            raise Failure(failed["reason"], failed.get("again", True))
        if last and last["time"] > time.time() + SKEW:
            last = None
        if last and next_after(self.config["drill"], last["time"]) > time.time() or not self.is_mine("drill", last["time"] if last else ""):
            return
        try:
            began = time.time()
            self.verify()
            drill(self.config, self.repository, self.snapshots[-1], work_place(self.config), self.size)
            self.note(drill={"time": int(time.time()), "seconds": round(time.time() - began, 1), "snapshot": self.snapshots[-1].id})
            drop(self.config, "drill")
        except Failure as failure:
            store(self.config, "drill", {"failed": time.time(), "reason": str(failure), "again": failure.again})
            raise
