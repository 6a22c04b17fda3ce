"""What etcd has of the cluster is the file dcs.json."""
import base64
import json
import os
from types import SimpleNamespace

FILE = os.environ["FAKE"] + "/dcs.json"


def get_dcs(_):
    found = None
    if os.path.exists(FILE):
        with open(FILE, encoding="utf-8") as file:
            data = json.load(file)
        found = Config((7, data))
    initialize = os.environ["FAKE"] + "/initialize"
    initialized = None
    if os.path.exists(initialize):
        with open(initialize, encoding="utf-8") as file:
            initialized = file.read()
    leader = None
    if os.path.exists(os.environ["FAKE"] + "/leads"):
        with open(os.environ["FAKE"] + "/leads", encoding="utf-8") as file:
            leader = Leader((3, *json.load(file)))
    members = [SimpleNamespace(is_running=os.path.exists(os.environ["FAKE"] + "/runs"))]
    cluster = SimpleNamespace(config=found, initialize=initialized, members=members, leader=leader, is_unlocked=lambda: not leader)

    def call_rpc(path, fields):
        """A transaction that puts the configuration and removes who initialized, and who leads, unless either has changed."""
        assert path == "/kv/txn"
        assert [(decode(same["key"]), same["mod_revision"]) for same in fields["compare"]] == [("/config", 7), ("/leader", leader[0] if leader else 0)]
        wanted, *removed = fields["success"]
        assert decode(wanted["request_put"]["key"]) == "/config"
        assert [decode(each["request_delete_range"]["key"]) for each in removed] == ["/initialize", "/leader"]
        if not put(decode(wanted["request_put"]["value"]), 7):
            return {}
        os.remove(initialize)
        return {"succeeded": True}
    return SimpleNamespace(get_cluster=lambda: cluster, set_config_value=put, cancel_initialization=lambda: os.remove(initialize),
                           config_path="/config", initialize_path="/initialize", leader_path="/leader", _client=SimpleNamespace(call_rpc=call_rpc))


def decode(text):
    return base64.b64decode(text).decode()


class Leader(tuple):
    """Version, lease, name, and what its API is."""

    name, data = property(lambda self: self[2]), property(lambda self: {"api_url": self[3]} if self[3] else {})


class Config(tuple):
    data = property(lambda self: self[1])


def put(value, version):
    """Whether nobody was faster, as the file faster says."""
    assert version == 7
    if os.path.exists(os.environ["FAKE"] + "/faster"):
        return False
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(value)
    return True
