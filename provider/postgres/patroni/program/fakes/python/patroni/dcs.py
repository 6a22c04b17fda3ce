"""What etcd has of the cluster is the file dcs.json."""
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
    return SimpleNamespace(get_cluster=lambda: SimpleNamespace(config=found, initialize=initialized), set_config_value=put,
                           cancel_initialization=lambda: os.remove(initialize))


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
