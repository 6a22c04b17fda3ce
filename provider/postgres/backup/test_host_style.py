"""An S3 service that has each bucket as a name of its own."""
import os
import unittest

from world import needed, World


@unittest.skipIf(needed(), needed())
@unittest.skipIf(os.geteuid(), "only root can mount a /etc/hosts")
class HostStyle(World):
    domain = "s3.example.org"

    def test_backed_up_and_restored(self):
        """The service's own name, without the bucket, is found nowhere."""
        self.resolve("backups." + self.domain)
        style = {"repo1-s3-endpoint": self.domain, "repo1-s3-uri-style": "host"}
        self.configure("pgbackrest.conf", **style)
        self.start_postgres()
        self.sql("CREATE TABLE t (i int)")
        self.assertRegex(self.ok("look", drill="weekly"), r"F is complete\n.*as they were written\n.*drill: .*\n.*is good")
        self.archived()
        new = self.volume + "/new"
        self.ok("found", dataDir=new, stanza="restored", conf=self.configure("own.conf", data=new, **style),
                restore={"conf": self.configure("restore.conf", data=new, **style), "stanza": "main", "type": "default", "target": ""})
        self.fails("look", "unable to get address for 's3.example.org'", conf=self.configure("path.conf", **{**style, "repo1-s3-uri-style": "path"}))


if __name__ == "__main__":
    unittest.main()
