"""Files and services: what changes, what is restarted for it, and what is not."""
import os
import unittest

from machine import TestCase, file, service, state, unit, web_and_db


class Services(TestCase):
    def test_first_boot(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        for name in ("web", "db"):
            self.assertEqual(f"{name} 1", self.machine.runs(f"{name}.service"))
            self.assertTrue(self.machine.enabled(f"{name}.service"))
        self.assertEqual(0o600, os.stat(self.machine.root + "/etc/db.conf").st_mode & 0o777)
        self.assertEqual("g1", self.machine.record("applied")["generation"])
        self.assertEqual("done", self.machine.record("outcome")["outcome"])
        self.assertIn("done: generation g1", self.machine.said)

    def test_it_stays_installed(self):
        self.ok(self.machine.first_boot(state("g1")))
        self.assertTrue(self.machine.enabled("quorum-apply.service"))
        self.assertTrue(self.machine.enabled("quorum-apply.path"))
        self.assertIn("DISK_MEDIA_CHANGE", self.machine.read("/etc/udev/rules.d/72-quorum-apply.rules"))

    def test_second_run_changes_nothing(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        before = os.stat(self.machine.root + "/etc/web.conf")
        self.machine.forget_calls()
        self.ok(self.machine.change(web_and_db("g1")))
        after = os.stat(self.machine.root + "/etc/web.conf")
        self.assertEqual((before.st_mtime_ns, before.st_ino), (after.st_mtime_ns, after.st_ino))
        self.assertEqual([], [c for c in self.machine.calls("") if " show " not in c and "is-enabled" not in c])
        self.assertIn("nothing to do", self.machine.said)

    def test_changed_file_restarts_just_its_service(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.machine.forget_calls()
        self.ok(self.machine.change(web_and_db("g2", web="web 2")))
        self.assertEqual(["systemctl restart --no-block web.service"], self.machine.calls("start "))
        self.assertEqual("web 2", self.machine.runs("web.service"))
        self.assertIn("web.service: restarted (changed: /etc/web.conf)", self.machine.said)
        self.assertIn("done: generation g2, 1 file changed, 1 service restarted", self.machine.said)

    def test_changed_unit_restarts_its_service(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        changed = web_and_db("g2")
        changed["files"][2]["content"] += "Nice=1\n"
        self.machine.forget_calls()
        self.ok(self.machine.change(changed))
        self.assertEqual(["systemctl daemon-reload", "systemctl restart --no-block web.service"],
                         [c for c in self.machine.calls("") if "reload" in c or "restart" in c])

    def test_changed_file_reloads(self):
        def reloading(generation, conf):
            return state(generation, [file("/etc/web.conf", conf), unit("web.service")],
                         [service("web.service", restartOn=[], reloadOn=["/etc/web.conf"])])
        self.ok(self.machine.first_boot(reloading("g1", "1")))
        self.machine.forget_calls()
        self.ok(self.machine.change(reloading("g2", "2")))
        self.assertEqual([], self.machine.calls("restart"))
        self.assertEqual("2", self.machine.runs("web.service"))
        self.failed(self.machine.change(reloading("g3", "UNRELOADABLE")), "could not be reloaded")
        self.assertEqual("2", self.machine.runs("web.service"))

    def test_restart_key(self):
        def keyed(generation, key):
            return state(generation, [unit("web.service")], [service("web.service", restartKey=key)])
        self.ok(self.machine.first_boot(keyed("g1", "a")))
        self.machine.forget_calls()
        self.ok(self.machine.change(keyed("g2", "a")))
        self.assertEqual([], self.machine.calls("restart"))
        self.ok(self.machine.change(keyed("g3", "b")))
        self.assertEqual(1, len(self.machine.calls("restart")))

    def test_stopped_service_is_started(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.machine.write("/../fake/units/web.service", "inactive")
        self.ok(self.machine.change(web_and_db("g1")))
        self.assertIn("web.service: started", self.machine.said)

    def test_condition_may_keep_a_service_from_starting(self):
        self.ok(self.machine.first_boot(state("g1", [unit("a-unmet.service")], [service("a-unmet.service")])))
        self.assertIn("a-unmet.service: not started: this machine does not meet its unit's conditions", self.machine.said)

    def test_start_that_waits_is_no_condition(self):
        self.assertEqual(1, self.machine.first_boot(state("g1", [unit("a-queued.service")], [service("a-queued.service")])))
        self.assertIn("a-queued.service: is inactive", self.machine.said)

    def test_oneshot_may_end(self):
        once = state("g1", [unit("a-oneshot.service")], [service("a-oneshot.service")])
        self.ok(self.machine.first_boot(once))
        self.machine.forget_calls()
        self.ok(self.machine.change(once))
        self.assertEqual([], self.machine.calls("start "))

    def test_timer(self):
        self.ok(self.machine.first_boot(state("g1", [unit("a.service"), unit("a.timer", "[Timer]\n")], [service("a.timer")])))
        self.assertIn("a.timer: started", self.machine.said)
        self.machine.forget_calls()
        self.ok(self.machine.change(state("g2", [unit("a.service"), unit("a.timer", "[Timer]\n")], [service("a.timer", restartKey="b")])))
        self.assertEqual(1, len(self.machine.calls("restart")))

    def test_what_the_state_lacks_goes(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        less = web_and_db("g2")
        del less["files"][2], less["files"][0], less["services"][0]
        self.ok(self.machine.change(less))
        self.assertIsNone(self.machine.read("/etc/web.conf"))
        self.assertIsNone(self.machine.read("/etc/systemd/system/web.service"))
        self.assertIsNone(self.machine.runs("web.service"))
        self.assertFalse(self.machine.enabled("web.service"))
        self.assertEqual("db 1", self.machine.runs("db.service"))

    def test_foreign_edits_are_undone(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.machine.write("/etc/web.conf", "edited")
        os.chmod(self.machine.root + "/etc/db.conf", 0o644)
        self.machine.forget_calls()
        self.ok(self.machine.change(web_and_db("g1")))
        self.assertEqual(["systemctl restart --no-block web.service"], self.machine.calls("restart"))
        self.assertEqual(0o600, os.stat(self.machine.root + "/etc/db.conf").st_mode & 0o777)

    def test_unit_that_is_not_there(self):
        self.failed(self.machine.first_boot(state("g1", [], [service("web.service")])), "no such unit")

    def test_two_changes_in_a_row(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.ok(self.machine.change(web_and_db("g2", web="web 2")))
        self.ok(self.machine.change(web_and_db("g3", web="web 3")))
        self.assertEqual("web 3", self.machine.runs("web.service"))
        self.assertEqual("g3", self.machine.record("applied")["generation"])


class GoingBack(TestCase):
    def setUp(self):
        super().setUp()
        good = web_and_db("g1")
        good["services"][0]["verify"] = ["refuse-bad", self.machine.root + "/etc/web.conf"]
        self.ok(self.machine.first_boot(good))
        self.machine.forget_calls()

    def test_refused_by_verify(self):
        bad = web_and_db("g2", web="BAD", db="db 2")
        bad["services"][0]["verify"] = ["refuse-bad", self.machine.root + "/etc/web.conf"]
        self.failed(self.machine.change(bad), "refuses the new configuration", "rolled back")
        self.assertEqual("web 1", self.machine.read("/etc/web.conf"))
        self.assertEqual([], self.machine.calls("start "))
        self.assertEqual("rolled back", self.machine.record("outcome")["outcome"])
        self.assertEqual("g1", self.machine.record("outcome")["inForce"])

    def test_verify_has_the_time_of_its_service(self):
        slow = web_and_db("g2", web="web 2")
        slow["services"][0].update(verify=["sleep", "20"], timeoutSeconds=1)
        self.failed(self.machine.change(slow), "was not done after 1 s", "rolled back")
        self.assertEqual("web 1", self.machine.read("/etc/web.conf"))

    def test_service_that_crashes_is_not_waited_for(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
        crashing = web_and_db("g2", db="CRASHING")
        crashing["services"][1]["timeoutSeconds"] = 60
        self.failed(self.machine.change(crashing), "db.service: has exited 4 times", "rolled back")
        self.assertEqual("db 1", self.machine.runs("db.service"))

    def test_failed_check(self):
        self.failed(self.machine.change(web_and_db("g2", web="web 2", db="BROKEN")), "db.service: is failed", "rolled back")
        self.assertEqual("web 1", self.machine.runs("web.service"))
        self.assertEqual("db 1", self.machine.runs("db.service"))
        self.assertIn("FAILED", self.machine.read("/dev/console"))

    def test_new_services_and_files_go_and_old_ones_return(self):
        bad = web_and_db("g2", db="BROKEN")
        del bad["files"][2], bad["files"][0], bad["services"][0]
        bad["files"] += [unit("new.service"), file("/etc/new.conf", "new")]
        bad["services"].insert(0, service("new.service"))
        self.failed(self.machine.change(bad), "rolled back")
        self.assertEqual("web 1", self.machine.runs("web.service"))
        self.assertTrue(self.machine.enabled("web.service"))
        self.assertIsNone(self.machine.read("/etc/new.conf"))
        self.assertFalse(self.machine.enabled("new.service"))

    def test_not_tried_again_unless_asked(self):
        bad = web_and_db("g2", db="BROKEN")
        self.failed(self.machine.change(bad))
        self.machine.forget_calls()
        self.failed(self.machine.change(bad), "--retry")
        self.assertEqual([], self.machine.calls("start "))
        self.failed(self.machine.run("--retry"), "rolled back")
        self.ok(self.machine.change(web_and_db("g3", db="db 3")))
        self.assertEqual("db 3", self.machine.runs("db.service"))

    def test_old_configuration_is_unwell_too(self):
        self.machine.write("/etc/db.conf", "BROKEN")
        self.failed(self.machine.change(web_and_db("g2", db="BROKEN too")), "rolled back, but db.service: is failed")
        self.assertEqual("failed", self.machine.record("outcome")["outcome"])

    def test_first_boot_stays_as_it_is(self):
        machine = type(self.machine)(self.directory.name + "/another")
        self.assertEqual(1, machine.first_boot(web_and_db("g1", web="BROKEN")))
        self.assertEqual("BROKEN", machine.read("/etc/web.conf"))
        self.assertTrue(machine.enabled("web.service"))
        self.assertEqual("failed", machine.record("outcome")["outcome"])
        self.assertEqual(0, machine.change(web_and_db("g2")), machine.said)

    def test_first_boot_starts_what_comes_before(self):
        machine = type(self.machine)(self.directory.name + "/another")
        refused = web_and_db("g1", db="BAD")
        refused["services"][1]["verify"] = ["refuse-bad", machine.root + "/etc/db.conf"]
        self.assertEqual(1, machine.first_boot(refused))
        self.assertEqual("failed", machine.record("outcome")["outcome"])
        self.assertEqual("web 1", machine.runs("web.service"))
        self.assertFalse(machine.enabled("db.service"))


if __name__ == "__main__":
    unittest.main()
