"""The program that comes on a drive."""
import os
import re
import signal
import subprocess
import sys
import time

from quorum_apply.change import Change, roll_back
from quorum_apply.commands import run, TOO_LONG
from quorum_apply.drive import another_drive
from quorum_apply.files import File, make_parents, put, remove
from quorum_apply.installed import installed, recorded, stay_installed
from quorum_apply.lock import alone
from quorum_apply.outcome import conclude, write_metrics
from quorum_apply.paths import at, CANDIDATES, MAKE_WAY, POLL, PROGRAM, SMOKE, TRIAL
from quorum_apply.records import load
from quorum_apply.report import explain, Failure, say


class Candidate:
    """Another quorum-apply, which came on the drive.

    It runs beside its place, as this program was run, and takes that place once
    it has put its state in force. If it does not even run, or crashes, this
    program undoes what that one began, and goes on being the one.
    """

    def __init__(self, wanted):
        self.generation, self.here = wanted.generation, installed()
        self.record = recorded()
        self.path = f"{CANDIDATES}/{os.getpid()}"  # another run may try the same at the same time
        self.sweep()
        put(File(self.path, wanted.program, mode=0o700))

    def sweep(self):
        """Removes what runs that were killed have left."""
        make_parents(self.path)
        for name in os.listdir(at(CANDIDATES)):
            if not os.path.exists(f"/proc/{name}"):
                remove(f"{CANDIDATES}/{name}")

    def take_over(self):
        """Returns the outcome."""
        say("the drive brings another quorum-apply: trying it")
        why = self.smoke() or self.run()
        with alone():
            remove(self.path)
            if why:
                self.fall_back(why)
                write_metrics()
            elif installed() == self.here:
                stay_installed()  # its units may have come without it
        return load("outcome.json", {}).get("outcome")

    def smoke(self):
        """What is wrong with it, as far as that shows before it does anything."""
        done = run(sys.executable, at(self.path), "--help", seconds=SMOKE)
        return how(None if done.returncode == TOO_LONG else done.returncode, done.stderr) if done.returncode else ""

    def run(self):
        """Lets it do what this program was to do; says what is wrong with how that ended."""
        with os.fdopen(os.memfd_create("complaint"), "w+", errors="replace") as complaint:
            child = subprocess.Popen([sys.executable, at(self.path), *sys.argv[1:]], stdin=subprocess.DEVNULL, stderr=complaint)
            status = wait_for(child)
            complaint.seek(0)
            return self.judge(status, complaint.read())

    def judge(self, status, complaint):
        last = load("outcome.json", {})
        good = {0: True, 1: False}.get(status)
        if self.record == recorded() or good is not (last.get("outcome") == "done"):
            return how(status, complaint)
        return "" if last.get("generation") else f"does not work: {last.get('reason')}"

    def fall_back(self, why):
        """Undoes what it began, and records that."""
        outcome, reason = "failed", f"the quorum-apply on the drive {why}; the one that was here stays"
        try:
            if self.here and installed() != self.here:
                put(File(PROGRAM, self.here, mode=0o755))
            stay_installed()
            change = Change({"machine": load("running.json", {}).get("machine", "")}, None)
            if change.good and change.previous.is_open():
                outcome, reason = "rolled back", roll_back(change, Failure(reason))
        except Exception as error:
            told = explain(error).full()
            outcome, reason = "failed", told if told.startswith(reason) else f"{reason}; {told}"
        conclude(outcome, self.generation, reason)


def wait_for(child):
    """The status a program on trial ends with; None if it had to be killed."""
    end = time.monotonic() + TRIAL
    while True:
        try:
            return child.wait(POLL)
        except subprocess.TimeoutExpired:
            if another_drive():
                end = min(end, time.monotonic() + MAKE_WAY)
            if time.monotonic() > end:
                child.kill()
                child.wait()
                return None


# Errors of the program itself: what they say quotes nothing that it read.
OWN_ERRORS = "SyntaxError|IndentationError|ImportError|ModuleNotFoundError|NameError|AttributeError"


def how(status, complaint):
    """In words, how a program ended that had to be well."""
    if status is None:
        return "did not end"
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    last = (complaint.strip().splitlines() or [""])[-1]
    error = re.fullmatch(rf"({OWN_ERRORS}): .*|(\w+Error)(:.*)?", last)
    what = f" ({error[2] or last})" if error else ""
    return f"does not work: it ended with status {status}{what}" if status else "does not work: it put nothing in place"
