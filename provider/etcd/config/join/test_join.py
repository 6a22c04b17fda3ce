"""etcd-join as a process, among servers that are in this one and others of its kind."""
import contextlib
import http.server
import json
import os
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import urllib.error
import urllib.request

import yaml

from test_decide import program

HERE = os.path.dirname(os.path.abspath(__file__))
PKI = os.path.join(HERE, "../../../testdata/pki")
# As on a machine, but for the time between two rounds.
RUN = f"""
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("etcd_join", "{HERE}/etcd-join")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("etcd_join", loader))
loader.exec_module(program)
program.POLL = program.LINGER = 0.1
program.main()
"""


def setUpModule():
    """Certificates for the addresses of members: of the authority, and of one that nobody knows."""
    global TLS
    temporary = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(temporary.cleanup)
    TLS = temporary.name
    for name, *authority in (("member", "-CA", PKI + "/ca.crt", "-CAkey", PKI + "/ca.key"), ("stranger",)):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name,
                        "-addext", "subjectAltName=IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3", "-days", "7", *authority,
                        "-keyout", f"{TLS}/{name}.key", "-out", f"{TLS}/{name}.crt"], check=True, capture_output=True)


def free_port():
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def eventually(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("did not come true")
        time.sleep(0.02)


class Etcd(http.server.BaseHTTPRequestHandler):
    """The part of etcd that members ask."""

    def do_GET(self):
        body = json.dumps(self.server.members).encode() if self.path == "/members" else b"null"
        self.send_response(200)
        self.send_header("X-Etcd-Cluster-ID", self.server.cluster)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir, self.peer, self.client = temporary.name, free_port(), free_port()
        self.processes = {}
        for n in (1, 2, 3):
            self.write(n)
        self.cluster = f"{program.read(self.dir + '/1.yml').cluster_id():x}"

    def url(self, n):
        return f"https://127.0.0.{n}:{self.peer}"

    def write(self, n, members=(1, 2, 3), **changes):
        """The configuration of a member, written as quorum-apply does."""
        security = {"cert-file": TLS + "/member.crt", "key-file": TLS + "/member.key", "client-cert-auth": True, "trusted-ca-file": PKI + "/ca.crt"}
        conf = {"name": f"etcd-{n}", "data-dir": f"{self.dir}/data-{n}", "auto-compaction-retention": "1000", "initial-advertise-peer-urls": self.url(n),
                "listen-client-urls": f"https://127.0.0.{n}:{self.client}", "peer-transport-security": security, "client-transport-security": security,
                "initial-cluster": ",".join(f"etcd-{m}={self.url(m)}" for m in members), "initial-cluster-token": "token",
                "initial-cluster-state": "new", **changes}
        with open(f"{self.dir}/{n}.new", "w", encoding="utf-8") as file:
            yaml.safe_dump(conf, file)
        os.replace(f"{self.dir}/{n}.new", f"{self.dir}/{n}.yml")

    def start(self, *numbers):
        for n in numbers:
            with open(f"{self.dir}/{n}.log", "w", encoding="utf-8") as log:
                self.processes[n] = subprocess.Popen([sys.executable, "-c", RUN, f"{self.dir}/{n}.yml", f"{self.dir}/{n}.out"], stderr=log)
            self.addCleanup(self.end, n)

    def end(self, n):
        self.processes[n].kill()
        self.processes[n].wait()

    def read(self, name):
        with contextlib.suppress(FileNotFoundError), open(f"{self.dir}/{name}", encoding="utf-8") as file:
            return file.read()
        return ""

    def goes(self, *numbers):
        for n in numbers:
            self.assertEqual(0, self.processes[n].wait(timeout=30), self.read(f"{n}.log"))

    def goes_as_it_is(self, *numbers):
        self.goes(*numbers)
        for n in numbers:
            self.assertEqual(self.read(f"{n}.yml"), self.read(f"{n}.out"))

    def waits(self, n, reason):
        eventually(lambda: reason in self.read(f"{n}.log"))
        self.assertIsNone(self.processes[n].poll())
        self.assertEqual("", self.read(f"{n}.out"))

    def serve(self, n, members, identity="member"):
        """An etcd that knows these members."""
        server = http.server.ThreadingHTTPServer((f"127.0.0.{n}", self.peer), Etcd)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{TLS}/{identity}.crt", f"{TLS}/{identity}.key")
        context.load_verify_locations(PKI + "/ca.crt")
        context.verify_mode = ssl.CERT_REQUIRED
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.members, server.cluster, server.handle_error = members, self.cluster, lambda *_: None
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def members(self, *names, started=()):
        return [{"id": n, "name": name, "peerURLs": [self.url(n)], **({"clientURLs": ["https://a"]} if n in started else {})}
                for n, name in enumerate(names, 1)]

    def ask(self, n, path="/quorum/join", method="GET"):
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=PKI + "/ca.crt")))
        try:
            with opener.open(urllib.request.Request(f"https://127.0.0.{n}:{self.client}{path}", method=method), timeout=5) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


