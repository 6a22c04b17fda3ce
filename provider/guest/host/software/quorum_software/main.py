"""Brings the packages of this machine up to date, once for each patch day, and has nothing run the former ones.

  quorum-software FILE

FILE has the day, as 2026-11-22T00:00:00Z. What is done is written down, step by step: a run that was cut goes on with
the next one, at the latest at the next boot. Packages never go back.
"""
import sys
import time

from quorum_software.commands import ENDING, Failure, must, read, run, say
from quorum_software.packages import allow_restarts, no_restarts, tell, upgrade, versions
from quorum_software.processes import Former
from quorum_software.reboots import boot, reboot, why_reboot
from quorum_software.record import Record, write_metrics

RESTART = 1200
RELOADED = {"haproxy.service"}  # its workers are new ones after that, and the former ones end with their connections


def restart(former):
    """Each service that runs what is gone; the first that does not come up ends it."""
    for name in former.restarted():
        ENDING.check()
        verb = "try-reload-or-restart" if name in RELOADED else "try-restart"
        what = sorted(former.units[name])
        say(f"{name}: {'reloads' if name in RELOADED else 'restarts'}, it ran former {what[0]}{f' and {len(what) - 1} more' if what[1:] else ''}")
        try:
            must("systemctl", verb, name, seconds=RESTART)
        except Failure as failure:
            raise Failure(f"{name} does not start with the packages that came: {failure}") from None
    if "init.scope" in former.units:
        run("systemctl", "daemon-reexec")
    if former.left():
        say("run former files until the machine starts next: " + " ".join(former.left()))


def patch(day, record):
    """The steps from one patch day to this one, but for those that are done."""
    if record.get("doing") != day:
        record.note(doing=day, before=record.get("before") or versions(), since=None, rebooted="")
    if not record["since"]:
        say(f"patch day {day}: packages are upgraded")
        with no_restarts():
            upgrade()
        now = versions()
        came = {name: (record["before"].get(name), now[name]) for name in now if now[name] != record["before"].get(name)}
        tell(came)
        record.note(since=[boot(), float(read("/proc/uptime").split()[0])], came=came)
    ENDING.check()
    since = record["since"][1] if record["since"][0] == boot() else None
    former = Former(record["came"], since)
    why = why_reboot(record["came"], since, former)
    if why and not record["rebooted"]:
        record.note(rebooted=boot())
        reboot(why)
    if record["rebooted"] == boot():  # it was cut before the machine went down
        reboot("it was about to")
    if why:
        say(f"it has been restarted, and would be once more: {why}")
    if since is None:
        tell(record["came"])  # the log of the boot before may be gone
    restart(former)
    for key in ("doing", "before", "since", "rebooted"):
        del record[key]
    record.note(asOf=day, time=time.time())
    say(f"done: the packages are of {day}")


def main(path):
    ENDING.listen()
    allow_restarts()  # of a run that was killed
    day, record = read(path).strip(), Record()
    last = record.get("asOf", "")
    try:
        if last < day:
            patch(day, record)
        elif last > day:
            say(f"the packages are of {last} already, which is after {day}: they never go back")
        write_metrics(record)
    except (Failure, OSError) as error:
        say(f"FAILED: {error}" if isinstance(error, Failure) else f"FAILED: {error.filename}: {error.strerror}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
