"""The cloud-init drive, and which of two is the older one."""
import base64
import collections
import contextlib
import gzip
import hashlib
import json
import os
import time

import yaml

from quorum_apply.commands import run
from quorum_apply.files import make_parents, read
from quorum_apply.paths import at, COME, DEVICE, DRIVES, HOME, MOST_DRIVES, POLL, PROGRAM, SEED, WRITTEN_BY_CLOUD_INIT
from quorum_apply.records import load, store
from quorum_apply.report import Failure
from quorum_apply.state import parse


class NoDrive(Failure):
    """There is none in this machine."""


class AnotherDrive(BaseException):
    """One has come while a run waited for a service. No step undoes what it did for that: the next run goes on from there."""


def device():
    """The cloud-init drive, or nothing."""
    return next((path for path in map(at, DRIVES) if os.path.exists(path)), None)


def has_drive():
    return bool(device()) or os.path.exists(at(SEED))


def drive():
    """The user-data on the cloud-init drive or, in a container, in the seed directory."""
    end = time.monotonic() + DEVICE  # early in a boot, and while a drive is swapped, its device is not there yet
    while not has_drive():
        if time.monotonic() > end:
            raise NoDrive("there is no cloud-init drive: neither a file system with the label cidata nor " + SEED)
        time.sleep(POLL)
    if not device():
        return read(SEED).decode(errors="replace")
    # In a mount namespace of its own the mount ends with its reader, however that ends.
    make_parents(HOME + "/media/x")
    done = run("unshare", "--mount", "sh", "-c", 'mount -o ro,nosuid,nodev,noexec "$0" "$1" && exec cat "$1/user-data"',
               device(), at(HOME + "/media"))
    if done.returncode:
        raise Failure("the cloud-init drive cannot be read", done.stderr.splitlines())
    return done.stdout


class Medium(collections.namedtuple("Medium", "made content generation")):
    """One drive among those that this machine has had.

    Which of two is the older one is told by the order in which they first came,
    and by no clock: that of the host that makes drives may be wrong, and so may
    that of this machine. A drive that never was here is a new one. Where a former
    state is wanted again, its drive is made again, and says that it was made at
    another time.
    """

    @classmethod
    def of(cls, user_data, generation):
        """The drive that the text was read from; none in a container, which has no drive."""
        if not device():
            return None
        with open(device(), "rb") as medium:
            medium.seek(0x8000 + 813)  # when the volume was created (ECMA-119, 8.4.26)
            return cls(medium.read(17).hex(), hashlib.sha256(user_data.encode()).hexdigest()[:16], generation)

    @classmethod
    def in_force(cls):
        known = (load("applied.json", None) or {}).get("drive")
        return known and cls(*known)

    @staticmethod
    def had():
        return [Medium(*known) for known in load("drives.json", [])]

    def check_order(self):
        """Refuses a drive that was here before the one whose state is in force, as an old one that came back."""
        had, now = self.had(), self.in_force()
        if self in had and now in had and had.index(self) < had.index(now) and self.made != now.made:
            raise Failure(f"the drive is an old one: this machine had it before the one with generation {now.generation}, which is in force. "
                          "If it is wanted, `quorum-apply --retry` takes it")

    def remember(self):
        had = self.had()
        if self not in had:
            store("drives.json", [*had, self][-MOST_DRIVES:])


def decode(entry):
    """The content of one of cloud-init's write_files."""
    content, encoding = entry.get("content") or "", entry.get("encoding") or ""
    content = content.encode() if isinstance(content, str) else content
    if "b64" in encoding or "base64" in encoding:
        content = base64.b64decode(content)
    return gzip.decompress(content) if encoding.startswith("gz") else content


class Wanted(collections.namedtuple("Wanted", "text machine generation program medium", defaults=[None, None])):
    """What a machine is asked to take: the text of a state, the program that is to read it, and the drive that they came on."""

    @classmethod
    def on_drive(cls):
        user_data = drive()
        try:
            config = yaml.load(user_data, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            written = {entry["path"]: decode(entry) for entry in config["write_files"]}
            state = json.loads(written[WRITTEN_BY_CLOUD_INIT])
            return cls(written[WRITTEN_BY_CLOUD_INIT], state["machine"], state["generation"], written.get(PROGRAM),
                       Medium.of(user_data, state["generation"]))
        except Exception as error:  # whatever it is, its message would quote what it read
            line = f" at line {error.problem_mark.line + 1}" if getattr(error, "problem_mark", None) else ""
            raise Failure(f"the user-data on the drive holds no whole state ({type(error).__name__}{line}): half-written?") from None

    @classmethod
    def from_cloud_init(cls):
        """What cloud-init wrote at the first boot. It read that from the drive, if there is one."""
        text = read(WRITTEN_BY_CLOUD_INIT)
        state, medium = parse(text), None
        if device():
            with contextlib.suppress(Failure):
                medium = cls.on_drive().medium
        return cls(text, state["machine"], state["generation"], medium=medium if medium and medium.generation == state["generation"] else None)

    @classmethod
    def take(cls, first_boot):
        # What cloud-init wrote is gone if another run has put the drive's state in force before.
        if first_boot and os.path.exists(at(WRITTEN_BY_CLOUD_INIT)):
            return cls.from_cloud_init()
        try:
            return cls.on_drive()
        except NoDrive:
            # A first boot that was cut, of a machine that has no drive.
            if load("applied.json", None) or not os.path.exists(at(WRITTEN_BY_CLOUD_INIT)):
                raise
            return cls.from_cloud_init()


def check_machine(name):
    known = load("running.json", {}).get("machine", name)
    if name != known:
        raise Failure(f"the state is for the machine {name}, and this is {known}")


def another_drive():
    return any(os.path.exists(at(path)) for path in COME)


def make_way():
    if another_drive():
        raise AnotherDrive
