"""How far the upgrade is: one text among the settings of Patroni in etcd, which all nodes and the program's gates read, and change
only as they have read it. What is asked for stands beside it, until a node takes it up."""
import base64
import collections
import json

from quorum_upgrade.report import Away

KEY, ORDER, IDS = "quorum_upgrade", "quorum_upgrade_order", "quorum_system_ids"
REST = ("", "checked", "refused", "done", "reverted", "finished")  # nothing is under way
FREE = (*REST, "ordered", "checking", "finishing")  # each node runs as ever

BEAT = 5  # seconds between signs of life
PATIENCE = 60  # seconds for others to say what they have
SILENCE = 180  # seconds without a sign of life of the node that upgrades, or without an end of what nodes do, after which the others go on

View = collections.namedtuple("View", "leader members marker config revision initialize order")


def place(marker):
    """Where the upgrade is: what takes long ends in vain if it is elsewhere by then."""
    return marker.get("id"), marker.get("stage")


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
        leader = cluster.leader.name if cluster.leader and cluster.leader.name else ""
        return View(leader, [member.name for member in cluster.members], text(config.get(KEY)), config, found[0] if found else None,
                    str(cluster.initialize or ""), text(config.get(ORDER)))

    def change(self, view, marker, **settings):
        """Writes the marker, and settings of Patroni, unless they were changed meanwhile: says whether it did."""
        try:
            return bool(self.dcs().set_config_value(json.dumps(changed(view, marker, settings)), view.revision))
        except Exception as error:
            raise Away(f"etcd: {error}") from None

    def begin(self, view, marker, system_id, **settings):
        """The same, and the cluster is one of other data from now on: what Patroni knows of the former is forgotten."""
        def encode(plain):
            return base64.b64encode(plain.encode()).decode()
        try:
            dcs = self.dcs()
            puts = [(dcs.config_path, json.dumps(changed(view, marker, settings))), (dcs.initialize_path, system_id)]
            gone = [dcs.leader_path, dcs.status_path, dcs.leader_optime_path, dcs.history_path, dcs.failover_path]
            if marker["action"] == "revert":
                gone.append(dcs.sync_path)  # who may lead: none of those
            same = [{"target": "MOD", "mod_revision": view.revision, "key": encode(dcs.config_path)}]
            success = [{"request_put": {"key": encode(key), "value": encode(value)}} for key, value in puts]
            success += [{"request_delete_range": {"key": encode(key)}} for key in gone]
            return bool(dcs._client.call_rpc("/kv/txn", {"compare": same, "success": success}).get("succeeded"))
        except Exception as error:
            raise Away(f"etcd: {error}") from None


def text(value):
    """What such a text says."""
    try:
        says = json.loads(value or "{}")
    except ValueError:
        says = {}
    return says if isinstance(says, dict) else {}


def changed(view, marker, settings):
    """The settings of Patroni, with others: those that are None go."""
    return {name: value for name, value in {**view.config, **settings, KEY: json.dumps(marker)}.items() if value is not None}
