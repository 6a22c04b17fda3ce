"""The drive: what is refused, and what is secret."""
import fcntl
import json
import os
import re
import resource
import signal
import stat
import time
import unittest

from machine import HERE, SECRET, TestCase, apply, file, service, state, unit, user_data, web_and_db

PKI = os.path.join(HERE, "..", "..", "testdata", "pki")


class Drive(TestCase):
    def setUp(self):
        super().setUp()
        self.ok(self.machine.first_boot(web_and_db("g1")))
        self.machine.forget_calls()

    def refused(self, *words):
        self.failed(self.machine.run(), *words)
        self.assertEqual("failed", self.machine.record("outcome")["outcome"])
        self.assertEqual("web 1", self.machine.runs("web.service"))
        self.assertEqual([], self.machine.calls("start "))

    def test_absent(self):
        self.refused("there is no cloud-init drive")

    def test_of_another_machine(self):
        self.machine.insert(web_and_db("g2", web="web 2", machine="etcd-2"))
        self.refused("the state is for the machine etcd-2, and this is etcd-1")

    def test_half_written(self):
        whole = json.dumps({"write_files": [{"path": "/var/lib/quorum/drive/state.json", "content": json.dumps(web_and_db("g2", web=SECRET))}]})
        for length in range(0, len(whole) - 1, 97):
            self.machine.insert(None, whole[:length])
            self.refused("half-written?")
            self.assertNotIn(SECRET, self.machine.said)

    def test_unreadable(self):
        self.machine.insert(web_and_db("g2", web="web 2"))
        os.mkdir(self.machine.root + "/var/lib/quorum/media")
        os.mkdir(self.machine.root + "/var/lib/quorum/media/user-data")
        self.refused("the cloud-init drive cannot be read")

    def test_of_a_wrong_shape(self):
        bad = web_and_db("g2", surprise=1)
        bad["files"] += [file("etc/x", ""), file("/etc/web.conf", ""), file("/etc/open", "", "0666"), {"path": 7}]
        bad["services"].append(service("web"))
        self.machine.insert(bad)
        self.refused("state.surprise: is not known", "'etc/x': must be an absolute path", "/etc/web.conf: is there twice",
                     "/etc/open: mode must not", "path: must be a str", "'web': must be the full name")

    def test_of_no_shape_at_all(self):
        self.machine.insert(None, user_data('{"machine": "etcd-1", "generation": "g2", "files": {}, "services": null, "volumes": [7]}'))
        self.refused("state.files: must be a list, not a dict", "state.volumes[0]: must be a dict, not a int")

    def test_one_run_at_a_time(self):
        def hurry():
            apply.LOCK = 0.05
        with open(self.machine.root + "/var/lib/quorum/lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.failed(self.machine.run(prepare=hurry), "another quorum-apply still runs")

    def test_seed_directory(self):
        self.machine.write("/var/lib/cloud/seed/nocloud/user-data", user_data('{"machine": "etcd-1", "generation": "g2"}'))
        self.ok(self.machine.run())
        self.assertEqual("g2", self.machine.record("applied")["generation"])

    def test_status(self):
        self.failed(self.machine.run())
        self.failed(self.machine.run("--status"), "outcome: failed", "inForce: g1", "reason: there is no cloud-init drive")

    def test_disk_full(self):
        def full():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        self.machine.write("/var/lib/cloud/seed/nocloud/user-data", user_data(json.dumps(web_and_db("g2", web="web 2", db="x" * 30000))))
        self.failed(self.machine.run(prepare=full), "/etc/db.conf: could not be written")
        self.assertEqual(("web 1", "db 1"), (self.machine.read("/etc/web.conf"), self.machine.read("/etc/db.conf")))
        self.assertEqual([], self.machine.calls("start "))
        self.assertEqual([], [name for name in os.listdir(self.machine.root + "/etc") if name.startswith(".")])

    def test_metrics(self):
        self.machine.write("/var/lib/prometheus/node-exporter/other.prom", "")
        self.ok(self.machine.change(web_and_db("g2")))
        text = self.machine.read("/var/lib/prometheus/node-exporter/quorum.prom")
        self.assertIn("quorum_apply_success 1\n", text)
        self.assertIn('quorum_apply_info{generation="g2",outcome="done"} 1\n', text)
        self.assertRegex(text, r"quorum_apply_timestamp_seconds \d{10}\n")

    def test_metrics_tell_why_not(self):
        self.machine.write("/var/lib/prometheus/node-exporter/other.prom", "")
        bad = web_and_db("g2", web='BAD "\\n"')
        bad["services"][0]["verify"] = ["refuse-bad", self.machine.root + "/etc/web.conf"]
        self.failed(self.machine.change(bad), "rolled back")
        text = self.machine.read("/var/lib/prometheus/node-exporter/quorum.prom")
        self.assertIn('quorum_apply_info{generation="g2",outcome="rolled back",reason="web.service: refuse-bad refuses the new configuration '
                      '(exit status 1)\\nBAD \\"\\\\n\\""} 1\n', text)
        self.assertIn("quorum_apply_success 0\n", text)

    def test_metrics_of_certificates(self):
        with open(os.path.join(PKI, "ca.crt"), encoding="utf-8") as one, open(os.path.join(PKI, "expired.crt"), encoding="utf-8") as other:
            both = one.read() + other.read()
        self.machine.write("/var/lib/prometheus/node-exporter/other.prom", "")
        self.ok(self.machine.change(state("g2", [file("/etc/ca.crt", both), file("/etc/no.crt", "-----BEGIN CERTIFICATE-----\n")])))
        text = self.machine.read("/var/lib/prometheus/node-exporter/quorum.prom")
        found = re.findall(r'quorum_certificate_not_after_seconds\{path="/etc/ca.crt",number="(\d)"\} (\d+)\n', text)
        self.assertEqual(["1", "2"], [number for number, _ in found])
        self.assertGreater(int(found[0][1]), time.time())
        self.assertLess(int(found[1][1]), time.time())
        self.assertNotIn("/etc/no.crt", text)


class Secrets(TestCase):
    def test_names_of_settings_are_none(self):
        text = '{\n  "shared_buffers": "hush-4711",\n}\nlisten_addresses = hush-4712\n- log_min_messages: hush-4713\n'
        self.assertEqual({"hush-4711", "hush-4712", "hush-4713"}, apply.words(text))

    def test_are_in_no_output_and_no_open_file(self):
        secret = file("/etc/db.conf", f"password: {SECRET}\nBROKEN\n", "0600")
        first = web_and_db("g1")
        self.ok(self.machine.first_boot(first))
        broken = state("g2", [secret, unit("db.service")], [service("db.service")])
        self.failed(self.machine.change(broken), "password: ***")  # the fake journal prints the configuration
        said = self.machine.said
        judged = state("g3", [file("/etc/db.conf", f"BAD {SECRET}", "0600"), unit("db.service")],
                       [service("db.service", verify=["refuse-bad", self.machine.root + "/etc/db.conf"])])
        self.failed(self.machine.change(judged), "BAD ***")
        self.assertNotIn(SECRET, said + self.machine.said)
        self.assertNotIn(SECRET, "\n".join(self.machine.calls("")))
        for directory, _, names in os.walk(self.machine.root):
            for path in (os.path.join(directory, name) for name in names):
                with open(path, "rb") as content:
                    if SECRET.encode() in content.read() and "/dev/disk" not in path:
                        self.assertEqual(0, os.stat(path).st_mode & 0o077, path)
        home = self.machine.root + "/var/lib/quorum"
        self.assertEqual(0o700, stat.S_IMODE(os.stat(home).st_mode))


if __name__ == "__main__":
    unittest.main()
