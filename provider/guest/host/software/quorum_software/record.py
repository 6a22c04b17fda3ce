"""What is written down of patch days."""
import contextlib
import json
import os

from quorum_software.commands import at, read, replace

RECORD = "/var/lib/quorum/software.json"
METRICS = "/var/lib/prometheus/node-exporter"

SHAPE = {
    # Of the last day that is done: itself, when that was, how many packages had come, and all versions after it, or before
    # the first day; kernel is one that runs though a newer one is there, with that, as somebody chose.
    "asOf": str, "time": (int, float), "packages": int, "before": dict, "kernel": list,
    # Of the one that is being done: the versions of what came since the last one by other ways; what came, all in all; the boot
    # and the second of it at which that was there; the boot in which it restarts the machine; and the boot, with the services
    # that have still to restart in it.
    "doing": str, "between": dict, "came": dict, "since": (list, type(None)), "rebooted": str, "waiting": list,
}


class Record(dict):
    """What is done, and what packages there were before it. What does not fit, as of another release, is as not there."""

    def __init__(self):
        super().__init__()
        with contextlib.suppress(ValueError):
            found = json.loads(read(RECORD) or "{}")
            if isinstance(found, dict):
                self.update({key: value for key, value in found.items() if isinstance(value, SHAPE.get(key, ()))})

    def note(self, **more):
        self.update(more)
        replace(RECORD, json.dumps(self, indent=1), 0o600)


def write_metrics(record, success):
    """For node exporter's textfile collector, if that is there."""
    if not os.path.isdir(at(METRICS)):
        return
    lines = [f"quorum_software_success {int(success)}"]
    if record.get("asOf"):
        lines += [f'quorum_software_info{{as_of="{record["asOf"]}"}} 1', f'quorum_software_timestamp_seconds {int(record.get("time", 0))}',
                  f'quorum_software_packages {record.get("packages", 0)}']
    replace(METRICS + "/quorum-software.prom", "\n".join(lines) + "\n")
