"""Runs while the machine boots, or waits for something: what systemd has still to do, and drives that come meanwhile."""
import json
import os
import time
import unittest

from machine import TestCase, apply, file, service, state, unit, web_and_db


def reloading(generation, conf):
    return state(generation, [file("/etc/web.conf", conf), unit("web.service")],
                 [service("web.service", restartOn=[], reloadOn=["/etc/web.conf"])])


class FirstBoot(TestCase):
    def test_ends_of_lines_may_stand_as_such(self):
        """OpenStack's archive has them so, since that compresses better."""
        text = json.dumps(web_and_db("g1", web="web\n\\n 1")).replace("web\\n\\", "web\n\\")
        self.assertIn("\n", text)
        self.machine.write("/var/lib/quorum/drive/state.json", text)
        self.ok(self.machine.run("--first-boot"))
        self.assertEqual("web\n\\n 1", self.machine.runs("web.service"))
        self.ok(self.machine.run("--first-boot"))


class Boot(TestCase):
    def setUp(self):
        super().setUp()
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.machine.forget_calls()

    def systemd_has(self, name, active, job=""):
        self.machine.write(f"/../fake/units/{name}", active)
        self.machine.write(f"/../fake/units/{name}.job", job)

    def test_is_not_waited_for(self):
        for line in ("After=", "Before=", "Type=oneshot"):
            self.assertNotIn(line, self.machine.read("/etc/systemd/system/quorum-apply.service"))

    def test_what_it_will_start_is_not_started(self):
        self.systemd_has("web.service", "inactive", "17")
        self.ok(self.machine.change(web_and_db("g1")))
        self.assertEqual([], self.machine.calls("start "))
        self.assertIn("nothing to do", self.machine.said)

    def test_what_it_did_not_start_is_started(self):
        self.systemd_has("web.service", "inactive")
        self.ok(self.machine.change(web_and_db("g1")))
        self.assertEqual(["systemctl start --no-block web.service"], self.machine.calls("start "))

    def test_nothing_waits_for_the_network_for_ever(self):
        self.network_comes()

        def hurry():
            apply.NETWORK = 1
        self.machine.insert(web_and_db("g2", web="web 2"))
        self.ok(self.machine.run(prepare=hurry))
        self.assertEqual("web 2", self.machine.runs("web.service"))

    def network_comes(self):
        """The boot has just begun, and the network is not there yet."""
        self.systemd_has("network-online.target", "inactive", "3")
        self.machine.write("/../fake/units/basic.target.since", str(int(time.monotonic() * 1e6)))

    def test_the_network_is_waited_for(self):
        """Later in the boot than this a judge can ask it."""
        self.network_comes()
        job = self.machine.fake + "/units/network-online.target.job"
        judged = web_and_db("g2", web="web 2")
        judged["services"][0]["verify"] = ["test", "!", "-e", job]
        self.machine.insert(judged)
        self.ok(self.machine.run(prepare=lambda: at_the_first_pause(lambda: os.unlink(job))))
        self.assertEqual("web 2", self.machine.runs("web.service"))

    def test_a_start_that_waits_is_waited_for_within_bounds(self):
        self.systemd_has("web.service", "activating", "17")

        def hurry():
            apply.GO_BACK = 1
        self.failed(self.machine.change(web_and_db("g2", web="web 2"), prepare=hurry),
                    "web.service: is not healthy after 1 s: systemd says active, and has still to start it")

    def test_what_cannot_reload_is_restarted(self):
        """As Patroni that starts and dies, when the drive brings the certificate that it lacks."""
        self.ok(self.machine.change(reloading("g2", "1")))
        self.systemd_has("web.service", "activating")
        self.machine.forget_calls()
        self.ok(self.machine.change(reloading("g3", "2")))
        self.assertEqual(["systemctl restart --no-block web.service"], self.machine.calls("start "))
        self.assertEqual([], self.machine.calls(" reload "))

    def test_a_service_that_does_not_stop_is_not_waited_for_for_ever(self):
        less = web_and_db("g2")
        del less["services"][0]
        self.systemd_has("web.service", "deactivating", "4")

        def hurry():
            apply.STOP, apply.GO_BACK = 0.1, 1
        self.machine.insert(less)
        self.failed(self.machine.run(prepare=hurry), "web.service: has not stopped after 0.1 s")

    def test_a_drive_whose_device_is_late(self):
        self.machine.insert(web_and_db("g2", web="web 2"))
        drive = self.machine.root + "/dev/disk/by-label/cidata"
        os.rename(drive, drive + ".late")
        self.ok(self.machine.run(prepare=lambda: at_the_first_pause(lambda: os.rename(drive + ".late", drive))))
        self.assertEqual("web 2", self.machine.runs("web.service"))


class AnotherDrive(TestCase):
    """One that comes while a run waits for a service."""

    def setUp(self):
        super().setUp()
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.machine.write("/../fake/units/web.service.job", "17")
        self.machine.insert(web_and_db("g2", web="web 2", db="db 2"), made="20261121120002")

    def comes(self, wanted):
        def swap():
            self.machine.insert(wanted, made="20261121120003")
            self.machine.write("/run/quorum-apply.wanted", "")
            os.unlink(self.machine.fake + "/units/web.service.job")
        return lambda: at_the_first_pause(swap)

    def test_is_taken_at_once(self):
        self.ok(self.machine.run(prepare=self.comes(web_and_db("g3", web="web 3"))))
        self.assertIn("another drive has come", self.machine.said)
        self.assertEqual(("web 3", "db 1"), (self.machine.runs("web.service"), self.machine.runs("db.service")))
        self.assertEqual(("done", "g3"), (self.machine.record("outcome")["outcome"], self.machine.record("applied")["generation"]))
        self.assertFalse(os.path.exists(self.machine.root + "/run/quorum-apply.wanted"))

    def test_goes_back_to_what_was_well_before_both(self):
        self.failed(self.machine.run(prepare=self.comes(web_and_db("g3", web="BROKEN"))), "rolled back")
        self.assertEqual(("web 1", "db 1"), (self.machine.runs("web.service"), self.machine.runs("db.service")))

    def test_also_while_a_change_is_undone(self):
        self.machine.insert(web_and_db("g2", web="web 2", db="BROKEN"), made="20261121120002")
        self.ok(self.machine.run(prepare=self.comes(web_and_db("g3", web="web 3"))))
        self.assertEqual(("web 3", "db 1"), (self.machine.runs("web.service"), self.machine.runs("db.service")))


def at_the_first_pause(do):
    """Has something done while a run waits for the first time."""
    sleep = apply.time.sleep

    def once(seconds):
        apply.time.sleep = sleep
        do()
    apply.time.sleep = once


if __name__ == "__main__":
    unittest.main()
