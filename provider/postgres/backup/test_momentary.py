"""What passes by itself, and must not be taken for final: that would end an update, or give up a restore."""
import os
import signal
import subprocess
import unittest

import test_founding
from world import needed, World


@unittest.skipIf(needed(), needed())
class Momentary(World):
    restore, insert, rows = test_founding.Founding.restore, test_founding.Founding.insert, test_founding.Founding.rows

    def setUp(self):
        super().setUp()
        self.backed_up()
        self.new = self.volume + "/new"
        self.source = self.configure("restore.conf", data=self.new)

    def test_recovery_is_ended(self):
        """By the kernel, where memory runs out, which takes a process before PostgreSQL itself; or by somebody who stops PostgreSQL."""
        for number in range(1, 25):
            self.sql(f"INSERT INTO t VALUES ({number}); SELECT pg_switch_wal()")
        self.archived()
        with self.begin("found", **self.restore()) as process:
            server = self.server()
            self.wait(lambda: children(server), "the process that recovers")
            os.kill(children(server)[0], signal.SIGKILL)
            self.wait(lambda: "failure" in self.restoring() or process.poll() is not None, "a failure, or the end")
            self.assertRegex(self.restoring(), 'by signal 9: .*again="true"')
            self.wait(lambda: self.server() != server, "another attempt")
            server = self.server()
            os.kill(server, signal.SIGINT)
            self.wait(lambda: self.server() != server, "another attempt")
            server = self.server()
            self.wait(lambda: children(server), "the process that recovers")
            os.kill(server, signal.SIGKILL)
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertEqual(3, said.count("tries again"), said)
        self.assertEqual(" ".join(map(str, range(1, 25))), self.rows())

    def test_clock_is_slow(self):
        """The machine's, so that a moment that has been is to come there."""
        self.insert(1)
        self.archived()
        at = self.sql("SELECT date_trunc('second', now()) + interval '15 seconds'")
        with self.begin("found", **self.restore("time", at)) as process:
            self.wait(lambda: "is in the future" in self.restoring() or process.poll() is not None, "a failure, or the end")
            self.assertIn('again="true"', self.restoring())
            self.wait(lambda: self.sql(f"SELECT now() > '{at}'") == "t", "that moment")
            self.insert(2)
            self.archived()
            said, _ = process.communicate(timeout=120)
        self.assertEqual(1, said.count("is in the future; tries again"), said)

    def server(self):
        def pid():
            try:
                with open(self.new + "/postmaster.pid", encoding="utf-8") as file:
                    return int(file.readline())
            except (FileNotFoundError, ValueError):
                return 0
        self.wait(pid, "PostgreSQL that recovers")
        return pid()

    def test_s3_refuses_for_a_moment(self):
        """With a status that is also that of wrong requests."""
        for status, code in (400, "RequestTimeout"), (400, "IncompleteBody"), (409, "OperationAborted"), (403, "RequestTimeTooSkewed"):
            s3 = self.refuse("backup.info", status, (code, "..."))
            self.fails("look", "backup: pgbackrest info: S3: " + code, conf=self.configure("refused.conf", **{"repo1-storage-port": str(s3.server_port)}))
            self.assertIn('again="true"', str(self.metrics()), code)


def children(pid):
    """Its processes that have found what they are: the others are called like it."""
    told = subprocess.run(["pgrep", "-P", str(pid), "-f", "startup"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [int(line) for line in told.split()]


if __name__ == "__main__":
    unittest.main()
