"""What etcd has becomes Fluent Bit's configuration only if it is data. Fluent Bit itself is a script: see fakes/fluent-bit."""
import contextlib
import os
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

GOOD = """\
# comment
@SET env=test
@INCLUDE {defaults}/fluent-bit-service.conf
@INCLUDE {served}/sub/*.conf
[INPUT]
    Name tail
    Path /var/log/app/*.log, /var/log/other.log
    DB /var/lib/fluent-bit/app.db
[FILTER]
    Name  record_modifier
    Match *
    Record env ${{env}}
[OUTPUT]
    name  LOKI
    tls.ca_file {served}/ca.crt
"""

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

# What somebody who may write the prefix tries, and a part of the answer.
TRIED = {
    "[INPUT]\n  Name exec\n  Command id": "plugin 'exec' is not taken as INPUT",
    "[INPUT]\n  name  EXEC": "plugin 'EXEC' is not taken",
    "[INPUT]\n  Name exec_wasi": "plugin 'exec_wasi' is not taken",
    "@SET p=exec\n[INPUT]\n  Name ${p}": "plugin '${p}' is not taken",
    "[FILTER]\n  Name lua\n  script /tmp/x.lua": "plugin 'lua' is not taken as FILTER",
    "[FILTER]\n  Name\twasm": "plugin 'wasm' is not taken",
    "[OUTPUT]\n  Name file\n  Path /var/lib/fluent-bit": "plugin 'file' is not taken as OUTPUT",
    "[OUTPUT]\n  Name exec://x": "is not taken as OUTPUT",
    "[OUTPUT]\n  Name http\n  Name exit": "plugin 'exit' is not taken",
    "[INPUT]\n  Name http\n  Port 80": "plugin 'http' is not taken as INPUT",
    "[INPUT]\n  Name tail\n  Path /etc/passwd": "path takes files below /var/log/",
    "[INPUT]\n  Name tail\n  Path /var/log/a, {defaults}/fluent-bit-output.conf": "path takes files below /var/log/",
    "[INPUT]\n  Name tail\n  Path /var/log/../../etc/passwd": "path takes files below /var/log/",
    "@SET d=etc\n[INPUT]\n  Name tail\n  Path /var/log/${d}/x": "path takes files below /var/log/",
    "[PLUGINS]\n  Path /tmp/evil.so": "section [plugins] is not taken",
    "[CUSTOM]\n  Name calyptia": "section [custom] is not taken",
    "[STREAM_TASK]\n  Name a": "section [stream_task] is not taken",
    "[SERVICE]\n  Plugins_File /tmp/plugins.conf": "plugins_file is not taken",
    "[INPUT]\n  Plugins_File /tmp/plugins.conf": "plugins_file is not taken",
    "[SERVICE]\n  Log_File /var/lib/fluent-bit/log": "log_file is not taken",
    "[SERVICE]\n  Parsers_File /var/lib/fluent-bit/p.conf": "parsers_file takes files below",
    "[SERVICE]\n  Parsers_File ../../x": "parsers_file takes files below",
    "@INCLUDE /etc/fluent-bit-config/etcd-password": "@INCLUDE takes files below",
    "@include {served}/../x.conf": "@INCLUDE takes files below",
    "@INCLUDE relative.conf": "@INCLUDE takes files below",
    "@IMPORT x": "@import is not taken",
    "pipeline:\n  inputs:\n    - name: exec": "is no indented property of a section; only the classic format is taken",
    "\0[INPUT]": "has control characters",
    "[INPUT]\n  \vName exec": "has control characters",
    "[INPUT]\n  Name cpu\f": "has control characters",
    "[INPUT]\nxName exec\nxCommand id": "is no indented property",
    "[INPUT]\n  [NODE]\n  Name exec": "is no indented property",
    "[INPUT]\n  @SET a=b": "is no indented property",
    "[I]\n  Name exec": "section [i] is not taken",
    "[INPUTS]\n  Name exec": "section [inputs] is not taken",
    "[NODE]x[INPUT]": "section [node]x[input] is not taken",
    "[NODE] [INPUT]": "section [node] is not taken",
    "[]\n  Name exec": "section [] is not taken",
    "# \udcff": "is no text",
    CERTIFICATE + "[INPUT]\n  Name exec": "is no indented property",
    "[INPUT]\n" + "#" * (1 << 20): "have more than 1048576 bytes",
}


