"""What the node that leads does after the new data have come into force: replicas in turn, statistics, backups."""
import os
import subprocess
from threading import Event, Thread

from quorum_upgrade.commands import environment, run
from quorum_upgrade.checks import DATABASES
from quorum_upgrade.data import remove
from quorum_upgrade.report import Away, Problem, say

SOON = 5  # seconds for nodes to say that they are there, before one that has not gets its turn
ABSENT, STUCK = 120, 900  # seconds for a node to take its turn; and to come so far that it streams or copies, before another is made beside
ATTEMPTS = 3  # to make the statistics of a database; and to copy the data, before another replica is made beside
LONG = 3 * 24 * 3600


def connection(database):
    """A database as a connection string, whatever its name is."""
    return "dbname='" + database.replace("\\", "\\\\").replace("'", "\\'") + "'"


def stanza(config):
    """Has the repository of backups know the other data: says whether it does."""
    backup = config["backup"]
    command = ["pgbackrest", "--config=" + backup["conf"], "--stanza=" + backup["stanza"], "--log-level-console=error"]
    try:
        done = run([*command, "stanza-upgrade"], 600)
    except (Away, Problem) as reason:
        say(f"stanza-upgrade: {reason}")
        return False
    if done.returncode:
        say(f"stanza-upgrade: {done.stdout.strip()[:500]}")
    return done.returncode == 0


class After:
    """One thing after the other, beside the replicas."""

    def __init__(self, node):
        self.node, self.thread, self.ended, self.turn, self.copies, self.unmade = node, None, None, None, set(), []

    def look(self, view):
        marker = view.marker
        did, joined = marker["did"], marker["joined"]
        left = [name for name in self.order(marker) if name not in joined and name not in marker["skipped"]]
        if self.ended:
            name, went = self.ended
            self.ended = self.thread = None
            notes = [*marker.get("notes", []), *self.unmade]
            if went and self.node.change(view, did={**did, name: True}, notes=notes):
                self.unmade = []
            elif went:
                self.ended = name, went
            return 1
        if self.thread is None:
            todo = next((name for name in self.todo() if not did.get(name)), None)
            if todo:
                self.thread = Thread(target=self.do, args=(todo, marker), daemon=True)
                self.thread.start()
            elif not left:
                self.node.change(view, "done" if marker["action"] == "run" else "reverted")
                return 1
        return self.turns(view, left)

    def order(self, marker):
        others = [name for name in marker["nodes"] if name != self.node.name]
        return sorted(others, key=lambda name: (name == marker.get("keeper"), name))  # who keeps the former data, last

    def turns(self, view, left):
        """One replica at a time is made: the others still have what was written before. First come those that are there, as
        writes may wait for a replica."""
        marker, turn = view.marker, view.marker["turn"]
        node = self.node
        there = [name for name in left if name in marker.get("there", left)]
        if turn in left and (turn in there or not there):
            if self.turn != turn:
                self.turn, self.copies = turn, set()
                node.data.sql("CHECKPOINT", seconds=3600)  # the copy waits for one
            follows = node.data.sql(f"SELECT 1 FROM pg_stat_replication WHERE application_name = '{turn}'")
            if follows:
                node.api.wake()  # so that a replica that is ready is soon a synchronous standby: writes may wait for one
            copying = [] if follows else node.data.sql("SELECT pid FROM pg_stat_progress_basebackup")
            self.copies.update(copying)
            fails = len(self.copies) > ATTEMPTS * (1 + len(marker["skipped"]))  # those that were passed over copy as well
            if follows or copying and not fails:
                node.since.pop("turn " + turn, None)
            elif fails or node.waited("turn " + turn, ABSENT if turn not in view.members else STUCK):
                node.change(view, turn="", skipped=[*marker["skipped"], turn])
                why = f"has begun {len(self.copies)} copies, and does not follow" if fails else "does not come"
                say(f"{turn} {why}: the next one is made")
        elif there or left and node.waited("there", SOON):
            node.change(view, turn=(there or left)[0])
        return 1

    def todo(self):
        """In this order: WAL is kept until the repository knows the new data, and the first statistics are wanted soon."""
        with_backup = self.node.config.get("backup")
        return ["clean", *(["stanza"] if with_backup else []), "statistics", *(["backup"] if with_backup else [])]

    def do(self, name, marker):
        try:
            went = getattr(self, name)(marker)
        except Exception as error:  # as where a disk is full: it is tried again
            say(f"{name}: {error}")
            went = False
        if not went:
            Event().wait(10)
        self.ended = name, went

    def clean(self, marker):
        """The former data of this node, whose files are those of the new ones."""
        if self.node.name != marker.get("keeper") or marker["action"] == "revert":
            remove(self.node.data.beside(marker["from"] if marker["action"] == "run" else marker["to"]))
        return True

    def statistics(self, marker):
        """Of each database by itself: one that has none is told, and keeps nothing else from being done."""
        if marker["action"] == "revert":
            return True  # those of before are there
        jobs = f"--jobs={max(1, len(os.sched_getaffinity(0)) // 2)}"
        for database in self.node.data.sql(DATABASES):
            for _ in range(ATTEMPTS):
                done = run([self.node.data.tools() + "/vacuumdb", "--analyze-in-stages", jobs, "--dbname=" + connection(database)], LONG)
                if not done.returncode:
                    break
                say(f"vacuumdb: {done.stdout.strip()[-500:]}")
            else:
                told = next((line for line in done.stdout.splitlines() if "error" in line.lower()), "")
                self.unmade.append(f"database {database}: has no statistics, queries are slow: run vacuumdb --analyze-in-stages there ({told[:200]})")
        return True

    def stanza(self, _):
        return stanza(self.node.config)

    def backup(self, _):
        backup = self.node.config["backup"]
        done = subprocess.run(["pgbackrest", "--config=" + backup["conf"], "--stanza=" + backup["stanza"], "--type=full", "--no-expire-auto", "--log-level-console=error", "backup"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(), timeout=LONG, check=False)
        if done.returncode:
            say(f"backup: {done.stdout.strip()[-500:]}")
        return done.returncode == 0
