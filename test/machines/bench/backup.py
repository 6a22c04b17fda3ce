"""Measures a backup of PostgreSQL beside what the disk does with the same bytes: prints seconds, in JSON.

  S3=DIRECTORY backup.py MIB
"""
import json
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../provider/postgres/backup"))
from world import World  # noqa: E402

ROWS_OF_A_MIB = 4000
LONG = 3600


class Measured(World):
    def runTest(self):
        self.start_postgres()
        self.sql("CREATE TABLE t (i int, text text)")
        for start in range(0, MIB, 32):
            self.sql(f"INSERT INTO t SELECT i, repeat(md5(i::text || random()::text), 7) FROM generate_series({start * ROWS_OF_A_MIB}, {(start + 32) * ROWS_OF_A_MIB - 1}) i")
        self.sql("CHECKPOINT")
        size = int(subprocess.check_output(["du", "-s", "-B1", self.data + "/base"], text=True).split()[0])
        took = {"mib": size >> 20, "read": self.seconds("cat", *self.files()), "write": self.seconds("sh", "-c", f"cp -r {self.data}/base {self.top}/copy && sync -f {self.top}")}
        self.looks("look")
        newest = json.loads(self.pgbackrest("info", "--output=json"))[0]["backup"][-1]
        took["backup"] = newest["timestamp"]["stop"] - newest["timestamp"]["start"]
        took["verify"] = self.spent - took["backup"]
        took["repository"] = newest["info"]["repository"]["delta"] >> 20
        self.looks("look", drill="*-*-* *:*:*")
        took["drill"] = self.spent
        print(json.dumps(took))

    def files(self):
        return [os.path.join(directory, name) for directory, _, names in os.walk(self.data + "/base") for name in names]

    def seconds(self, *command):
        """How long a command takes that finds nothing in memory."""
        subprocess.run(["sync"], check=True)
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3")
        begin = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return round(time.monotonic() - begin, 1)

    def looks(self, verb, **changes):
        begin = time.monotonic()
        with self.begin(verb, **changes) as process:
            said, _ = process.communicate(timeout=LONG)
        self.assertEqual(0, process.returncode, said)
        self.spent = round(time.monotonic() - begin, 1)

    def pgbackrest(self, *words):
        return self.does(["pgbackrest", "--config=" + self.conf, *words]).stdout


MIB = int(sys.argv[1])
result = unittest.TextTestRunner(stream=sys.stderr).run(Measured())
sys.exit(not result.wasSuccessful())
