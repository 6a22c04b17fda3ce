"""An S3 service that has each bucket as a name of its own."""
import os
import unittest

from world import Member, real, World


@real
@unittest.skipIf(os.geteuid(), "only root can mount a /etc/hosts")
class HostStyle(World):
    numbers, domain = (1,), "s3.example.org"

    def test_backed_up_and_restored(self):
        """The service's own name, without the bucket, is found nowhere."""
        self.resolve("backups." + self.domain)
        style = {"url": f"s3:https://{self.domain}:{self.port}/backups/etcd", "style": "host"}
        (member,) = self.found()
        member.ctl("put", "a", "v")
        self.repository(**{**style, "style": "path"})
        member.fails("look", "no such host")
        self.repository(**style)
        self.assertIn("is complete", member.ok("look"))
        self.stop([member])
        again = Member(self, 1, "restored")
        again.configure(restore=self.wanted(repository=self.repository("source.json", **style)))
        self.start([again])
        self.assertIn("a", again.ctl("get", "a"))
