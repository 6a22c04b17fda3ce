"""Backups and drills by a clock that was ahead: they count for nothing, else nothing would be due, or overdue, until then."""
import json
import os
import time
import unittest

from world import needed, World

ALWAYS = "*-*-* *:*:*"

# What pgBackRest tells of the backups whose labels begin with AHEAD, as one would that was made a year from now.
LATER = """#!/usr/bin/python3
import json, os, subprocess, sys
done = subprocess.run(["/usr/bin/pgbackrest", *sys.argv[1:]], stdout=subprocess.PIPE)
if "info" in sys.argv:
    told = json.loads(done.stdout)
    for backup in told[0]["backup"] if told else ():
        if backup["label"] in os.environ["AHEAD"].split():
            backup["timestamp"] = {name: at + 365 * 86400 for name, at in backup["timestamp"].items()}
    done.stdout = json.dumps(told).encode()
sys.stdout.buffer.write(done.stdout)
sys.exit(done.returncode)
"""


@unittest.skipIf(needed(), needed())
class Clocks(World):
    def setUp(self):
        super().setUp()
        self.backed_up()

    def ahead(self, *labels):
        self.replace_pgbackrest(LATER)
        self.environment["AHEAD"] = " ".join(labels)

    def labels(self):
        return sorted({os.path.basename(os.path.dirname(path)) for path in self.objects(r"/\d{8}-[^/]*/backup.manifest$")})

    def test_backup_of_a_year_from_now(self):
        first, = self.labels()
        time.sleep(1.1)
        self.ok("look", full=ALWAYS)
        self.ahead(self.labels()[1])
        self.assertEqual("", self.ok("look"), "the one before is not due to be followed")
        self.assertEqual("0", self.metrics()["quorum_backup_overdue"])
        time.sleep(1.1)
        self.assertIn("makes a differential backup", self.ok("look", differential=ALWAYS))
        self.assertLess(int(self.metrics()['quorum_backup_last_success_timestamp_seconds{type="any"}']), time.time() + 60)
        self.ahead(*self.labels())
        time.sleep(1.1)
        self.assertIn("makes a full backup", self.ok("look"), "none counts")
        self.assertIn(first, self.labels())

    def test_pgbackrest_refuses(self):
        """It wants each label to be later than all before. Nothing hides that backups are not made."""
        path = os.path.dirname(self.objects("/backup.history/.*manifest.gz$")[0])
        history = os.path.join(os.path.dirname(path), "2099")
        os.mkdir(history)
        with open(history + "/20990101-000000F.manifest.gz", "w", encoding="utf-8"):
            pass
        time.sleep(1.1)
        self.fails("look", "backup: pgbackrest backup: new backup label '", "' is not later than latest backup label '20990101-000000F'", full=ALWAYS)
        self.assertEqual(1, len(self.labels()))

    def test_drill_of_a_year_from_now(self):
        self.does(["pgbackrest", "--config=" + self.conf, "--stanza=main", "annotate", "--set=" + self.labels()[0],
                   "--annotation=quorum-drill=" + json.dumps({"time": int(time.time()) + 365 * 86400, "seconds": 1, "to": None})])
        self.assertIn("is good", self.ok("look", drill="weekly"))
        self.assertEqual("", self.ok("look", drill="weekly"), "the next one is due in a week")
        self.assertAlmostEqual(time.time(), int(self.metrics()["quorum_backup_drill_last_success_timestamp_seconds"]), delta=100)


if __name__ == "__main__":
    unittest.main()
