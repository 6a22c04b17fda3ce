"""Upgrades packages."""
import contextlib
import os
import re
import time

from quorum_software.commands import at, ENDING, Failure, must, read, replace, run, say

POLICY = "/usr/sbin/policy-rc.d"
DENY = "#!/bin/sh\n# quorum-software: packages restart no services, what they changed is restarted afterwards\nexit 101\n"
PAUSE, ATTEMPTS = 30, 3  # seconds between two attempts, and how many there are
LOCKED, TOTAL = 1800, 6000  # seconds in which another apt may run, and after which no other attempt begins: quorum-apply waits 7200
FORCE = ("--force-confdef", "--force-confold")  # what somebody has changed below /etc stays, and nobody is asked


def deny_restarts():
    """Has packages restart no services, unless the policy that is there is somebody else's; that of quorum-apply says the same."""
    if not os.path.exists(at(POLICY)) or "\n# quorum-" in read(POLICY):
        replace(POLICY, DENY, 0o755)


def allow_restarts():
    if read(POLICY) == DENY:
        os.remove(at(POLICY))


def versions():
    listed = must("dpkg-query", "--show", "--showformat=${db:Status-Status} ${binary:Package} ${Version}\n")
    return dict(line.split()[1:3] for line in listed.splitlines() if line.startswith("installed "))


def apt_get(*arguments):
    # As quorum-apply installs. All machines take what Ubuntu hands out in phases; and a repository that does not answer is an error.
    # None of it is ever killed: what apt has started would go on without it.
    return must("apt-get", "--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3",
                *(part for option in FORCE for part in ("-o", "Dpkg::Options::=" + option)), "-o", "APT::Update::Error-Mode=any",
                "-o", "APT::Get::Always-Include-Phased-Updates=true", *arguments,
                seconds=None, DEBIAN_FRONTEND="noninteractive", NEEDRESTART_SUSPEND="1", APT_LISTCHANGES_FRONTEND="none")


def attempt():
    deny_restarts()
    try:
        # What a run that was cut has left half-way.
        must("dpkg", *FORCE, "--configure", "-a", seconds=None, DEBIAN_FRONTEND="noninteractive")
        apt_get("update")
        return apt_get("--with-new-pkgs", "upgrade")
    finally:
        run("apt-get", "clean")


def upgrade():
    with contextlib.ExitStack() as after:
        after.callback(allow_restarts)
        said = patiently(attempt)
    stays = re.search(r"^(?:The following packages have been kept back|Not upgrading[^\n]*):\n((?: .*\n)+)", said, re.M)
    if stays:
        say("stay as they are, held or in need of what may not come: " + " ".join(stays[1].split()))


def patiently(action):
    """Tries it some times; while another apt has its locks, which neither dpkg nor `apt-get update` wait for, that is no try."""
    began, tries = time.monotonic(), 0
    while True:
        ENDING.check()
        try:
            return action()
        except Failure as failure:
            taken = time.monotonic() - began
            tries += not (re.search(r"\block(ed)?\b", str(failure)) and taken < LOCKED)
            if tries == ATTEMPTS or taken > TOTAL:
                raise
            say(f"{failure}; trying again")
            time.sleep(PAUSE)


def tell(came):
    for name, (was, now) in sorted(came.items()):
        say(f"{name}: {was or 'new:'} {'-> ' if was else ''}{now}")
    say(f"{len(came)} package{'s' * (len(came) > 1)} came" if came else "all packages are up to date")
