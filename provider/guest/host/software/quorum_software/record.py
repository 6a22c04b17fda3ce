"""What is written down of patch days."""
import contextlib
import json
import os

from quorum_software.commands import at, read, replace

RECORD = "/var/lib/quorum/software.json"
METRICS = "/var/lib/prometheus/node-exporter"


class Record(dict):
    """What is done, and what packages there were before it."""

    def __init__(self):
        with contextlib.suppress(ValueError):
            super().__init__(json.loads(read(RECORD) or "{}"))

    def note(self, **more):
        self.update(more)
        replace(RECORD, json.dumps(self, indent=1), 0o600)


def write_metrics(record):
    """For node exporter's textfile collector, if that is there."""
    if os.path.isdir(at(METRICS)) and record.get("asOf"):
        replace(METRICS + "/quorum-software.prom", f'quorum_software_info{{as_of="{record["asOf"]}"}} 1\n'
                                                   f'quorum_software_timestamp_seconds {int(record["time"])}\n'
                                                   f'quorum_software_packages {len(record["came"])}\n')
