"""Patch days that fail or are cut."""
import os
import shutil
import unittest

from machine import DAY, LATER, TestCase


class BadDays(TestCase):
    def test_a_repository_that_does_not_answer(self):
        self.fakes("no-network")
        self.failed(self.patch(), "trying again", "FAILED: apt-get update: Err:1 http://mirror trixie InRelease; E: Failed to fetch http://mirror")
        self.assertEqual([], self.calls("systemctl"), "what runs goes on")
        self.assertEqual(3, len(self.calls("apt-get --yes")))
        os.remove(self.fake + "/no-network")
        self.ok(self.patch(), "etcd: 1 -> 2")

    def test_another_apt_runs(self):
        self.fakes("locked", "\n" * 5)
        self.fakes("lists-locked", "\n" * 5)
        self.ok(self.patch(), "dpkg frontend lock was locked by another process with pid 821; trying again",
                "Could not get lock /var/lib/apt/lists/lock. It is held by process 526; trying again", "etcd: 1 -> 2")

    def test_another_apt_does_not_end(self):
        self.fakes("locked", "\n" * 5)
        self.failed(self.patch(before="packages.LOCKED = 0"), "FAILED: dpkg -a: dpkg: error: dpkg frontend lock was locked")

    def test_no_other_attempt_begins_too_late(self):
        self.fakes("no-network")
        self.failed(self.patch(before="packages.TOTAL = 0"), "FAILED: apt-get update")
        self.assertEqual(1, len(self.calls("update")))

    def test_quorum_apply_installs_at_the_same_time(self):
        self.write("/usr/sbin/policy-rc.d", "#!/bin/sh\n# quorum-apply: packages start no services while they are installed\nexit 101\n")
        self.ok(self.patch())
        self.assertFalse(os.path.exists(self.root + "/usr/sbin/policy-rc.d"), "it writes its own again with each attempt")

    def test_no_room_for_the_record(self):
        self.failed(self.patch(before="import resource; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))"),
                    "FAILED: /var/lib/quorum/software.json: File too large")
        self.assertEqual(["software.lock"], os.listdir(self.root + "/var/lib/quorum"))

    def test_disk_full_half_way(self):
        self.fakes("disk-full")
        self.ok(self.patch(), "No space left on device; trying again", "etcd: 1 -> 2")
        self.assertEqual(2, len(self.calls("--configure -a")))
        self.assertEqual(2, len(self.calls("apt-get clean")), "packages that were downloaded go from the disk")

    def test_disk_stays_full(self):
        self.fakes("disk-full")
        self.fakes("no-room")
        self.failed(self.patch(), "FAILED: apt-get upgrade: E: dpkg was interrupted")
        self.assertEqual([], self.calls("systemctl"))

    def test_another_day_after_one_that_failed_tells_and_restarts_all(self):
        self.fakes("broken-etcd.service")
        self.failed(self.patch())
        os.remove(self.fake + "/broken-etcd.service")
        self.packages("offered", etcd="2", zlib="2")
        self.ok(self.patch(LATER), "etcd: 1 -> 2\nzlib: 1 -> 2\n2 packages came")
        self.assertIn("systemctl restart chrony.service", self.calls("systemctl"))
        self.assertEqual(LATER, self.record()["asOf"])

    def test_taken_back_after_one_that_failed(self):
        self.ok(self.patch(DAY))
        self.packages("offered", etcd="3", zlib="1")
        self.fakes("no-network")
        self.failed(self.patch(LATER))
        self.forget_calls()
        self.ok(self.patch(DAY))  # the rollback
        self.assertEqual([], self.calls(""), "nothing goes on by itself")
        os.remove(self.fake + "/no-network")
        self.ok(self.patch(LATER), "etcd: 2 -> 3")

    def test_a_damaged_record(self):
        for text in ("{", "null", "[1]", '"x"', '{"asOf": null, "before": 1}', '{"doing": "%s"}' % DAY, '{"doing": "%s", "since": ["boot-1", 4000]}' % DAY):
            with self.subTest(text):
                self.write("/var/lib/quorum/software.json", text)
                self.ok(self.patch(), "done")

    def test_killed_anywhere(self):
        fresh, step = self.parent, 0
        while True:
            step += 1
            self.place(f"{fresh}/{step}")
            for part in ("root", "fake"):
                shutil.copytree(f"{fresh}/{part}", f"{fresh}/{step}/{part}")
            killed = self.patch(kill_at=step) == -9
            self.ok(self.patch())
            self.assertEqual((DAY, {"etcd": ["1", "2"]}), (self.record()["asOf"], self.record()["came"]), step)
            self.assertTrue(self.calls("systemctl restart etcd.service"), step)
            self.assertFalse(os.path.exists(self.root + "/usr/sbin/policy-rc.d"), step)
            if not killed:
                break
        self.assertGreater(step, 15)


if __name__ == "__main__":
    unittest.main()
