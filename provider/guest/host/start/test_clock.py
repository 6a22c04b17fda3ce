"""wait-for-clock with chrony, with others, and with no time service."""
import ctypes
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("wait_for_clock", HERE + "/wait-for-clock")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("wait_for_clock", loader))
loader.exec_module(program)

# What chronyc -c prints, by chrony 4.6.
SYNCHRONISED = "0A4D0001,10.77.0.1,11,1763818000.1,{left},0.0001,0.0002,-7.5,0.01,0.2,0.0003,0.0001,64.2,Normal"
NOT_SYNCHRONISED = "00000000,,0,0.000000000,-0.000000000,0.0,0.0,-7.5,0.0,0.0,1.0,1.0,0.0,Not synchronised"

FAKES = {
    "systemctl": 'grep -qx "$4" "$FAKE/running" 2>/dev/null && echo active || echo inactive\n',
    "chronyc": 'echo "$*" >>"$FAKE/asked"; for verb; do :; done; cat "$FAKE/$verb" 2>/dev/null || { echo "506 Cannot talk to daemon"; exit 1; }\n',
}


class Clock(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.fake = temporary.name
        for name, text in FAKES.items():
            self.write(name, "#!/bin/sh\n" + text)
            os.chmod(f"{self.fake}/{name}", 0o755)
        self.kernel = []
        for patch in (unittest.mock.patch.dict(os.environ, PATH=f"{self.fake}:{os.environ['PATH']}", FAKE=self.fake),
                      unittest.mock.patch.multiple(program, CHRONY=0.4, OTHERS=0.2, POLL=0.02, by_kernel=self.by_kernel)):
            patch.start()
            self.addCleanup(patch.stop)

    def by_kernel(self):
        """What is to be seen next; the last of it for ever."""
        return self.kernel.pop(0) if len(self.kernel) > 1 else self.kernel[0]

    def write(self, name, text):
        with open(f"{self.fake}/{name}.new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(f"{self.fake}/{name}.new", f"{self.fake}/{name}")

    def chrony(self, tracking, activity="1,0,0,0,0"):
        self.write("running", "chrony.service\n")
        self.write("activity", activity + "\n")
        self.write("tracking", tracking + "\n")

    def test_chrony_has_set_it(self):
        self.chrony(SYNCHRONISED.format(left="-0.000012"))
        self.assertEqual("", program.problem())

    def test_chrony_sets_it_after_a_while(self):
        program.CHRONY = 60
        self.chrony(NOT_SYNCHRONISED)
        later = subprocess.Popen(["sh", "-c", f"sleep 0.3; printf '%s\\n' '{SYNCHRONISED.format(left='0.01')}' >{self.fake}/next; mv {self.fake}/next {self.fake}/tracking"])
        self.assertEqual("", program.problem())
        later.wait()
        with open(self.fake + "/asked", encoding="utf-8") as asked:
            self.assertGreater(len(asked.readlines()), 2)

    def test_chrony_slews_a_clock_that_is_far_off(self):
        self.chrony(SYNCHRONISED.format(left="-5400.250000"))
        self.assertIn("chronyd still has 5400.2 s to correct", program.problem())

    def test_servers_of_chrony_do_not_answer(self):
        self.chrony(NOT_SYNCHRONISED)
        self.assertEqual("chronyd has no time from its servers after 0.4 s", program.problem())

    def test_names_of_its_servers_are_not_resolved_yet(self):
        self.chrony(NOT_SYNCHRONISED, "0,0,0,0,1")
        self.assertEqual("chronyd has no time from its servers after 0.4 s", program.problem())

    def test_chrony_without_servers_is_not_waited_for(self):
        program.CHRONY = 3600
        self.chrony(NOT_SYNCHRONISED, "0,0,0,0,0")
        self.assertEqual("chronyd has no time server", program.problem())

    def test_chrony_does_not_answer(self):
        self.write("running", "chrony.service\n")
        self.assertIn("chronyd does not answer yet", program.problem())

    def test_timesyncd_sets_it_after_a_while(self):
        self.write("running", "systemd-timesyncd.service\n")
        self.kernel = ["unset", "unset", "unset", ""]
        self.assertEqual("", program.problem())

    def test_timesyncd_reaches_nobody(self):
        self.write("running", "systemd-timesyncd.service\n")
        self.kernel = ["no time service has set the clock"]
        self.assertEqual("no time service has set the clock after 0.2 s", program.problem())

    def test_no_time_service_is_not_waited_for(self):
        program.CHRONY = program.OTHERS = 3600
        self.kernel = ["no time service has set the clock"]
        self.assertEqual("no time service runs here: neither chrony nor systemd-timesyncd, ntpsec, ntp, openntpd", program.problem())

    def test_set_by_something_unknown(self):
        self.kernel = [""]
        self.assertEqual("", program.problem())

    def test_it_ends_well_and_tells_whatever_is_wrong(self):
        """As systemd runs it, on a machine with nothing of it all."""
        done = subprocess.run([sys.executable, HERE + "/wait-for-clock"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, "^(<3>wait-for-clock: WARNING: the clock may be wrong: no time service runs here|wait-for-clock: the clock is synchronised)")


class Kernel(unittest.TestCase):
    def test_says_the_same_as_the_system_call(self):
        """The state that adjtimex(8) and timedatectl show: bit 0x40 of the status is STA_UNSYNC."""
        request = ctypes.create_string_buffer(512)
        ctypes.CDLL(None).adjtimex(request)
        unsynchronised = int.from_bytes(request.raw[40:44], sys.byteorder) & 0x40
        self.assertEqual(bool(unsynchronised), bool(program.by_kernel()))


if __name__ == "__main__":
    unittest.main()
