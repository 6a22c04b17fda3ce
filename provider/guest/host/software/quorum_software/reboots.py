"""Whether the machine has to restart, and its restart."""
import os
import re
import sys
import time

from quorum_software.commands import at, ENDING, Failure, must, read, say

REBOOT, LAST = 600, 5


def newer_kernel():
    """The kernel that a boot would start now, if it is not the one that runs: of the same flavour, as cloud-amd64."""
    def parts(release):
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", release)]

    def flavour(release):
        return re.sub(r"^\d[^-]*(-\d+)?-", "", release)
    runs = os.uname().release
    there = [name[len("vmlinuz-"):] for name in (os.listdir(at("/boot")) if os.path.isdir(at("/boot")) else []) if name.startswith("vmlinuz-")]
    if runs not in there:  # a container, or a kernel from elsewhere
        return ""
    newest = max((name for name in there if flavour(name) == flavour(runs)), key=parts)
    return newest if newest != runs else ""


def kernels():
    """The one that runs, and the newer one that is there."""
    return [os.uname().release, newer_kernel()]


def boot():
    return read("/proc/sys/kernel/random/boot_id").strip()


def why_reboot(record, arrived, former):
    runs, newer = kernels()
    if newer and record.get("kernel") != [runs, newer]:
        return f"the kernel {newer} is there, and {runs} runs"
    if newer:
        say(f"the kernel {runs} runs, as it did after the last restart, though {newer} is there")
    if any(name.split(":")[0] == "linux-image-" + runs and record["came"][name][0] for name in arrived):
        return f"the kernel {runs} came anew"
    if former.c_library:
        return "the C library came, which all programs use"
    if os.path.exists(at("/run/reboot-required")):
        return "packages ask for it: " + (" ".join(sorted(set(read("/run/reboot-required.pkgs").split()))) or "/run/reboot-required")
    return ""


def reboot(why):
    say(f"the machine restarts: {why}")
    must("systemctl", "reboot")
    end = time.monotonic() + REBOOT
    while not ENDING.asked:
        if time.monotonic() > end:
            raise Failure("the machine does not restart")
        time.sleep(1)
    time.sleep(LAST)  # quorum-apply, which waits for this program, is stopped meanwhile; in a first boot it sees that the machine restarts
    sys.exit(0)
