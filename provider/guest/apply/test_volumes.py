"""Data volumes: which disk is formatted, a format that was cut, and a file system with errors. mkfs, blkid and their like are the real ones."""
import contextlib
import os
import random
import re
import subprocess
import unittest

from machine import TestCase, apply, service, state, unit

SIZE = 40 << 20
UUID = "3e0b1f5c-5a4e-4a52-9f0e-0d6f1f0c7c11"
VOLUME = {"device": "/dev/vdb", "label": "etcd_data", "mountPoint": "/var/lib/etcd"}
MOUNT, CHECK = "/etc/systemd/system/var-lib-etcd.mount", "/etc/systemd/system/quorum-fsck-etcd_data.service"


def tool(*command):
    return subprocess.run(command, env={**os.environ, "PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}, capture_output=True, text=True, check=False)


class Volumes(TestCase):
    def setUp(self):
        super().setUp()
        self.disk = self.add("/dev/vdb")

    def add(self, path, size=SIZE):
        real = self.machine.root + path
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.machine.fake + "/mounted")
        with open(real, "wb") as disk:
            disk.truncate(size)
        return real

    def write(self, start, content):
        with open(self.disk, "r+b") as disk:
            disk.seek(start)
            disk.write(content)

    def content(self, start=0, length=-1):
        with open(self.disk, "rb") as disk:
            disk.seek(start)
            return disk.read(length)

    def first_boot(self, **options):
        return self.machine.first_boot(state("g1", volumes=[VOLUME]), **options)

    def made(self):
        """The disk has a whole file system with the label, and no mark."""
        self.assertEqual(0, tool("e2fsck", "-fn", self.disk).returncode)
        self.assertEqual("etcd_data\n", tool("e2label", self.disk).stdout)
        self.assertNotIn(b"quorum-apply", self.content(SIZE - (1 << 20)))

    def left_alone(self, *words):
        before = self.content()
        self.failed(self.first_boot(), *words)
        self.assertEqual([], self.machine.calls("mkfs"))
        self.assertEqual(before, self.content())

    def partition(self, label):
        subprocess.run(["/usr/sbin/sfdisk", "--quiet", self.disk], input=f"label: {label}\n,10M\n", text=True, check=True)

    def mark(self, label="etcd_data", size=SIZE):
        self.write(SIZE - (1 << 20), apply.Disk.MARK % (label.encode(), UUID.encode(), size))


class Formatted(Volumes):
    def test_blank(self):
        self.ok(self.first_boot())
        self.made()
        self.assertIn("Remount read-only", tool("dumpe2fs", "-h", self.disk).stdout)
        mount = self.machine.read(MOUNT)
        self.assertIn("What=/dev/disk/by-label/etcd_data\nWhere=/var/lib/etcd\nOptions=defaults,nofail\n", mount)
        rule = self.machine.read("/etc/udev/rules.d/90-quorum-etcd_data.rules")
        self.assertEqual('ACTION=="change", ENV{RESIZE}=="1", ENV{ID_FS_LABEL}=="etcd_data", ENV{ID_FS_TYPE}=="ext4", '
                         'RUN+="/usr/bin/systemd-run --no-block --collect /sbin/resize2fs $devnode"\n', rule)
        self.ok(self.first_boot())
        self.assertEqual(1, len(self.machine.calls("mkfs")))

    def test_labelled_on_another_device(self):
        tool("mkfs.ext4", "-q", "-L", "etcd_data", self.add("/dev/vdc"))
        self.ok(self.first_boot())
        self.assertEqual([], self.machine.calls("mkfs"))
        self.assertEqual(bytes(SIZE), self.content())

    def test_absent(self):
        os.unlink(self.disk)
        self.failed(self.first_boot(), "/dev/vdb: did not appear")

    def test_too_small(self):
        self.add("/dev/vdb", 1 << 20)
        self.failed(self.first_boot(), "is too small for a file system: 1048576 bytes")


class LeftAlone(Volumes):
    def test_two_of_the_label(self):
        for disk in (self.disk, self.add("/dev/vdc")):
            tool("mkfs.ext4", "-q", "-L", "etcd_data", disk)
        self.left_alone("several file systems have this label")

    def test_another_label(self):
        tool("mkfs.ext4", "-q", "-L", "precious", self.disk)
        self.left_alone("is not blank", "`e2label /dev/vdb etcd_data`", "`mkfs.ext4 -L etcd_data /dev/vdb`", "Then run `quorum-apply`")

    def test_no_label(self):
        tool("mkfs.ext4", "-q", self.disk)
        self.left_alone("is not blank")
        tool("e2label", self.disk, "etcd_data")  # as the message says
        self.ok(self.first_boot())

    def test_partition_table(self):
        for label in ("dos", "gpt"):
            with self.subTest(label=label):
                self.partition(label)
                self.left_alone("is not blank")

    def test_swap(self):
        tool("mkswap", self.disk)
        self.left_alone("is not blank")

    def test_luks(self):
        self.write(0, b"LUKS\xba\xbe\x00\x02")
        self.left_alone("is not blank")

    def test_raid_whose_superblock_is_at_the_end(self):
        self.write(SIZE - (64 << 10), b"\xfc\x4e\x2b\xa9")
        self.left_alone("is not blank")

    def test_unknown_data(self):
        for start in (4096, 20 << 20, SIZE - 8):
            with self.subTest(start=start):
                self.add("/dev/vdb")
                self.write(start, b"precious" * 8000)
                self.left_alone("is not blank")

    def test_a_file_system_whose_beginning_is_lost(self):
        self.add("/dev/vdb", 300 << 20)
        tool("mkfs.ext4", "-q", "-L", "etcd_data", "-b", "4096", self.disk)
        self.write(0, bytes(17 << 20))
        self.left_alone("is not blank")


class Cut(Volumes):
    """The making of the file system was cut, and the next boot goes on there."""

    def test_mkfs_was_killed(self):
        for limit in (0, 8, 64, 512, 2048, 10000, 20000, 40000):
            with self.subTest(limit=limit):
                self.add("/dev/vdb")
                self.machine.write("/../fake/mkfs-cut", str(limit))
                self.failed(self.first_boot(), "mkfs.ext4")
                os.unlink(self.machine.fake + "/mkfs-cut")
                self.ok(self.first_boot())
                self.assertIn("was interrupted; formatting it again", self.machine.said)
                self.made()

    def test_before_any_step(self):
        for step in range(1, 200, 2):
            with self.subTest(step=step):
                machine = type(self.machine)(f"{self.directory.name}/{step}")
                self.machine, self.disk = machine, machine.root + "/dev/vdb"
                self.add("/dev/vdb")
                status = self.first_boot(kill_at=step)
                self.ok(self.first_boot())
                self.made()
            if status is not None:
                break
        self.assertGreater(step, 20)

    def test_the_power_failed(self):
        """Any part of what mkfs wrote may have reached the disk."""
        self.mark()
        tool("mkfs.ext4", "-q", "-U", UUID, self.disk, f"{(SIZE >> 10) - 1024}k")
        whole = self.content()
        chosen = random.Random(1)
        written = [start for start in range(0, SIZE, 4096) if whole[start:start + 4096].strip(b"\0")]
        for share in (0.02, 0.1, 0.5, 0.9, 0.99, 1):
            with self.subTest(share=share):
                self.add("/dev/vdb")
                self.mark()
                for start in written:
                    if chosen.random() < share:
                        self.write(start, whole[start:start + 4096])
                self.mark()
                self.ok(self.first_boot())
                self.assertIn("was interrupted; formatting it again", self.machine.said)
                self.made()

    def test_after_the_label(self):
        self.mark()
        tool("mkfs.ext4", "-q", "-U", UUID, "-L", "etcd_data", self.disk, f"{(SIZE >> 10) - 1024}k")
        self.ok(self.first_boot())
        self.assertEqual([], self.machine.calls("mkfs"))
        self.made()

    def test_a_mark_allows_nothing_else(self):
        for what, label, size, put in (
            ("of another volume", "postgres_data", SIZE, lambda: None),
            ("copied from another disk", "etcd_data", SIZE * 2, lambda: None),
            ("and somebody's file system", "etcd_data", SIZE, lambda: tool("mkfs.ext4", "-q", self.disk, "30m")),
            ("and a partition table", "etcd_data", SIZE, lambda: self.partition("dos")),
            ("and a file system that was in use", "etcd_data", SIZE, self.used),
        ):
            with self.subTest(what=what):
                self.add("/dev/vdb")
                put()
                self.mark(label, size)
                self.left_alone("is not blank")

    def used(self):
        tool("mkfs.ext4", "-q", "-U", UUID, self.disk, "30m")
        tool("debugfs", "-w", "-R", "set_super_value mtime now", self.disk)


class Errors(Volumes):
    """A file system that fsck does not repair by itself. On machines it is a real one: test/machines/e2e."""

    def setUp(self):
        super().setUp()
        tool("mkfs.ext4", "-q", "-L", "etcd_data", self.disk)
        self.state = state("g1", [unit("etcd.service")], [service("etcd.service")], volumes=[VOLUME])

    def test_are_looked_for_before_each_mount(self):
        self.ok(self.machine.first_boot(self.state))
        self.assertIn("Requires=quorum-fsck-etcd_data.service\nAfter=quorum-fsck-etcd_data.service\n", self.machine.read(MOUNT))
        self.assertRegex(self.machine.read(CHECK), r"After=dev-disk-by\\x2dlabel-etcd_data.device[^=]*\n(.*\n)*ExecStart=/sbin/fsck -a .* /dev/disk/by-label/etcd_data\n")

    def test_are_looked_for_on_machines_of_older_releases(self):
        self.machine.write("/../fake/mounted", "")
        self.machine.write(MOUNT, "[Mount]\nWhat=/dev/disk/by-label/etcd_data\nWhere=/var/lib/etcd\n")
        self.ok(self.machine.first_boot(self.state))
        self.assertIn("Requires=quorum-fsck-etcd_data.service", self.machine.read(MOUNT))
        self.assertEqual([], self.machine.calls("start var-lib-etcd.mount"))

    def test_keep_the_service_from_starting(self):
        self.machine.write("/../fake/fsck-fails", "")
        self.failed(self.machine.first_boot(self.state), "/var/lib/etcd: not mounted, and nothing that needs it is started",
                    "has errors that fsck does not repair unasked", re.sub("^.*(?=/dev)", "", self.disk))
        self.assertIn("`e2fsck ", self.machine.said)
        self.assertIsNone(self.machine.runs("etcd.service"))
        self.assertEqual([], self.machine.calls("start etcd.service"))
        os.unlink(self.machine.fake + "/fsck-fails")
        self.ok(self.machine.first_boot(self.state))
        self.assertEqual("active", self.machine.read("/units/etcd.service", self.machine.fake).strip())

    def test_that_only_mount_sees(self):
        self.machine.write("/../fake/mount-fails", "")
        self.failed(self.machine.first_boot(self.state), "could not be mounted", "wrong fs type")


if __name__ == "__main__":
    unittest.main()