class Start(Case):
    def test_with_data(self):
        os.makedirs(self.dir + "/data-1/member/wal")
        with open(self.dir + "/data-1/member/wal/0000000000000000-0000000000000000.wal", "w", encoding="utf-8"):
            pass
        self.start(1)
        self.goes_as_it_is(1)
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.dir + "/1.out").st_mode))
        self.assertEqual("", self.read("1.log"))

    def test_data_beside_where_they_belong(self):
        os.makedirs(self.dir + "/volume/member/wal")
        os.mkdir(self.dir + "/volume/data")
        with open(self.dir + "/volume/member/wal/0.wal", "w", encoding="utf-8"):
            pass
        self.write(1, **{"data-dir": self.dir + "/volume/data"})
        for _ in "moved", "as they are":
            self.start(1)
            self.goes_as_it_is(1)
            self.assertEqual(["data"], os.listdir(self.dir + "/volume"))
            self.assertEqual(["0.wal"], os.listdir(self.dir + "/volume/data/member/wal"))
        os.makedirs(self.dir + "/volume/member/wal")
        self.start(1)
        self.goes_as_it_is(1)
        self.assertEqual(["data", "member"], sorted(os.listdir(self.dir + "/volume")), "which are others")

    def test_data_of_another(self):
        """Data beside where they belong, that are of another member or of another cluster, as healthy ones say."""
        os.makedirs(self.dir + "/volume/member/wal")
        os.mkdir(self.dir + "/volume/data")
        self.write(1, **{"data-dir": self.dir + "/volume/data"})
        members = [{"id": f"{n}", "peerURLs": [self.url(n)]} for n in (1, 2, 3)]
        for ids, moves in ((("2", "c"), False), (("9", "other"), False), (("1", "other"), False), (("8", "c"), True)):  # the last was removed
            me = program.read(self.dir + "/1.yml")
            with unittest.mock.patch.multiple(program, ask_all=lambda *_: {("h", 1): {"id": "c", "members": members}}), unittest.mock.patch.object(me, "ids", lambda *_, ids=ids: ids):
                if moves:
                    program.take_over(me)
                else:
                    self.assertRaisesRegex(SystemExit, "another volume belongs here", program.take_over, me)
            self.assertEqual(moves, os.path.exists(self.dir + "/volume/data/member"))

    def test_data_that_cannot_be_read(self):
        os.makedirs(self.dir + "/data-1/member")
        with open(self.dir + "/data-1/member/wal", "w", encoding="utf-8"):
            pass
        self.start(1)
        self.assertNotEqual(0, self.processes[1].wait(timeout=30))
        self.assertEqual("", self.read("1.out"))

    def test_alone(self):
        self.write(1, members=[1])
        self.start(1)
        self.goes_as_it_is(1)

    def left(self, name, size):
        os.makedirs(f"{self.dir}/data-1/{name}/snap", exist_ok=True)
        with open(f"{self.dir}/data-1/{name}/snap/db", "w", encoding="utf-8") as file:
            file.write("x" * size)

    def test_database_without_its_log(self):
        self.write(1, members=[1])
        os.makedirs(self.dir + "/data-1/member/wal.tmp")
        for size, kept in ((100, 100), (10, 100), (1000, 1000)):
            self.left("member", size)
            self.start(1)
            self.goes_as_it_is(1)
            self.assertEqual(["member.no-wal"], os.listdir(self.dir + "/data-1"))
            self.assertEqual(kept, len(self.read("data-1/member.no-wal/snap/db")))


