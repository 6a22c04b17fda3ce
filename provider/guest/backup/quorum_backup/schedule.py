"""When the next backup or drill is due: calendar expressions of systemd, in UTC unless they name a time zone."""
import calendar
import re
import time

from quorum_backup.commands import run
from quorum_backup.report import Failure


def next_after(expression, moment):
    """The first time after a moment that an expression is for, in seconds of the epoch."""
    done = run(["systemd-analyze", "calendar", f"--base-time=@{int(moment)}", expression], 30, {"TZ": "UTC"})
    found = re.search(r"(?:Next elapse|\(in UTC\)): \w+ (\d+-\d+-\d+ \d+:\d+:\d+) UTC", done.stdout)
    if "Next elapse: never" in done.stdout:
        return float("inf")
    if done.returncode or not found:
        wrong = "parse" in done.stderr
        raise Failure((f"{expression!r} is no schedule for systemd: " if wrong else "systemd-analyze: ") + done.stderr.strip(), again=not wrong)
    return calendar.timegm(time.strptime(found[1], "%Y-%m-%d %H:%M:%S"))
