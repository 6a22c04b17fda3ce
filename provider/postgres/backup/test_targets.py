"""Each kind of target, on one repository whose WAL has two timelines."""
import os
import re
import shutil
import unittest

import test_founding
from world import BIN, copy, needed, World


@unittest.skipIf(needed(), needed())
class Targets(World):
    restore, insert, rows = test_founding.Founding.restore, test_founding.Founding.insert, test_founding.Founding.rows

    def setUp(self):
        super().setUp()
        self.backed_up()
        self.new = self.volume + "/new"
        self.source = self.configure("restore.conf", data=self.new)

    def commit(self, number):
        """A row; the place in the WAL of its commit, its transaction, and when that was."""
        lsn, xid = self.sql(f"BEGIN; INSERT INTO t VALUES ({number}); SELECT pg_current_wal_insert_lsn(); SELECT pg_current_xact_id(); COMMIT").splitlines()
        told = self.does([BIN + "/pg_waldump", "--path", self.data + "/pg_wal", "--start", lsn, "--xid", xid, "--limit", "1"]).stdout
        return lsn, xid, re.search(r"COMMIT (\S+ \S+) UTC", told)[1] + "+00:00"

    def part(self):
        """A leader that is lost archived more than the node that comes to lead has."""
        self.archived()
        self.stop_postgres()
        other = self.volume + "/other"
        copy(other, self.data)
        self.start_postgres()
        self.insert(10)
        self.archived()
        self.stop_postgres()
        shutil.rmtree(self.data)
        os.rename(other, self.data)
        with open(self.data + "/standby.signal", "w", encoding="utf-8"):
            pass
        self.start_postgres()
        self.does([BIN + "/pg_ctl", "-D", self.data, "-w", "promote"])
        self.insert(20)
        self.archived()

    def test_each(self):
        self.insert(1)
        lsn, xid, at = self.commit(2)
        self.insert(3)
        self.part()
        for kind, target, more, want in (
            ("lsn", lsn, {"exclusive": True}, "1"), ("lsn", lsn, {}, "1 2"),
            ("time", at, {"exclusive": True}, "1"), ("time", at, {}, "1 2"),
            ("xid", xid, {"exclusive": True}, "1"), ("xid", xid, {}, "1 2"),
            ("immediate", "", {}, ""), ("immediate", "", {"timeline": "current"}, ""),
            ("default", "", {}, "1 2 3 20"), ("default", "", {"timeline": "2"}, "1 2 3 20"),
            ("default", "", {"timeline": "1"}, "1 2 3 10"), ("default", "", {"timeline": "current"}, "1 2 3 10"),
        ):
            with self.subTest(kind=kind, **more):
                self.ok("found", **self.restore(kind, target, **{"exclusive": False, "timeline": "latest", **more}))  # as a program has them by default
                self.assertEqual(want, self.rows())
            shutil.rmtree(self.new, ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
