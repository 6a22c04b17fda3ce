"""Which drive is an old one: told by the order in which drives came to this machine, whatever clocks say."""
import os
import unittest

from machine import TestCase, user_data, web_and_db


class Order(TestCase):
    def setUp(self):
        super().setUp()
        self.machine.insert(web_and_db("g1"), made="20261121120000")
        self.ok(self.machine.first_boot(web_and_db("g1")))

    def takes(self, generation, made, *arguments, **more):
        self.machine.insert(web_and_db(generation, **more), made=made)
        self.ok(self.machine.run(*arguments))
        self.assertEqual(generation, self.machine.record("applied")["generation"])

    def refuses(self, generation, made, in_force, **more):
        self.machine.insert(web_and_db(generation, **more), made=made)
        self.failed(self.machine.run(), f"the drive is an old one: this machine had it before the one with generation {in_force}, which is in force")
        self.assertEqual(in_force, self.machine.record("applied")["generation"])
        self.assertEqual(("failed", generation), (self.machine.record("outcome")["outcome"], self.machine.record("outcome")["generation"]))

    def test_one_that_comes_back(self):
        self.takes("g2", "20261121120001")
        self.refuses("g1", "20261121120000", "g2")
        self.takes("g2", "20261121120001")
        self.refuses("g1", "20261121120000", "g2")

    def test_one_that_comes_back_and_is_wanted(self):
        self.takes("g2", "20261121120001")
        self.refuses("g1", "20261121120000", "g2")
        self.takes("g1", "20261121120000", "--retry")
        self.takes("g1", "20261121120000")
        self.takes("g2", "20261121120001")

    def test_the_clock_of_the_host_was_ahead_once(self):
        self.takes("g2", "20991231235959")
        self.takes("g3", "20261121120002")
        self.refuses("g2", "20991231235959", "g3")

    def test_two_hosts_whose_clocks_differ(self):
        for number, made in enumerate(("20261121120500", "20261121110000", "20261121120600", "20261121110100"), 2):
            self.takes(f"g{number}", made)
        self.refuses("g3", "20261121110000", "g5")

    def test_a_former_state_that_is_wanted_again(self):
        self.takes("g2", "20261121120001")
        self.takes("g1", "20261121120002")
        self.refuses("g2", "20261121120001", "g1")

    def test_drives_that_do_not_say_when_they_were_made(self):
        for generation in ("g2", "g3", "g2"):
            self.takes(generation, "19700101000000")

    def test_one_that_was_rolled_back(self):
        self.machine.insert(web_and_db("g2", db="BROKEN"), made="20261121120001")
        self.failed(self.machine.run(), "rolled back")
        self.takes("g1", "20261121120000")
        self.takes("g3", "20261121120002")
        self.refuses("g2", "20261121120001", "g3", db="BROKEN")

    def test_an_old_one_changes_nothing(self):
        self.takes("g2", "20261121120001", web="web 2")
        old = user_data('{"machine": "etcd-1", "generation": "g0"}', "#!/usr/bin/python3\nprint('old program')\n")
        self.machine.insert(None, old, made="20261121110000")
        self.failed(self.machine.run(), "does not work")
        self.takes("g3", "20261121120002", web="web 3")
        before = self.everything()
        self.machine.forget_calls()
        self.machine.insert(None, old, made="20261121110000")
        self.failed(self.machine.run(), "the drive is an old one")
        self.assertNotIn("old program", self.machine.said)
        after = self.everything()
        self.assertEqual([], [path for path in {*before, *after} if before.get(path) != after.get(path)])
        self.assertEqual([], [c for c in self.machine.calls("systemctl") if " show " not in c and "is-enabled" not in c])

    def everything(self):
        """All files of the machine, but for the record of the outcome."""
        found = {}
        for directory, _, names in os.walk(self.machine.root):
            for path in (os.path.join(directory, name) for name in names):
                if not path.endswith(("/dev/disk/by-label/cidata", "/outcome.json", "/dev/console", "/media/user-data")):
                    with open(path, "rb") as content:
                        found[path] = content.read(), os.stat(path).st_mtime_ns
        return found

    def test_in_a_seed_directory_nothing_is_old(self):
        os.unlink(self.machine.root + "/dev/disk/by-label/cidata")
        for generation in ("g2", "g1"):
            self.machine.write("/var/lib/cloud/seed/nocloud/user-data", user_data('{"machine": "etcd-1", "generation": "%s"}' % generation))
            self.ok(self.machine.run())
            self.assertEqual(generation, self.machine.record("applied")["generation"])

    def test_as_many_as_are_remembered(self):
        for number in range(2, 6):
            self.takes(f"g{number}", f"2026112112000{number}", web=f"web {number}")
        self.assertEqual(["g1", "g2", "g3", "g4", "g5"], [generation for _, _, generation in self.machine.record("drives")])

    def test_after_a_run_that_was_killed(self):
        for step in range(1, 200, 13):
            machine = self.machine.clone(f"{self.directory.name}/{step}")
            machine.insert(web_and_db("g2", web="web 2"), made="20261121120001")
            status = machine.run(kill_at=step)
            self.assertEqual(0, machine.run(), machine.said)
            machine.insert(web_and_db("g1"), made="20261121120000")
            self.assertEqual(1, machine.run(), machine.said)
            self.assertIn("is an old one", machine.said)
            if status is not None:
                break


if __name__ == "__main__":
    unittest.main()
