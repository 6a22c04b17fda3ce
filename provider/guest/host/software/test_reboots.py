"""When the machine restarts."""
import os
import unittest

from machine import LATER, TestCase


class Reboots(TestCase):
    def restarts_once(self, why):
        self.ok(self.patch(), "the machine restarts: " + why)
        self.assertEqual(["systemctl reboot"], self.calls("systemctl"))
        self.assertNotIn("asOf", self.record())
        self.forget_calls()
        self.boots()
        self.ok(self.patch(), "done")
        self.assertEqual([], self.calls(""))

    def test_the_c_library(self):
        self.packages("offered", etcd="1", zlib="1", libc6="2")
        self.process(10, "etcd.service", "/usr/bin/etcd", "/usr/lib/x86_64-linux-gnu/libc.so.6")
        self.restarts_once("the C library came")

    def test_a_kernel(self):
        runs = os.uname().release
        self.write("/boot/vmlinuz-" + runs, "")
        self.packages("offered", etcd="2", zlib="1", **{"linux-image-" + runs: "2"})
        self.packages("installed", etcd="1", zlib="1", **{"linux-image-" + runs: "1"})
        self.ships("linux-image-" + runs, "/boot/vmlinuz-" + runs)
        self.restarts_once(f"the kernel {runs} came anew")

    def test_a_newer_kernel_that_does_not_boot(self):
        runs = os.uname().release
        newer = str(int(runs.split(".")[0]) + 1) + runs[runs.index("."):]
        self.write("/boot/vmlinuz-" + runs, "")
        self.write("/boot/vmlinuz-" + newer, "")
        self.write(f"/boot/vmlinuz-{newer}x", "")  # of another flavour
        self.ok(self.patch(), f"the machine restarts: the kernel {newer} is there, and {runs} runs")
        self.boots()
        self.ok(self.patch(), f"it has been restarted, and would be once more: the kernel {newer} is there")
        self.ok(self.patch(LATER), f"the kernel {runs} runs, as it did after the last restart, though {newer} is there")
        self.assertEqual(1, len(self.calls("reboot")))
        another = str(int(runs.split(".")[0]) + 2) + runs[runs.index("."):]
        self.write("/boot/vmlinuz-" + another, "")
        self.ok(self.patch("2027-01-17T00:00:00Z"), f"the machine restarts: the kernel {another} is there")

    def test_a_package_asks_for_it(self):
        self.write("/run/reboot-required", "")
        self.write("/run/reboot-required.pkgs", "dbus\ndbus\n")
        self.ok(self.patch(), "the machine restarts: packages ask for it: dbus")
        os.remove(self.root + "/run/reboot-required")  # as /run is empty
        self.boots()
        self.ok(self.patch(), "done")

    def test_cut_before_it_went_down(self):
        self.write("/run/reboot-required", "")
        self.fakes("does-not-reboot")
        self.failed(self.patch(), "FAILED: the machine does not restart")
        os.remove(self.fake + "/does-not-reboot")
        self.ok(self.patch(), "the machine restarts")
        self.assertEqual(2, len(self.calls("reboot")))


if __name__ == "__main__":
    unittest.main()
