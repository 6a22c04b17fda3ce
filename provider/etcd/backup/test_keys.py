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
