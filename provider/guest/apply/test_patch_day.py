"""A service that restarts others, and the machine, in its turn."""
import os
import signal
import threading
import time
import unittest

from machine import TestCase, file, service, state, unit

SOFTWARE = "software-oneshot.service"


def on(day, generation, db="db 1"):
    return state(generation, [file("/etc/software-oneshot.conf", day), unit(SOFTWARE), file("/etc/db.conf", db), unit("db.service"), unit("aa.service"), unit("after-oneshot.service"),
                              file("/etc/zz.conf", "zz"), unit("zz.service")],
                 [service("aa.service"), service("after-oneshot.service"), service(SOFTWARE, restartsOthers=day), service("db.service"), service("zz.service")])


class FirstBoot(TestCase):
    def cut(self, kill):
        """The machine is cut, or restarts, while the patch day goes on."""
        def prepare():
            self.machine.write(f"/../fake/units/{SOFTWARE}.job", "1")
            threading.Thread(target=self.kills, args=(kill,), daemon=True).start()
        return self.machine.first_boot(on("d1", "g1"), prepare=prepare)

    def kills(self, kill):
        while self.machine.record("running").get("services", {}).get(SOFTWARE, {}).get("checked") is not False:
            time.sleep(0.01)
        time.sleep(0.2)
        kill()

    def boots(self):
        """Nothing runs, and systemd has looked at no unit yet."""
        units = self.machine.fake + "/units"
        for name in os.listdir(units):
            if not name.endswith(".enabled"):
                os.remove(f"{units}/{name}")
        self.machine.forget_calls()

    def test_one_that_is_cut_is_gone_on_with(self):
        self.assertIsNone(self.cut(lambda: os.kill(os.getpid(), signal.SIGKILL)))
        self.assertTrue(self.machine.enabled(SOFTWARE), "also by a boot that comes before another run")
        self.boots()
        self.ok(self.machine.run("--first-boot"))
        self.assertEqual([f"systemctl start --no-block {SOFTWARE}"], self.machine.calls(f"start --no-block {SOFTWARE}"))
        self.assertEqual("db 1", self.machine.runs("db.service"))

    def test_one_that_a_boot_goes_on_with_is_waited_for(self):
        self.assertIsNone(self.cut(lambda: os.kill(os.getpid(), signal.SIGKILL)))
        self.boots()
        self.machine.write(f"/../fake/units/{SOFTWARE}", "inactive")  # it has run in this boot
        self.ok(self.machine.run("--first-boot"))
        self.assertEqual([], self.machine.calls(f"start --no-block {SOFTWARE}"))

    def test_no_service_starts_while_the_machine_restarts(self):
        def restarts():
            self.machine.write("/../fake/units/reboot.target.job", "7")
            os.remove(f"{self.machine.fake}/units/{SOFTWARE}.job")  # it has ended
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGKILL)
        self.assertIsNone(self.cut(restarts))
        self.assertIsNone(self.machine.runs("db.service"))
        self.boots()
        self.ok(self.machine.run("--first-boot"))
        self.assertEqual(1, len(self.machine.calls(f"start --no-block {SOFTWARE}")))


class PatchDay(TestCase):
    def setUp(self):
        super().setUp()
        self.machine.write("/../fake/patched", "")
        self.ok(self.machine.first_boot(on("d1", "g1")))
        os.remove(self.machine.fake + "/patched")
        self.machine.forget_calls()

    def test_others_restart_for_their_own_files_alone(self):
        os.remove(self.machine.fake + "/units/after-oneshot.service")  # systemd knows nothing any more of one that has ended
        self.ok(self.machine.change(on("d2", "g2")))
        self.assertEqual([f"systemctl restart --no-block {SOFTWARE}"], self.machine.calls("start "))
        self.ok(self.machine.change(on("d2", "g2")))
        self.assertIn("nothing to do", self.machine.said)

    def test_what_it_has_restarted_with_a_rejected_file_goes_back(self):
        self.machine.write("/../fake/patch-fails", "")
        self.failed(self.machine.change(on("d2", "g2", db="db 2")), f"{SOFTWARE}: is failed", "rolled back")
        self.assertEqual(("db 1", "db 1"), (self.machine.read("/etc/db.conf"), self.machine.runs("db.service")))
        self.assertEqual([], self.machine.calls("restart --no-block zz.service"), "its files are the same")

    def test_one_that_crashes_with_what_came(self):
        self.machine.write("/../fake/patched", "")
        for name in ("zz.service", "aa.service"):  # after it in its order, and before
            with self.subTest(name):
                self.machine.write(f"/../fake/units/{name}", "activating\n")
                self.failed(self.machine.change(on("d2" + name, "g2" + name)), f"{name}: is not healthy after 1 s: systemd says activating", "rolled back")
                self.machine.write(f"/../fake/units/{name}", "active\n")

    def test_killed_anywhere(self):
        self.machine.write("/../fake/patch-fails", "")
        for step in range(3, 300, 17):
            machine = self.machine.clone(f"{self.directory.name}/{step}")
            status = machine.change(on("d2", "g2", db="db 2"), kill_at=step)
            if status is None:
                machine.run()
            self.assertEqual(machine.read("/etc/db.conf"), machine.runs("db.service"), (step, machine.said))
            if status is not None:
                break
        self.assertGreater(step, 30)

    def test_systemd_does_not_answer_for_a_moment(self):
        self.machine.write("/../fake/reexecutes", "\n\n")
        self.ok(self.machine.change(on("d2", "g2")))


if __name__ == "__main__":
    unittest.main()
