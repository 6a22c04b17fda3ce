"""Puts the state this machine should have in place: packages, files, services."""
# quorum-apply               the state on the cloud-init drive, unless it was rolled back or the drive is an old one
# quorum-apply --retry       the state on the cloud-init drive, whatever was
# quorum-apply --first-boot  the state that cloud-init wrote to /var/lib/quorum/drive/state.json
# quorum-apply --forget      removes copies of a state that is in force
# quorum-apply --status      says how the last run ended
#
# /var/lib/quorum belongs to root alone and holds
#   applied.json    the last state that passed all its checks: its files and services
#   running.json    the same for what the machine has now, also in the middle of a change
#   previous/       the files as they were before a change, while that is open
#   artifacts.json  the downloads that are installed
#   drives.json     the drives that this machine has had, in the order in which they came
#   outcome.json    how the last run ended
#
# Every step looks at the machine and does only what is missing, so a run that was
# killed is continued by the next one. A change that does not pass its checks is
# undone: the files it replaced are put back, the services it touched follow.
import argparse
import os
import sys
import time

from quorum_apply.artifacts import install_artifacts
from quorum_apply.candidate import Candidate
from quorum_apply.change import Change, roll_back
from quorum_apply.directories import make_directory
from quorum_apply.drive import AnotherDrive, check_machine, make_way, Wanted
from quorum_apply.files import remove
from quorum_apply.forget import forget_copies
from quorum_apply.installed import on_trial, settle_in, stay_installed, this_program
from quorum_apply.lock import alone
from quorum_apply.outcome import conclude, show_status, write_metrics
from quorum_apply.packages import allow_starts, check_installed, install_packages
from quorum_apply.paths import COME, NETWORK, POLL, put_below
from quorum_apply.records import load
from quorum_apply.report import explain, say
from quorum_apply.state import learn_secrets, parse
from quorum_apply.systemd import unit
from quorum_apply.users import make_user
from quorum_apply.volumes import mount_volume


def await_network():
    """Downloads and judges may need it. A boot in which it does not come keeps no drive away."""
    booted = int(unit("basic.target").get("ActiveEnterTimestampMonotonic") or 0) / 1e6
    while time.monotonic() < booted + NETWORK and unit("network-online.target").get("Job"):
        make_way()
        time.sleep(POLL)


def apply(state, medium):
    """Makes the machine what the state says; returns the outcome and its reason."""
    learn_secrets(state)
    change = Change(state, medium)
    change.note()
    try:
        if state["install"]:
            install_packages(state)
            install_artifacts(state, change.previous)
        else:
            check_installed(state)
        for user in state["users"]:
            make_user(user)
        for volume in state["volumes"]:
            mount_volume(volume)
        for directory in state["directories"]:
            make_directory(directory)
        change.write_files()
        if change.good:  # of a machine that runs, no service is touched before all are judged
            for service in state["services"]:
                change.verify(service)
        change.settle_services()
    except Exception as error:
        failure = explain(error)
        if not (change.good and change.previous.is_open()):
            raise failure from None
        return "rolled back", roll_back(change, failure)
    change.close()
    counts = [("file", "changed", len(change.changed)), *(("service", verb, n) for verb, n in change.acted.items())]
    return "done", ", ".join(f"{n} {what}{'s' * (n > 1)} {verb}" for what, verb, n in counts if n) or "nothing to do"


def main():
    options = argparse.ArgumentParser(prog="quorum-apply", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    one = options.add_mutually_exclusive_group()
    one.add_argument("--first-boot", action="store_true", help="apply the state cloud-init wrote")
    one.add_argument("--retry", action="store_true", help="apply the state on the drive even if it was rolled back before")
    one.add_argument("--forget", action="store_true", help="remove copies of a state that is in force")
    one.add_argument("--status", action="store_true", help="say how the last run ended")
    options.add_argument("--root", default="", help="for tests: the directory all paths lie below")
    chosen = options.parse_args()
    put_below(chosen.root.rstrip("/"))
    if chosen.status:
        return show_status()
    os.umask(0o077)
    try:
        this_program()
        if chosen.forget:
            with alone():  # a run may be about to keep the files from before its change
                forget_copies()
            return 0
        ending = take_drives(chosen.first_boot, chosen.retry)
    except Exception as error:
        say(f"FAILED: {explain(error).full()}")
        return 1
    return 0 if ending == "done" else 1


def take_drives(first_boot, again):
    """Runs, again with each drive that comes while it waits for a service; returns the last outcome."""
    while True:
        try:
            with alone():
                ending = attempt(first_boot, again)
                if not isinstance(ending, Candidate):
                    write_metrics()
                    return ending
            return ending.take_over()
        except AnotherDrive:
            say("another drive has come: going on with that")
            first_boot = again = False


def attempt(first_boot, again):
    """One run from reading the state to recording the outcome, which it returns; or the program that is to do it."""
    generation = ""
    try:
        for path in COME:
            remove(path)
        allow_starts()
        if not on_trial():
            stay_installed()
        wanted = Wanted.take(first_boot)
        check_machine(wanted.machine)
        generation = wanted.generation
        if wanted.medium:
            if not (first_boot or again):
                wanted.medium.check_order()
            wanted.medium.remember()
        last = load("outcome.json", {})
        if (last.get("outcome"), last.get("generation")) == ("rolled back", generation) and not again:
            # To try it at every boot would stop a service every time.
            say(f"nothing done: this state was rolled back at {last['time']}; quorum-apply --retry tries it again")
            return "rolled back"
        if wanted.program and wanted.program != this_program():
            return Candidate(wanted)
        await_network()
        outcome, reason = apply(parse(wanted.text), wanted.medium)
        if outcome == "done":
            settle_in()
            forget_copies()
    except Exception as error:
        outcome, reason = "failed", explain(error).full()
    conclude(outcome, generation, reason)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
