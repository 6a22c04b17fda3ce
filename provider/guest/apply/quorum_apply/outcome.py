"""How a run ended, and who is told."""
import contextlib
import os
import re
import ssl
import time

from quorum_apply.commands import run
from quorum_apply.files import File, overwrite, put, read
from quorum_apply.paths import at
from quorum_apply.records import load, store
from quorum_apply.report import Failure, say


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def conclude(outcome, generation, reason):
    """Records how the run ended, and tells whoever looks."""
    record = {"outcome": outcome, "generation": generation, "inForce": (load("applied.json", None) or {}).get("generation", ""),
              "time": moment(time.time()), "reason": reason}
    try:
        store("outcome.json", record)
    except Failure:
        store("outcome.json", {**record, "reason": reason[:MOST_SAID // 2]})
    if outcome == "done":
        say(f"done: generation {generation}, {reason}")
    else:
        text = f"FAILED{' and rolled back' if outcome == 'rolled back' else ''}: {reason}"
        say(text)
        with contextlib.suppress(OSError):
            console = os.open(at("/dev/console"), os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_NONBLOCK)
            os.write(console, "".join(f"quorum-apply: {line}\r\n" for line in text.splitlines()).encode())
            os.close(console)


METRICS = "/var/lib/prometheus/node-exporter"
MOST_SAID = 2000  # characters of a reason


def write_metrics():
    """For node exporter's textfile collector, if that is there."""
    if not os.path.isdir(at(METRICS)):
        return
    last = load("outcome.json", {})
    labels = {"generation": last["generation"], "outcome": last["outcome"]}
    if last["outcome"] != "done":
        labels["reason"] = last["reason"][:MOST_SAID]
    lines = [f"quorum_apply_success {int(last['outcome'] == 'done')}", f"quorum_apply_timestamp_seconds {int(time.time())}",
             metric("quorum_apply_info", 1, **labels)]
    for path in load("running.json", {"files": []})["files"]:
        for number, end in enumerate(ends(path), 1):
            lines.append(metric("quorum_certificate_not_after_seconds", end, path=path, number=number))
    text = "\n".join(lines) + "\n"
    try:
        put(File(METRICS + "/quorum.prom", text.encode()))
    except Failure:
        overwrite(METRICS + "/quorum.prom", text)


def metric(name, value, **labels):
    """A line of https://prometheus.io/docs/instrumenting/exposition_formats/"""
    def quote(text):
        return str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f"{name}{{{','.join(f'{key}={chr(34)}{quote(text)}{chr(34)}' for key, text in labels.items())}}} {value}"


def ends(path):
    """When each of the certificates in a file ends."""
    if not os.path.isfile(at(path)) or b"-----BEGIN CERTIFICATE-----" not in read(path):
        return []
    said = run("openssl", "storeutl", "-noout", "-text", "-certs", at(path)).stdout
    return [ssl.cert_time_to_seconds(end) for end in re.findall(r"Not After : (.*GMT)", said)]


def show_status():
    last = load("outcome.json", {})
    for key in ("generation", "inForce", "outcome", "time", "reason"):
        print(f"{key}: {last.get(key, '')}")
    return 0 if last.get("outcome") == "done" else 1