class Judge(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.fake, self.judge = temporary.name, None
        self.wanted, self.served, self.defaults = (f"{self.fake}/{name}" for name in ("wanted", "served", "defaults"))
        for directory in (self.wanted, self.served, self.defaults):
            os.mkdir(directory)
        self.write("defaults/fluent-bit-static.conf", "default")
        self.write("defaults/fluent-bit-output.conf", "[OUTPUT]\n    Shared_Key    hush 4711\n")
        self.write("main.conf", f"@INCLUDE {self.served}/index.conf\n")
        self.addCleanup(self.stop)

    def write(self, name, text):
        path = f"{self.fake}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(self.fake + "/new", "wb") as file:
            file.write(text.format(served=self.served, defaults=self.defaults).encode(errors="surrogateescape") if "{served}" in text or "{defaults}" in text
                       else text.encode(errors="surrogateescape"))
        os.replace(self.fake + "/new", path)

    def start(self):
        environment = {**os.environ, "PATH": f"{HERE}/fakes:{os.environ['PATH']}", "FAKE": self.fake, "FLUENT_BIT": HERE + "/fakes/fluent-bit", "POLL": "0.05"}
        self.output = open(self.fake + "/output", "w+", encoding="utf-8")
        self.addCleanup(self.output.close)
        self.judge = subprocess.Popen([HERE + "/check-fluent-bit", self.wanted, self.served, self.defaults, self.fake + "/main.conf"],
                                      env=environment, stdout=self.output, stderr=subprocess.STDOUT)

    def stop(self):
        if self.judge:
            self.judge.kill()
            self.judge.wait()
            self.judge = None

    def said(self):
        with open(self.fake + "/output", encoding="utf-8") as file:
            return file.read()

    def told(self):
        with open(self.fake + "/told", encoding="utf-8") as file:
            return file.read()

    def files(self):
        found = {}
        for directory, _, names in os.walk(self.served):
            for name in [name for name in names if not name.startswith(".")]:
                with open(os.path.join(directory, name), encoding="utf-8") as file:
                    found[os.path.relpath(os.path.join(directory, name), self.served)] = file.read()
        return found

    def eventually(self, wanted, what):
        end, seen = time.monotonic() + 30, None
        while seen != wanted and time.monotonic() < end:
            time.sleep(0.02)
            with contextlib.suppress(FileNotFoundError):
                seen = what()
        self.assertEqual(wanted, seen, self.said())

    def test_the_default_until_something_comes(self):
        self.start()
        self.eventually({"index.conf": "default"}, self.files)
        self.write("wanted/index.conf", "[INPUT]\n    Name cpu\n")
        self.eventually({"index.conf": "[INPUT]\n    Name cpu\n"}, self.files)
        os.unlink(self.wanted + "/index.conf")
        time.sleep(0.3)
        self.assertEqual({"index.conf": "[INPUT]\n    Name cpu\n"}, self.files(), "nothing is no configuration")

    def test_serves_what_is_data(self):
        self.write("served/old.conf", "old")
        for name, text in {"index.conf": GOOD, "sub/a.conf": "[OUTPUT]\n    Name null\n", "ca.crt": CERTIFICATE}.items():
            self.write("wanted/" + name, text)
        self.start()
        self.eventually({"index.conf", "sub/a.conf", "ca.crt"}, lambda: set(self.files()))
        self.assertIn("{0}/fluent-bit-service.conf".format(self.defaults), self.files()["index.conf"])
        self.assertEqual(0o640, os.stat(self.served + "/index.conf").st_mode & 0o777)
        with open(self.fake + "/asked", encoding="utf-8") as file:
            self.assertNotIn(self.served, file.read(), "Fluent Bit has read the new one")

    def test_tells_fluent_bit(self):
        told = subprocess.Popen(["sh", "-c", f"trap 'echo told >>{self.fake}/told' HUP; echo ready; while :; do sleep 0.05; done"], stdout=subprocess.PIPE)
        self.addCleanup(told.stdout.close)
        self.addCleanup(told.wait)
        self.addCleanup(told.kill)
        told.stdout.readline()
        self.write("pid", f"{told.pid}\n")
        self.write("wanted/index.conf", "[INPUT]\n    Name cpu\n")
        self.start()
        self.eventually("told\n", self.told)
        self.stop()
        self.start()  # one that was killed before it could tell
        self.eventually("told\ntold\n", self.told)

    def test_refuses_what_is_more(self):
        self.start()
        self.eventually({"index.conf": "default"}, self.files)
        for number, (text, why) in enumerate(TRIED.items()):
            with self.subTest(text[:60]):
                name = f"try-{number}.conf"
                self.write("wanted/" + name, text)
                self.eventually(True, lambda why=why: why in self.said())
                self.assertEqual({"index.conf": "default"}, self.files())
                os.unlink(f"{self.wanted}/{name}")

    def test_one_that_is_refused_keeps_the_others_back(self):
        self.write("wanted/index.conf", "[INPUT]\n    Name cpu\n")
        self.start()
        self.eventually({"index.conf": "[INPUT]\n    Name cpu\n"}, self.files)
        self.write("wanted/more.conf", "[INPUT]\n    Name exec\n")
        self.write("wanted/index.conf", "[INPUT]\n    Name mem\n")
        self.eventually(True, lambda: "REFUSED, the last configuration stays: more.conf, line 2: plugin 'exec'" in self.said())
        self.assertEqual({"index.conf": "[INPUT]\n    Name cpu\n"}, self.files())
        os.unlink(self.wanted + "/more.conf")
        self.eventually({"index.conf": "[INPUT]\n    Name mem\n"}, self.files)

    def test_what_fluent_bit_refuses(self):
        self.write("wanted/index.conf", "[INPUT]\n    Name cpu\n    BAD x\n")
        self.start()
        self.eventually(True, lambda: "Fluent Bit does not take it: [2026/11/25 12:00:00] [error] unknown property in "
                        f"{self.served}/index.conf near Shared_Key [secret]" in self.said())
        self.assertNotIn("4711", self.said())
        self.assertEqual({"index.conf": "default"}, self.files(), "Fluent Bit starts all the same")

    def test_says_once_what_is_too_large(self):
        self.write("wanted/large.conf", "#" * (1 << 20) + "#")
        self.start()
        self.eventually(True, lambda: "have more than 1048576 bytes" in self.said())
        time.sleep(0.5)
        self.assertEqual(1, self.said().count("REFUSED"))
        self.assertEqual({"index.conf": "default"}, self.files())
        self.write("wanted/large.conf", "[INPUT]\n    Name exec\n")
        self.eventually(2, lambda: self.said().count("REFUSED"))


if __name__ == "__main__":
    unittest.main()
