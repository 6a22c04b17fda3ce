"""Repositories that others have been at: at the same time, with another clock, or to take something away."""
import json
import os
import time
import unittest

from world import Member, real, World
from quorum_backup import restic  # where world has it found


@real
class Shared(World):
    def test_two_at_once(self):
        """Where several members take it for their turn, one of them makes the repository."""
        members = self.found()
        for member in members:
            with open(member.own + "/due-repository.json", "w", encoding="utf-8") as file:
                json.dump({"after": "here", "since": 0}, file)
        looks = [member.begin("look") for member in members]
        said = [look.communicate(timeout=300)[0] for look in looks]
        self.assertIn(0, [look.returncode for look in looks], said)
        for member in members:
            member.ok("look")
        self.assertEqual(1, len(self.objects("/etcd/keys/")), said)

    def test_clocks(self):
        """What somebody did whose clock was ahead counts for nothing, else nothing would be due until then."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        cluster = f"{member.status()['header']['cluster_id']:x}"
        with open(__file__, encoding="utf-8") as something:
            self.restic("s3.json", "backup", "--time", "2099-01-01 00:00:00", "--tag", f"identity:of-the-first,cluster:{cluster}", "--stdin", "--stdin-filename", "etcd.db", stdin=something)
        with open(member.own + "/due-snapshot.json", "w", encoding="utf-8") as file:
            json.dump({"after": "another", "since": 4e9}, file)
        member.configure(schedule="*-*-* *:*:*", drill="weekly")
        self.assertIn("is complete", member.ok("look"))
        self.assertEqual("2", member.metrics()["quorum_backup_snapshots"])
        notes = json.loads(member.ctl("get", "quorum/backup", "--print-value-only"))
        member.ctl("put", "quorum/backup", json.dumps({**notes, "drill": {**notes["drill"], "time": 4_000_000_000}}))
        self.assertIn("drill: restores", member.ok("look"))

    def test_copy(self):
        """A cluster that was restored beside its source, and has its repository, gives way."""
        self.numbers = (1,)
        (source,) = self.found()
        source.configure(schedule="*-*-* *:*:*")
        source.ok("look")
        source.stop()
        copy = Member(self, 1, "copy")
        copy.configure(restore=self.wanted(), schedule="*-*-* *:*:*")
        self.start([copy])
        self.assertIn("is complete", copy.ok("look"), "the source may be lost: it goes on in its place")
        copy.stop()
        self.start([source])
        for _ in range(4):
            self.assertIn("is complete", source.ok("look"))
        self.assertEqual("4", source.metrics()["quorum_backup_snapshots"], "3 of its own are kept, and that of the copy")
        source.stop()
        self.start([copy])
        copy.fails("look", "which has this one's data, makes snapshots here too: set another backup.s3.prefix")

    def put(self, moment, *tags):
        """A snapshot of that time."""
        with open(__file__, encoding="utf-8") as something:
            self.restic("s3.json", "backup", "--time", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment)), "--tag", ",".join(tags), "--host", "etcd", "--stdin", "--stdin-filename", "etcd.db", stdin=something)

    def test_future_pushes_nothing_out(self):
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        cluster = f"{member.status()['header']['cluster_id']:x}"
        for n in range(3):  # as many as are kept
            self.put(4_000_000_000 + n, "identity:of-the-first", f"cluster:{cluster}")
        member.configure(schedule="*-*-* *:*:*")
        for n in range(5):
            member.ok("look")
            self.assertEqual(str(min(n + 2, 3)), member.metrics()["quorum_backup_snapshots"])

    def test_clock_of_the_lost_one(self):
        """One later snapshot of the cluster that this one was restored from: it may be lost all the same."""
        self.numbers = (1,)
        (lost,) = self.found()
        lost.ok("look")
        cluster = f"{lost.status()['header']['cluster_id']:x}"
        lost.stop()
        restored = Member(self, 1, "restored")
        restored.configure(restore=self.wanted(), schedule="*-*-* *:*:*")
        self.start([restored])
        restored.ok("look")
        self.put(time.time() + 100, "identity:of-the-first", f"cluster:{cluster}", "revision:9")
        self.assertIn("is complete", restored.ok("look"))
        self.put(time.time() + 110, "identity:of-the-first", f"cluster:{cluster}", "revision:9")
        restored.fails("look", "makes snapshots here too")

    def test_without_config(self):
        """restic would make another key, by which nobody can read what there is."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        (config,) = self.objects("/etcd/config$")
        os.rename(config, self.top + "/config")
        member.configure(schedule="*-*-* *:*:*")
        member.fails("look", "the repository is damaged: it has no config")
        self.assertEqual(1, len(self.objects("/etcd/keys/")))
        os.rename(self.top + "/config", config)
        member.ok("look")

    def test_without_keys(self):
        """restic says of it what it says of a wrong key."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        (key,) = self.objects("/etcd/keys/")
        os.rename(key, self.top + "/key")
        member.fails("look", "the repository is damaged: it has no keys")
        os.rename(self.top + "/key", key)
        member.ok("look")

    def test_init_is_refused(self):
        self.numbers = (1,)
        (member,) = self.found()
        os.makedirs(self.top + "/refusing")
        self.program("refusing/restic", "import os, sys\nif 'init' in sys.argv: sys.exit('Fatal: create key in repository failed: client.PutObject: Access Denied.')\nos.execv('/usr/bin/restic', sys.argv)")
        before = os.environ["PATH"]
        os.environ["PATH"] = self.top + "/refusing:" + before
        self.addCleanup(os.environ.update, PATH=before)
        member.fails("look", "restic init: Fatal: create key in repository failed: client.PutObject: Access Denied.")

    def test_emptied(self):
        """Nothing is verified where there is nothing."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        for path in self.objects("/etcd/snapshots/"):
            os.remove(path)
        member.configure(drill="weekly")
        os.remove(self.top + "/bin/etcdutl")  # so that it makes no other
        member.fails("look", "backups need etcd 3.5.10")
        self.assertNotIn("quorum_backup_verified_timestamp_seconds", member.metrics())


