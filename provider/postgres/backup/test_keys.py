"""Keys of S3 that are changed while all runs."""
import time
import unittest

from world import needed, SECRET, World


@unittest.skipIf(needed(), needed())
class Keys(World):
    def test_changed_while_all_runs(self):
        """An update writes the configuration, and tells PostgreSQL nothing: what is begun after that has the new keys."""
        self.backed_up()
        began = self.sql("SELECT pg_postmaster_start_time()")
        self.archived()
        self.give_other_keys(self.keys[0])  # another access key is 404 here, which pgBackRest takes for a file that is not there
        wal = self.sql("INSERT INTO t VALUES (1); SELECT pg_walfile_name(pg_switch_wal())")
        self.wait(lambda: "HTTP request failed with 403" in self.told(), "PostgreSQL's log says why nothing is archived")
        self.fails("look", "backup: pgbackrest info: S3: SignatureDoesNotMatch: ")
        self.assertIn('again="false"', str(self.metrics()))
        self.assertEqual([], self.objects(f"/{wal}-"))
        self.configure("pgbackrest.conf", **{"repo1-s3-key": self.keys[0], "repo1-s3-key-secret": self.keys[1]})
        self.archived()
        self.assertNotEqual([], self.objects(f"/{wal}-"), "what waited")
        self.assertRegex(self.ok("look", id="beef", full="*-*-* *:*:*"), r"F is complete\n.*as they were written")
        self.assertNotIn("failure", str(self.metrics()))
        self.assertEqual(began, self.sql("SELECT pg_postmaster_start_time()"))
        for secret in (SECRET, self.keys[1]):
            self.assertNotIn(secret, self.told())

    def test_may_not_delete(self):
        """Nothing is uploaded that could not be completed, again and again."""
        self.backed_up()
        refuses = self.refuse("", command="DELETE")
        conf = self.configure("pgbackrest.conf", **{"repo1-storage-port": str(refuses.server_port)})
        before = self.objects("/backup/main/.*F/")
        for _ in range(2):
            self.fails("look", "backup: pgbackrest repo-rm: S3: AccessDenied: Access Denied.", conf=conf, full="*-*-* *:*:*")
            self.assertEqual(before, self.objects("/backup/main/.*F/"))
        self.assertIn('again="false"', str(self.metrics()))
        self.configure("pgbackrest.conf")
        self.ok("look", full="*-*-* *:*:*")
        self.assertLess(len(before), len(self.objects("/backup/main/.*F/")))

    def test_may_not_delete_several(self):
        """Each alone, but not by one request. pgBackRest would forget backups, and leave what they have in the bucket, and at the next look all would seem well."""
        self.backed_up()
        refuses = self.refuse("delete", command="POST")
        conf = self.configure("pgbackrest.conf", **{"repo1-storage-port": str(refuses.server_port), "repo1-retention-full": "1"})
        before = self.objects("/backup/main/.*F/")
        for _ in range(2):
            time.sleep(1.1)
            self.fails("look", "backup: pgbackrest repo-rm: S3: AccessDenied: Access Denied.", conf=conf, full="*-*-* *:*:*")
        self.assertEqual(before, self.objects("/backup/main/.*F/"))
        self.assertIn('again="false"', str(self.metrics()))
        conf = self.configure("pgbackrest.conf", **{"repo1-retention-full": "1"})
        for _ in range(3):
            time.sleep(1.1)
            self.ok("look", conf=conf, full="*-*-* *:*:*")
        self.assertEqual(2, len(self.objects("F/backup.manifest$")))
        self.assertEqual([], self.objects("/deletes/"))

    def test_another_encryption_key(self):
        """It opens nothing of what there is: WAL waits until the former one is back, or goes to another stanza of the same repository."""
        self.backed_up()
        self.archived()
        self.configure("pgbackrest.conf", **{"repo1-cipher-pass": "another-key-of-all"})
        wal = self.sql("INSERT INTO t VALUES (1); SELECT pg_walfile_name(pg_switch_wal())")
        self.wait(lambda: "ERROR: [" in self.told(), "PostgreSQL's log says that nothing is archived")
        self.fails("look", "it was written with another encryptionKey")
        self.assertIn('again="false"', str(self.metrics()))
        self.assertEqual([], self.objects(f"/{wal}-"))
        self.configure("pgbackrest.conf")
        self.archived()
        self.assertNotEqual([], self.objects(f"/{wal}-"), "what waited")
        self.ok("look")
        with open(self.configure("pgbackrest.conf", **{"repo1-cipher-pass": "another-key-of-all"}), encoding="utf-8") as file:
            conf = self.write("other-pgbackrest.conf", file.read().replace("[main]", "[other]"))
        self.stop_postgres()
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"archive_command='{self.top}/quorum-wal push {conf} other {self.own} \"%p\"'\n")
        self.start_postgres()
        self.assertRegex(self.ok("look", conf=conf, stanza="other"), r"F is complete\n.*as they were written")
        self.assertNotIn("another-key-of-all", self.told())

    def told(self):
        with open(self.volume + "/log", encoding="utf-8", errors="replace") as file:
            return file.read()


if __name__ == "__main__":
    unittest.main()
