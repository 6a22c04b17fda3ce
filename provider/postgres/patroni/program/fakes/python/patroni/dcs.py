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
    leads = os.path.exists(os.environ["FAKE"] + "/leads")
    members = [SimpleNamespace(is_running=os.path.exists(os.environ["FAKE"] + "/runs"))]
    cluster = SimpleNamespace(config=found, initialize=initialized, members=members, is_unlocked=lambda: not leads)

    def call_rpc(path, fields):
        """A transaction that puts the configuration and removes who initialized."""
        assert path == "/kv/txn" and decode(fields["compare"][0]["key"]) == "/config"
        wanted, removed = fields["success"][0]["request_put"], fields["success"][1]["request_delete_range"]
        assert decode(wanted["key"]) == "/config" and decode(removed["key"]) == "/initialize"
        if not put(decode(wanted["value"]), fields["compare"][0]["mod_revision"]):
            return {}
        os.remove(initialize)
        return {"succeeded": True}
    return SimpleNamespace(get_cluster=lambda: cluster, set_config_value=put, cancel_initialization=lambda: os.remove(initialize),
                           config_path="/config", initialize_path="/initialize", _client=SimpleNamespace(call_rpc=call_rpc))


def decode(text):
    return base64.b64decode(text).decode()


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
