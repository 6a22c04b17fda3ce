"""Gives a blank disk a file system."""
import os
import re

from quorum_apply.commands import must, run
from quorum_apply.paths import APT, at
from quorum_apply.report import Failure


class Disk:
    """A disk that may be given a file system.

    Before that is begun, a mark is written near the disk's end, behind what the
    file system takes at first; it goes when the file system has its label. A
    disk with the mark of this very disk and label holds nothing, but for what an
    mkfs that was cut has left of the file system with the UUID in the mark.
    """

    MARK = b"quorum-apply makes the file system %s with UUID %s on this disk of %d bytes\n"

    def __init__(self, path, real=None):
        self.path, self.real = path, real or at(path)

    def size(self):
        with open(self.real, "rb") as disk:
            return disk.seek(0, os.SEEK_END)

    def read(self, start, length):
        with open(self.real, "rb", buffering=0) as disk:
            disk.seek(start)
            return disk.read(length) or b""

    def write(self, start, content):
        with open(self.real, "r+b", buffering=0) as disk:
            disk.seek(start)
            disk.write(content)
            os.fsync(disk.fileno())

    def end(self):
        """Where the file system ends at first, and the mark is."""
        return (self.size() >> 20) - 1 << 20

    def mark(self, label, identity):
        # One sector of text: it is there as a whole or not at all.
        return (self.MARK % (label.encode(), identity.encode(), self.size())).ljust(4096, b"\0")

    def marked(self, label):
        """The UUID in the mark, if there is one."""
        if self.end() <= 0:
            return ""
        found = re.search(rb"UUID ([0-9a-f-]{36}) ", self.read(self.end(), 4096))
        identity = found[1].decode() if found else ""
        return identity if identity and self.read(self.end(), 4096) == self.mark(label, identity) else ""

    def unmark(self, label):
        """A mark that outlived its purpose goes before anything is mounted that may grow over it."""
        if self.marked(label):
            self.write(self.end(), bytes(4096))

    def unfinished(self, label):
        """The UUID of the file system whose making was cut, if nothing else is on the disk."""
        identity = self.marked(label)
        if not identity:
            return ""
        probe = run("blkid", "--probe", "--output", "export", self.real)
        found = dict(line.split("=", 1) for line in probe.stdout.splitlines() if "=" in line)
        block = self.read(1024, 1024)  # the superblock, https://docs.kernel.org/filesystems/ext4/super.html
        never_mounted = block[0x2C:0x30] == bytes(4)
        ours = found.get("TYPE") == "ext4" and found.get("UUID") == identity and not found.get("LABEL") and never_mounted
        return identity if probe.returncode == 2 or probe.returncode == 0 and ours else ""

    def is_blank(self):
        """Whether nothing is found: no signature, and no byte but zeros at its ends, where file systems keep copies, and at many places between."""
        size = self.size()
        parts = [(0, 16 << 20), (size - (2 << 20), 2 << 20), (64 << 20, 4096)]
        parts += [(group << 27, 4096) for group in (1, 3, 5, 7, 9)] + [(size * i >> 10 & ~4095, 4096) for i in range(1 << 10)]
        if any(self.read(max(0, start), length).strip(b"\0") for start, length in parts if start < size):
            return False
        signatures = run("wipefs", "--no-act", self.real)
        return run("blkid", "--probe", self.real).returncode == 2 and not signatures.returncode and not signatures.stdout.strip()

    def make_file_system(self, label, identity):
        if self.end() <= 0:
            raise Failure(f"{self.path}: is too small for a file system: {self.size()} bytes")
        self.write(self.end(), self.mark(label, identity))
        # What the kernel finds wrong later stops the service, rather than to be written on. Of a blank disk there is nothing to discard.
        must("mkfs.ext4", "-q", "-e", "remount-ro", "-E", "nodiscard", "-U", identity, self.real, f"{self.end() >> 10}k", seconds=APT)
        must("e2label", self.real, label)
        self.write(self.end(), bytes(4096))
