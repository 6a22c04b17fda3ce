"""Whether PostgreSQL may start on this node, and which version."""
import os
import sys
import time

from quorum_upgrade.data import Data, version
from quorum_upgrade.marker import Etcd, FREE, IDS
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
            self.mend(view, has)
            has = self.data.version()
        if not wanted:
            return has or self.config["from"]  # no upgrade was made
        own = self.data.of()
        if has == "" or own == view.initialize:
            return has or wanted  # these are the cluster's, whatever else is noted
        if own not in view.config.get(IDS, []) and own != self.data.noted("upgraded").get("systemId"):
            return has  # of another cluster, or nobody knows: Patroni says what it thinks of them
        if view.leader in ("", self.name) or self.data.runs():
            return ""  # nobody has other data yet
        if self.data.of(self.data.beside(wanted)) == view.initialize:
            self.data.exchange(has, wanted)  # going back was given up
        else:
            self.make_room(marker, has)
        return wanted

    def mend(self, view, has):
        """An upgrade was given up while this node was off in the midst of it: its data become what they were."""
        noted, control = self.data.noted("upgraded"), self.data.directory + "/global/pg_control"
        old, new = noted.get("old") or view.marker.get("from", ""), noted.get("new") or view.marker.get("to", "")
        begun = has == old and not os.path.exists(control) and os.path.exists(control + ".old")
        exchanged = has == new and version(self.data.beside(old)) == old and self.data.of() == noted.get("systemId") != view.initialize
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
