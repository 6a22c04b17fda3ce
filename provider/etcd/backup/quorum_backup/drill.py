"""The drill: the newest snapshot becomes data of an etcd beside the one that runs."""
import os

from quorum_backup.etcd import alone, state_of
from quorum_backup.report import Failure, say
from quorum_backup.room import need_room

KEEPS_FREE = 0.1  # of the volume: the cluster goes on to write meanwhile


def drill(config, repository, snapshot, place, size):
    need_room(config["directory"], 2 * size, KEEPS_FREE)
    os.makedirs(place, mode=0o700, exist_ok=True)
    say(f"drill: restores {snapshot.id[:8]}")
    fetch(config, repository, snapshot, place + "/drill.db")
    with alone(config, place + "/drill.db", place) as etcd:
        etcd.status()
    say(f"drill: {snapshot.id[:8]} is good: its hash is as it was, and etcd starts with it")


def fetch(config, repository, snapshot, path):
    """Takes a snapshot out of the repository, and compares it with what was noted when it was made."""
    repository.load(snapshot, path)
    for name, value in state_of(config, path).items():
        if snapshot.tags.get(name, value) != value:
            raise Failure(f"snapshot {snapshot.id[:8]} is damaged: its {name} is {value}, and was {snapshot.tags[name]}", again=False)