class Found(Case):
    def found(self, *numbers):
        """Has a fake etcd start where a process ended, as systemd would start etcd, until all have."""
        served = set()
        while served != set(numbers):
            for n in set(numbers) - served:
                if self.processes[n].poll() is not None:
                    self.serve(n, self.members("etcd-1", "etcd-2", "etcd-3"))
                    served.add(n)
            time.sleep(0.02)
        self.goes_as_it_is(*numbers)

    def test_together(self):
        self.start(1, 2)
        self.waits(1, "waiting: the data directory is blank, and not all that found the cluster answer: 127.0.0.3 (Connection refused)")
        self.start(3)
        self.found(1, 2, 3)

    def test_behind_one_that_is_ahead(self):
        """Its page is gone, and its etcd is not there yet."""
        self.start(1, 2)
        self.waits(1, "127.0.0.3 (Connection refused)")
        self.waits(2, "127.0.0.3 (Connection refused)")
        self.serve(3, self.members("etcd-1", "etcd-2", "etcd-3"))
        self.found(1, 2)

    def test_existing_waits_for_its_cluster(self):
        for n in (1, 2, 3):
            self.write(n, **{"initial-cluster-state": "existing"})
        self.start(1, 2, 3)
        for n in (1, 2, 3):
            self.waits(n, "no member of the cluster that it is to join answers")

    def test_others_have_another_token(self):
        self.write(3, **{"initial-cluster-token": "other"})
        self.start(1, 2, 3)
        self.waits(1, "127.0.0.3 is to found a cluster with another initial-cluster or initial-cluster-token")
        self.write(3)
        self.found(1, 2, 3)

    def test_list_that_changes_meanwhile(self):
        self.start(1)
        self.waits(1, "127.0.0.2")
        self.write(1, members=[1])
        self.goes_as_it_is(1)


class Join(Case):
    def test_lost_removed_and_added(self):
        etcds = [self.serve(n, self.members("etcd-1", "etcd-2", "etcd-3", started=(1, 2, 3))) for n in (2, 3)]
        self.start(1)
        self.waits(1, "the cluster knows this member as one that had data: it must be removed and added again")
        for etcd in etcds:
            etcd.members = self.members("etcd-1", "etcd-2", "etcd-3", started=(2, 3))[1:]
        self.waits(1, "does not know this member: it must be added")
        for etcd in etcds:
            etcd.members = etcd.members + [{"id": 2**64 - 1, "peerURLs": [self.url(1)], "isLearner": True}]
        self.goes(1)
        conf = yaml.safe_load(self.read("1.yml"))
        conf.update({"initial-cluster": f"etcd-2={self.url(2)},etcd-3={self.url(3)},etcd-1={self.url(1)}", "initial-cluster-state": "existing"})
        self.assertEqual(conf, yaml.safe_load(self.read("1.out")))
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.dir + "/1.out").st_mode))

    def test_members_that_are_not_listed_are_asked_too(self):
        self.write(1, members=(1, 2))
        self.serve(2, self.members("", "etcd-2", "etcd-3", started=(2, 3)))
        self.start(1)
        self.waits(1, "too few of the cluster's voters answer to tell what became of this member: 127.0.0.3 (Connection refused)")
        self.serve(3, self.members("etcd-1", "etcd-2", "etcd-3", started=(1, 2, 3)))
        self.waits(1, "removed and added again")

    def test_etcd_that_knows_no_members_yet(self):
        etcd = self.serve(2, None)
        self.start(1)
        self.waits(1, "127.0.0.2 (knows no members yet)")
        etcd.members = self.members("", "etcd-2", started=(2,))
        self.goes(1)

    def test_strangers(self):
        """Neither etcd nor a page of another authority counts."""
        self.serve(2, self.members("", "etcd-2", started=(2,)), identity="stranger")
        security = {"cert-file": TLS + "/stranger.crt", "key-file": TLS + "/stranger.key"}
        self.write(3, **{"client-transport-security": security})
        self.start(1, 3)
        self.waits(1, "127.0.0.2 ([SSL: CERTIFICATE_VERIFY_FAILED]")
        self.waits(1, "127.0.0.3 (Connection refused)")


