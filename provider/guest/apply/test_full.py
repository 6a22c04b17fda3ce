"""Disks that are full, and records that are damaged: what is said, and that there is a way back and a way on."""
import errno
import os
import unittest

from machine import TestCase, apply, web_and_db

METRICS = "/var/lib/prometheus/node-exporter"


def full():
    """From now on nothing new has room on the disk, as with the last block of it gone."""
    real = os.open

    def refuse(path, flags, *arguments, **more):
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, "No space left on device", path)
        return real(path, flags, *arguments, **more)
    apply.os.open = refuse


class Full(TestCase):
    def setUp(self):
        super().setUp()
        self.machine.write(METRICS + "/other.prom", "")
        self.ok(self.machine.first_boot(web_and_db("g1")))

    def test_is_told(self):
        self.machine.insert(web_and_db("g2", web="web 2"))
        self.failed(self.machine.run(prepare=full), "could not be written: No space left on device")
        self.assertEqual(("failed", "g2", "g1"), tuple(self.machine.record("outcome")[key] for key in ("outcome", "generation", "inForce")))
        metrics = self.machine.read(METRICS + "/quorum.prom")
        self.assertIn("quorum_apply_success 0\n", metrics)
        self.assertIn('generation="g2",outcome="failed",reason="', metrics)
        self.assertIn("No space left on device", metrics)
        self.ok(self.machine.run())
        self.assertEqual("web 2", self.machine.runs("web.service"))
        self.assertIn('quorum_apply_info{generation="g2",outcome="done"} 1\n', self.machine.read(METRICS + "/quorum.prom"))

    def test_more_than_fits_is_cut_to_lines(self):
        self.machine.write("/note", "old\n")
        apply.ROOT = self.machine.root
        self.addCleanup(setattr, apply, "ROOT", "")
        apply.overwrite("/note", "line\n" * 2000)
        self.assertEqual("line\n" * 819, self.machine.read("/note"))
        apply.overwrite("/note", "short\n")
        self.assertEqual("short", self.machine.read("/note").rstrip())
        apply.overwrite("/none", "x")

    def test_many_drives_before_need_no_more_room(self):
        """The record of drives is longer than a block."""
        for number in range(60):
            self.machine.insert(web_and_db(f"h{number}"), made=f"2026112113{number:04d}")
            self.ok(self.machine.run())
        self.assertLess(apply.BLOCK, os.path.getsize(self.machine.root + "/var/lib/quorum/drives.json"))
        self.machine.insert(web_and_db("cure"), made="20261122120000")
        self.ok(self.machine.run(prepare=full))

    def test_nothing_is_written_through_a_link(self):
        """The package of the node exporter gives the directory above to its user, who has a link lead elsewhere."""
        above, mine = self.machine.root + os.path.dirname(METRICS), self.machine.root + os.path.dirname(METRICS) + "/mine"
        self.machine.write("/etc/precious", "root's\n" * 4)
        os.rename(self.machine.root + METRICS, above + "/was")
        os.mkdir(mine)
        os.symlink(self.machine.root + "/etc/precious", mine + "/quorum.prom")
        os.symlink(mine, self.machine.root + METRICS)
        os.chmod(above, 0o777)
        self.machine.change(web_and_db("g2", web="web 2"))
        os.remove(self.machine.root + METRICS)
        os.rename(mine, self.machine.root + METRICS)
        self.machine.change(web_and_db("g3", web="web 3"), prepare=full)
        self.assertEqual("root's\n" * 4, self.machine.read("/etc/precious"))

    def test_the_way_back_needs_no_room(self):
        """The disk fills up between the new files and the first service."""
        def when_written():
            settle = apply.Change.settle_services

            def filled(change):
                full()
                settle(change)
            apply.Change.settle_services = filled
        self.machine.insert(web_and_db("g2", web="web 2", db="BROKEN"))
        self.failed(self.machine.run(prepare=when_written), "rolled back")
        self.assertEqual(("web 1", "db 1"), (self.machine.read("/etc/web.conf"), self.machine.read("/etc/db.conf")))
        self.assertEqual(("web 1", "db 1"), (self.machine.runs("web.service"), self.machine.runs("db.service")))
        self.assertEqual(0o600, os.stat(self.machine.root + "/etc/db.conf").st_mode & 0o777)


class Damaged(TestCase):
    """As by a file system that lost what was in a file."""

    def test_records(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.ok(self.machine.change(web_and_db("g2", web="web 2")))
        for name in ("applied", "running", "outcome", "artifacts", "drives", "previous/manifest"):
            for content in ("", "{", "\0" * 100):
                machine = self.machine.clone(f"{self.directory.name}/{name.replace('/', '-')}-{len(content)}")
                machine.write(f"/var/lib/quorum/{name}.json", content)
                self.assertEqual(0, machine.change(web_and_db("g3", web="web 3")), machine.said)
                self.assertEqual("web 3", machine.runs("web.service"))
                self.assertEqual("g3", machine.record("applied")["generation"])


if __name__ == "__main__":
    unittest.main()
