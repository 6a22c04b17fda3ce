"""Backups of PostgreSQL, by pgBackRest.

CONFIG is a JSON file without secrets:
  conf, stanza                      pgBackRest's configuration, and the cluster's name in the repository; conf is empty without backups
  id                                tells this configuration, with its keys, from another
  full, differential, drill         when: calendar expressions of systemd; no drill if it is empty
  dataDir, directory                where PostgreSQL's data are, and what is kept beside them
  installed                         where PostgreSQL's versions are
  node, api, caFile, certFile, keyFile  this node, and how Patroni's API is reached
  cluster                           tells clusters apart that are restored
  restore                           what a new cluster is made from, or null: conf, stanza, set, type, target, exclusive, timeline

What it does:
  quorum-backup look CONFIG      makes the backup, and the drill, that is due, and tells how it stands
  quorum-backup found CONFIG     restores the data of a cluster that is founded
  quorum-backup refused CONFIG   says why that was given up before, with exit status 78
  quorum-backup standby CONFIG   restores the data of a standby
"""
import json
import os
import sys

from quorum_backup.backups import look
from quorum_backup.commands import end_with_parent
from quorum_backup.founding import found, refusal
from quorum_backup.replica import make_standby
from quorum_backup.report import complain


def main():
    verbs = {"look": lambda config: 0 if look(config) else 1, "found": found, "refused": refused, "standby": make_standby}
    if len(sys.argv) != 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__.strip())
    os.umask(0o077)
    end_with_parent()  # Patroni may be killed, and begin again
    with open(sys.argv[2], encoding="utf-8") as file:
        config = json.load(file)
    os.makedirs(config["directory"], mode=0o755, exist_ok=True)
    return verbs[sys.argv[1]]({**config, "path": sys.argv[2]})


def refused(config):
    reason = refusal(config)
    if reason:
        complain(f"restore: {reason}")
    return 78 if reason else 0


if __name__ == "__main__":
    sys.exit(main())
