"""This node's part in the stages of an upgrade."""
import time

from quorum_upgrade.after import After, stanza
from quorum_upgrade.api import Api
from quorum_upgrade.checks import Check, keepers, report, unfit, upgrade
from quorum_upgrade.data import Data, remove, Service, version
from quorum_upgrade.marker import Etcd, target
from quorum_upgrade.report import Away, Problem, say

PATIENCE = 60  # seconds for others to say what they have
SILENCE = 180  # seconds without a sign of life of the node that upgrades, after which the others go on without
REPLAY = 10  # seconds for a replica to apply what it has received


STAGES = ("ordered", "checking", "stopping", "stopped", "upgraded", "starting", "replicas", "finishing", "finished")  # in which nodes do something


class Node:
    """This node, and what it knows beside what etcd has."""

    def __init__(self, config, etcd=None, data=None, service=None, api=None):
        self.config, self.name = config, config["node"]
        self.etcd, self.data = etcd or Etcd(config["conf"]), data or Data(config)
        self.service, self.api = service or Service(), api or Api(config)
        self.id, self.found, self.since, self.heard, self.after = None, None, {}, None, None

    def step(self):
        """One look. Says how soon to look again."""
        view = self.etcd.read()
        marker = view.marker
        if marker.get("id") != self.id:
            self.id, self.found, self.since, self.heard, self.after = marker.get("id"), None, {}, None, None
        if marker.get("stage") not in STAGES or view.revision is None:
            return 5
        try:
            return getattr(self, marker["stage"])(view) or 1
        except Problem as problem:
            say(f"{marker['stage']}: {problem}")
            if marker["stage"] in ("checking", "stopping", "stopped", "upgraded") and marker["action"] != "revert" and self.name in (marker.get("base"), marker.get("leader")):
                self.give_up(problem.args[0])
            return 5

    def change(self, view, stage=None, settings=None, **values):
        marker = {**view.marker, **values}
        if stage:
            marker["stage"] = stage
        done = self.etcd.change(view, marker, **(settings or {}))
        if done and stage:
            say(f"{marker['action']}: {stage}" + "".join(f"; {line}" for line in values.get("problems") or []))
        return done

    def add(self, view, name, value=True):
        """Notes something of this node."""
        return self.change(view, **{name: {**view.marker.get(name, {}), self.name: value}})

    def waited(self, what, seconds):
        return time.monotonic() - self.since.setdefault(what, time.monotonic()) > seconds

    # --- while all runs as ever -----------------------------------------------------

    def ordered(self, view):
        marker = view.marker
        if marker["action"] == "revert":
            if self.name != marker.get("keeper"):
                return 2
            if marker["from"] not in (version(self.data.beside(marker["from"])), self.data.version()):
                self.change(view, "done", problems=[f"{self.name} has no data of PostgreSQL {marker['from']} any more"])
            else:
                self.change(view, "stopping", {"pause": True}, base=self.name, stopped={}, problems=[])
        elif self.name == view.leader and marker["action"] == "finish":
            self.change(view, "finishing", cleaned={})
        elif self.name == view.leader:
            self.change(view, "checking", leader=self.name, nodes=sorted({*view.members, self.name}), reports={}, problems=[], notes=[])
        return 1

    def checking(self, view):
        marker = view.marker
        if self.name == view.leader and marker["leader"] != self.name:  # it leads since just now
            self.change(view, leader=self.name, reports={}, nodes=sorted({*view.members, self.name}))
            return 1
        if self.name not in marker["reports"]:
            self.add(view, "reports", report(self.config, self.data, marker["to"]))
            return 1
        if self.name != marker["leader"]:
            return 1
        if self.found is None:
            self.found = Check(self.config, self.data, marker, lambda: None)
            self.found.run()
            return 0.1
        if len(marker["reports"]) < len(marker["nodes"]) and not self.waited("reports", PATIENCE):
            return 1
        check = self.found
        fit, lacks = keepers(marker, self.name, check.bytes)
        problems, found = [*unfit(marker), *check.problems, *lacks], {"notes": check.notes, "bytes": check.bytes}
        if problems or marker["action"] == "check":
            remove(self.data.beside(marker["to"]))
            self.change(view, "refused" if problems else "checked", problems=problems, **found)
        else:
            self.change(view, "stopping", {"pause": True}, base=self.name, keepers=fit, kept={}, beat=0, **found)
        return 0.1

    # --- while nothing runs ---------------------------------------------------------

    def stopping(self, view):
        marker = view.marker
        if marker["action"] == "revert":
            return self.stopping_for_revert(view)
        if self.name != marker["base"]:
            return 0.2 if not self.is_left(view) else 1
        if self.data.runs():
            self.data.sql("CHECKPOINT", seconds=3600)  # so that it stops soon
        self.service.end()
        self.data.stop()
        control = self.data.control()
        if control["Database cluster state"] != "shut down":
            raise Problem(f"{self.name} did not stop in an orderly way: {control['Database cluster state']}")
        self.change(self.etcd.read(), "stopped", lsn=control["Latest checkpoint location"], systemId=control["Database system identifier"])
        return 0.1

    def stopped(self, view):
        marker = view.marker
        if self.name == marker["base"]:
            if self.data.version() == marker["from"] and self.found != "upgraded":
                upgrade(self.data, marker["from"], marker["to"], self.beat)
                self.found = "upgraded"
                return 0.1
            return self.choose_keeper(view)
        if self.name not in marker["kept"]:
            return self.hold_still(view)
        self.is_left(view)
        return 0.5

    def hold_still(self, view):
        """Stops this replica. It has all that was written if its last checkpoint is the leader's."""
        lsn = view.marker["lsn"]
        try:
            while self.data.runs() and not self.waited("replay", REPLAY) and self.data.sql(f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'") != ["t"]:
                time.sleep(0.2)
        except Away as reason:
            say(str(reason))
        self.service.end()
        self.data.stop()
        has = self.data.version() == view.marker["from"] and self.data.control()
        kept = bool(has) and has["Latest checkpoint location"] == lsn and has["Database cluster state"] == "shut down in recovery"
        self.add(self.etcd.read(), "kept", kept and self.name in view.marker["keepers"])
        return 0.1

    def choose_keeper(self, view):
        marker = view.marker
        others = [name for name in marker["nodes"] if name != self.name]
        keeper = next((name for name in others if marker["kept"].get(name)), "")
        if keeper or not others:
            self.change(view, "upgraded", keeper=keeper)
        elif len(marker["kept"]) >= len(others) or self.waited("keeper", PATIENCE):
            raise Problem("no replica has all that was written, so that there would be no way back")
        else:
            self.beat()
        return 0.2

    def upgraded(self, view):
        marker = view.marker
        if self.name != marker["base"]:
            self.is_left(view)
            return 0.5
        self.data.exchange(marker["from"], marker["to"])
        return self.begin(view, marker["systemId"])

    def begin(self, view, before):
        """The data that are in place now become those of the cluster, and Patroni may start with them."""
        marker, now = view.marker, self.data.system_id()
        done = {"stanza": stanza(self.config, self.data, seconds=20, online=False)} if self.config.get("backup") else {}
        view = self.etcd.read()
        ids = list(dict.fromkeys([*view.config.get("quorum_system_ids", []), before, now]))
        self.etcd.begin(view, {**view.marker, "stage": "starting", "did": done, "joined": {}, "turn": "", "skipped": []}, now, pause=None, quorum_system_ids=ids)
        say(f"{marker['action']}: starting")
        return 0.1

    def stopping_for_revert(self, view):
        marker = view.marker
        if self.name not in marker["stopped"]:
            self.service.end()
            self.data.stop()
            self.add(self.etcd.read(), "stopped")
            return 0.1
        if self.name != marker["base"]:
            return 0.5
        missing = [name for name in {*view.members, view.leader} - {""} if name not in marker["stopped"]]
        if missing and self.waited("stop", SILENCE):
            self.change(view, "done", {"pause": None}, problems=[f"{', '.join(sorted(missing))} did not stop"])
        if missing:
            return 0.5
        old, new = marker["from"], marker["to"]
        has = next((path for path in (self.data.directory, self.data.beside(new)) if version(path) == new), self.data.directory)
        before = self.data.control(has)["Database system identifier"]
        if self.data.version() != old:
            self.data.exchange(new, old)
        return self.begin(view, before)

    def beat(self):
        """A sign of life for the others."""
        try:
            view = self.etcd.read()
            if view.marker.get("stage") in ("stopped", "upgraded"):
                self.change(view, beat=view.marker.get("beat", 0) + 1)
        except Away as reason:
            say(str(reason))

    def is_left(self, view):
        """Goes on without a node that upgrades and gives no sign: what it has done does not count."""
        marker = view.marker
        sign = (marker["stage"], marker.get("beat"), marker.get("lsn"))
        if self.heard != sign:
            self.heard = sign
            self.since.pop("beat", None)
        if self.waited("beat", SILENCE):
            self.change(view, "refused", {"pause": None}, problems=[f"{marker['base']} gave no sign for {SILENCE} s: the cluster goes on with PostgreSQL {marker['from']}"])
            return True
        return False

    def give_up(self, problems):
        """All runs as before."""
        view = self.etcd.read()
        marker = view.marker
        if marker.get("stage") in ("stopped", "upgraded"):
            self.data.put_back(marker["from"], marker["to"])
        self.change(view, "refused", {"pause": None}, problems=[problems] if isinstance(problems, str) else problems)

    # --- and on again ---------------------------------------------------------------

    def starting(self, view):
        if self.name == view.marker["base"]:
            if self.api.leads():
                self.change(view, "replicas")
            else:
                self.api.wake()
        return 1

    def replicas(self, view):
        marker, wanted = view.marker, target(view.marker, self.config["from"])
        if self.name not in marker["joined"] and self.data.version() == wanted and self.api.runs():
            self.add(view, "joined")
            return 0.2
        if self.name == view.leader:
            self.after = self.after or After(self)
            return self.after.look(view)
        return 1

    def finishing(self, view):
        marker = view.marker
        if self.name not in marker["cleaned"]:
            self.clean(marker)
            self.add(view, "cleaned")
        elif self.name == view.leader and (all(name in marker["cleaned"] for name in marker["nodes"]) or self.waited("clean", PATIENCE)):
            self.change(view, "finished")
        return 1

    def finished(self, view):
        self.clean(view.marker)
        return 30

    def clean(self, marker):
        for major in (marker["from"], marker["to"]):
            remove(self.data.beside(major))
