"""Backups of etcd, by restic.

  quorum-backup look CONFIG           makes the snapshot, and the drill, that is due, and tells how it stands
  quorum-backup prepare CONFIG [again]  makes ready what the cluster is founded from, and says what its token ends with
  quorum-backup found CONFIG TOKEN    has this member found the cluster from that
  quorum-backup restic CONFIG ...     runs restic with the cluster's repository

CONFIG is a JSON file without secrets:
  repository, id                where snapshots are kept: a file with secrets, or null; and what metrics call it
  schedule, drill               when: calendar expressions of systemd; no drill if it is empty
  retention                     how many snapshots are kept: last, daily, weekly
  conf, etcd, library           etcd's configuration, where its programs are, and those of this package
  root                          how root logs in: certFile and keyFile, or passwordFile
  directory                     on the data volume, for what is kept beside etcd's data
  restore                       what a new cluster is made from, or null: repository, snapshot, until, dropPatroniLocks
"""
import json
import os
import sys

from quorum_backup.founding import found, prepare
from quorum_backup.looking import look
from quorum_backup.report import complain, Failure
from quorum_backup.restic import Repository
from quorum_backup.state import drop


def restic(config, *words):
    if not config["repository"]:
        raise Failure("this cluster has no backup")
    drop(config, "damaged")  # it may be mended by this: the next look finds out
    Repository(config["repository"]).become(words)


VERBS = {"look": look, "prepare": prepare, "found": found, "restic": restic}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in VERBS:
        sys.exit(__doc__.strip())
    os.umask(0o077)
    with open(sys.argv[2], encoding="utf-8") as file:
        config = json.load(file)
    os.makedirs(config["directory"], mode=0o755, exist_ok=True)
    try:
        return 0 if VERBS[sys.argv[1]](config, *sys.argv[3:]) else 1
    except Failure as failure:
        complain(str(failure))
        return 1


if __name__ == "__main__":
    sys.exit(main())
