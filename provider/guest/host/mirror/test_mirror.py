"""The mirror against an etcd that is a file: see fakes/etcdctl."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PASSWORD = " hush:4711 hush "


class Mirror(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.fake = temporary.name
        self.directory = self.fake + "/zones"
        self.revision, self.mirror = 0, None
        with open(self.fake + "/password", "w", encoding="utf-8") as file:
            file.write(PASSWORD + "\n")
        self.addCleanup(self.stop)

    def keys(self, **contents):
        """Sets what is below the prefix; names may hold what identifiers may not."""
        self.revision += 1
        with open(self.fake + "/new", "w", encoding="utf-8") as file:
            json.dump({"revision": self.revision, "keys": {"/zones/" + name: text for name, text in contents.items()}}, file)
        os.replace(self.fake + "/new", self.fake + "/keys.json")

    def start(self, **more):
        config = {"endpoints": ["10.0.0.1:2379"], "caFile": "/ca.crt", "username": "dns", "passwordFile": self.fake + "/password",
                  "prefix": "/zones/", "directory": self.directory, **more}
        with open(self.fake + "/config.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        self.systemd = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.systemd.bind(f"{self.fake}/notify{self.revision}-{time.monotonic_ns()}")
        self.systemd.setblocking(False)
        self.addCleanup(self.systemd.close)
        environment = {**os.environ, "PATH": f"{HERE}/fakes:{os.environ['PATH']}", "FAKE": self.fake, "NOTIFY_SOCKET": self.systemd.getsockname()}
        self.output = open(self.fake + "/output", "w+", encoding="utf-8")
        self.addCleanup(self.output.close)
        self.mirror = subprocess.Popen([HERE + "/quorum-mirror", self.fake + "/config.json"], env=environment,
                                       stdout=self.output, stderr=subprocess.STDOUT)

    def stop(self):
        if self.mirror and self.mirror.poll() is None:
            self.mirror.send_signal(signal.SIGTERM)
            return self.mirror.wait(5)
        return None

    def said(self):
        with open(self.fake + "/output", encoding="utf-8") as file:
            return file.read()

    def files(self):
        found = {}
        for directory, _, names in os.walk(self.directory):
            for name in [name for name in names if not name.startswith(".quorum-mirror-")]:
                with open(os.path.join(directory, name), encoding="utf-8") as file:
                    found[os.path.relpath(os.path.join(directory, name), self.directory)] = file.read()
        return found

    def eventually(self, wanted, what):
        end, seen = time.monotonic() + 8, None
        while seen != wanted and time.monotonic() < end:
            time.sleep(0.02)
            with contextlib.suppress(FileNotFoundError, KeyError):
                seen = what()
        self.assertEqual(wanted, seen, self.said())

    def says(self, text):
        self.eventually(True, lambda: text in self.said())

    def test_follows_etcd(self):
        self.keys(**{"a.org": "1", "sub/b.org": "1"})
        self.start()
        self.eventually({"a.org": "1", "sub/b.org": "1"}, self.files)
        self.assertEqual(0o640, os.stat(self.directory + "/a.org").st_mode & 0o777)
        self.keys(**{"a.org": "2", "c.org": "1"})
        self.eventually({"a.org": "2", "c.org": "1"}, self.files)
        self.assertFalse(os.path.exists(self.directory + "/sub"))

    def test_unchanged_files_are_left_alone(self):
        self.keys(**{"a.org": "1", "b.org": "1"})
        self.start()
        self.says("in step")
        before = os.stat(self.directory + "/a.org")
        self.keys(**{"a.org": "1", "b.org": "2"})
        self.eventually("2", lambda: self.files()["b.org"])
        self.assertEqual(before.st_ino, os.stat(self.directory + "/a.org").st_ino)

    def test_ready_when_first_in_step(self):
        self.start()
        self.says("the last files stay as they are: Error: context deadline exceeded")
        with self.assertRaises(BlockingIOError):
            self.systemd.recv(100)
        self.keys(**{"a.org": "1"})
        self.says("in step")
        self.systemd.settimeout(5)
        self.assertEqual(b"READY=1", self.systemd.recv(100))

    def test_files_stay_when_etcd_is_away(self):
        self.keys(**{"a.org": "1"})
        self.start(reconcileSeconds=0.1)
        self.eventually({"a.org": "1"}, self.files)
        os.unlink(self.fake + "/keys.json")
        self.says("the last files stay as they are")
        self.assertEqual({"a.org": "1"}, self.files())
        self.keys(**{"a.org": "2"})
        self.eventually({"a.org": "2"}, self.files)

    def test_files_stay_when_all_keys_are_gone(self):
        self.keys(**{"a.org": "1"})
        self.start()
        self.eventually({"a.org": "1"}, self.files)
        self.keys()
        self.says("WARNING: there is nothing below /zones/")
        self.assertEqual({"a.org": "1"}, self.files())
        self.keys(**{"b.org": "1"})
        self.eventually({"b.org": "1"}, self.files)

    def test_names_that_lead_elsewhere(self):
        bad = ["../x", "/etc/x", "a/../../x", "a//b", "", "a/", "nul\0", ".quorum-mirror-x", "\udcff"]
        self.keys(**{name: "bad" for name in bad}, good="1")
        self.start()
        self.eventually({"good": "1"}, self.files)
        self.assertEqual(len(bad), self.said().count("refused"), self.said())
        self.assertFalse(os.path.exists(self.fake + "/x"))

    def test_pattern(self):
        self.keys(**{"a.org": "1", "a.txt": "1"})
        self.start(pattern=r"[a-z]+\.org")
        self.eventually({"a.org": "1"}, self.files)
        self.says("refused 'a.txt': does not match the pattern")

    def test_file_that_does_not_stand_the_test(self):
        self.keys(**{"a.org": "1"})
        self.start(validate=["sh", "-c", 'echo "$@" >>$0/judged; ! grep BAD $2', self.fake, "{name}", "{file}", "{served}"])
        self.eventually({"a.org": "1"}, self.files)
        self.keys(**{"a.org": "BAD", "b.org": "2", "c.org": "BAD"})
        self.eventually({"a.org": "1", "b.org": "2"}, self.files)
        self.says("refused 'a.org'")
        self.says("refused 'c.org'")
        self.eventually([], lambda: [name for name in os.listdir(self.directory) if name.startswith(".")])
        name, file, served = self.read("judged").splitlines()[0].split()
        self.assertEqual(("a.org", self.directory + "/a.org"), (name, served))
        self.assertEqual(self.directory + "/.quorum-mirror-", file[:len(self.directory) + 16])

    def test_bad_file_stays_refused_while_others_change(self):
        self.keys(**{"a.org": "1", "b.org": "1"})
        self.start(validate=["sh", "-c", "! grep BAD $0", "{file}"])
        self.eventually({"a.org": "1", "b.org": "1"}, self.files)
        for n in "23":
            self.keys(**{"a.org": "BAD", "b.org": n})
            self.eventually({"a.org": "1", "b.org": n}, self.files)
        self.assertEqual(1, self.said().count("refused"), "said once a minute, not at every change")
        self.keys(**{"a.org": "3", "b.org": "3"})
        self.eventually({"a.org": "3", "b.org": "3"}, self.files)

    def test_readers_never_see_half_a_file(self):
        """A reader in a loop: what it gets is one of the versions, whole, and always there."""
        texts = [f"{n} " * (1 << 16) for n in range(20)]
        self.keys(**{"a.org": texts[0]})
        self.start()
        self.eventually({"a.org": texts[0]}, self.files)
        for text in texts[1:]:
            self.keys(**{"a.org": text})
            seen, end = "", time.monotonic() + 8
            while seen != text and time.monotonic() < end:
                with open(self.directory + "/a.org", encoding="utf-8") as file:
                    seen = file.read()
                self.assertIn(seen, texts)

    def test_files_stay_when_no_key_is_usable(self):
        self.keys(**{"a.org": "1"})
        self.start(pattern=r"[a-z]+\.org")
        self.eventually({"a.org": "1"}, self.files)
        self.keys(**{"../a.org": "2"})
        self.says("WARNING")
        self.assertEqual({"a.org": "1"}, self.files())

    def test_files_of_an_earlier_run_stay_while_etcd_is_away(self):
        os.makedirs(self.directory)
        with open(self.directory + "/a.org", "w", encoding="utf-8") as file:
            file.write("1")
        self.start()
        self.says("the last files stay as they are")
        self.assertEqual({"a.org": "1"}, self.files())

    def test_certificate(self):
        self.keys(**{"a.org": "1"})
        self.start(username="", passwordFile="", certFile="/client.crt", keyFile="/client.key")
        self.eventually(True, lambda: "watch" in self.read("seen"))
        for line in self.read("seen").splitlines():
            arguments, _, user = line.partition(" USER=")
            self.assertEqual("", user)
            self.assertIn("--endpoints=https://10.0.0.1:2379", arguments)
            self.assertIn("--cacert=/ca.crt --cert=/client.crt --key=/client.key", arguments)

    def test_password_is_on_no_command_line(self):
        self.keys(**{"a.org": "1"})
        self.start()
        self.says("in step")
        self.eventually(True, lambda: "watch" in self.read("seen"))
        for line in self.read("seen").splitlines():
            arguments, _, user = line.partition(" USER=")
            self.assertEqual("dns:" + PASSWORD, user)
            self.assertNotIn("hush", arguments)
        self.assertNotIn("hush", self.said())

    def read(self, name):
        with open(f"{self.fake}/{name}", encoding="utf-8") as file:
            return file.read()

    def test_stops_cleanly(self):
        self.keys(**{"a.org": "1"})
        self.start()
        self.eventually(True, lambda: os.path.exists(self.fake + "/seen") and "watch" in self.read("seen"))
        self.assertEqual(0, self.stop())
        self.assertNotIn("Traceback", self.said())

    def test_what_a_killed_run_left_goes(self):
        os.makedirs(self.directory)
        with open(self.directory + "/.quorum-mirror-x", "w", encoding="utf-8"):
            pass
        self.keys(**{"a.org": "1"})
        self.start()
        self.eventually({"a.org": "1"}, self.files)


if __name__ == "__main__":
    unittest.main()
