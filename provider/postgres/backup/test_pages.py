"""Backups of data that have wrong pages, or of which files are damaged in the repository: a good one stays."""
import json
import os
import time
import unittest

from world import BIN, needed, World

LATER = 1.1  # seconds until a schedule of each second asks again


@unittest.skipIf(needed(), needed())
class Pages(World):
    def setUp(self):
        super().setUp()
        self.backed_up()
        self.configure("pgbackrest.conf", **{"repo1-retention-full": "1"})
        self.good = self.labels()[0]

    def labels(self):
        told = json.loads(self.pgbackrest("info", "--output=json").stdout)
        return [(backup["label"], backup["error"]) for backup in told[0]["backup"]]

    def pgbackrest(self, *words):
        return self.does(["pgbackrest", f"--config={self.conf}", "--stanza=main", *words])

    def age(self, seconds):
        """Has the program live so much later."""
        path = self.top + "/program/quorum_backup/making.py"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("DAY = 24 * 3600", text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("DAY = 24 * 3600", f"DAY = {24 * 3600 - seconds}"))

    def break_page(self):
        self.sql("CREATE TABLE broken AS SELECT generate_series(1, 10000) i; CHECKPOINT")
        self.flip(self.data + "/" + self.sql("SELECT pg_relation_filepath('broken')"), 8192 * 3 + 4000)

    def flip(self, path, at):
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop"])
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(b"quorum")
        self.start_postgres()

    def test_wrong_page(self):
        self.break_page()
        time.sleep(LATER)
        reason = "the data has pages whose checksum is wrong: "
        for _ in range(3):
            self.fails("look", reason + "base/", full="*-*-* *:*:*")
            self.assertEqual([self.good, (self.labels()[-1][0], True)], self.labels(), "one is enough for a day")
        self.assertIn(f'quorum_backup_failure{{of="backup",reason="{reason}', str(self.metrics()))
        self.assertNotIn("quorum_backup_running", self.metrics())
        spoiled = self.labels()[-1]
        self.age(24 * 3600)
        self.assertIn("makes a full backup", self.run_program("look")[1])
        self.assertEqual([self.good, spoiled], self.labels()[:2])
        self.run_program("look")
        self.assertNotIn(spoiled, self.labels(), "of those with wrong pages, the newest is enough")
        self.assertEqual(self.good, self.labels()[0])
        self.sql("DROP TABLE broken; CHECKPOINT")
        self.assertIn("is complete", self.ok("look"))
        self.ok("look")
        self.assertEqual([False], [error for _, error in self.labels()], "now the older ones may go")
        self.assertNotIn(self.good, self.labels())

    def test_first_backup_has_a_wrong_page(self):
        self.break_page()
        conf = self.configure("second-pgbackrest.conf", **{"repo1-path": "/second"})
        self.sql(f"ALTER SYSTEM SET archive_command = '{self.top}/quorum-wal push {conf} main {self.own} \"%p\"'")
        self.sql("SELECT pg_reload_conf()")
        for _ in range(2):
            self.fails("look", "the data has pages whose checksum is wrong: ", conf=conf)
            self.assertEqual("1", self.metrics()["quorum_backup_overdue"])
            self.assertNotIn("quorum_backup_running", self.metrics())
        self.assertEqual(1, len(self.objects("/second/.*F/backup.manifest$")))

    def test_damaged_backup_does_not_take_the_place_of_a_good_one(self):
        time.sleep(LATER)
        self.pgbackrest("--type=full", "--no-expire-auto", "--log-level-console=warn", "backup")
        damaged = self.labels()[-1]
        path = next(path for path in self.objects("/bundle/1$") if damaged[0] in path)
        self.flip(path, os.path.getsize(path) // 2)
        self.fails("look", "the repository is damaged")
        time.sleep(LATER)
        self.fails("look", "the repository is damaged", full="*-*-* *:*:*")
        self.fails("look", "the repository is damaged")
        self.assertEqual([self.good, damaged], self.labels()[:2])
        self.pgbackrest("--repo1-retention-full=9999999", f"--set={damaged[0]}", "expire")  # as docs/backup.md says
        os.remove(self.own + "/damaged.json")  # as after a day
        self.assertIn("as they were written", self.ok("look"))
        self.ok("look")
        self.assertEqual(1, len(self.labels()))

    def test_what_nobody_thought_of(self):
        """A look tells of it, too."""
        self.patroni["node"] = None
        self.fails("look", "backup: AttributeError: ")
        self.assertIn('quorum_backup_failure{of="backup",reason="AttributeError: ', str(self.metrics()))


if __name__ == "__main__":
    unittest.main()
