"""The quorum-apply that a drive brings: tried before it is trusted, and what it leaves when it fails."""
import itertools
import json
import os
import re
import subprocess
import sys
import unittest

from machine import FAKES, PROGRAM, SECRET, TestCase, apply, file, state, unit, user_data, web_and_db

HERE_PATH = "/usr/local/sbin/quorum-apply"


def changed(old, new, program=None):
    """A program that differs from the one on the machine."""
    old, new, program = laid_out(old), laid_out(new), program or HERE
    assert program.count(old) == 1, (program.count(old), old)
    return program.replace(old, new)


def laid_out(text):
    """As programs are handed to machines: with narrow indents, without the spaces around operators, between single quotes."""
    text = re.sub("^(?: {4})+", lambda spaces: " " * (len(spaces[0]) // 4), text, flags=re.MULTILINE)
    text = re.sub("\"([^\"'\\\\\n]*)\"", r"'\1'", text)
    return re.sub("(?<=,) | (?==)|(?<==) ", "", text)


with open(PROGRAM, encoding="utf-8") as source:
    HERE = changed("STEADY, PAUSE = 1, 15, 3, 5\n", "STEADY, PAUSE = 0.01, 15, 0, 0\n", source.read())  # as machine.py has it


NEWER = HERE + "# newer\n"
IN_THE_MIDDLE = "    def settle_services(self):\n"


class Program(TestCase):
    def setUp(self):
        super().setUp()
        self.machine.write(HERE_PATH, HERE)
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.units = self.machine.read("/etc/systemd/system/quorum-apply.service")

    def brings(self, program, wanted, **options):
        self.machine.insert(None, user_data(json.dumps(wanted), program), made="202611211200" + wanted["generation"][1:].zfill(2))
        return self.machine.run(**options)

    def takes(self, program, generation):
        self.ok(self.brings(program, web_and_db(generation, web="web " + generation)))
        self.assertEqual(program, self.machine.read(HERE_PATH))
        self.assertEqual("web " + generation, self.machine.runs("web.service"))
        self.assertEqual(generation, self.machine.record("applied")["generation"])
        self.assertEqual([], os.listdir(self.machine.root + "/var/lib/quorum/candidates"))

    def refuses(self, program, outcome, *words, **options):
        """The program that was here stays, with its units and the state from before; the outcome says so; the next drive is taken."""
        self.failed(self.brings(program, web_and_db("g2", web="web 2", db="db 2"), **options), *words)
        self.assertEqual(HERE, self.machine.read(HERE_PATH))
        self.assertEqual(self.units, self.machine.read("/etc/systemd/system/quorum-apply.service"))
        self.assertEqual(("web 1", "db 1"), (self.machine.runs("web.service"), self.machine.runs("db.service")))
        self.assertEqual(("web 1", "db 1"), (self.machine.read("/etc/web.conf"), self.machine.read("/etc/db.conf")))
        last = self.machine.record("outcome")
        self.assertEqual((outcome, "g2", "g1"), (last["outcome"], last["generation"], last["inForce"]))
        for word in words:
            self.assertIn(word, last["reason"])
        self.takes(NEWER, "g3")

    def test_takes_over(self):
        self.takes(NEWER, "g2")
        self.assertIn("this quorum-apply has replaced the one that was here", self.machine.said)
        self.machine.forget_calls()
        self.takes(NEWER, "g2")
        self.assertNotIn("trying it", self.machine.said)

    def test_takes_over_with_its_units(self):
        self.takes(changed("RestartSec=60", "RestartSec=61"), "g2")
        self.assertIn("RestartSec=61", self.machine.read("/etc/systemd/system/quorum-apply.service"))

    def test_no_program(self):
        self.refuses("no program (", "failed", "the quorum-apply on the drive does not work", "(SyntaxError", "the one that was here stays")

    def test_import_that_fails(self):
        self.refuses("import no_such_module\n" + HERE, "failed", "(ModuleNotFoundError: No module named 'no_such_module')")

    def test_hangs(self):
        def hurry():
            apply.SMOKE = 0.5
        self.refuses("import time\ntime.sleep(100)\n" + HERE, "failed", "did not end", prepare=hurry)

    def test_hangs_later(self):
        def hurry():
            apply.TRIAL = 2
        self.refuses(changed(IN_THE_MIDDLE, IN_THE_MIDDLE + "        time.sleep(100)\n"), "rolled back", "did not end", prepare=hurry)

    def test_does_nothing(self):
        self.refuses("\n", "failed", "it put nothing in place")

    def test_dies_in_the_middle(self):
        self.refuses(changed(IN_THE_MIDDLE, IN_THE_MIDDLE + "        os._exit(7)\n"), "rolled back", "it ended with status 7")

    def test_is_killed_in_the_middle(self):
        self.refuses(changed(IN_THE_MIDDLE, IN_THE_MIDDLE + "        os.kill(os.getpid(), 9)\n"), "rolled back", "was ended by SIGKILL")

    def test_dies_after_a_service_has_restarted(self):
        line = "            self.settle(service, inputs(service, self.state[\"files\"]))\n"
        self.refuses(changed(line, line + "            os._exit(7)\n"), "rolled back", "it ended with status 7")

    def test_has_a_fault_in_the_middle(self):
        self.refuses(changed(IN_THE_MIDDLE, IN_THE_MIDDLE + "        no_such_name\n"), "rolled back", "NameError at line")

    def test_has_a_fault_before_anything(self):
        self.refuses(changed("def check_machine(name):\n", "def check_machine(name):\n    no_such_name\n"), "failed", "NameError at line")

    def test_changes_its_units_and_dies(self):
        broken = changed("        if not on_trial():\n            stay_installed()\n", "        stay_installed()\n        os._exit(7)\n", changed("RestartSec=60", "RestartSec=61"))
        self.refuses(broken, "failed", "it ended with status 7")

    def test_replaces_what_was_here_and_dies(self):
        self.refuses(f"import os\nopen({self.machine.root + HERE_PATH!r}, 'w').write('nothing')\nos._exit(7)\n", "failed", "it ended with status 7")

    def test_brings_units_that_systemd_does_not_take(self):
        broken = changed("PathExists=/run/quorum-apply.wanted", "PathExists=UNLOADABLE")
        self.failed(self.brings(broken, web_and_db("g2", web="web 2")), "quorum-apply.path: systemd does not take this quorum-apply's unit (bad-setting)")
        self.assertEqual(HERE, self.machine.read(HERE_PATH))
        self.assertNotIn("UNLOADABLE", self.machine.read("/etc/systemd/system/quorum-apply.path"))
        self.assertEqual(("failed", "g2"), (self.machine.record("outcome")["outcome"], self.machine.record("outcome")["generation"]))
        self.takes(NEWER, "g3")

    def test_several_runs_at_once(self):
        wanted = web_and_db("g2", web="web 2")
        self.machine.insert(None, user_data(json.dumps(wanted), NEWER))
        environment = {**os.environ, "PATH": f"{FAKES}:{os.environ['PATH']}", "ROOT": self.machine.root, "FAKE": self.machine.fake}
        runs = [subprocess.Popen([sys.executable, self.machine.root + HERE_PATH, "--root", self.machine.root], env=environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(4)]
        for each in runs:
            said = each.communicate(timeout=300)[0].decode()
            self.assertEqual(0, each.returncode, said)
            self.assertNotIn("FAILED", said)
        self.assertEqual((NEWER, "web 2", "g2"), (self.machine.read(HERE_PATH), self.machine.runs("web.service"), self.machine.record("applied")["generation"]))

    def test_dies_once_all_is_done(self):
        broken = changed("def write_metrics():\n", "def write_metrics():\n    os._exit(7)\n\n\ndef nothing():\n")
        self.failed(self.brings(broken, web_and_db("g2", web="web 2")), "it ended with status 7")
        self.assertEqual(HERE, self.machine.read(HERE_PATH))
        self.assertEqual(("failed", "g2"), (self.machine.record("outcome")["outcome"], self.machine.record("outcome")["inForce"]))
        self.takes(NEWER, "g3")

    def test_brings_a_state_that_fails(self):
        self.failed(self.brings(NEWER, web_and_db("g2", web="web 2", db="BROKEN")), "db.service: is failed", "rolled back")
        self.assertEqual(HERE, self.machine.read(HERE_PATH))
        self.machine.forget_calls()
        self.failed(self.machine.run(), "nothing done: this state was rolled back")
        self.assertEqual([], self.machine.calls("start "))
        self.takes(NEWER, "g3")

    def test_tells_no_secret(self):
        crash = f"raise ValueError({SECRET!r})\n"
        self.failed(self.brings(crash, web_and_db("g2")), "(ValueError)")
        self.assertNotIn(SECRET, self.machine.said + json.dumps(self.machine.record("outcome")))

    def test_disk_full(self):
        full = self.machine.root + "/var/lib/quorum/candidates"
        with open(full, "w", encoding="utf-8"):
            pass
        self.failed(self.brings(NEWER, web_and_db("g2", web="web 2")))
        self.assertEqual("failed", self.machine.record("outcome")["outcome"])
        self.assertEqual(HERE, self.machine.read(HERE_PATH))
        os.unlink(full)
        self.takes(NEWER, "g3")

    def test_both_are_killed_at_any_point(self):
        wanted = web_and_db("g2", web="web 2")
        for step in itertools.count(1, 1 if os.environ.get("EVERY_STEP") else 29):
            machine = self.machine.clone(f"{self.directory.name}/{step}")
            machine.insert(None, user_data(json.dumps(wanted), NEWER))
            status = machine.run(kill_at=step)
            self.assertIn(machine.read(HERE_PATH), (HERE, NEWER))
            self.assertEqual(0, machine.run(), machine.said)
            self.assertEqual((NEWER, "web 2"), (machine.read(HERE_PATH), machine.runs("web.service")))
            if status is not None:
                break
        for step in itertools.count(1, 1 if os.environ.get("EVERY_STEP") else 31):
            machine = self.machine.clone(f"{self.directory.name}/trial-{step}")
            killed = changed('if __name__ == "__main__":\n', KILLED_AT.format(step=step))
            machine.insert(None, user_data(json.dumps(wanted), killed))
            machine.run()
            installed = machine.read(HERE_PATH)
            self.assertIn(installed, (HERE, killed))
            machine.insert(None, user_data(json.dumps(web_and_db("g3", web="web 3")), NEWER), made="20261121120003")
            self.assertEqual(0, machine.run(), machine.said)
            self.assertEqual((NEWER, "web 3"), (machine.read(HERE_PATH), machine.runs("web.service")))
            if installed == killed:
                break
        self.assertGreater(step, 50)


# Kills the program on trial before the step-th thing that it changes.
KILLED_AT = '''
left = {step}


def watch(event, arguments):
    global left
    if "--help" not in sys.argv and (event in ("os.rename", "os.mkdir", "subprocess.Popen") or event == "open" and (arguments[2] or 0) & os.O_WRONLY):
        left -= 1
        if not left:
            os.kill(os.getpid(), 9)


sys.addaudithook(watch)
if __name__ == "__main__":
'''


class Cut(TestCase):
    """A first boot that was cut, of a machine without a drive, as on OpenStack."""

    def test_is_gone_on_with(self):
        wanted = state("g1", [file("/etc/web.conf", "1"), unit("web.service")], [{"name": "web.service", "timeoutSeconds": 1}])
        for step in range(1, 60, 3):
            machine = type(self.machine)(f"{self.directory.name}/{step}")
            machine.first_boot(wanted, kill_at=step)
            self.assertEqual(0, machine.run(), machine.said)  # as systemd does at the next boot
            self.assertEqual("1", machine.runs("web.service"))

    def test_finds_its_program_after_a_power_cut(self):
        """What cloud-init wrote is on the disk before the units that start it are relied on."""
        self.machine.write(HERE_PATH, HERE)
        synced = self.machine.fake + "/synced"

        def watch():
            sync = apply.os.fsync

            def noted(descriptor):
                with open(synced, "a", encoding="utf-8") as out:
                    out.write(os.readlink(f"/proc/self/fd/{descriptor}") + "\n")
                sync(descriptor)
            apply.os.fsync = noted
        self.ok(self.machine.first_boot(web_and_db("g1"), prepare=watch))
        with open(synced, encoding="utf-8") as lines:
            found = lines.read().split("\n")
        for path in (HERE_PATH, "/var/lib/quorum/drive/state.json", "/usr/local/sbin", "/var/lib/quorum/drive"):
            self.assertIn(self.machine.root + path, found)

    def test_but_the_first_state_does_not_come_back(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.failed(self.machine.run(), "there is no cloud-init drive")


if __name__ == "__main__":
    unittest.main()
