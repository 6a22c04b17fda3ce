"""A run killed before any of its steps is continued by the next, and never loses the way back.

Every step takes minutes: EVERY_STEP=1 asks for that, else each test takes samples of its own.
"""
import itertools
import os
import unittest

from machine import TestCase, file, service, state, unit, web_and_db


def changed(generation, db="db 2"):
    """web goes, db changes, new comes."""
    return state(generation, [file("/etc/db.conf", db, "0600"), unit("db.service"), unit("new.service"), file("/etc/new.conf", "new")],
                 [service("new.service"), service("db.service")])


def steps(first, every=31):
    return itertools.count(1) if os.environ.get("EVERY_STEP") else itertools.count(first, every)


class Killed(TestCase):
    def setUp(self):
        super().setUp()
        self.ok(self.machine.first_boot(web_and_db("g1")))

    def killed_everywhere(self, bad_state, first):
        """Machines on which the change to a state was killed before one of its steps."""
        for step in steps(first):
            with self.subTest(step=step):
                machine = self.machine.clone(f"{self.directory.name}/{step}")
                status = machine.change(bad_state, kill_at=step)
                yield machine
            if status is not None:
                break
        self.assertGreater(step, 30)

    def assert_runs(self, machine, web, db, new):
        for name, conf in (("web", web), ("db", db), ("new", new)):
            self.assertEqual(conf, machine.runs(f"{name}.service"), name)
            self.assertEqual(conf, machine.read(f"/etc/{name}.conf"))
            self.assertEqual(conf is not None, machine.enabled(f"{name}.service"))
            self.assertEqual(conf is not None, machine.read(f"/etc/systemd/system/{name}.service") is not None)

    def test_then_the_same_state(self):
        for machine in self.killed_everywhere(changed("g2"), 2):
            self.assertEqual(0, machine.change(changed("g2")), machine.said)
            self.assert_runs(machine, None, "db 2", "new")

    def test_then_a_bad_state(self):
        for machine in self.killed_everywhere(changed("g2"), 6):
            applied = machine.record("applied")["generation"]
            self.assertEqual(1, machine.change(changed("g3", "BROKEN")), machine.said)
            self.assertEqual("rolled back", machine.record("outcome")["outcome"], machine.said)
            self.assert_runs(machine, *(("web 1", "db 1", None) if applied == "g1" else (None, "db 2", "new")))

    def test_a_bad_state_twice(self):
        for machine in self.killed_everywhere(changed("g2", "BROKEN"), 10):
            self.assertEqual(1, machine.change(changed("g2", "BROKEN")), machine.said)
            self.assert_runs(machine, "web 1", "db 1", None)

    def test_then_the_state_before(self):
        for machine in self.killed_everywhere(changed("g2"), 14):
            self.assertEqual(0, machine.change(web_and_db("g1")), machine.said)
            self.assert_runs(machine, "web 1", "db 1", None)


class KilledAtFirstBoot(TestCase):
    def test_then_again(self):
        for step in steps(8, 7):
            machine = type(self.machine)(f"{self.directory.name}/{step}")
            status = machine.first_boot(web_and_db("g1"), kill_at=step)
            self.assertEqual(0, machine.first_boot(web_and_db("g1")), machine.said)
            self.assertEqual(("web 1", "db 1"), (machine.runs("web.service"), machine.runs("db.service")))
            self.assertTrue(machine.enabled("web.service") and machine.enabled("db.service"), step)
            if status is not None:
                break


if __name__ == "__main__":
    unittest.main()