class Page(Case):
    def test_content(self):
        self.start(1)
        reason = "the data directory is blank, and not all that found the cluster answer: 127.0.0.2 (Connection refused), 127.0.0.3 (Connection refused)"
        self.waits(1, reason)
        eventually(lambda: self.ask(1)[1]["reason"] == reason)
        self.assertEqual((200, {"name": "etcd-1", "state": "blank", "peerURL": self.url(1), "token": "token", "reason": reason,
                                "initialCluster": ",".join(f"etcd-{n}={self.url(n)}" for n in (1, 2, 3))}), self.ask(1))
        for path in ("/health", "/health?serializable=true"):
            self.assertEqual((503, {"health": "false", "reason": reason}), self.ask(1, path))
        time.sleep(1)
        self.assertEqual(1, self.read("1.log").count("\n"), "the same is said once")

    def test_etcd_is_not_there_for_clients(self):
        self.start(1)
        self.waits(1, "127.0.0.2")
        for path, method in (("/v3/kv/range", "POST"), ("/version", "GET"), ("/quorum/join", "PUT"), ("/", "PRI")):
            with self.assertRaisesRegex(OSError, "Remote end closed connection without response"):
                self.ask(1, path, method)

    def test_peers_that_hang(self):
        """A port that takes connections and never answers, as etcd's does at first."""
        for n in (2, 3):
            for port in (self.peer, self.client):
                silent = socket.create_server((f"127.0.0.{n}", port))
                self.addCleanup(silent.close)
        self.start(1)
        eventually(lambda: self.can_ask(1))
        for _ in range(5):
            began = time.monotonic()
            self.assertEqual("blank", self.ask(1)[1]["state"])
            self.assertLess(time.monotonic() - began, 1)
        began = time.monotonic()
        self.waits(1, "127.0.0.2 (timed out), 127.0.0.3 (timed out)")
        self.assertLess(time.monotonic() - began, 8, "all are asked at once")

    def test_visitors_that_do_not_speak(self):
        self.start(1)
        eventually(lambda: self.can_ask(1))
        for _ in range(20):
            self.addCleanup(socket.create_connection(("127.0.0.1", self.client)).close)
        began = time.monotonic()
        self.ask(1)
        self.assertLess(time.monotonic() - began, 1)

    def can_ask(self, n):
        with contextlib.suppress(OSError):
            return self.ask(n)
        return None

    def test_port_is_free_when_etcd_starts(self):
        self.start(1)
        self.waits(1, "127.0.0.2")
        visitor = socket.create_connection(("127.0.0.1", self.client))
        self.addCleanup(visitor.close)
        self.write(1, members=[1])
        self.goes_as_it_is(1)
        socket.create_server(("127.0.0.1", self.client)).close()


if __name__ == "__main__":
    unittest.main()
