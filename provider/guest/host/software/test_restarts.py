"""What restarts for packages that came, and what does not."""
import json
import os
import time
import unittest

from machine import LATER, TestCase


class Restarts(TestCase):
    def test_what_maps_a_file_that_is_gone(self):
        self.process(13, "cron.service", "/usr/sbin/cron", "/lib/x86_64-linux-gnu/libold.so.1 (deleted)")
        self.process(14, "user@1000.service", "/usr/lib/x86_64-linux-gnu/libold.so.1 (deleted)")
        self.process(15, "dbus.service", "/usr/lib/x86_64-linux-gnu/libold.so.1 (deleted)")
        self.process(16, "other.service", "/tmp/scratch (deleted)")
        self.ok(self.patch(), "run former files until the machine starts next: dbus.service user@1000.service\n")
        self.assertEqual(["systemctl restart etcd.service", "systemctl restart cron.service"], self.calls("systemctl"), "its role's first")

    def test_what_maps_a_library_that_came(self):
        self.packages("offered", etcd="1", zlib="2")
        self.process(13, "late.service", "/usr/lib/x86_64-linux-gnu/libz.so.1", started=6000)
        self.ok(self.patch())
        self.assertEqual(["systemctl restart chrony.service"], self.calls("systemctl"))

    def test_programs_of_python(self):
        self.packages("offered", etcd="1", zlib="1", **{"python3-urllib3": "2"})
        self.ships("python3-urllib3", "/usr/lib/python3/dist-packages/urllib3/__init__.py")
        self.process(13, "patroni.service", "/usr/bin/python3.13")
        self.ok(self.patch(), "python3-urllib3: new: 2", "patroni.service: restarts, it ran former modules of Python")
        self.assertEqual(["systemctl restart patroni.service"], self.calls("systemctl"))

    def test_haproxy_reloads(self):
        self.packages("offered", etcd="1", zlib="2")
        self.process(11, "haproxy.service", "/usr/sbin/haproxy", "/usr/lib/x86_64-linux-gnu/libz.so.1")
        self.ok(self.patch(), "haproxy.service: reloads")
        self.assertEqual(["systemctl reload-or-restart haproxy.service"], self.calls("systemctl"))

    def test_modules_that_came_between_two_days(self):
        self.ships("python3-urllib3", "/usr/lib/python3/dist-packages/urllib3/__init__.py")
        self.process(13, "patroni.service", "/usr/bin/python3.13")
        self.ok(self.patch())
        for name in ("installed", "offered"):
            self.packages(name, etcd="2", zlib="1", **{"python3-urllib3": "2"})
        listed = "/var/lib/dpkg/info/python3-urllib3.list"
        for ago, restarted in ((6000, []), (3000, ["systemctl restart patroni.service"])):  # before this boot, and after its begin
            self.write(listed, "")
            os.utime(self.root + listed, (time.time() - ago,) * 2)
            self.forget_calls()
            before = self.record()
            self.ok(self.patch(LATER), "python3-urllib3: new: 2")
            self.assertEqual(restarted, self.calls("systemctl"), ago)
            self.write("/var/lib/quorum/software.json", json.dumps(before))
        self.process(13, "patroni.service", "/usr/bin/python3.13", started=4000)
        self.forget_calls()
        self.ok(self.patch(LATER))
        self.assertEqual([], self.calls("systemctl"), "it has restarted since")

    def test_the_network_logins_and_what_waits_are_left(self):
        self.packages("offered", etcd="1", zlib="2")
        library = "/usr/lib/x86_64-linux-gnu/libz.so.1"
        for number, unit in enumerate(("networking.service", "docker.service", "quorum-upgrade.service", "quorum-pgbouncer.service", "cloud-init.service"), 20):
            self.process(number, unit, "/usr/bin/x", library)
        self.process(30, "x", "/usr/bin/tmux", library)
        self.write("/proc/30/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n")
        self.ok(self.patch(), "run former files until the machine starts next: docker.service networking.service quorum-upgrade.service session-3.scope\n")
        self.assertEqual(["systemctl restart chrony.service", "systemctl restart quorum-pgbouncer.service"], self.calls("systemctl"))

    def test_what_ends_by_itself_is_left_to_do_so(self):
        self.packages("offered", etcd="1", zlib="2")
        self.fakes("shown-chrony.service", "Type=oneshot\nActiveState=activating\n")
        self.ok(self.patch())
        self.assertEqual([], self.calls("systemctl"))

    def test_containers(self):
        self.packages("offered", etcd="1", zlib="2")
        library = "/usr/lib/x86_64-linux-gnu/libz.so.1"
        self.process(11, "haproxy.service", "/usr/bin/conmon", library)
        self.process(20, "podman-web.service", "/usr/bin/app", library)
        os.makedirs(self.root + "/proc/20/root")
        self.process(21, "sandboxed.service", "/usr/bin/y", library)
        os.symlink(self.root, self.root + "/proc/21/root")
        self.ok(self.patch(), "run former files until the machine starts next: haproxy.service\n")
        self.assertEqual(["systemctl restart sandboxed.service"], self.calls("systemctl"))

    def test_others_that_do_not_come_up(self):
        self.process(13, "agent.service", "/usr/bin/agent (deleted)")
        self.process(14, "ssh.service", "/usr/sbin/sshd (deleted)")
        self.fakes("broken-agent.service")
        self.failed(self.patch(), "FAILED: agent.service does not start with the packages that came: systemctl agent.service: Job for agent.service failed.\n")
        self.assertEqual([f"systemctl restart {name}.service" for name in ("etcd", "agent", "ssh")], self.calls("systemctl"))
        self.failed(self.patch(), "agent.service does not start")
        self.assertFalse(os.path.exists(self.root + "/proc/13"), "it runs nothing by which it could be found")
        os.remove(self.fake + "/broken-agent.service")
        self.forget_calls()
        self.ok(self.patch())
        self.assertEqual(["systemctl restart agent.service"], self.calls("systemctl restart agent"))

    def test_what_did_not_come_up_before_a_boot_is_the_boots(self):
        self.fakes("broken-etcd.service")
        self.failed(self.patch())
        self.forget_calls()
        self.boots()
        self.ok(self.patch())
        self.assertEqual([], self.calls("systemctl"))

    def test_one_that_does_not_come_up(self):
        self.process(13, "cron.service", "/usr/sbin/cron (deleted)")
        self.fakes("broken-etcd.service")
        self.failed(self.patch(), "FAILED: etcd.service does not start with the packages that came: systemctl etcd.service: Job for etcd.service failed.; still to restart: cron.service\n")
        self.assertNotIn("asOf", self.record())
        os.remove(self.fake + "/broken-etcd.service")
        self.forget_calls()
        self.ok(self.patch())
        self.assertEqual([], self.calls("apt-get"), "packages had come")
        self.assertEqual(["systemctl restart etcd.service", "systemctl restart cron.service"], self.calls("systemctl"))


if __name__ == "__main__":
    unittest.main()
