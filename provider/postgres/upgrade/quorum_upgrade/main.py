"""The upgrade of PostgreSQL to another major version, in place.

CONFIG is a JSON file without secrets:
  conf, dataDir                     Patroni's configuration, and where the data is
  installed                         where PostgreSQL's versions are
  from, to                          major versions
  node, api, caFile, certFile, keyFile  this node, and how Patroni's API is reached
  backup                            of pgBackRest: conf, stanza; null without backups

What it does:
  quorum-upgrade watch CONFIG         does this node's part, as the settings of Patroni in etcd say
  quorum-upgrade hold CONFIG          waits while PostgreSQL must not start, and says which version is to
  quorum-upgrade order ACTION CONFIG  asks for an action: check, run, revert or finish
"""
import json
import os
import sys
import time

from quorum_upgrade.hold import hold
from quorum_upgrade.marker import Etcd, ORDER
from quorum_upgrade.node import Node
from quorum_upgrade.report import Away, Problem, say

ACTIONS = ("check", "run", "revert", "finish")


def watch(config):
    node, told = Node(config), None
    while True:
        pause, reason = 2, None
        try:
            pause = node.step()
        except Exception as error:  # also what nobody has thought of: it is tried again
            reason = str(error) if isinstance(error, (Away, Problem)) else f"{type(error).__name__}: {error}"
        if reason and reason != told:
            say(reason)
        told = reason
        time.sleep(pause)


def order(config, action):
    """What the program asks for by itself, where no node answers that could be asked."""
    if action not in ACTIONS:
        sys.exit("must be one of " + ", ".join(ACTIONS))
    etcd = Etcd(config["conf"])
    asks = {"id": f"by hand {int(time.time())}", "at": int(time.time()), "byHand": True, "from": config["from"], "to": config["to"], "action": action}
    for _ in range(10):
        view = etcd.read()
        if etcd.change(view, view.marker, **{ORDER: json.dumps(asks)}):
            print(f"{action} is asked for: `journalctl -u quorum-upgrade` on the nodes says how far it is")
            return 0
    sys.exit("the settings of Patroni in etcd change all the time: it was not asked for")


def main():
    verbs = {"watch": watch, "hold": hold}
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if len(sys.argv) != (4 if verb == "order" else 3) or verb not in (*verbs, "order"):
        sys.exit(__doc__.strip())
    os.umask(0o077)
    with open(sys.argv[-1], encoding="utf-8") as file:
        config = json.load(file)
    return order(config, sys.argv[2]) if verb == "order" else verbs[verb](config)


if __name__ == "__main__":
    sys.exit(main())
