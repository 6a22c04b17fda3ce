"""Snapshots, by whom and when; what fails, and what is said of it."""
import contextlib
import json
import os
import subprocess
import unittest

from world import real, s3, World


@real
class Looking(World):
    def test_one_makes_them(self):
        members = self.found()
        leader = next(m for m in members if m.status()["leader"] == m.status()["header"]["member_id"])
        first = min((m for m in members if m is not leader), key=lambda m: m.name)
        for member in members:
            if member is not first:
                self.assertNotIn("makes a snapshot", member.ok("look"))
                self.assertEqual("1", member.metrics()["quorum_backup_overdue"])
        self.assertIn("makes a snapshot", first.ok("look"))
        self.assertNotIn("makes a snapshot", first.ok("look"), "it is not due again")
        for member in members:
            member.ok("look")
            told = member.metrics()
            self.assertEqual("0", told["quorum_backup_overdue"])
            for name in ("verified_timestamp_seconds", "restorable_from_timestamp_seconds", 'last_success_timestamp_seconds{type="any"}'):
                self.assertIn("quorum_backup_" + name, told)
            self.assertIn('quorum_backup_info{repository="here"}', told)
        self.stop([first])
        other = next(m for m in members if m not in (first, leader))
        other.configure(schedule="*-*-* *:*:*")
        self.assertNotIn("makes a snapshot", other.ok("look"), "it is the first one's turn")
        with open(other.own + "/due-snapshot.json", encoding="utf-8") as file:
            due = json.load(file)
        with open(other.own + "/due-snapshot.json", "w", encoding="utf-8") as file:
            json.dump({**due, "since": due["since"] - 601}, file)
        self.assertIn("makes a snapshot", other.ok("look"), "the first one is away")

    def test_retention_and_drill(self):
        member, *_ = members = self.found()
        for other in members:
            other.configure(schedule="*-*-* *:*:*", drill="weekly")
        maker = next(m for m in members if "makes a snapshot" in m.ok("look"))
        for n in range(4):
            member.ctl("put", f"k{n}", "v")
            maker.ok("look")
        told = maker.metrics()
        self.assertEqual("3", told["quorum_backup_snapshots"])
        self.assertIn("quorum_backup_drill_last_success_timestamp_seconds", told)
        self.assertFalse(os.path.exists(maker.own + "/work"))
        self.damage(member)
        with open(maker.own + "/due-drill.json", "w", encoding="utf-8") as file:
            json.dump({}, file)
        maker.ctl("put", "quorum/backup", "{}")
        maker.configure(drill="weekly")
        maker.fails("look", "the repository is damaged")
        self.assertNotIn("quorum_backup_verified_timestamp_seconds", maker.metrics())
        self.assertIn("damaged", maker.fails("look"))

    def damage(self, _):
        """Flips a byte in each pack."""
        for path in self.objects("/etcd/data/"):
            with open(path, "r+b") as file:
                byte = file.read(1)
                file.seek(0)
                file.write(bytes([byte[0] ^ 1]))

    def test_what_fails(self):
        self.numbers = (1,)
        (member,) = self.found()
        for what, words, again in (({"url": f"s3:https://localhost:{self.port}/no-such-bucket/x"}, "bucket", "false"),
                                   ({"secretKey": "another"}, "restic", "false"), ({"accessKey": "another"}, "access key", "false"),
                                   ({"caFile": s3.PKI + "/other.crt"}, "certificate", "true"), ({"url": "s3:https://localhost:1/backups/x"}, "refused", "true")):
            member.configure(repository=self.repository("bad.json", **what))
            member.fails("look", "backup: ", words)
            self.assertRegex("".join(member.metrics()), f'of="backup",.*again="{again}"')
        member.configure()
        member.ok("look")
        member.configure(repository=self.repository("bad.json", key="another-key-of-backups"), schedule="*-*-* *:*:*")
        member.fails("look", "written with another encryptionKey")
        member.configure()
        self.stop_s3()
        member.fails("look", "backup: ")
        self.assertIn("quorum_backup_verified_timestamp_seconds", member.metrics(), "gates are told of what is there while S3 is away")
        self.start_s3()
        member.stop()
        member.fails("look", "etcdctl")
        self.assertIn('quorum_backup_last_success_timestamp_seconds{type="any"}', member.metrics(), "what is there is told all the same")

    def test_s3_that_refuses_in_the_middle(self):
        """A drill begins as each verification. What it does not let be read is not damaged, and is read as soon as it lets."""
        self.numbers = (1,)
        (member,) = self.found()
        member.ok("look")
        s3 = self.refuse("/etcd/data/")
        member.configure(repository=self.repository("refusing.json", url=f"s3:https://localhost:{s3.server_port}/backups/etcd"), drill="weekly")
        said = member.fails("look", "drill: restic check: ", "Access Denied")
        self.assertNotIn("quorum-backup: backup", said)
        self.assertNotIn("damaged", said)
        self.assertFalse(os.path.exists(member.own + "/damaged.json"))
        self.assertIn("quorum_backup_verified_timestamp_seconds", member.metrics())
        os.remove(member.own + "/drill.json")  # an hour later
        member.configure(drill="weekly")
        self.assertIn("is good", member.ok("look"))

    def test_full(self):
        """An etcd that takes no more writes has a snapshot made: it may be the last before somebody deletes."""
        self.numbers = (1,)
        (member,) = self.found(**{"quota-backend-bytes": 2 << 20})
        member.ok("look")
        for n in range(40):
            member.ctl("put", f"k{n}", "v" * 100_000, check=False)
        self.assertIn("NOSPACE", str(member.status().get("errors")))
        member.configure(schedule="*-*-* *:*:*")
        self.assertIn("is complete", member.ok("look"))

    def test_of_another_cluster(self):
        self.numbers = (1,)
        (first,) = self.found()
        first.ok("look")
        first.stop()
        (second,) = self.found("other", "of-the-second")
        second.configure(schedule="*-*-* *:*:*")
        second.fails("look", "snapshots of another cluster")
        second.ctl("del", "quorum/identity")
        second.fails("look", "no identity yet")

    def test_without_room_or_programs(self):
        self.numbers = (1,)
        (member,) = self.found()
        os.remove(self.top + "/bin/etcdutl")
        member.fails("look", "backups need etcd 3.5.10 or later")
        with open(self.top + "/bin/etcdutl", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nkill -KILL $$\n")
        os.chmod(self.top + "/bin/etcdutl", 0o755)
        member.fails("look", "etcdutl snapshot status: ended by signal 9")  # where memory runs out
        with open(member.own + "/metrics.prom", encoding="utf-8") as file:
            self.assertIn('again="true"', file.read())


    @unittest.skipIf(os.geteuid(), "only root can mount a small volume")
    def test_full_disk(self):
        """It says so, and is itself again once there is room."""
        self.numbers = (1,)
        (member,) = self.found()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", member.own], check=True)
        self.addCleanup(subprocess.run, ["umount", member.own], check=True)
        with open(member.own + "/filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(4096)):
                pass
        said = member.fails("look", "No space left on device")
        self.assertNotIn("Traceback", said)
        os.remove(member.own + "/filler")
        self.assertIn("is complete", member.ok("look"))

    def test_only_a_restore(self):
        """Without backups there is nothing to look after; restic has no repository to run with."""
        self.numbers = (1,)
        (member,) = self.found()
        member.configure(repository=None)
        member.ok("look")
        member.fails("restic", "this cluster has no backup")


@real
class Kept(World):
    """Killed: the next look goes on."""

    numbers = (1,)

    def test_killed(self):
        (member,) = self.found()
        for n in range(200):
            member.ctl("put", f"key-{n}", "v" * 4000)
        for delay in (0.3, 1.2, 2.5):
            process = member.begin("look")
            try:
                process.wait(delay)
            except Exception:  # it goes on
                process.kill()
                os.killpg(process.pid, 9)
            process.stdout.close()
            process.wait()
        member.ok("look")
        self.assertIn("quorum_backup_verified_timestamp_seconds", member.metrics())


