"""The zone checker with a CoreDNS that only looks for a word: see fakes/coredns. CoreDNS itself is in test/suites/coredns."""
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ZONE = """\
$TTL 60 ; a minute
@ IN SOA ns1 hostmaster ( {serial} ; the serial (
    7200 3600 1209600 300 )
www IN TXT "a \\" ; (" {more}
"""


class CheckZone(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def write(self, name, text):
        with open(f"{self.directory}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def judge(self, new, served=None, coredns=HERE + "/fakes/coredns"):
        self.write(".new", new)
        if served is not None:
            self.write("served", served)
        environment = {**os.environ, "COREDNS": coredns, "SEEN": self.directory + "/seen"}
        done = subprocess.run([HERE + "/check-zone", "example.org", self.directory + "/.new", self.directory + "/served"], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=20, check=False)
        self.assertEqual("", done.stdout)
        self.assertEqual(bool(done.stderr), bool(done.returncode))
        self.assertLessEqual(len(done.stderr.splitlines()), 1)
        return done.stderr.strip()

    def test_new_zone(self):
        self.assertEqual("", self.judge(ZONE.format(serial=1, more="")))
        with open(self.directory + "/seen", encoding="utf-8") as seen:
            self.assertRegex(seen.read(), r"^-conf stdin\nexample.org \{\n")

    def test_zone_that_coredns_refuses(self):
        self.assertEqual("CoreDNS does not take it: plugin/file: failed to parse file 'example.org': BAD at line: 2:1", self.judge("BAD"))

    def test_no_verdict_is_a_refusal(self):
        self.assertIn("ended with status 0", self.judge(ZONE.format(serial=1, more=""), coredns="/bin/true"))
        self.assertIn("unknown property", self.judge(ZONE.format(serial=1, more="unknown property 'read-'"), coredns=self.echo()))

    def echo(self):
        """A program that says what it is given, but nothing of its own."""
        self.write("echo", "#!/bin/sh\necho \"plugin/file: unknown property 'read-0123456789abcdef'\"\n")
        os.chmod(self.directory + "/echo", 0o755)
        return self.directory + "/echo"

    def test_missing_coredns(self):
        self.assertIn("No such file", self.judge(ZONE.format(serial=1, more=""), coredns="/nowhere/coredns"))

    def test_another_serial(self):
        old = ZONE.format(serial=2, more="")
        for serial in (1, 3):
            self.assertEqual("", self.judge(ZONE.format(serial=serial, more="more"), old))

    def test_same_serial(self):
        self.assertEqual("has changed, but its serial 2 has not, so that CoreDNS would not see it",
                         self.judge(ZONE.format(serial=2, more="more"), ZONE.format(serial=2, more="")))

    def test_same_serial_and_another_comment(self):
        self.assertEqual("", self.judge(ZONE.format(serial=2, more="; a comment"), ZONE.format(serial=2, more="")))

    def test_include(self):
        for text in ("$INCLUDE /etc/passwd", "$include x", "; $Include"):
            self.assertIn("$INCLUDE is not taken", self.judge(ZONE.format(serial=1, more="\n" + text)))

    def test_bytes_that_are_no_text(self):
        for name in (".new", "served"):
            with open(f"{self.directory}/{name}", "wb") as file:
                file.write(b"\xff" + ZONE.format(serial=1, more=name).encode())
        environment = {**os.environ, "COREDNS": "/bin/true"}
        done = subprocess.run([HERE + "/check-zone", "example.org", self.directory + "/.new", self.directory + "/served"], env=environment,
                              capture_output=True, encoding="utf-8", timeout=20, check=False)
        self.assertIn("CoreDNS does not take it", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
