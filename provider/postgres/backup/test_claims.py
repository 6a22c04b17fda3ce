"""Clusters that are restored at the same time, to archive into the same place."""
import os
import signal
import unittest

from world import needed, World

REFUSED = "backup.stanza restored is claimed by another cluster that is restored, in claims/restored: "


@unittest.skipIf(needed(), needed())
class Claims(World):
    def setUp(self):
        super().setUp()
        self.backed_up()
        self.sql("INSERT INTO t VALUES (1)")
        self.archived()
        self.stop_postgres()

    def cluster(self, name):
        """What one has, of which each has its own, but for the stanza. As on a machine, `look` finds Patroni of its own node."""
        own = f"{self.volume}/own-{name}"
        self.does(["mkdir", "-p", own])
        data = f"{self.volume}/{name}"
        return {"cluster": name, "file": name + ".json", "dataDir": data, "directory": own, "stanza": "restored", "conf": self.own_conf(name, data, own),
                "restore": {"conf": self.configure(name + "-restore.conf", data), "stanza": "main", "type": "default", "target": ""}}

    def own_conf(self, name, data, own):
        with open(self.configure(name + "-pgbackrest.conf", data, **{"spool-path": own + "/spool", "lock-path": own + "/lock"}), encoding="utf-8") as file:
            return self.write(name + "-pgbackrest.conf", file.read().replace("[main]", "[restored]"))

    def serve(self, one):
        """PostgreSQL of a cluster that was founded, which archives as Patroni has it do."""
        archive = f"{self.top}/quorum-wal push {one['conf']} restored {one['directory']} \"%p\""
        with open(one["dataDir"] + "/postgresql.auto.conf", "a", encoding="utf-8") as file:
            file.write(f"archive_command='{archive}'\nunix_socket_directories='{self.volume}'\n")
        self.start_postgres(one["dataDir"])

    def claimed(self):
        return [os.path.basename(path) for path in self.objects("/claims/")]

    def have(self, verb, name):
        """Another cluster claim the stanza, or take that back."""
        self.does(["pgbackrest", "--config=" + self.conf, "--stanza=restored", verb, *["--raw"] * (verb == "repo-put"), "claims/restored/" + name])

    def test_at_once(self):
        """One goes on, whichever; the other one never writes."""
        both = [self.cluster(name) for name in ("a", "b")]
        begun = [self.begin("found", **one) for one in both]
        self.wait(lambda: any(process.poll() is not None for process in begun), "one ends")
        self.wait(lambda: 0 in [process.poll() for process in begun], "one goes on")
        won = [process.poll() for process in begun].index(0)
        self.serve(both[won])
        self.ok("look", **both[won])
        self.archived()
        said, _ = begun[1 - won].communicate(timeout=60)
        begun[won].communicate()
        self.assertEqual(1, begun[1 - won].returncode, said)
        self.assertIn("backup.stanza restored ", said)
        self.assertFalse(os.path.exists(both[1 - won]["dataDir"] + "/quorum-restored"))
        self.assertEqual([both[won]["cluster"]], self.claimed())
        self.fails("found", "backup.stanza restored has backups or WAL already", **both[1 - won])

    def test_one_after_the_other(self):
        """The first one has its data, and no WAL in the archive yet."""
        self.ok("found", **self.cluster("b"))
        for name in ("a", "c"):
            self.fails("found", REFUSED, **self.cluster(name))
            self.fails("refused", REFUSED, **self.cluster(name))
        self.assertEqual(["b"], self.claimed())
        self.ok("found", **self.cluster("b"))  # another node of the cluster, where the first one failed

    def test_both_have_claimed(self):
        """Neither knows whether the other one has gone on: both take their claims back, and the first one by name tries again."""
        self.have("repo-put", "c")
        self.have("repo-put", "b")
        with self.begin("found", **self.cluster("b"), again=5) as process:
            self.wait(lambda: self.claimed() == ["c"], "it takes its claim back")
            self.have("repo-rm", "c")
            said, _ = process.communicate(timeout=60)
        self.assertEqual(0, process.returncode, said)
        self.assertIn(REFUSED + "a restored cluster needs a stanza of its own; tries again", said)
        self.have("repo-put", "c")
        self.fails("found", REFUSED, **self.cluster("c"))
        self.assertEqual(["b"], self.claimed())

    def test_killed_when_it_has_claimed(self):
        """Before it sees whether the claim is its own: nobody else takes the stanza, and its next attempt does."""
        self.replace_pgbackrest('#!/bin/sh\n/usr/bin/pgbackrest "$@" || exit\ncase "$*" in *repo-put*claims/*) exec sleep 600;; esac\n')
        one = self.cluster("b")
        with self.begin("found", **one) as process:
            self.wait(lambda: self.claimed() == ["b"] or process.poll() is not None, "its claim, or the end")
            os.killpg(process.pid, signal.SIGKILL)
        self.assertFalse(os.path.exists(one["dataDir"]), "it had not begun to restore")
        self.replace_pgbackrest('#!/bin/sh\nexec /usr/bin/pgbackrest "$@"\n')
        for name in ("a", "c"):
            self.fails("found", REFUSED, **self.cluster(name))
        self.ok("found", **one)
        self.assertEqual(["b"], self.claimed())
        self.serve(one)
        self.ok("look", **one)

    def test_others_since(self):
        """A cluster that was restored by an earlier release claims nothing, and a restore takes hours."""
        one = self.cluster("a")
        with self.begin("found", **one) as process:
            self.wait(lambda: os.path.exists(one["directory"] + "/restoring.json"), "it restores")
            late = {**self.config(), "stanza": "restored", "conf": self.own_conf("late", self.data, self.own)}
            self.serve(late)
            self.ok("look", **late)
            said, _ = process.communicate(timeout=60)
        self.assertEqual(1, process.returncode, said)
        self.assertIn("backup.stanza restored has backups or WAL already", said)


if __name__ == "__main__":
    unittest.main()
