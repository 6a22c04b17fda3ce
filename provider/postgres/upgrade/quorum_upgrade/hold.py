"""Whether PostgreSQL may start on this node, and which version."""
import os
import sys
import time

from quorum_upgrade.data import Data, version
from quorum_upgrade.marker import Etcd, FREE
from quorum_upgrade.report import Away, Problem, say


class Hold:
    def __init__(self, config, etcd=None, data=None):
        self.config, self.name = config, config["node"]
        self.etcd, self.data = etcd or Etcd(config["conf"]), data or Data(config)

    def look(self):
        """The version to start, or nothing while this node has to wait."""
        with self.data.lock() as mine:
            return self.found(self.etcd.read()) if mine else ""

    def found(self, view):
        marker, has = view.marker, self.data.version()
        stage, wanted = marker.get("stage", ""), marker.get("has")
        if stage == "replicas" and marker["base"] != self.name:
            if has != wanted and self.name in marker["nodes"] and self.name not in (marker["turn"], *marker["skipped"]):
                return ""
        elif stage not in FREE and not (stage in ("starting", "replicas") and marker["base"] == self.name):
            return ""
        if stage in FREE:
            self.mend(marker, has)
            has = self.data.version()
        if not wanted:
            return has or self.config["from"]  # no upgrade was made
        if has in ("", wanted) or has not in (marker["from"], marker["to"]):
            return has or wanted
        if self.data.is_of(view.initialize):
            return has  # these are the cluster's, whatever else is noted
        if view.leader in ("", self.name) or self.data.runs():
            return ""  # nobody has other data yet
        self.make_room(marker, has)
        return wanted

    def mend(self, marker, has):
        """An upgrade was given up while this node was off in the midst of it: its data become what they were."""
        old, new = marker.get("from", ""), marker.get("to", "")
        control = self.data.directory + "/global/pg_control"
        begun = has == old and not os.path.exists(control) and os.path.exists(control + ".old")
        exchanged = has != old and version(self.data.beside(old)) == old and marker.get("base") == self.name and marker.get("has") != new
        if old and (begun or exchanged):
            say("goes back to the data as they were")
            self.data.put_back(old, new)

    def make_room(self, marker, has):
        """The next data of this node are copied from the leader."""
        keeps = self.name == marker.get("keeper") and has == marker["from"] and marker["has"] == marker["to"] and marker["stage"] not in ("finishing", "finished")
        if keeps and not version(self.data.beside(has)):
            self.data.keep()
        else:
            self.data.empty()


def hold(config):
    """Waits until this node may start, and says which version."""
    waits, told, parent = Hold(config), None, os.getppid()
    while os.getppid() == parent:  # else who asked is gone
        try:
            wanted, reason = waits.look(), "waits for the upgrade of PostgreSQL"
        except (Away, Problem) as error:
            wanted, reason = "", str(error)
        if wanted:
            print(wanted)
            return 0
        if reason != told:
            told = reason
            say(reason)
        time.sleep(0.5)
    sys.exit(1)
