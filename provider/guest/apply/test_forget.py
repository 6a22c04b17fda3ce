"""Copies of the state are gone once it is in force: the drive has it, and the services' own files."""
import fcntl
import gzip
import itertools
import json
import os
import pickle
import types
import unittest

import yaml

from machine import SECRET, TestCase, apply, web_and_db

INSTANCE, RUN, STATE = "/var/lib/cloud/instances/etcd-1", "/run/cloud-init", "/var/lib/quorum/drive/state.json"
WRITTEN = {"path": STATE, "content": SECRET}
LEFT = {"path": "/etc/ssh/sshd_config.d/10-quorum.conf", "content": "PasswordAuthentication no"}
USER_DATA = "#cloud-config\n" + yaml.safe_dump({"hostname": "etcd-1", "write_files": [WRITTEN, LEFT]})


class Forget(TestCase):
    def setUp(self):
        super().setUp()
        self.boot(USER_DATA)

    def boot(self, user_data):
        """What cloud-init writes at each boot."""
        self.machine.write(INSTANCE + "/user-data.txt", USER_DATA)
        self.machine.write(INSTANCE + "/user-data.txt.i", "MIME-Version: 1.0\n\n" + USER_DATA)
        self.machine.write(INSTANCE + "/cloud-config.txt", USER_DATA)
        self.machine.write(INSTANCE + "/vendor-data.txt", "of others")
        self.machine.write(RUN + "/combined-cloud-config.json", json.dumps({"write_files": [WRITTEN, LEFT]}))
        with open(self.machine.root + INSTANCE + "/obj.pkl", "wb") as file:
            pickle.dump(types.SimpleNamespace(userdata_raw=user_data, userdata="parsed " + SECRET, metadata={"instance-id": "etcd-1"}), file)
        os.chmod(self.machine.root + INSTANCE + "/obj.pkl", 0o400)

    def source(self):
        with open(self.machine.root + INSTANCE + "/obj.pkl", "rb") as file:
            return pickle.load(file)

    def copies(self, machine=None):
        found, root = [], (machine or self.machine).root
        for top in ("/var/lib", "/run"):
            for directory, _, names in os.walk(root + top):
                for name in names if not directory.endswith("/media") else ():  # there the fake mounts the drive
                    with open(os.path.join(directory, name), "rb") as file:
                        if SECRET.encode() in file.read():
                            found.append(name)
        return sorted(found)

    def first_boot(self, state):
        self.machine.insert(state)
        self.ok(self.machine.first_boot(state))

    def test_first_boot(self):
        self.first_boot(web_and_db("g1", web=SECRET))
        self.assertEqual([], self.copies())
        self.assertEqual({"hostname": "etcd-1", "write_files": [LEFT]}, yaml.safe_load(self.machine.read(INSTANCE + "/user-data.txt")))
        self.assertEqual("of others", self.machine.read(INSTANCE + "/vendor-data.txt"))
        self.assertEqual({"instance-id": "etcd-1"}, self.source().metadata, "cloud-init knows the machine without a drive")
        self.assertEqual(0o400, os.stat(self.machine.root + INSTANCE + "/obj.pkl").st_mode & 0o777)

    def test_next_boot(self):
        self.first_boot(web_and_db("g1"))
        packed = gzip.compress(USER_DATA.encode())
        self.boot(packed)
        self.ok(self.machine.run("--forget"))
        self.assertEqual([], self.copies())
        self.assertNotEqual(packed, self.source().userdata_raw)
        self.assertNotIn(SECRET.encode(), gzip.decompress(self.source().userdata_raw))

    def test_not_in_force(self):
        self.ok(self.machine.run("--forget"))
        self.assertIn("user-data.txt", self.copies())
        missing = {"name": "etcd-server", "provides": ["/usr/bin/etcd"]}
        self.failed(self.machine.first_boot({**web_and_db("g1", web=SECRET), "install": False, "packages": [missing]}), "/usr/bin/etcd")
        self.assertTrue(os.path.exists(self.machine.root + STATE))

    def test_former_files(self):
        self.first_boot(web_and_db("g1", web=SECRET))
        self.ok(self.machine.change(web_and_db("g2", web="another")))
        self.assertEqual([], self.copies())

    def test_damaged(self):
        with open(self.machine.root + INSTANCE + "/obj.pkl.new", "wb") as file:
            file.write(b"no pickle")
        os.replace(self.machine.root + INSTANCE + "/obj.pkl.new", self.machine.root + INSTANCE + "/obj.pkl")
        self.first_boot(web_and_db("g1", web=SECRET))
        self.assertIn("obj.pkl: may still have a copy of the state", self.machine.said)
        self.assertEqual([], self.copies())

    def test_user_data_of_others(self):
        for name, content in (("user-data.txt", ""), ("user-data.txt.i", "#!/bin/sh\n"), ("cloud-config.txt", "#cloud-config\n")):
            self.machine.write("/var/lib/cloud/instances/none/" + name, content)
        self.first_boot(web_and_db("g1", web=SECRET))
        self.assertNotIn("may still have", self.machine.said)
        self.assertEqual("#!/bin/sh\n", self.machine.read("/var/lib/cloud/instances/none/user-data.txt.i"))

    def test_without_a_drive(self):
        """As on OpenStack, where each boot repairs the machine by what cloud-init once wrote."""
        self.ok(self.machine.first_boot(web_and_db("g1", web=SECRET)))
        self.assertEqual(["state.json"], self.copies())
        self.ok(self.machine.run("--first-boot"))

    def test_archive(self):
        """What OpenStack hands over comes in an archive, which is of no use once it is unpacked."""
        archive = STATE + ".tar.bz2"
        packed = gzip.compress(yaml.safe_dump({"write_files": [{"path": archive, "content": SECRET}, LEFT], "runcmd": [["tar", archive], ["quorum-apply"]]}).encode())
        self.boot(packed)
        self.machine.write(archive, SECRET)
        self.ok(self.machine.first_boot(web_and_db("g1", web=SECRET)))
        self.assertEqual(["state.json"], self.copies())
        self.assertEqual({"write_files": [LEFT], "runcmd": [["quorum-apply"]]}, yaml.safe_load(gzip.decompress(self.source().userdata_raw)))

    def test_drive_was_taken_before(self):
        """A first boot that was cut: the service takes the drive, and then cloud-init runs its command."""
        self.machine.insert(web_and_db("g1", web=SECRET))
        self.machine.write(STATE, json.dumps(web_and_db("g1", web=SECRET)))
        self.ok(self.machine.run())
        self.assertFalse(os.path.exists(self.machine.root + STATE))
        self.ok(self.machine.run("--first-boot"))
        self.assertEqual("done", self.machine.record("outcome")["outcome"])

    def test_while_another_run_has_begun(self):
        """It may be about to keep the files from before its change."""
        self.first_boot(web_and_db("g1"))
        self.boot(USER_DATA)
        def hurry():
            apply.LOCK = 0.05
        with open(self.machine.root + "/var/lib/quorum/lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.failed(self.machine.run("--forget", prepare=hurry), "another quorum-apply still runs")
        self.assertIn("user-data.txt", self.copies())
        self.ok(self.machine.run("--forget"))
        self.assertEqual([], self.copies())

    def test_killed(self):
        """The next run, or boot, removes what a run left that was killed before any of its last steps."""
        self.first_boot(web_and_db("g1", web=SECRET))
        for step in itertools.count(40):
            machine = self.machine.clone(f"{self.directory.name}/{step}")
            status = machine.change(web_and_db("g2", web="another"), kill_at=step)
            self.assertEqual(0, machine.change(web_and_db("g2", web="another")), machine.said)
            self.assertEqual([], self.copies(machine), f"step {step}")
            if status is not None:
                break
        self.assertGreater(step, 60)

    def test_after_a_rollback(self):
        self.first_boot(web_and_db("g1", web=SECRET))
        self.failed(self.machine.change(web_and_db("g2", web="BROKEN")), "rolled back")
        self.assertEqual([], self.copies())


if __name__ == "__main__":
    unittest.main()
