"""A snapshot of etcd-backup, which the Terraform modules have, by the commands of docs/migrating.md and docs/etcd-backup.md."""
import os
import subprocess
import unittest

from world import Member, needed, s3, World

TOOL = os.environ.get("ETCD_BACKUP")  # built of https://github.com/Ferlab-Ste-Justine/etcd-backup


@unittest.skipIf(needed() or not TOOL, needed() or "ETCD_BACKUP is to be the program etcd-backup")
class Originals(World):
    numbers = (1,)

    def tool(self, *words):
        subprocess.run([TOOL, words[0], "--config", self.top + "/config.yml", *words[1:]], check=True, capture_output=True, cwd=self.top)

    def test_snapshot_of_etcd_backup(self):
        (member,) = self.found()
        member.ctl("put", "a", "v")
        self.write("s3-auth.yml", f"access_key: {s3.ACCESS}\nsecret_key: {s3.SECRET}\n")
        self.write("master.key", "00112233445566778899aabbccddeeff" * 2)
        self.write("config.yml", f"""
etcd_client:
  endpoints: ["{member.client.removeprefix('https://')}"]
  connection_timeout: 60s
  request_timeout: 60s
  retries: 3
  auth: {{ca_cert: {s3.PKI}/ca.crt, client_cert: {self.top}/root.crt, client_key: {self.top}/root.key}}
snapshot_path: {self.top}/snapshot
encryption_key_path: {self.top}/master.key
s3_client:
  objects_prefix: old
  endpoint: localhost:{self.port}
  bucket: {s3.BUCKET}
  region: {s3.REGION}
  connection_timeout: 60s
  request_timeout: 60s
  auth: {{ca_cert: {self.top}/tls/ca.crt, key_auth: {self.top}/s3-auth.yml}}
""")
        self.tool("backup")
        member.stop()
        if os.path.exists(self.top + "/snapshot"):
            os.remove(self.top + "/snapshot")
        self.tool("restore", "--use-etcdutl=false")
        self.repository("old.json", url=f"s3:https://localhost:{self.port}/{s3.BUCKET}/imported")
        self.restic("old.json", "init")
        with open(self.top + "/snapshot", "rb") as file:
            self.restic("old.json", "backup", "--stdin", "--stdin-filename", "etcd.db", stdin=file)
        again = Member(self, 1, "restored")
        again.configure(restore=self.wanted(repository=self.top + "/old.json"))
        self.start([again])
        self.assertEqual("v", again.ctl("get", "a", "--print-value-only").strip())


if __name__ == "__main__":
    unittest.main()
