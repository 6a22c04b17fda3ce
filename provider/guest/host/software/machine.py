"""Patch days of a machine: a directory, and fake commands."""
import json
import os
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
{before}
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

    def patch(self, day=DAY, kill_at=0, before=""):
        self.write("/etc/quorum-software", day + "\n")
        status, self.said = self.patch_apart(kill_at, before)
        return status

    def patch_apart(self, kill_at=0, before=""):
        environment = {**os.environ, "PATH": f"{HERE}/fakes:{os.environ['PATH']}", "ROOT": self.root, "FAKE": self.fake}
        done = subprocess.run([sys.executable, "-c", RUN.format(here=HERE, root=self.root, kill_at=kill_at, before=before)],
                              env=environment, text=True, capture_output=True, check=False, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def metrics(self):
        with open(self.root + "/var/lib/prometheus/node-exporter/quorum-software.prom", encoding="utf-8") as file:
            return dict(line.rsplit(" ", 1) for line in file.read().splitlines())

    def ok(self, status, *words):
        self.assertEqual(0, status, self.said)
        for word in words:
            self.assertIn(word, self.said)

    def failed(self, status, *words):
        self.assertEqual(1, status, self.said)
        for word in words:
            self.assertIn(word, self.said)
