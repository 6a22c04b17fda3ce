"""Patch days of a machine: a directory, and fake commands."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DAY, LATER = "2026-11-22T00:00:00Z", "2026-12-20T00:00:00Z"
RUN = """
import os, signal, sys
sys.dont_write_bytecode = True
sys.path.insert(0, {here!r})
from quorum_software import commands, main, packages, reboots
commands.ROOT, packages.PAUSE, reboots.REBOOT, reboots.LAST = {root!r}, 0, 1, 0
left = {kill_at}
def watch(event, arguments):
    global left
    changes = event in ("os.rename", "os.remove", "os.mkdir", "subprocess.Popen")
    if changes or event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
sys.exit(main.main("/etc/quorum-software"))
"""


class TestCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place(directory.name)
        os.makedirs(self.fake + "/files")
        self.write("/proc/uptime", "5000.0 1.0\n")
        self.write("/proc/sys/kernel/random/boot_id", "boot-1\n")
        self.write("/usr/sbin/x", "")
        self.packages("installed", etcd="1", zlib="1")
        self.packages("offered", etcd="2", zlib="1")
        self.ships("etcd", "/usr/bin/etcd", "/lib/systemd/system/etcd.service")
        self.ships("zlib", "/lib/x86_64-linux-gnu/libz.so.1")
        self.ships("libc6", "/lib/x86_64-linux-gnu/libc.so.6")
        self.process(10, "etcd.service", "/usr/bin/etcd")
        self.process(11, "chrony.service", "/usr/sbin/chronyd", "/usr/lib/x86_64-linux-gnu/libz.so.1")
        self.process(12, "quorum-apply.service", "/usr/bin/python3.13", "/usr/lib/x86_64-linux-gnu/libz.so.1")

    def place(self, parent):
        self.parent, self.root, self.fake = parent, parent + "/root", parent + "/fake"

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        with open(self.root + path, "w", encoding="utf-8") as file:
            file.write(text)

    def packages(self, name, **versions):
        with open(f"{self.fake}/{name}", "w", encoding="utf-8") as file:
            file.writelines(f"{package} {version}\n" for package, version in versions.items())

    def ships(self, package, *files):
        with open(f"{self.fake}/files/{package}", "w", encoding="utf-8") as file:
            file.writelines(path + "\n" for path in files)

    def process(self, number, unit, *mapped, started=1000):
        self.write(f"/proc/{number}/cgroup", f"0::/system.slice/{unit}\n")
        self.write(f"/proc/{number}/stat", f"{number} (a b) S " + " ".join(["0"] * 18) + f" {started * os.sysconf('SC_CLK_TCK')} 0\n")
        self.write(f"/proc/{number}/maps", "".join(f"7f00-7f01 r-xp 00000000 fe:01 {i} {path}\n" for i, path in enumerate(mapped)))

    def boots(self):
        """As the machine is after a restart."""
        self.write("/proc/sys/kernel/random/boot_id", "boot-2\n")
        self.write("/proc/uptime", "20.0 1.0\n")
        self.process(10, "etcd.service", "/usr/bin/etcd", started=10)

    def fakes(self, name, text=""):
        with open(f"{self.fake}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def calls(self, word):
        try:
            with open(self.fake + "/calls", encoding="utf-8") as file:
                return [line.strip() for line in file if word in line]
        except FileNotFoundError:
            return []

    def forget_calls(self):
        self.fakes("calls")

    def record(self):
        with open(self.root + "/var/lib/quorum/software.json", encoding="utf-8") as file:
            return json.load(file)

    def patch(self, day=DAY, kill_at=0):
        self.write("/etc/quorum-software", day + "\n")
        environment = {**os.environ, "PATH": f"{HERE}/fakes:{os.environ['PATH']}", "ROOT": self.root, "FAKE": self.fake}
        done = subprocess.run([sys.executable, "-c", RUN.format(here=HERE, root=self.root, kill_at=kill_at)],
                              env=environment, text=True, capture_output=True, check=False, timeout=60)
        self.said = done.stdout + done.stderr
        return done.returncode

    def ok(self, status, *words):
        self.assertEqual(0, status, self.said)
        for word in words:
            self.assertIn(word, self.said)

    def failed(self, status, *words):
        self.assertEqual(1, status, self.said)
        for word in words:
            self.assertIn(word, self.said)


class Days(TestCase):
    def test_once_for_each_day(self):
        self.ok(self.patch(), "etcd: 1 -> 2\n1 package came", "etcd.service: restarts, it ran former /usr/bin/etcd and 1 more", f"done: the packages are of {DAY}")
        self.assertEqual(["systemctl try-restart etcd.service"], self.calls("systemctl"))
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
        self.ok(self.patch())
        with open(self.root + "/var/lib/prometheus/node-exporter/quorum-software.prom", encoding="utf-8") as file:
            self.assertIn(f'quorum_software_info{{as_of="{DAY}"}} 1\n', file.read())


class Restarts(TestCase):
    def test_what_maps_a_file_that_is_gone(self):
        self.process(13, "cron.service", "/usr/sbin/cron", "/lib/x86_64-linux-gnu/libold.so.1 (deleted)")
        self.process(14, "user@1000.service", "/usr/lib/x86_64-linux-gnu/libold.so.1 (deleted)")
        self.process(15, "dbus.service", "/usr/lib/x86_64-linux-gnu/libold.so.1 (deleted)")
        self.process(16, "other.service", "/tmp/scratch (deleted)")
        self.ok(self.patch(), "run former files until the machine starts next: dbus.service\n")
        self.assertEqual(["systemctl try-restart cron.service", "systemctl try-restart etcd.service"], self.calls("systemctl"))

    def test_what_maps_a_library_that_came(self):
        self.packages("offered", etcd="1", zlib="2")
        self.process(13, "late.service", "/usr/lib/x86_64-linux-gnu/libz.so.1", started=6000)
        self.ok(self.patch())
        self.assertEqual(["systemctl try-restart chrony.service"], self.calls("systemctl"))

    def test_programs_of_python(self):
        self.packages("offered", etcd="1", zlib="1", **{"python3-urllib3": "2"})
        self.ships("python3-urllib3", "/usr/lib/python3/dist-packages/urllib3/__init__.py")
        self.process(13, "patroni.service", "/usr/bin/python3.13")
        self.ok(self.patch(), "python3-urllib3: new: 2", "patroni.service: restarts, it ran former modules of Python")
        self.assertEqual(["systemctl try-restart patroni.service"], self.calls("systemctl"))

    def test_haproxy_reloads(self):
        self.packages("offered", etcd="1", zlib="2")
        self.process(11, "haproxy.service", "/usr/sbin/haproxy", "/usr/lib/x86_64-linux-gnu/libz.so.1")
        self.ok(self.patch(), "haproxy.service: reloads")
        self.assertEqual(["systemctl try-reload-or-restart haproxy.service"], self.calls("systemctl"))

    def test_one_that_does_not_come_up(self):
        self.fakes("broken-etcd.service")
        self.failed(self.patch(), "FAILED: etcd.service does not start with the packages that came: systemctl etcd.service: Job for etcd.service failed.")
        self.assertNotIn("asOf", self.record())
        os.remove(self.fake + "/broken-etcd.service")
        self.forget_calls()
        self.ok(self.patch())
        self.assertEqual([], self.calls("apt-get"), "packages had come")
        self.assertEqual(["systemctl try-restart etcd.service"], self.calls("systemctl"))


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
        self.assertEqual(1, len(self.calls("reboot")))

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


class BadDays(TestCase):
    def test_a_repository_that_does_not_answer(self):
        self.fakes("no-network")
        self.failed(self.patch(), "trying again", "FAILED: apt-get update: Err:1 http://mirror trixie InRelease; E: Failed to fetch http://mirror")
        self.assertEqual([], self.calls("systemctl"), "what runs goes on")
        self.assertEqual(3, len(self.calls("apt-get --yes")))
        os.remove(self.fake + "/no-network")
        self.ok(self.patch(), "etcd: 1 -> 2")

    def test_disk_full_half_way(self):
        self.fakes("disk-full")
        self.ok(self.patch(), "No space left on device; trying again", "etcd: 1 -> 2")
        self.assertEqual(2, len(self.calls("dpkg --configure -a")))
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
        self.assertIn("systemctl try-restart chrony.service", self.calls("systemctl"))
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
        self.write("/var/lib/quorum/software.json", "{")
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
            self.assertTrue(self.calls("try-restart etcd.service"), step)
            self.assertFalse(os.path.exists(self.root + "/usr/sbin/policy-rc.d"), step)
            if not killed:
                break
        self.assertGreater(step, 15)


if __name__ == "__main__":
    unittest.main()
