"""Clusters that are founded from snapshots."""
import datetime
import json
import os
import shutil
import subprocess
import time
import unittest

from world import Member, real, s3, World

LOCKS = ("/service/main/leader", "/service/main/sync", "/service/main/failover")


@real
class Founding(World):
    def backed_up(self):
        """A cluster with the keys of a Patroni and its own, all in a snapshot, which is lost."""
        members = self.found()
        for key in (*LOCKS, "/service/main/initialize", "/service/main/config", "/app/leader", "a", "b"):
            members[0].ctl("put", key, "before")
        for member in members:
            member.ok("look")
        revision = members[0].status()["header"]["revision"]
        members[0].ctl("put", "after", "the snapshot")
        self.lose(members)
        return revision

    def lose(self, members):
        self.stop(members)
        for member in members:
            shutil.rmtree(member.dir)

    def restored(self, cluster="restored", **wanted):
        members = [Member(self, n, cluster) for n in self.numbers]
        for member in members:
            member.configure(restore=self.wanted(**wanted))
        return members

    def listed(self, member):
        return member.ctl("get", "", "--prefix", "--keys-only").split()

    def test_all_members(self):
        revision = self.backed_up()
        members = self.restored()
        self.start(members)
        keys = self.listed(members[0])
        for key in ("/service/main/initialize", "/service/main/config", "/app/leader", "a", "b", "quorum/identity"):
            self.assertIn(key, keys)
        for key in (*LOCKS, "after"):
            self.assertNotIn(key, keys)
        status = members[0].status()
        self.assertGreater(status["header"]["revision"], revision + 10 ** 9)
        self.assertGreater(status["raftIndex"], 10 ** 9)
        members[0].ctl("put", "later", "value")
        self.wait(lambda: len({m.hash() for m in members}) == 1, "the members have the same data")
        self.assertFalse(os.path.exists(members[0].own + "/restore"))
        # It goes on to back up, in the same place, although no snapshot is due by the schedule.
        self.assertEqual(1, sum("is complete" in member.ok("look") for member in members))
        # Restarted, and with `restore` gone, it is what it was.
        self.stop(members)
        for member in members:
            member.configure()
        self.start(members)
        self.assertIn("later", self.listed(members[1]))
        # One loses its data: it is not founded again beside the others.
        lost = members[2]
        lost.stop()
        shutil.rmtree(lost.dir + "/data/member")
        lost.configure(restore=self.wanted())
        lost.start()
        self.wait(lambda: "had data: it must be removed" in lost.log(), "it waits to be added")

    def test_leases(self):
        """Those that end while data are made, at another moment on each member, are no reason for other data."""
        members = self.found()
        for ttl, keys in ((15, ("/service/main/leader", "/service/main/members/a")), (16, ("/sessions/a",)), (7200, ("/long",))):
            lease = members[0].ctl("lease", "grant", str(ttl)).split()[1]
            for key in keys:
                members[0].ctl("put", "--lease=" + lease, key, "v")
        for key in ("/service/main/initialize", "/service/main/config", "/service/main/sync"):
            members[0].ctl("put", key, "v")
        for member in members:
            member.ok("look")
        self.lose(members)
        again = self.restored()
        for member, before in zip(again, (None, "lease list", "snapshot save")):
            if before:  # as on a machine that stands still
                self.slow(member, before, 20)
        self.start(again)
        again[0].ctl("put", "new", "v")
        self.wait(lambda: len({m.hash() for m in again}) == 1, "the members have the same data")
        revisions = {json.loads(m.ctl("get", "new", "--consistency=s", "-w", "json"))["kvs"][0]["mod_revision"] for m in again}
        self.assertEqual(1, len(revisions), revisions)
        for member in again:
            self.assertEqual(["/long", "/service/main/config", "/service/main/initialize"], sorted(key for key in self.listed(member) if key.startswith("/")))

    def slow(self, member, command, seconds):
        """Has etcdctl of one member wait before a command."""
        own = f"{self.top}/bin-{member.n}"
        shutil.copytree(self.top + "/bin", own, symlinks=True)
        os.remove(own + "/etcdctl")
        with open(own + "/etcdctl", "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\ncase "$1 $2" in "{command}") sleep {seconds} ;; esac\nexec {self.top}/bin/etcdctl "$@"\n')
        os.chmod(own + "/etcdctl", 0o755)
        member.configure(restore=member.config["restore"], etcd=own)

    def test_killed_between(self):
        """One that was killed before it had its data gets them from the others, which run by then."""
        self.backed_up()
        members = self.restored()
        late = members[2]
        self.program("fails", f"import os, sys\nif sys.argv[1] == 'found': sys.exit(1)\nos.execv('{late.program}', ['x', *sys.argv[1:]])")
        program, late.program = late.program, self.top + "/fails"
        for member in members:
            member.start()
        for member in members[:2]:
            self.serves(member)
        self.wait(lambda: late.process.poll() is not None, "it was cut off")
        self.assertFalse(os.path.exists(late.dir + "/data/member"))
        late.stop()
        late.program = program
        self.start([late])
        self.assertTrue("etcd-join: joins the cluster" in late.log())
        self.wait(lambda: len({m.hash() for m in members}) == 1, "the members have the same data")

    def test_changed_between(self):
        """One has founded from a snapshot, alone, when all are told to restore another one: the others neither do, nor take its data for what was asked."""
        members = self.found()
        for member in members:
            member.configure(schedule="*-*-* *:*:*")
        for n in range(2):
            members[0].ctl("put", f"made-{n}", "v")
            self.assertTrue(any("is complete" in member.ok("look") for member in members))
            time.sleep(1.1)
        first, second = (snapshot for snapshot, _ in self.ids(members[0]))
        self.lose(members)
        members = self.restored(snapshot=first)
        late, program = members[1:], members[0].program
        self.program("fails", f"import os, sys\nif sys.argv[1] == 'found': sys.exit(1)\nos.execv('{program}', ['x', *sys.argv[1:]])")
        for member in late:
            member.program = self.top + "/fails"
        for member in members:
            member.start()
        self.wait(lambda: all(member.process.poll() is not None for member in late), "they are cut off")
        self.wait(lambda: "is starting a new election" in members[0].log(), "the first one runs")
        for member in members:
            member.configure(restore=self.wanted(snapshot=second))
        for member in late:
            member.stop()
            member.program = program
            member.start()
        for member in late:
            self.wait(lambda member=member: "etcd-join: joins" in member.log() or "was founded from another snapshot" in member.log(), "it decides")
            self.assertIn("and 127.0.0.1 was founded from another snapshot than restore names now: to keep that one, give it again, or take restore out; ", member.log())
            self.assertFalse(os.path.exists(member.dir + "/data/member"))
        # As the text says: the data of the first one are moved away, and all restore the second.
        members[0].stop()
        os.rename(members[0].dir + "/data/member", members[0].dir + "/member.first")
        self.start(members[:1])
        for member in late:
            self.serves(member)
        self.wait(lambda: len({m.hash() for m in members}) == 1, "the members have the same data")
        self.assertEqual(["made-0", "made-1"], [key for key in self.listed(members[2]) if key.startswith("made-")])

    def test_chosen(self):
        self.numbers = (1,)
        (member,) = self.found()
        member.configure(schedule="*-*-* *:*:*")
        member.ok("look")
        time.sleep(1.1)
        member.ctl("put", "second", "v")
        member.ok("look")
        first, last = self.ids(member)
        between = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(first[1]))
        self.lose([member])
        for wanted, has in (({"snapshot": first[0][:10]}, False), ({"until": between}, False), ({}, True), ({"snapshot": last[0]}, True)):
            (again,) = self.restored(f"again-{has}-{len(wanted)}-{len(str(wanted))}", **wanted)
            self.start([again])
            self.assertEqual(has, "second" in self.listed(again), wanted)
            self.lose([again])

    def test_pruned_between(self):
        """One member has made its data of a snapshot that is removed before the others do."""
        members = self.found()
        for n in range(2):
            for member in members:
                member.configure(schedule="*-*-* *:*:*")
            self.assertTrue(any("is complete" in member.ok("look") for member in members))
            time.sleep(1.1)
        self.lose(members)
        again = self.restored()
        _, newest = self.ids(again[0])
        again[0].ok("prepare")
        self.restic("s3.json", "forget", newest[0])
        self.start(again)
        self.wait(lambda: len({m.hash() for m in again}) == 1, "the members have the same data")

    def ids(self, member):
        told = self.restic(member.config["repository"], "snapshots", "--json")
        return [(s["id"], datetime.datetime.fromisoformat(s["time"][:19] + "+00:00").timestamp()) for s in json.loads(told)]

    def test_from_elsewhere(self):
        """A snapshot that etcdctl has written, and restic been handed."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ctl("put", "a", "v")
        member.ctl("snapshot", "save", self.top + "/snapshot.db")
        self.lose([member])
        self.repository("old.json", url=f"s3:https://localhost:{self.port}/{s3.BUCKET}/old")
        self.restic("old.json", "init")
        with open(self.top + "/snapshot.db", "rb") as file:
            self.restic("old.json", "backup", "--stdin", "--stdin-filename", "etcd.db", stdin=file)
        (again,) = self.restored(repository=self.top + "/old.json")
        self.start([again])
        self.assertIn("a", self.listed(again))

    def test_what_fails(self):
        self.numbers = (1,)
        (fresh,) = self.restored("nothing-there")
        fresh.fails("prepare", "there is no snapshot in restore.s3")
        (member,) = self.found()
        member.ok("look")
        self.lose([member])
        (again,) = self.restored()
        for wanted, words in (({"snapshot": "0123456789"}, "is none of the 1 snapshots"), ({"until": "2020-01-01T00:00:00Z"}, "the first snapshot is of"),
                              ({"repository": self.repository("bad.json", key="another-key-of-backups")}, "another encryptionKey"),
                              ({"repository": self.repository("away.json", url="s3:https://localhost:1/backups/x")}, "refused")):
            again.configure(restore=self.wanted(**wanted))
            again.fails("prepare", words)
            self.assertIn('of="restore"', "".join(again.metrics("restore")))
        # etcd-join waits, and takes up what is mended.
        again.start()
        self.wait(lambda: "cannot be restored yet" in again.log(), "etcd waits")
        again.configure(restore=self.wanted())
        self.serves(again)
        self.assertEqual({}, again.metrics("restore"))
        # A snapshot that is broken.
        self.lose([again])
        for path in self.objects("/etcd/data/"):
            with open(path, "r+b") as file:
                file.seek(100)
                byte = file.read(1)
                file.seek(100)
                file.write(bytes([byte[0] ^ 1]))
        (broken,) = self.restored("broken")
        broken.fails("prepare", "restore:")
        self.assertFalse(os.path.exists(broken.dir + "/data/member"))

    @unittest.skipIf(os.geteuid(), "only root can mount a small volume")
    def test_without_room(self):
        """It says so before it takes anything out of the repository."""
        self.numbers = (1,)
        (member,) = self.found()
        for n in range(30):
            member.ctl("put", f"key-{n}", os.urandom(60_000).hex())
        member.ok("look")
        self.lose([member])
        (again,) = self.restored()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", again.own], check=True)
        self.addCleanup(subprocess.run, ["umount", again.own], check=True)
        again.fails("prepare", "restore: this needs", "has 8 MiB free")
        self.assertEqual([], os.listdir(again.own + "/restore"))
        subprocess.run(["mount", "-o", "remount,size=500m", again.own], check=True)
        again.ok("prepare")

    def test_killed(self):
        self.numbers = (1,)
        (member,) = self.found()
        for n in range(100):
            member.ctl("put", f"key-{n}", "v" * 4000)
        member.ok("look")
        self.lose([member])
        (again,) = self.restored()
        for delay in (0.4, 1, 2, 3):
            again.start()
            time.sleep(delay)
            again.stop()
        self.start([again])
        self.assertEqual("v" * 4000, again.ctl("get", "key-99", "--print-value-only").strip())
