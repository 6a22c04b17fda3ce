"""What etcd-recover makes of etcd's log. How etcd takes it, test/suites/etcdjoin tests with etcd itself."""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("etcd_recover", HERE + "/etcd-recover")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("etcd_recover", loader))
loader.exec_module(program)
joins = program.joins

FILE = "0000000000000000-0000000000000000.wal"
NEXT = "0000000000000001-0000000000000003.wal"


class Log(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.data, self.checksum = temporary.name, 0
        os.makedirs(self.data + "/member/wal")
        self.me = joins.Member(f"""
name: etcd-1
data-dir: {self.data}
initial-advertise-peer-urls: https://10.0.0.1:2380
listen-client-urls: https://10.0.0.1:2379
initial-cluster: etcd-1=https://10.0.0.1:2380
initial-cluster-token: token
initial-cluster-state: new
""")

    def log(self, *parts, name=FILE, tail=bytes(512)):
        """A file of the log with these records, and the space behind them that etcd has made."""
        with open(f"{self.data}/member/wal/{name}", "wb") as file:
            for kind, content in parts:
                file.write(program.record(kind, content, self.checksum))
                self.checksum = program.castagnoli(content, self.checksum)
            file.write(tail)

    def state(self, name=FILE):
        """The last state, and whether all checksums are right."""
        found, checksum = None, None
        for _, kind, following, content in joins.records(f"{self.data}/member/wal/{name}"):
            if checksum is not None:
                self.assertEqual(following, program.castagnoli(content, checksum))
            checksum = following
            if kind == joins.STATE:
                found = joins.fields(content)
        return found


def entry(index):
    return joins.ENTRY, program.message((1, 0), (2, 7), (3, index), (4, b"x" * index))


def state(commit):
    return joins.STATE, program.message((1, 7), (2, 1 << 63), (3, commit))


class Confirm(Log):
    def test_checksum(self):
        self.assertEqual(0xE3069283, program.castagnoli(b"123456789", 0))
        self.assertEqual(0xE3069283, program.castagnoli(b"6789", program.castagnoli(b"12345", 0)))

    def test_all_that_is_there(self):
        self.log((joins.METADATA, program.message((1, 5), (2, 6))), state(1), *map(entry, (1, 2, 3)))
        program.confirm(self.me)
        self.assertEqual({1: 7, 2: 1 << 63, 3: 3}, self.state())
        self.assertEqual((5, 6), self.me.ids())

    def test_only_once(self):
        self.log(state(1), *map(entry, (1, 2)))
        program.confirm(self.me)
        size = os.path.getsize(f"{self.data}/member/wal/{FILE}")
        with open(f"{self.data}/member/wal/{FILE}", "rb") as file:
            before = file.read()
        program.confirm(self.me)
        with open(f"{self.data}/member/wal/{FILE}", "rb") as file:
            self.assertEqual(before, file.read())
        self.assertEqual(512 + sum(len(program.record(*part, 0)) for part in (state(1), entry(1), entry(2))), size)

    def test_overwritten_entries(self):
        """An entry that comes later takes the place of all from its number on."""
        self.log(state(1), *map(entry, (1, 2, 3, 2)))
        program.confirm(self.me)
        self.assertEqual(2, self.state()[3])

    def test_file_without_entries(self):
        self.log(state(1), *map(entry, (1, 2, 3)))
        self.log((joins.CHECKSUM, b""), state(2), name=NEXT)
        program.confirm(self.me)
        self.assertEqual(3, self.state(NEXT)[3])
        self.assertEqual(1, self.state()[3])

    def test_torn_end_is_left(self):
        torn = program.record(*entry(3), 0)[:-9]
        for tail in (torn, bytes(8) + torn + bytes(512), program.record(*entry(3), 1) + bytes(512)):
            self.checksum = 0
            self.log(state(1), *map(entry, (1, 2)), tail=tail)
            with open(f"{self.data}/member/wal/{FILE}", "rb") as file:
                before = file.read()
            program.confirm(self.me)
            with open(f"{self.data}/member/wal/{FILE}", "rb") as file:
                self.assertEqual(before, file.read())


class Keep(Log):
    def test_last_copy_only(self):
        self.log(entry(1))
        program.keep(self.me, "r1")
        program.keep(self.me, "r1")
        program.keep(self.me, "r2")
        self.assertEqual(["member", "member.before-r2"], sorted(os.listdir(self.data)))
        self.assertTrue(os.path.exists(f"{self.data}/member.before-r2/wal/{FILE}"))

    def test_no_room(self):
        self.log(entry(1))
        self.addCleanup(setattr, joins, "free", joins.free)
        joins.free = lambda _: 100
        program.keep(self.me, "r1")
        self.assertEqual(["member"], os.listdir(self.data))

    def test_notes(self):
        self.assertEqual("", program.noted(self.me))
        program.note(self.me, "r1")
        self.assertEqual("r1", program.noted(self.me))
        self.assertEqual(["member", "recovered"], sorted(os.listdir(self.data)))


if __name__ == "__main__":
    unittest.main()
