"""Copies of the state are gone once it is in force: the drive has it, and the services' own files."""
import gzip
import json
import os
import pickle
import types
import unittest

import yaml

from machine import SECRET, TestCase, web_and_db

INSTANCE, STATE = "/var/lib/cloud/instances/etcd-1", "/var/lib/quorum/drive/state.json"
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
        with open(self.machine.root + INSTANCE + "/obj.pkl", "wb") as file:
            pickle.dump(types.SimpleNamespace(userdata_raw=user_data, userdata="parsed " + SECRET, metadata={"instance-id": "etcd-1"}), file)
        os.chmod(self.machine.root + INSTANCE + "/obj.pkl", 0o400)

    def source(self):
        with open(self.machine.root + INSTANCE + "/obj.pkl", "rb") as file:
            return pickle.load(file)

    def copies(self):
        found = []
        for directory, _, names in os.walk(self.machine.root + "/var/lib"):
            for name in names:
                with open(os.path.join(directory, name), "rb") as file:
                    if SECRET.encode() in file.read():
                        found.append(name)
        return sorted(found)

    def test_first_boot(self):
        self.ok(self.machine.first_boot(web_and_db("g1", web=SECRET)))
        self.assertEqual([], self.copies())
        self.assertEqual({"hostname": "etcd-1", "write_files": [LEFT]}, yaml.safe_load(self.machine.read(INSTANCE + "/user-data.txt")))
        self.assertEqual("of others", self.machine.read(INSTANCE + "/vendor-data.txt"))
        self.assertEqual({"instance-id": "etcd-1"}, self.source().metadata, "cloud-init knows the machine without a drive")
        self.assertEqual(0o400, os.stat(self.machine.root + INSTANCE + "/obj.pkl").st_mode & 0o777)

    def test_next_boot(self):
        self.ok(self.machine.first_boot(web_and_db("g1")))
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
        self.ok(self.machine.first_boot(web_and_db("g1", web=SECRET)))
        self.ok(self.machine.change(web_and_db("g2", web="another")))
        self.assertEqual([], self.copies())

    def test_damaged(self):
        with open(self.machine.root + INSTANCE + "/obj.pkl.new", "wb") as file:
            file.write(b"no pickle")
        os.replace(self.machine.root + INSTANCE + "/obj.pkl.new", self.machine.root + INSTANCE + "/obj.pkl")
        self.ok(self.machine.first_boot(web_and_db("g1", web=SECRET)))
        self.assertIn("obj.pkl: still has a copy of the state", self.machine.said)
        self.assertEqual([], self.copies())


if __name__ == "__main__":
    unittest.main()
