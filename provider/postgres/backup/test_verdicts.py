"""What is final, and what is not: by pgBackRest's own numbers, and by what programs end with."""
import os
import re
import subprocess
import unittest

import test_founding
from world import AS_POSTGRES, BIN, needed, VERSION, World


@unittest.skipIf(needed(), needed())
class Verdicts(World):
    restore = test_founding.Founding.restore

    def setUp(self):
        super().setUp()
        self.backed_up()
        self.new = self.volume + "/new"
        self.source = self.configure("restore.conf", data=self.new)

    def ends(self, *words, conf=None):
        """pgBackRest's exit status."""
        done = subprocess.run(["pgbackrest", f"--config={conf or self.conf}", "--stanza=main", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", env=self.environment, cwd="/", timeout=60, check=False, **AS_POSTGRES)
        return done.returncode, done.stdout

    def test_numbers(self):
        """Each as pgBackRest of this machine has it."""
        from quorum_backup.repository import LASTING  # what machines are handed

        def is_told(number, *words, conf=None):
            status, said = self.ends(*words, conf=conf)
            self.assertEqual(number, status, said)
            self.assertIn(f"ERROR: [{number:03}]", said)
            self.assertIn(f"{number:03}", LASTING)
        is_told(31, "--no-such=1", "info")
        is_told(32, "--type=wrong", "restore")
        is_told(48, "nonsense")
        address = self.configure("address.conf", **{"repo1-s3-endpoint": "127.0.0.1"})
        is_told(95, "stanza-create", conf=address)
        wrong = self.configure("wrong.conf", **{"repo1-cipher-pass": "another"})
        is_told(29, "stanza-create", conf=wrong)
        for name, conf in {"CryptoError": address, "FormatError": wrong}.items():
            self.assertIn(f"[{name}]", self.ends("info", "--output=json", conf=conf)[1])
            self.assertIn(name, LASTING)
        self.does([BIN + "/initdb", "-k", "-A", "trust", "-D", self.volume + "/another"])
        another = self.configure("another.conf", data=self.volume + "/another")
        is_told(28, "--no-online", "stanza-create", conf=another)
        is_told(51, "--no-online", "backup", conf=another)
        restore = ["--delta", f"--pg1-path={self.new}", "restore"]
        path = self.objects("/bundle/1$")[0]
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            file.write(b"quorum")
        status, said = self.ends(*restore)
        self.assertIn(f"{status:03}", LASTING, said)  # which of them depends on what the bytes were
        self.gone("/20[^/]*F/backup.manifest")
        is_told(55, *restore)
        self.gone("/archive.info")
        self.assertIn("[FileMissingError]", self.ends("info", "--output=json")[1])
        self.assertIn("FileMissingError", LASTING)
        self.gone("/backup.info")
        is_told(40, "stanza-create")

    def gone(self, pattern):
        """Takes objects away, and returns what brings them back."""
        paths = self.objects(pattern)
        for path in paths:
            os.rename(path, path.replace("/backups/", "/").replace("/", "-").replace("-", self.top + "/gone-", 1))
        return lambda: [os.rename(path.replace("/backups/", "/").replace("/", "-").replace("-", self.top + "/gone-", 1), path) for path in paths]

    def test_certificate(self):
        """S3 may be given another one."""
        self.fails("look", "backup: pgbackrest info: unable to find hostname '127.0.0.1' in certificate", conf=self.configure("address.conf", **{"repo1-s3-endpoint": "127.0.0.1"}))
        self.assertRegex(str(self.metrics()), 'of="backup",.*again="true"')

    def test_one_info_gone(self):
        """With its copy, of one or of both. Nothing is made beside what is left, and all is well when they are back."""
        for pattern, name in ("/backup.info", "backup.info"), ("/archive.info", "archive.info"), (r"/(backup|archive)\.info", "backup.info"):
            bring_back = self.gone(pattern)
            for _ in range(2):
                self.fails("look", f"backup: the repository is damaged: it has no {name}\n", full="*-*-* *:*:*")
            self.assertIn(f'quorum_backup_failure{{of="backup",reason="the repository is damaged: it has no {name}",again="false"}}', self.metrics())
            self.fails("found", f"restore: the repository is damaged: it has no {name}\n", **self.restore())
            self.fails("found", f"restore: backup.s3: the repository is damaged: it has no {name}\n", **{**self.restore(), "stanza": "main"})
            bring_back()
            self.ok("look")
        copies = self.gone(r"/(backup|archive)\.info$")
        self.ok("look")
        copies()

    def replace(self, name, script):
        """Has a program of PostgreSQL be a script."""
        installed = f"{self.top}/installed/{VERSION}/bin"
        os.makedirs(installed, exist_ok=True)
        for program in os.listdir(BIN):
            if not os.path.lexists(f"{installed}/{program}"):
                os.symlink(f"{BIN}/{program}", f"{installed}/{program}")
        if os.path.lexists(f"{installed}/{name}"):
            os.remove(f"{installed}/{name}")
        os.chmod(self.write(f"installed/{VERSION}/bin/{name}", f"#!/bin/sh\n{script}\n"), 0o755)
        return self.top + "/installed"

    def test_drill_that_could_not_look(self):
        """That is no word on the data."""
        real = BIN + "/pg_amcheck"
        for name, script, words in (("pg_amcheck", "kill -KILL $$", "ended by signal 9"),
                                    ("pg_amcheck", f'exec {real} --host=/nowhere --all', "connection to server on socket"),
                                    ("pg_amcheck", "printf 'heap table \"postgres.public.t\":\\n    ERROR:  out of memory\\n    DETAIL:  Failed on request of size 8192.\\n'; exit 2", "out of memory"),
                                    ("pg_checksums", "kill -KILL $$", "ended by signal 9"),
                                    ("pg_checksums", f"exec {BIN}/pg_checksums --check --pgdata={self.data}", "cluster must be shut down")):
            said = self.fails("look", f"drill: {name} could not look at all that was restored: ", words, drill="weekly", installed=self.replace(name, script))
            self.assertNotIn("broken", said)
            for _ in range(2):
                self.assertRegex(str(self.metrics()), f'of="drill",reason="{name} could not.*again="true"')
                self.fails("look", f"drill: {name} could not look", drill="weekly")  # as it ended
            os.remove(self.own + "/drill.json")  # an hour later
            os.remove(f"{self.top}/installed/{VERSION}/bin/{name}")
        self.assertIn("is good", self.ok("look", drill="weekly"))

    def test_drill_of_broken_data(self):
        """Which pgBackRest takes for good, where pages have no checksums."""
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop"])
        self.does([BIN + "/pg_checksums", "--disable", "-D", self.data])
        self.start_postgres()
        self.sql("CREATE TABLE broken AS SELECT generate_series(1, 1000) i; CHECKPOINT")
        path = self.data + "/" + self.sql("SELECT pg_relation_filepath('broken')")
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop"])
        with open(path, "r+b") as file:
            file.seek(8192 + 24)  # pointers to rows of the second page
            file.write(b"quorum" * 4)
        self.start_postgres()
        self.ok("look", full="*-*-* *:*:*")
        self.fails("look", "drill: pg_amcheck finds restored data broken: ", "postgres.public.broken", drill="weekly")
        for _ in range(2):
            self.assertRegex(str(self.metrics()), 'of="drill",reason="pg_amcheck finds .*again="false"')
            self.fails("look", "drill: pg_amcheck finds", drill="weekly")  # as it ended

    def test_drill_of_wrong_checksum(self):
        script = f'shift; for word; do case $word in --pgdata=*) data=${{word#--pgdata=}} ;; esac; done; printf quorum | dd of="$data/base/1/1259" bs=1 seek=4000 conv=notrunc status=none; exec {BIN}/pg_checksums --check "$@"'
        self.fails("look", "drill: pg_checksums finds restored data broken: ", "Bad checksums:", drill="weekly", installed=self.replace("pg_checksums", script))
        self.assertRegex(str(self.metrics()), 'of="drill",reason="pg_checksums finds .*again="false"')

    def test_schedule_that_could_not_be_read(self):
        """systemd-analyze was killed: that is no word on the schedule."""
        os.mkdir(self.top + "/bin")
        for script, words in ("kill -KILL $$", "ended by signal 9"), ("echo 'error while loading shared libraries' >&2; exit 127", "error while loading"):
            os.chmod(self.write("bin/systemd-analyze", f"#!/bin/sh\n{script}\n"), 0o755)
            self.environment["PATH"] = f"{self.top}/bin:" + re.sub(f"^{self.top}/bin:", "", self.environment["PATH"])
            said = self.fails("look", "backup: systemd-analyze: ", words)
            self.assertNotIn("no schedule", said)
            self.assertRegex(str(self.metrics()), 'of="backup",reason="systemd-analyze: .*again="true"')
        os.remove(self.top + "/bin/systemd-analyze")
        self.fails("look", "backup: 'neverly' is no schedule for systemd: ", full="neverly")
        self.assertRegex(str(self.metrics()), 'of="backup",.*again="false"')


if __name__ == "__main__":
    unittest.main()
