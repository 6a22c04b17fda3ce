"""Paths below a directory of a service's user: what he puts there is not given away, and what a killed run left is mended."""
import itertools
import json
import os
import stat
import sys
import unittest

from machine import TestCase, apply, file, state

OURS = {"path": "/var/lib/etcd", "owner": "root", "group": "root", "mode": "0770"}  # others may write there, too


def directory(path, mode="0700"):
    return {"path": path, "owner": "root", "group": "root", "mode": mode}


class Links(TestCase):
    """The user of a service swaps what is his for a link, between any two steps."""

    def setUp(self):
        super().setUp()
        self.target = self.machine.root + "/etc/precious"
        os.makedirs(self.target)
        os.chmod(self.target, 0o755)
        for path in ("/var", "/var/lib", "/var/lib/etcd"):
            os.makedirs(self.machine.root + path, exist_ok=True)
        os.chmod(self.machine.root + "/var/lib/etcd", 0o770)

    def run_with_swap(self, victim, wanted, step):
        """Runs, and puts a link in the victim's place before the step-th thing that asks for a path; says whether the run got that far."""
        real, left = self.machine.root + victim, step

        def watch(event, arguments):
            nonlocal left
            if event in ("open", "os.chmod", "os.chown", "os.mkdir", "os.rename"):
                left -= 1
                if not left:
                    os.rename(real, real + ".away")
                    os.symlink(self.target, real)
        os.makedirs(real, exist_ok=True)
        self.machine.first_boot(wanted, prepare=lambda: sys.addaudithook(watch))
        swapped = os.path.islink(real)
        if swapped:
            os.unlink(real)
            os.rename(real + ".away", real)
        return swapped

    def left_alone(self, victim, wanted):
        for step in itertools.count(1):
            swapped = self.run_with_swap(victim, wanted, step)
            self.assertEqual(0o755, stat.S_IMODE(os.stat(self.target).st_mode), f"step {step}: {self.machine.said}")
            self.assertEqual([], os.listdir(self.target), f"step {step}: {self.machine.said}")
            if not swapped:
                break
        self.assertGreater(step, 30)
        self.ok(self.machine.first_boot(wanted))

    def test_in_the_place_of_a_directory(self):
        self.left_alone("/var/lib/etcd/data", state("g1", directories=[OURS, directory("/var/lib/etcd/data")]))

    def test_on_the_way_to_a_directory(self):
        self.left_alone("/var/lib/etcd/17", state("g1", directories=[OURS, directory("/var/lib/etcd/17/main")]))

    def test_on_the_way_to_a_file(self):
        self.left_alone("/var/lib/etcd/conf", state("g1", [file("/var/lib/etcd/conf/precious.conf", "x", "0600")], directories=[OURS]))

    def test_of_root_is_followed(self):
        os.makedirs(self.machine.root + "/srv/big")
        os.symlink("../../srv/big", self.machine.root + "/var/lib/postgresql")
        self.ok(self.machine.first_boot(state("g1", [file("/var/lib/postgresql/a/b", "x")], directories=[directory("/var/lib/postgresql/data")])))
        self.assertTrue(os.path.isdir(self.machine.root + "/srv/big/data"))
        self.assertEqual("x", self.machine.read("/srv/big/a/b"))


class Made(TestCase):
    def test_is_never_seen_with_another_mode(self):
        """Killed before any step: what is at its place already has its mode, and parents let everybody in."""
        wanted = state("g1", [file("/etc/etcd/tls/ca.crt", "x")], directories=[directory("/var/lib/etcd/data", "0711")])
        step, status = 0, None
        while status is None:
            step += 1
            machine = type(self.machine)(f"{self.directory.name}/{step}")
            status = machine.first_boot(wanted, kill_at=step)
            for path, bits in (("/etc/etcd", 0o755), ("/etc/etcd/tls", 0o755), ("/var/lib/etcd", 0o755), ("/var/lib/etcd/data", 0o711)):
                if os.path.exists(machine.root + path):
                    self.assertEqual(bits, stat.S_IMODE(os.stat(machine.root + path).st_mode), f"{path} at step {step}")
        self.assertGreater(step, 20)

    def test_by_its_user_meanwhile_stays_his(self):
        made = self.machine.root + "/var/lib/etcd/data"

        def watch(event, arguments):
            if event == "os.rename" and str(arguments[1]) == "data":
                os.mkdir(made)
                open(made + "/his", "w", encoding="utf-8").close()
        self.machine.write("/var/lib/quorum/drive/state.json", json.dumps(state("g1", directories=[directory("/var/lib/etcd/data")])))
        self.ok(self.machine.run("--first-boot", prepare=lambda: sys.addaudithook(watch)))
        self.assertEqual(["his"], os.listdir(made))
        self.assertEqual(["data"], os.listdir(os.path.dirname(made)))
        self.assertEqual(0o700, stat.S_IMODE(os.stat(made).st_mode))

    def test_two_at_once_is_no_error(self):
        apply.ROOT = self.machine.root
        self.addCleanup(setattr, apply, "ROOT", "")
        real = os.path.isdir
        apply.os.path.isdir = lambda path: real(path) and not path.endswith("/srv/a")
        self.addCleanup(setattr, apply.os.path, "isdir", real)
        apply.make_parents("/srv/a/b")
        apply.make_parents("/srv/a/b")


if __name__ == "__main__":
    unittest.main()
