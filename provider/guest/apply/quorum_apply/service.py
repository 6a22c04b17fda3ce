"""A service: what its files ask of it, what systemd is told to do, and when it is well."""
import hashlib
import json
import sys
import time

from quorum_apply.check import ask
from quorum_apply.commands import run
from quorum_apply.drive import make_way
from quorum_apply.paths import CRASHES, POLL, REPORT, STEADY
from quorum_apply.report import Failure, say
from quorum_apply.systemd import journal, stopped, unit, unmet


def fed_by(service, path):
    """Whether a change of the file asks for a restart of the service."""
    name = service["name"]
    return path in service["restartOn"] or path.endswith("/" + name) or f"/{name}.d/" in path


def inputs(service, files):
    """Hashes of all that a restart or a reload of the service brings into force. Other hashes after an update would restart everything."""
    def digest(*parts):
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return {"restart": digest(service["restartKey"], [[f["path"], f["content"]] for f in files if fed_by(service, f["path"])]),
            "reload": digest([[f["path"], f["content"]] for f in files if f["path"] in service["reloadOn"]])}


def deadline(service):
    return time.monotonic() + (service["timeoutSeconds"] or 300)


def has_only_to_stay(service, state):
    """Whether it is well if it does not end soon: there is nothing to ask, and nothing that it has to finish."""
    return not service["check"]["url"] and state.get("Type") != "oneshot"


def order(action, name, end):
    """Has systemd do it. A start may have to wait for other units, and is waited for as the service is; a reload is done or fails."""
    if action != "reload":
        run("systemctl", action, "--no-block", name)
        return
    done = run("systemctl", action, name, seconds=max(1, end - time.monotonic()))
    if done.returncode:
        raise Failure(f"{name}: could not be reloaded", journal(name) or done.stderr.splitlines())


def wait(service, end, has_previous):
    """Waits until a service passes its check."""
    name, invocation, before = service["name"], None, sys.maxsize
    since = reported = time.monotonic()
    while True:
        make_way()
        state = unit(name)
        if unmet(state):
            say(f"{name}: not started: this machine does not meet its unit's conditions")
            return
        if stopped(state):
            raise Failure(f"{name}: is {state['ActiveState']}", journal(name))
        restarts = int(state.get("NRestarts", 0))  # a timer has none
        before = min(before, restarts)
        # At first there is nothing to go back to, and others may have to come first.
        if has_previous and restarts - before >= CRASHES:
            raise Failure(f"{name}: has exited {restarts - before} times", journal(name))
        if state["InvocationID"] != invocation or state["ActiveState"] != "active":
            since, invocation = time.monotonic(), state["InvocationID"]
        seen = f"systemd says {state['ActiveState']}"
        if state.get("Job"):  # until it is done, the process from before may be the one that answers
            seen += ", and has still to start it"
        elif service["check"]["url"]:
            seen = ask(service["check"])
            if seen is None:
                return
        elif state["ActiveState"] == "inactive" and not (service["restartsOthers"] and unit("reboot.target").get("Job")):
            return  # a oneshot that did what it had to, and has not just restarted the machine
        elif state["ActiveState"] == "active" and (state.get("Type") == "oneshot" or time.monotonic() - since >= STEADY):
            return
        if time.monotonic() > end:
            raise Failure(f"{name}: is not healthy after {service['timeoutSeconds'] or 300} s: {seen}", journal(name))
        if time.monotonic() - reported > REPORT:
            reported = time.monotonic()
            say(f"{name}: waiting: {seen}")
        time.sleep(POLL)
