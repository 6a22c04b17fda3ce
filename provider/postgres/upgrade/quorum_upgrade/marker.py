"""How far the upgrade is: one text among the settings of Patroni in etcd, which all nodes and the program's gates read, and change
only as they have read it."""
import base64
import collections
import json

from quorum_upgrade.report import Away

KEY, IDS = "quorum_upgrade", "quorum_system_ids"
REST = ("", "ordered", "checking", "checked", "refused", "done", "reverted", "finishing", "finished")  # each node runs as ever
NEW = ("starting", "replicas", "done", "reverted", "finishing", "finished")  # the data that the action makes are in force

View = collections.namedtuple("View", "leader members marker config revision leading", defaults=(None,))


def target(marker, given):
    """The major version that data have, or are to have."""
    if not marker.get("to"):
        return given
    if marker["action"] == "finish" or marker["action"] == "run" and marker["stage"] in NEW:
        return marker["to"]
    if marker["action"] == "revert" and marker["stage"] not in NEW:
        return marker["to"]
    return marker["from"]


class Etcd:
    """What Patroni has of the cluster there."""

    def __init__(self, conf):
        self.conf, self.known = conf, None

    def dcs(self):
        import patroni.config
        import patroni.dcs
        if self.known is None:
            self.known = patroni.dcs.get_dcs({**patroni.config.Config(self.conf, None).copy(), "patronictl": True})  # it reads what all agree on
        return self.known

    def read(self):
        try:
            cluster = self.dcs().get_cluster()
        except Exception as error:
            raise Away(f"etcd: {error}") from None
        found = cluster.config
        config = found.data if found and isinstance(found.data, dict) else {}
        try:
            marker = json.loads(config.get(KEY) or "{}")
        except ValueError:
            marker = {}
        leader = cluster.leader.name if cluster.leader and cluster.leader.name else ""
        return View(leader, [member.name for member in cluster.members], marker, config, found[0] if found else None)

    def change(self, view, marker, **settings):
        """Writes the marker, and settings of Patroni, unless they were changed meanwhile: says whether it did."""
        config = {name: value for name, value in {**view.config, **settings, KEY: json.dumps(marker)}.items() if value is not None}
        try:
            return bool(self.dcs().set_config_value(json.dumps(config), view.revision))
        except Exception as error:
            raise Away(f"etcd: {error}") from None

    def begin(self, view, marker, system_id, **settings):
        """The same, and the cluster is one of other data from now on: what Patroni knows of the former is forgotten."""
        def encode(text):
            return base64.b64encode(text.encode()).decode()
        config = {name: value for name, value in {**view.config, **settings, KEY: json.dumps(marker)}.items() if value is not None}
        try:
            dcs = self.dcs()
            puts = [(dcs.config_path, json.dumps(config)), (dcs.initialize_path, system_id)]
            gone = [dcs.leader_path, dcs.status_path, dcs.leader_optime_path, dcs.history_path, dcs.failover_path]
            if marker["action"] == "revert":
                gone.append(dcs.sync_path)  # who may lead: none of those
            same = [{"target": "MOD", "mod_revision": view.revision, "key": encode(dcs.config_path)}]
            success = [{"request_put": {"key": encode(key), "value": encode(value)}} for key, value in puts]
            success += [{"request_delete_range": {"key": encode(key)}} for key in gone]
            return bool(dcs._client.call_rpc("/kv/txn", {"compare": same, "success": success}).get("succeeded"))
        except Exception as error:
            raise Away(f"etcd: {error}") from None
