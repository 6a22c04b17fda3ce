"""When packages came."""
import os
import time

from quorum_software.commands import at, read
from quorum_software.reboots import boot


def uptime():
    return float(read("/proc/uptime").split()[0])


def arrivals(record):
    """The packages of a patch day that came in this boot, each with how long after its begin.

    Those of the patch day itself were all there at one moment that is written down; dpkg has written its list of the
    files of any other one when it was unpacked.
    """
    of, moment = record["since"]
    found = {}
    for name, (_, now) in record["came"].items():
        when = moment if of == boot() else 0
        if record["between"].get(name) == now:
            try:
                when = uptime() - (time.time() - os.stat(at(f"/var/lib/dpkg/info/{name}.list")).st_mtime)
            except OSError:
                pass
        if when > 0:
            found[name] = when
    return found
