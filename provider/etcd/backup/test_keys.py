"""Keys of S3 that are changed while all runs."""
from world import real, World


@real
class Keys(World):
    numbers = (1,)

    def test_changed_while_all_runs(self):
        """An update writes a file, and tells etcd nothing: the next look has the new keys, with all that was there."""
        (member,) = self.found()
        member.ok("look")
        process = member.process.pid
        self.give_other_keys()
        member.configure(schedule="*-*-* *:*:*")
        member.fails("look", "backup: S3: XAdminUserNotFound: ")
        self.assertIn('again="false"', str(member.metrics()))
        self.repository(accessKey=self.keys[0], secretKey=self.keys[1])
        said = member.ok("look")
        self.assertRegex(said, "snapshot [0-9a-f]{8} is complete")
        self.assertNotIn("failure", str(member.metrics()))
        self.assertEqual(process, member.process.pid)
        for secret in self.keys:
            self.assertNotIn(secret, said)

    def test_may_not_delete_several(self):
        """By one request: restic deletes each object by its own, so that an S3 which cannot do the former is enough."""
        refuses = self.refuse("delete", command="POST")
        (member,) = self.found()
        self.repository(url=f"s3:https://localhost:{refuses.server_port}/backups/etcd")
        member.configure(schedule="*-*-* *:*:*")
        for _ in range(5):
            self.assertIn("is complete", member.ok("look"))
        self.assertEqual("3", member.metrics()["quorum_backup_snapshots"])
        self.assertEqual(3, len(self.objects("/snapshots/")))
        self.assertEqual(0, refuses.refused)
