"""Whether PostgreSQL may start on this node, and which version."""
import os
import sys
import time

from quorum_upgrade.data import Data, version
from quorum_upgrade.marker import Etcd, REST, target
from quorum_upgrade.report import Away, Problem, say


class Hold:
    def __init__(self, config, etcd=None, data=None):
        self.config, self.name = config, config["node"]
        self.etcd, self.data = etcd or Etcd(config["conf"]), data or Data(config)

    def look(self):
        """The version to start, or nothing while this node has to wait."""
        view = self.etcd.read()
        marker, has = view.marker, self.data.version()
        if not marker.get("to"):
            return has or self.config["from"]
        wanted, stage = target(marker, self.config["from"]), marker["stage"]
        if stage in REST or marker.get("base") == self.name and stage in ("starting", "replicas"):
            if wanted == marker["from"] and marker["action"] == "run":
                self.mend(marker, has)
                has = self.data.version()
        elif stage == "replicas":
            if has != wanted and self.name in marker["nodes"] and self.name not in (marker["turn"], *marker["skipped"]):
                return ""
        else:
            return ""
        if has in ("", wanted) or has not in (marker["from"], marker["to"]):
            return has or wanted
        if view.leader in ("", self.name) or self.data.runs():
            return ""  # nobody has other data yet
        self.make_room(marker, has)
        return wanted

    def mend(self, marker, has):
        """An upgrade was given up while this node was off in the midst of it."""
        control = self.data.directory + "/global/pg_control"
        old = version(self.data.beside(marker["from"])) == marker["from"]
        if has == marker["from"] and not os.path.exists(control) or has != marker["from"] and old and marker.get("base") == self.name:
            say("goes back to the data as they were")
            self.data.put_back(marker["from"], marker["to"])

    def make_room(self, marker, has):
        """The next data of this node are copied from the leader."""
        keeps = self.name == marker.get("keeper") and marker["action"] == "run" and has == marker["from"] and marker["stage"] in ("replicas", "done")
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
