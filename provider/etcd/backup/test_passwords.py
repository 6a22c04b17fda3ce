"""Clusters whose clients log in, that are founded from snapshots."""
import json
import shutil
import ssl
import urllib.error
import urllib.request

from world import Member, PASSWORD, real, s3, World


@real
class Passwords(World):
    """etcd whose clients log in."""

    numbers, passwords = (1,), True

    def ask(self, member, path, body, token=None):
        context = ssl.create_default_context(cafile=s3.PKI + "/ca.crt")
        request = urllib.request.Request(member.client + path, json.dumps(body).encode(), {"Authorization": token} if token else {})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        try:
            with opener.open(request, timeout=10) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return json.loads(error.read())

    def test_token_of_before(self):
        """A client that had logged in to the lost cluster is told to log in again: it does not wait for ever."""
        (member,) = self.found()
        member.ok("look")
        for n in range(50):
            member.ctl("put", f"key-{n}", "v")
        token = self.ask(member, "/v3/auth/authenticate", {"name": "root", "password": PASSWORD})["token"]
        self.assertIn("header", self.ask(member, "/v3/kv/range", {"key": "YQ=="}, token))
        member.stop()
        shutil.rmtree(member.dir)
        again = Member(self, 1, "restored")
        again.configure(restore=self.wanted())
        self.start([again])
        self.assertIn("invalid auth token", json.dumps(self.ask(again, "/v3/kv/range", {"key": "YQ=="}, token)))

    def test_password_of_before(self):
        (member,) = self.found()
        member.ok("look")
        member.stop()
        self.write("root-password", "another-one\n")
        again = Member(self, 1, "restored")
        again.configure(restore=self.wanted())
        again.fails("prepare", "give the one that it had then as rootPassword")
        self.write("root-password", PASSWORD + "\n")
        again.ok("prepare")


