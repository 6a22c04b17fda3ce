"""This node's part in the stages of an upgrade."""
import contextlib
import threading
import time

from quorum_upgrade.after import After
from quorum_upgrade.api import Api
from quorum_upgrade.asked import checking, ordered, take_up
from quorum_upgrade.back import back_ordered, back_stopping, stay
from quorum_upgrade.data import Data, remove, Service, version
from quorum_upgrade.forward import give_up, stopped, stopping, upgraded
from quorum_upgrade.marker import BEAT, Etcd, PATIENCE, place, SILENCE
from quorum_upgrade.report import Away, Outrun, Problem, say

GAP = 10  # seconds between two looks, after which nothing is known of what went on in between


class Node:
    """This node, and what it knows beside what etcd has."""

    def __init__(self, config, etcd=None, data=None, service=None, api=None):
        self.config, self.name = config, config["node"]
        self.etcd, self.data = etcd or Etcd(config["conf"]), data or Data(config)
        self.service, self.api = service or Service(), api or Api(config)
        self.looked = None
        self.begin_anew(None)

    def begin_anew(self, upgrade):
        self.id, self.found, self.since, self.after, self.heard, self.unchecked = upgrade, None, {}, None, None, None

    def step(self):
        """One look. Says how soon to look again."""
        view = self.etcd.read()
        now, before, self.looked = time.monotonic(), self.looked, time.monotonic()
        if before is not None and now - before > GAP:
            self.since, self.heard = {}, None  # who was away cannot say how long others were silent
        if view.revision is None:
            return 5
        if view.order and take_up(self, view):
            return 0.2
        marker = view.marker
        if marker.get("id") != self.id:
            self.begin_anew(marker.get("id"))
        stage = STAGES.get((marker.get("action") == "revert", marker.get("stage")))
        if stage is None:
            return 5
        try:
            return stage(self, view) or 1
        except Away:
            raise
        except Exception as problem:  # as where a disk is full
            told = problem.args[0] if isinstance(problem, Problem) else f"{type(problem).__name__}: {problem}"
            say(f"{marker['stage']}: {told}")
            (stay if marker["action"] == "revert" else give_up)(self, view, told)
            return 5

    # --- what it writes ---------------------------------------------------------------

    def change(self, view, stage=None, settings=None, **values):
        """Writes the marker, if it is as it was read."""
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

    def again(self, view):
        """What etcd has now, after something that took long: it counts only if the upgrade is where it was."""
        now = self.etcd.read()
        if place(now.marker) != place(view.marker):
            raise Outrun(f"the upgrade has come to {now.marker.get('stage')} without this node")
        return now

    # --- signs of life ----------------------------------------------------------------

    def waited(self, what, seconds):
        return time.monotonic() - self.since.setdefault(what, time.monotonic()) > seconds

    def beat(self, view):
        """A sign of life for the others. Says whether what is done here is still wanted."""
        try:
            now = self.etcd.read()
            if place(now.marker) != place(view.marker):
                return False
            self.change(now, beat=now.marker.get("beat", 0) + 1)
        except Away as reason:
            say(str(reason))
        return True

    @contextlib.contextmanager
    def at_work(self, view):
        """Gives signs of life while something takes long that does not speak with etcd itself. Says whether it is still wanted."""
        done, unwanted = threading.Event(), threading.Event()

        def beats():
            while not done.wait(BEAT):
                if not self.beat(view):
                    unwanted.set()
                    return
        thread = threading.Thread(target=beats, daemon=True)
        thread.start()
        try:
            yield lambda: not unwanted.is_set()
        finally:
            done.set()
            thread.join()

    def waits_in_turn(self, view):
        """A sign of life in each look, for who waits for others."""
        if self.waited("beat", BEAT):
            self.since.pop("beat")
            self.beat(view)

    def is_silent(self, view):
        """Whether the node that upgrades gives no sign."""
        sign = (*place(view.marker), view.marker.get("beat"))
        if self.heard != sign:
            self.heard = sign
            self.since.pop("sign", None)
        return self.waited("sign", SILENCE)

    # --- and on again -----------------------------------------------------------------

    def starting(self, view):
        if self.name == view.marker["base"]:
            if self.api.leads():
                self.change(view, "replicas")
            else:
                self.api.wake()
                self.waits_in_turn(view)
        return 1

    def replicas(self, view):
        if self.joins(view):
            return 0.2
        if self.name == view.leader:
            self.after = self.after or After(self)
            return self.after.look(view)
        if self.name not in view.marker.get("there", [self.name]):
            self.add(view, "there")
            return 0.2
        return 1

    def joins(self, view):
        """Notes that this node has come to the data that count, also long after."""
        marker = view.marker
        if self.name in marker.get("joined", [self.name]) or self.data.version() != marker["has"] or not self.api.runs():
            return False
        return self.add(view, "joined")

    def done(self, view):
        return 0.2 if self.joins(view) else 5

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
        if self.name not in view.marker.get("cleaned", [self.name]):  # it was off then
            self.add(view, "cleaned")
            return 0.2
        return 0.2 if self.joins(view) else 30

    def clean(self, marker):
        for major in (marker["from"], marker["to"]):
            if version(self.data.beside(major)):
                remove(self.data.beside(major))


STAGES = {  # in which nodes do something, by whether it goes back
    **{(False, stage.__name__): stage for stage in (ordered, checking, stopping, stopped, upgraded)},
    (True, "ordered"): back_ordered, (True, "stopping"): back_stopping,
    **{(is_back, stage.__name__): stage for is_back in (False, True) for stage in (Node.starting, Node.replicas, Node.done, Node.finishing, Node.finished)},
    (True, "reverted"): Node.done,
}
