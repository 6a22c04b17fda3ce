"""What a patch day does, and when."""
import os
import threading
import time
import unittest

from machine import DAY, LATER, TestCase


class Days(TestCase):
    def test_once_for_each_day(self):
        self.ok(self.patch(), "etcd: 1 -> 2\n1 package came", "etcd.service: restarts, it ran former /usr/bin/etcd and 1 more", f"done: the packages are of {DAY}")
        self.assertEqual(["systemctl restart etcd.service"], self.calls("systemctl"))
        self.forget_calls()
        self.packages("offered", etcd="3", zlib="1")
        self.ok(self.patch())
        self.assertEqual([], self.calls(""))
        self.ok(self.patch(LATER), "etcd: 2 -> 3")

    def test_never_back(self):
        self.ok(self.patch(LATER))
        self.forget_calls()
        self.ok(self.patch(DAY), f"the packages are of {LATER} already, which is after {DAY}: they never go back")
        self.assertEqual([], self.calls(""))
        self.assertEqual(LATER, self.record()["asOf"])

    def test_nothing_came(self):
        self.packages("offered", etcd="1", zlib="1")
        self.ok(self.patch(), "all packages are up to date")
        self.assertEqual([], self.calls("systemctl"))

    def test_as_apt_is_asked(self):
        self.ok(self.patch())
        asked = self.calls("upgrade")[0]
        for option in ("--force-confold", "APT::Update::Error-Mode=any", "--with-new-pkgs", "Always-Include-Phased-Updates=true"):
            self.assertIn(option, asked)
        self.assertEqual(1, len(self.calls("apt-get clean")))
        with open(self.fake + "/policy", encoding="utf-8") as seen:
            self.assertIn("policy-rc.d", seen.readline())
        self.assertFalse(os.path.exists(self.root + "/usr/sbin/policy-rc.d"))

    def test_somebody_elses_policy_stays(self):
        self.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 0\n")
        self.ok(self.patch())
        self.assertTrue(os.path.exists(self.root + "/usr/sbin/policy-rc.d"))

    def test_held(self):
        self.fakes("held", "libfoo libbar")
        self.ok(self.patch(), "stay as they are, held or in need of what may not come: libfoo libbar")

    def test_metrics(self):
        os.makedirs(self.root + "/var/lib/prometheus/node-exporter")
        self.packages("offered", etcd="2", zlib="2")
        self.ok(self.patch())
        done = {"quorum_software_success": "1", f'quorum_software_info{{as_of="{DAY}"}}': "1", "quorum_software_packages": "2"}
        self.assertLessEqual(done.items(), self.metrics().items())
        self.packages("offered", etcd="3", zlib="2")
        self.fakes("broken-etcd.service")
        self.failed(self.patch(LATER))
        self.assertLessEqual({**done, "quorum_software_success": "0"}.items(), self.metrics().items(), "it is of the day that is done")
        self.ok(self.patch(DAY))
        self.assertLessEqual(done.items(), self.metrics().items())

    def test_one_run_at_a_time(self):
        self.fakes("slow")
        another = threading.Thread(target=self.patch)
        another.start()
        while not os.path.exists(self.fake + "/upgrading"):
            time.sleep(0.05)
        status, said = self.patch_apart()
        another.join()
        self.assertEqual((1, "FAILED: another run goes on\n"), (status, said))
        self.ok(self.patch())
        with open(self.fake + "/policy", encoding="utf-8") as seen:
            self.assertIn("policy-rc.d\n", seen.readline())


if __name__ == "__main__":
    unittest.main()
