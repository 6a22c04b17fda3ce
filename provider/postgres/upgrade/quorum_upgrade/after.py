"""What the node that leads does after the new data have come into force: replicas in turn, statistics, backups."""
import os
import subprocess
import threading

from quorum_upgrade.commands import environment, run
from quorum_upgrade.data import remove
from quorum_upgrade.report import Away, Problem, say

ABSENT = 120  # seconds for a node to take its turn
LONG = 3 * 24 * 3600


def stanza(config, data, seconds, online):
    """Has the repository of backups know the other data: says whether it does."""
    backup = config["backup"]
    command = ["pgbackrest", "--config=" + backup["conf"], "--stanza=" + backup["stanza"], "--log-level-console=error"]
    try:
        done = run([*command, *([] if online else ["--no-online"]), "stanza-upgrade"], seconds)
    except (Away, Problem) as reason:
        say(f"stanza-upgrade: {reason}")
        return False
    if done.returncode:
        say(f"stanza-upgrade: {done.stdout.strip()[:500]}")
    return done.returncode == 0


class After:
    """One thing after the other, beside the replicas."""

    def __init__(self, node):
        self.node, self.thread, self.ended = node, None, None

    def look(self, view):
        marker = view.marker
        did, joined = marker["did"], marker["joined"]
        left = [name for name in self.order(marker) if name not in joined and name not in marker["skipped"]]
        if self.ended:
            name, went = self.ended
            self.ended = self.thread = None
            if went and not self.node.change(view, did={**did, name: True}):
                self.ended = name, went
            return 1
        if self.thread is None:
            todo = next((name for name in self.todo(marker) if not did.get(name)), None)
            if todo:
                self.thread = threading.Thread(target=self.do, args=(todo, marker), daemon=True)
                self.thread.start()
            elif not left:
                self.node.change(view, "done" if marker["action"] == "run" else "reverted")
                return 1
        return self.turns(view, left)

    def order(self, marker):
        others = [name for name in marker["nodes"] if name != self.node.name]
        return sorted(others, key=lambda name: (name == marker.get("keeper"), name))  # who keeps the former data, last

    def turns(self, view, left):
        """One replica at a time is made: the others still have what was written before."""
        marker, turn = view.marker, view.marker["turn"]
        if turn in left:
            try:
                self.node.data.sql("CHECKPOINT", seconds=3600)  # the copy waits for one
            except Away as reason:
                say(str(reason))
            self.node.api.wake()  # so that a replica that is ready is soon a synchronous standby: writes may wait for one
            if turn in view.members:
                self.node.since.pop("turn " + turn, None)
            elif self.node.waited("turn " + turn, ABSENT):
                self.node.change(view, turn="", skipped=[*marker["skipped"], turn])
                say(f"{turn} does not come: it is made when it does")
        elif left:
            self.node.change(view, turn=left[0])
        return 1

    def todo(self, marker):
        """In this order: the first statistics soon, the rest when that does not slow down the replicas' copies much."""
        first = ["clean", "statistics"]
        return first + ["stanza", "backup"] if self.node.config.get("backup") else first

    def do(self, name, marker):
        try:
            went = getattr(self, name)(marker)
        except Exception as error:  # as where a disk is full: it is tried again
            say(f"{name}: {error}")
            went = False
        if not went:
            threading.Event().wait(10)
        self.ended = name, went

    def clean(self, marker):
        """The former data of this node, whose files are those of the new ones."""
        if self.node.name != marker.get("keeper") or marker["action"] == "revert":
            remove(self.node.data.beside(marker["from"] if marker["action"] == "run" else marker["to"]))
        return True

    def statistics(self, marker):
        if marker["action"] == "revert":
            return True  # those of before are there
        jobs = f"--jobs={max(1, len(os.sched_getaffinity(0)) // 2)}"
        done = run([self.node.data.tools() + "/vacuumdb", "--all", "--analyze-in-stages", jobs], LONG)
        if done.returncode:
            say(f"vacuumdb: {done.stdout.strip()[-500:]}")
        return done.returncode == 0

    def stanza(self, _):
        return stanza(self.node.config, self.node.data, 600, online=True)

    def backup(self, _):
        backup = self.node.config["backup"]
        done = subprocess.run(["pgbackrest", "--config=" + backup["conf"], "--stanza=" + backup["stanza"], "--type=full", "--no-expire-auto", "--log-level-console=error", "backup"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(), timeout=LONG, check=False)
        if done.returncode:
            say(f"backup: {done.stdout.strip()[-500:]}")
        return done.returncode == 0

