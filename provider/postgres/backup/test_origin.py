"""Whose backups they are: those of a cluster's source, or of another one, are not its own."""
import http.server
import os
import shutil
import ssl
import threading
import unittest

from world import needed, World


class Page(http.server.BaseHTTPRequestHandler):
    """What answers in the place of S3."""

    def do_GET(self):
        body = b"<html><body>Please log in to the network</body></html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


@unittest.skipIf(needed(), needed())
class Origin(World):
    def setUp(self):
        super().setUp()
        self.backed_up()
        self.new = self.volume + "/new"

    def restore(self, **more):
        return {"restore": {"conf": self.configure("restore.conf", data=self.new), "stanza": "main", "type": "default", "target": ""},
                "dataDir": self.new, "conf": self.configure("new-pgbackrest.conf", data=self.new), "stanza": "restored", **more}

    def test_data_says_where_it_came_from(self):
        """So each copy does, and archive_command refuses the archive of the source on each node."""
        self.archived()
        self.ok("found", **self.restore())
        push = [self.top + "/quorum-wal", "push", self.conf, "main", self.own, f"{self.new}/pg_wal/{1:024X}"]
        done = self.does(push, check=False)
        self.assertEqual((1, "quorum-wal: this cluster was restored from stanza main: set another backup.stanza\n"), (done.returncode, done.stdout))

    def copied(self, **more):
        """For the leader of a standby cluster, of which there is none yet."""
        return {**self.restore(**more), "restore": {"conf": self.configure("restore.conf", data=self.new), "stanza": "main", "type": "standby", "streams": False}}

    def test_copy_for_a_standby_cluster(self):
        self.archived()
        self.patroni["cluster"] = {"members": []}
        self.assertIn("restore: main, for a standby", self.ok("found", **self.copied()))
        self.assertTrue(os.path.exists(self.new + "/standby.signal"))
        with open(self.new + "/quorum-restored", encoding="utf-8") as file:
            self.assertEqual(1, len(file.readlines()))
        self.assertFalse(os.path.exists(self.new + "/patroni.dynamic.json"))

    def test_copy_that_cannot_be(self):
        """Where the source has addresses, its data are copied instead; and those of the cluster's own leader, if there is one."""
        wrong = self.configure("wrong.conf", data=self.new, **{"repo1-cipher-pass": "not-the-key-of-all-backups"})
        self.patroni["cluster"] = {"members": []}
        config = self.copied()
        self.fails("found", "restore: ", "cannot be decrypted", **{**config, "restore": {**config["restore"], "conf": wrong}})
        self.assertIn("cannot be decrypted", self.restoring())
        self.fails("found", "there is no backup of standbyOf.backup.stanza other", **{**config, "restore": {**config["restore"], "stanza": "other"}})
        self.fails("found", "cannot be decrypted", "it copies the source's data instead", **{**config, "restore": {**config["restore"], "conf": wrong, "streams": True}})
        self.assertEqual("", self.restoring())
        self.patroni["cluster"] = {"members": [{"name": "b-1", "role": "standby_leader", "state": "streaming"}]}
        self.fails("found", **config)
        self.assertEqual([], [name for name in os.listdir(self.new) if name == "PG_VERSION"] if os.path.exists(self.new) else [])

    def test_stanza_of_a_standby_cluster_is_its_own(self):
        self.archived()
        self.patroni["cluster"] = {"members": []}
        self.fails("found", "backup.stanza main has backups or WAL already", **self.copied(stanza="main"))

    def test_following_notes_the_source(self):
        """Also in data that were copied from its nodes, or rewound."""
        self.archived()
        self.does(["mkdir", "-p", self.new + "/pg_wal/archive_status"])
        shutil.copy(os.path.dirname(os.path.abspath(__file__)) + "/quorum-follow", self.top)
        follow = f"cd {self.new} && exec {self.top}/quorum-follow {self.conf} main {self.own} {{}} {self.new}/pg_wal/got"
        for name, status in (("000000010000000000000001", 0), ("0000000100000000000000FF", 1)):
            self.assertEqual(status, self.does(["sh", "-c", follow.format(name)], check=False).returncode)
        done = self.does([self.top + "/quorum-wal", "push", self.conf, "main", self.own, f"{self.new}/pg_wal/{1:024X}"], check=False)
        self.assertEqual((1, "quorum-wal: this cluster was restored from stanza main: set another backup.stanza\n"), (done.returncode, done.stdout))
        with open(self.new + "/quorum-restored", encoding="utf-8") as file:
            self.assertEqual(1, len(file.readlines()))

    def test_a_standby_cluster_tells_whether_its_stanza_is_free(self):
        self.patroni["node"].update(role="standby_leader", state="running")
        self.ok("look")
        self.assertEqual("1", self.metrics()["quorum_backup_in_use"])
        self.ok("look", stanza="of-its-own")
        self.assertEqual("0", self.metrics()["quorum_backup_in_use"])
        for status in {"database_system_identifier": "4711"}, {"state": "creating replica"}:
            self.patroni["node"].update(status)
            self.run_program("look")
            self.assertEqual("1", self.metrics()["quorum_backup_in_use"])
        self.stop_s3()
        self.fails("look", "unable to connect")
        self.assertNotIn("quorum_backup_in_use", self.metrics())

    def test_backups_of_another_cluster_do_not_count(self):
        self.patroni["node"]["database_system_identifier"] = "4711"
        for away in (False, True):
            if away:
                self.stop_s3()
            self.run_program("look", drill="weekly")
            self.assertEqual("1", self.metrics()["quorum_backup_overdue"])
            self.assertEqual([], [name for name in self.metrics() if "verified" in name or "last_success" in name])

    def test_what_was_known_with_other_keys_does_not_count(self):
        self.ok("look")
        self.stop_s3()
        self.fails("look", "unable to connect", id="beef")
        self.assertEqual([], [name for name in self.metrics() if "verified" in name or "last_success" in name])
        self.fails("look", "unable to connect")
        self.assertIn("quorum_backup_verified_timestamp_seconds", self.metrics())

    def test_page_in_the_place_of_s3(self):
        """For a moment: the restore goes on after it."""
        self.archived()
        self.stop_s3()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Page)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.top + "/tls/s3.crt", self.top + "/tls/s3.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        with self.begin("found", **self.restore()) as process:
            self.wait(lambda: "failure" in self.restoring() or process.poll() is not None, "a failure is told")
            server.shutdown()
            server.server_close()
            self.start_s3()
            said, _ = process.communicate(timeout=120)
        self.assertEqual(0, process.returncode, said)
        self.assertIn("tries again", said)


if __name__ == "__main__":
    unittest.main()
