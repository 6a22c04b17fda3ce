"""This program, as it is installed."""
import contextlib
import functools
import os
import sys

from quorum_apply.commands import must, run
from quorum_apply.files import File, keep_written, put, read, sync
from quorum_apply.paths import at, CANDIDATES, HOME, PROGRAM, WRITTEN_BY_CLOUD_INIT
from quorum_apply.report import Failure, say
from quorum_apply.systemd import enable, reload_stale, unit
from quorum_apply.units import UNITS

STARTED = ("quorum-apply.service", "quorum-apply.path", "quorum-forget.service")


def recorded():
    """Changes whenever an outcome is recorded."""
    with contextlib.suppress(FileNotFoundError):
        now = os.stat(at(HOME + "/outcome.json"))
        return now.st_ino, now.st_mtime_ns
    return None


def installed():
    return read(PROGRAM) if os.path.exists(at(PROGRAM)) else None


def on_trial():
    return os.path.dirname(os.path.abspath(sys.argv[0])) == at(CANDIDATES)


@functools.lru_cache(None)
def this_program():
    """Its text as it was when it started: the main program asks first."""
    if not on_trial():
        return installed()
    with open(sys.argv[0], "rb") as file:
        return file.read()


def settle_in():
    """A program that was on trial, and has put its state in force, is the one from now on."""
    if on_trial():
        stay_installed()
        put(File(PROGRAM, this_program(), mode=0o755))
        say("this quorum-apply has replaced the one that was here")


def stay_installed():
    """The units and rules that have later changes of the drive applied."""
    files = [File(path, text.encode()) for path, text in UNITS.items()]
    if keep_written(*files) or run("systemctl", "is-enabled", "--quiet", "quorum-apply.path").returncode:
        reload_stale(*STARTED)
        enable(*STARTED)
        must("systemctl", "start", "--no-block", "quorum-apply.path")
        # After a power cut these units must find what they start. Neither cloud-init nor systemctl waits until it is on the disk.
        for path in (PROGRAM, WRITTEN_BY_CLOUD_INIT, "/etc/systemd/system/multi-user.target.wants"):
            if os.path.exists(at(path)):
                sync(path)
                sync(os.path.dirname(path))
        run("udevadm", "control", "--reload")  # in a container there is no udev
        run("udevadm", "trigger", "--action=change", "--sysname-match=sr*", "--sysname-match=sg*")
    for name in STARTED:
        if unit(name)["LoadState"] != "loaded":
            raise Failure(f"{name}: systemd does not take this quorum-apply's unit ({unit(name)['LoadState']})")
