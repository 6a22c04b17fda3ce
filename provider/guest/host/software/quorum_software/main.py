"""Brings the packages of this machine up to date, once for each patch day, and has nothing run the former ones.

  quorum-software FILE

FILE has the day, as 2026-11-22T00:00:00Z. What is done is written down, step by step: a run that was cut goes on with
the next one, at the latest at the next boot. Packages never go back.
"""
import contextlib
import sys
import time

from quorum_software.arrivals import arrivals, uptime
from quorum_software.commands import alone, ENDING, Failure, read, say
from quorum_software.packages import allow_restarts, tell, upgrade, versions
from quorum_software.processes import Former
from quorum_software.reboots import boot, kernels, reboot, why_reboot
from quorum_software.record import Record, write_metrics
from quorum_software.restarts import restart


def begin(day, record):
    """Another day goes on where one that failed has stopped: what came then, or since the last one by other ways, is among what came."""
    there = versions()
    before = record.get("before") or there
    between = {name: there[name] for name in there if there[name] != before.get(name)}
    record.note(doing=day, before=before, between=between, since=None, rebooted="")


def bring(day, record):
    say(f"patch day {day}: packages are upgraded")
    upgrade()
    now, before = versions(), record["before"]
    came = {name: (before.get(name), now[name]) for name in now if now[name] != before.get(name)}
    tell(came)
    record.note(since=[boot(), uptime()], came=came)


def patch(day, record):
    """The steps from one patch day to this one, but for those that are done."""
    if record.get("doing") != day or not {"before", "between", "rebooted"} <= record.keys():
        begin(day, record)
    came_before = bool(record.get("since")) and "came" in record
    if not came_before:
        bring(day, record)
    ENDING.check()
    arrived = arrivals(record)
    former = Former(arrived)
    why = why_reboot(record, arrived, former)
    if why and not record["rebooted"]:
        record.note(rebooted=boot())
        reboot(why)
    if record["rebooted"] == boot():  # it was cut before the machine went down
        reboot("it was about to")
    if why:
        say(f"it has been restarted, and would be once more: {why}")
        record.note(kernel=kernels())  # whoever chose the one that runs is not asked each time
    if record["since"][0] != boot():
        tell(record["came"])  # the log of the boot before may be gone
    restart(former, record)
    for key in ("doing", "between", "since", "rebooted", "waiting"):
        record.pop(key, None)
    record.note(asOf=day, time=time.time(), packages=len(record["came"]), before=versions())
    say(f"done: the packages are of {day}")


def go(path, record):
    day, last = read(path).strip(), record.get("asOf", "")
    if last < day:
        patch(day, record)
    elif last > day:
        say(f"the packages are of {last} already, which is after {day}: they never go back")


def main(path):
    ENDING.listen()
    try:
        with alone():
            allow_restarts()  # of a run that was killed
            record, success = Record(), False
            try:
                go(path, record)
                success = True
            finally:
                with contextlib.suppress(Failure):
                    write_metrics(record, success)
    except (Failure, OSError) as error:
        say(f"FAILED: {error}" if isinstance(error, Failure) else f"FAILED: {error.filename}: {error.strerror}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
