"""Upgrades packages."""
import contextlib
import os
import re
import time

from quorum_software.commands import at, ENDING, Failure, must, read, replace, run, say

POLICY = "/usr/sbin/policy-rc.d"
DENY = "#!/bin/sh\n# quorum-software: packages restart no services, what they changed is restarted afterwards\nexit 101\n"
APT, PAUSE, ATTEMPTS = 3600, 30, 3  # seconds that a step may take, and between two attempts


@contextlib.contextmanager
def no_restarts():
    """Keeps packages from restarting services, each in its own time."""
    if not os.path.exists(at(POLICY)):
        replace(POLICY, DENY, 0o755)
    try:
        yield
    finally:
        allow_restarts()


def allow_restarts():
    if read(POLICY) == DENY:
        os.remove(at(POLICY))


def versions():
    listed = must("dpkg-query", "--show", "--showformat=${db:Status-Status} ${binary:Package} ${Version}\n")
    return dict(line.split()[1:3] for line in listed.splitlines() if line.startswith("installed "))


def apt_get(*arguments):
    # As quorum-apply installs. All machines take what Ubuntu hands out in phases; and a repository that does not answer is an error.
    return must("apt-get", "--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3",
                "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold", "-o", "APT::Update::Error-Mode=any",
                "-o", "APT::Get::Always-Include-Phased-Updates=true", *arguments,
                seconds=APT, DEBIAN_FRONTEND="noninteractive", NEEDRESTART_SUSPEND="1", APT_LISTCHANGES_FRONTEND="none")


def upgrade():
    for left in reversed(range(ATTEMPTS)):
        ENDING.check()
        try:
            must("dpkg", "--configure", "-a", seconds=APT, DEBIAN_FRONTEND="noninteractive")  # what a run that was cut has left half-way
            apt_get("update")
            said = apt_get("--with-new-pkgs", "upgrade")
            break
        except Failure as failure:
            if not left:
                raise
            say(f"{failure}; trying again")
            time.sleep(PAUSE)
        finally:
            run("apt-get", "clean")
    stays = re.search(r"^(?:The following packages have been kept back|Not upgrading[^\n]*):\n((?: .*\n)+)", said, re.M)
    if stays:
        say("stay as they are, held or in need of what may not come: " + " ".join(stays[1].split()))


def tell(came):
    for name, (was, now) in sorted(came.items()):
        say(f"{name}: {was or 'new:'} {'-> ' if was else ''}{now}")
    say(f"{len(came)} package{'s' * (len(came) > 1)} came" if came else "all packages are up to date")