class Judged(unittest.TestCase):
    def test_unreachable(self):
        """An S3 that goes away while restic reads is no damage."""
        away = "Load(<data/5f>, 0, 0) returned error: dial tcp 192.0.2.1:9000: connect: connection refused\nFatal: repository contains errors\n"
        for text, damaged in ((away, False), ("pack 5f2c: ciphertext verification failed\nFatal: repository contains errors\n", True)):
            reason, again = restic.judge("check", text)
            self.assertEqual((not damaged, damaged), (again, "damaged" in reason), reason)

    def test_may_not_delete(self):
        """restic says where in its source that was, last of all."""
        text = ("Remove(<lock/4fc8b3d92f>) returned error, retrying after 15.394871241s: client.RemoveObject: Access Denied.\nAccess Denied.\nclient.RemoveObject\n"
                "github.com/restic/restic/internal/backend/s3.(*Backend).Remove\n\tgithub.com/restic/restic/internal/backend/s3/s3.go:426\nruntime.goexit\n\truntime/asm_amd64.s:1594\n")
        self.assertEqual(("restic unlock: Access Denied.", False), restic.judge("unlock", text))
        self.assertEqual(("restic unlock: something else", True), restic.judge("unlock", "something else\n" + text[text.index("github"):]))

    def test_file_gone(self):
        """restic tries ten times, for three quarters of a minute, and says so each time."""
        tried = "Load(<data/18>, 212, 0) returned error, retrying after 552.330144ms: The specified key does not exist.\n" * 10
        for verb, end, told in (("stats", "error walking snapshot: walking tree 9b: ReadFull(<data/18>): The specified key does not exist.\n", "lacks a file: error walking snapshot: "),
                                ("dump", 'loading tree for snapshot "latest" failed: ReadFull(<data/18>): The specified key does not exist.\n', "lacks a file: loading tree "),
                                ("check", "pack 18: does not exist\nerror for tree 9b:\n  ReadFull(<data/18>): The specified key does not exist.\nFatal: repository contains errors\n", "is damaged: pack 18: does not exist; error for tree 9b:;")):
            reason, again = restic.judge(verb, tried + end)
            self.assertFalse(again, reason)
            self.assertTrue(reason.startswith(f"restic {verb}: the repository {told}"), reason)
            self.assertNotIn("retrying", reason)
            self.assertTrue(reason.endswith("The specified key does not exist."), reason)
