"""Whose backups they are: those of a cluster's source, or of another one, are not its own."""
import http.server
import os
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

    def test_copy_for_a_standby_cluster(self):
        """It follows, gets WAL from the source's archive, and never writes there."""
        self.archived()
        for _ in range(2):  # the first may have been killed
            self.does([os.path.dirname(os.path.abspath(__file__)) + "/quorum-copy", self.configure("source.conf", data=self.new), "main", self.new])
        self.assertTrue(os.path.exists(self.new + "/standby.signal"))
        done = self.does([self.top + "/quorum-wal", "push", self.conf, "main", self.own, f"{self.new}/pg_wal/{1:024X}"], check=False)
        self.assertEqual((1, "quorum-wal: this cluster was restored from stanza main: set another backup.stanza\n"), (done.returncode, done.stdout))
        with open(self.new + "/quorum-restored", encoding="utf-8") as file:
            self.assertEqual(1, len(file.readlines()))

    def test_copy_that_fails(self):
        """Patroni then tries its next method, if there is one, else this one again."""
        self.stop_s3()
        done = self.does([os.path.dirname(os.path.abspath(__file__)) + "/quorum-copy", self.configure("source.conf", data=self.new), "main", self.new], check=False)
        self.assertNotEqual(0, done.returncode)
        self.assertFalse(os.path.exists(self.new + "/quorum-restored"))

    def test_a_standby_cluster_tells_of_the_backups_of_its_source(self):
        """By which an update finds that both were given one stanza."""
        self.patroni["node"].update(role="standby_leader", state="streaming")
        self.ok("look")
        self.assertIn('quorum_backup_last_success_timestamp_seconds{type="full"}', self.metrics())
        self.ok("look", stanza="of-its-own")
        self.assertEqual([], [name for name in self.metrics() if "last_success" in name])

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
