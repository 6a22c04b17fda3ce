"""Packages of the distribution and of repositories."""
import os

from quorum_apply.commands import must, run
from quorum_apply.download import retry
from quorum_apply.files import File, keep_written, put, read, remove
from quorum_apply.paths import APT, at
from quorum_apply.report import Failure, say
from quorum_apply.repositories import configure_apt
from quorum_apply.state import mode

POLICY = "/usr/sbin/policy-rc.d"
DENY = File(POLICY, b"#!/bin/sh\n# quorum-apply: packages start no services while they are installed\nexit 101\n", mode=0o755)
# Nobody is asked, and what somebody has changed below /etc stays. dpkg itself forces security-mac if nothing is set.
UNASKED = {"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1", "DPKG_FORCE": "confdef,confold,security-mac"}


def deny_starts():
    """Keeps packages from starting services with their own configuration. Where quorum-software does too, that is over when it ends."""
    if not os.path.exists(at(POLICY)) or b"# quorum-" in read(POLICY):
        put(DENY)


def allow_starts():
    if os.path.exists(at(POLICY)) and read(POLICY) == DENY.content:
        remove(POLICY)


def absent(package):
    if package["provides"]:
        return [path for path in package["provides"] if not os.path.exists(at(path))]
    status = run("dpkg-query", "--show", "--showformat=${Status}", package["name"])
    return [] if status.stdout.endswith(" installed") else ["package " + package["name"]]


def check_installed(state):
    """What the image should have brought, when nothing may be downloaded."""
    missing = [f"{what} ({p['name']})" for p in state["packages"] for what in absent(p)]
    missing += [f"{path} ({a['name']})" for a in state["artifacts"] for path in a["files"].values() if not os.path.exists(at(path))]
    if missing:
        raise Failure("installDependencies is false and the image lacks " + ", ".join(missing))


def apt_get(*arguments):
    return must("apt-get", "--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", *arguments,
                seconds=APT, **UNASKED)


def finish_interrupted():
    """A run that was killed, or for which a disk had no room, may have left packages half-way: apt-get refuses to go on."""
    must("dpkg", "--configure", "-a", seconds=APT, **UNASKED)


def install_packages(state):
    configure_apt(state)
    missing = [p for p in state["packages"] if absent(p)]
    if not missing:
        return
    names = [p["name"] for p in missing]
    say("installing " + " ".join(names))
    # What packages read while they are installed; their users are not there yet, so the files are root's.
    keep_written(*[File(preset["path"], preset["content"].encode(), mode=mode(preset)) for preset in state["presets"]])
    try:
        retry(lambda: (deny_starts(), finish_interrupted(), apt_get("update"), apt_get("install", *names)), attempts=3)
    finally:
        allow_starts()
    for package in missing:
        if absent(package):
            raise Failure(f"{package['name']}: installed, but does not provide {', '.join(absent(package))}")
