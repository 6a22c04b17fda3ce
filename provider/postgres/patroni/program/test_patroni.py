"""quorum-patroni against servers that are in this process, and fakes of PostgreSQL and Patroni."""
import contextlib
import http.server
import importlib.machinery
import importlib.util
import json
import os
import pwd
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
PKI = os.path.join(HERE, "../../../testdata/pki")
PASSWORD = "hush 'n hush"

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("quorum_patroni", HERE + "/quorum-patroni")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("quorum_patroni", loader))
loader.exec_module(program)


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body=None):
        self.send_response(status)
        self.end_headers()
        if body is not None:
            self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


class API(Handler):
    def do_GET(self):
        cluster = self.server.cluster
        if self.path == "/config":
            self.answer(200, cluster["config"]) if cluster["config"] is not None else self.answer(502)
        elif self.path == "/primary":
            self.answer(200 if cluster["leads"] else 503)
        elif self.path == "/cluster":
            self.answer(200, {"members": cluster["members"]})
        else:
            self.answer(200, {"patroni": {"scope": "main"}, **cluster["node"]})

    def do_PATCH(self):
        cluster = self.server.cluster
        patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        cluster["patches"].append(patch)
        if cluster["conflicts"]:
            cluster["conflicts"] -= 1
            return self.answer(409)
        merge(cluster["config"], patch)
        return self.answer(200, cluster["config"])


def merge(config, patch):
    for name, value in patch.items():
        if value is None:
            config.pop(name, None)
        elif isinstance(value, dict) and isinstance(config.get(name), dict):
            merge(config[name], value)
        else:
            config[name] = value


def serve(test, handler, client_ca=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PKI + "/server.crt", PKI + "/server.key")
    if client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_ca)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    test.addCleanup(server.server_close)
    test.addCleanup(server.shutdown)
    return server


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.fake, self.python = temporary.name, HERE + "/fakes/python"
        self.config = {
            "conf": "/etc/patroni/conf.yml", "dataDir": self.fake + "/data", "version": "", "etcd": None, "installed": self.fake + "/installed",
            "api": "", "caFile": PKI + "/ca.crt", "certFile": PKI + "/server.crt", "keyFile": PKI + "/server.key",
            "seconds": 0.5, "poll": 0.02, "settle": 0, "passwords": {"postgres": PASSWORD}, "rewinder": "rewind_user",
            "user": pwd.getpwuid(os.geteuid()).pw_name, "own": ["false"], "node": "postgres-1",
            "settings": {"ttl": 30, "check_timeline": None, "postgresql": {"use_slots": True, "parameters": {"work_mem": "8MB"}}},
        }
        self.install("17")

    def install(self, *versions):
        for version in versions:
            os.makedirs(f"{self.fake}/installed/{version}/bin")
            for name in ("postgres", "psql"):
                os.symlink(f"{HERE}/fakes/{name}", f"{self.fake}/installed/{version}/bin/{name}")

    def write(self, name, text):
        os.makedirs(os.path.dirname(f"{self.fake}/{name}"), exist_ok=True)
        with open(f"{self.fake}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with contextlib.suppress(FileNotFoundError), open(f"{self.fake}/{name}", encoding="utf-8") as file:
            return file.read()
        return ""

    def run_program(self, verb, patroni="4.0.7"):
        self.write("config.json", json.dumps(self.config))
        environment = {**os.environ, "PATH": f"{HERE}/fakes:{os.environ['PATH']}", "PYTHONPATH": f"{self.fake}/python:{self.python}",
                       "FAKE": self.fake, "PATRONI_VERSION": patroni}
        return subprocess.run([sys.executable, HERE + "/quorum-patroni", verb, self.fake + "/config.json"], env=environment,
                              capture_output=True, text=True, timeout=30, check=False)

    def ok(self, done):
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout

    def fails(self, done, status, *texts):
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)


class Asked(unittest.TestCase):
    def test_who_does_not_wait_for_the_answer(self):
        for error, logged in (BrokenPipeError(32, "Broken pipe"), False), (ValueError("no number"), True):
            with self.assertLogs("patroni.api") if logged else self.assertNoLogs("patroni.api") as log:
                try:
                    raise error
                except Exception:
                    program.handle_error(None, None, ("10.0.0.1", 1))
            if logged:
                self.assertIn("no number", log.output[0])


class Fits(Case):
    """Parameters that follow from what the machine has."""
    FITS = {"shared_buffers": "memory 1 4 128 65536", "max_wal_size": "disk 1 10 256 8192", "max_parallel_workers": "processors 1 1 1 8"}

    def setUp(self):
        super().setUp()
        self.config["fits"] = self.FITS
        self.config["conf"] = self.fake + "/conf.yml"
        self.write("conf.yml", "postgresql: {data_dir: /data, parameters: {ssl: 'on'}}\nscope: main\n")

    def parameters(self):
        return json.loads(self.read("patroni/2-machine.yml"))["postgresql"]["parameters"]

    def test_patroni_starts_with_them(self):
        self.assertIn(f"{self.fake}/patroni bin_dir", self.ok(self.run_program("start")))
        has = self.parameters()
        self.assertEqual(set(self.FITS), set(has))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        quarter = int(has["shared_buffers"].removesuffix("MB"))
        self.assertTrue(min(memory / 4, 65536) <= quarter <= max(memory / 4 * 1.125, 128), quarter)
        self.assertEqual(str(min(8, len(os.sched_getaffinity(0)))), has["max_parallel_workers"])

    def test_real_patroni_reads_both_files(self):
        self.ok(self.run_program("start"))
        read = "import json, sys; from patroni.config import Config; print(json.dumps(Config(sys.argv[1], None)._local_configuration))"
        done = subprocess.run(["/usr/bin/python3", "-c", read, self.fake + "/patroni"], capture_output=True, text=True, check=False)
        if "No module named" in done.stderr:
            self.skipTest("no Patroni")
        found = json.loads(self.ok(done))
        self.assertEqual("main", found["scope"])
        self.assertEqual({"ssl": "on", **self.parameters()}, found["postgresql"]["parameters"])

    def test_what_is_given_later_is_left_to_patroni(self):
        self.ok(self.run_program("start"))
        self.config["fits"] = {"max_wal_size": self.FITS["max_wal_size"]}
        self.ok(self.run_program("start"))
        self.assertEqual({"max_wal_size"}, set(self.parameters()))

    def test_a_volume_without_room_keeps_no_node_from_starting(self):
        os.mkdir(self.fake + "/patroni")
        os.mkdir(self.fake + "/patroni/2-machine.yml.new")  # which cannot be written, to root either
        said = self.ok(self.run_program("start"))
        self.assertIn("the parameters that fit the machine stay as they are", said)
        self.assertIn(f"{self.fake}/patroni bin_dir", said)
        os.rmdir(self.fake + "/patroni/2-machine.yml.new")
        shutil.rmtree(self.fake + "/patroni")
        self.write("patroni", "not a directory")
        self.assertIn(f"{self.fake}/conf.yml bin_dir", self.ok(self.run_program("start")))

    def test_sizes(self):
        """Of a machine, as the kernel counts its memory, and of a volume, as its file system does."""
        for memory, disk, want in ((1968, 9980, ("512MB", "1024MB")), (64205, 98000, ("16384MB", "8192MB")), (230, 970, ("128MB", "256MB"))):
            with unittest.mock.patch.object(os, "sysconf", {"SC_PHYS_PAGES": memory << 8, "SC_PAGE_SIZE": 4096}.get), \
                 unittest.mock.patch.object(shutil, "disk_usage", lambda _, disk=disk: types.SimpleNamespace(total=disk << 20)):
                program.fit({"dataDir": self.fake + "/data", **self.config})
            self.assertEqual(want, (self.parameters()["shared_buffers"], self.parameters()["max_wal_size"]))


class Start(Case):
    def test_newest_for_new_data(self):
        self.install("9.6", "16")
        self.assertEqual(f"/etc/patroni/conf.yml bin_dir={self.fake}/installed/17/bin\n", self.ok(self.run_program("start")))

    def test_restore_that_was_given_up(self):
        self.config["refused"] = [self.fake + "/refused"]
        self.ok(self.run_program("start"))
        self.write("refused", "#!/bin/sh\necho 'there is no backup' >&2\nexit 78\n")
        os.chmod(self.fake + "/refused", 0o755)
        self.fails(self.run_program("start"), 78, "there is no backup")
        for how in "exit 1", "kill -KILL $$":  # a disk that is full, or no memory: systemd tries again
            self.write("refused", f"#!/bin/sh\n{how}\n")
            self.fails(self.run_program("start"), 1)
        self.write("data/PG_VERSION", "17\n")
        self.ok(self.run_program("start"))

    def test_restore_that_was_killed(self):
        for initialized in ("", "7712274936758698863"):
            for name in ("data/PG_VERSION", "data/base/1", "quorum-backup/restoring.json", "quorum-backup/restore.prom"):
                self.write(name, "17\n")
            self.write("initialize", initialized)
            self.assertIn("begins the restore anew", self.ok(self.run_program("start")))
            self.assertEqual([], os.listdir(self.fake + "/data"))
            self.assertEqual(bool(initialized), os.path.exists(self.fake + "/initialize"))
            self.assertEqual([], os.listdir(self.fake + "/quorum-backup"))
        os.rmdir(self.fake + "/data")  # Patroni moved it away, and the next restore was killed before it made it again
        self.write("quorum-backup/restoring.json", "{}")
        self.assertIn("begins the restore anew", self.ok(self.run_program("start")))

    def test_joins_a_cluster_that_etcd_does_not_know(self):
        """With data, as of a volume that was there, Patroni would found a second cluster."""
        self.config["joins"] = True
        for initialized in None, "":  # nobody, or somebody who is about to
            if initialized is not None:
                self.write("initialize", initialized)
            self.fails(self.run_program("start"), 1, "etcd does not know the cluster that this node joins")
        self.write("data/PG_VERSION", "17\n")
        self.fails(self.run_program("start"), 1, "etcd does not know the cluster that this node joins")
        self.write("initialize", "7712274936758698863")
        self.ok(self.run_program("start"))

    def test_restore_of_a_cluster_that_etcd_knows(self):
        """It is forgotten once for a restore, unless somebody leads or the node has data."""
        theirs = {"ttl": 40, "postgresql": {"pg_hba": ["local all all peer"]}}
        theirs["quorum_system_ids"] = ["7712274936758698863", "7712274936758698864"]  # by which gates know either for this cluster
        self.write("dcs.json", json.dumps({**theirs, "quorum_upgrade": "{}", "quorum_upgrade_order": "{}"}))
        self.write("initialize", "7712274936758698863")
        self.ok(self.run_program("start"))
        self.assertTrue(os.path.exists(self.fake + "/initialize"), "without a restore")
        self.config["restoration"] = "20261127T150000Z"
        self.write("data/PG_VERSION", "17\n")
        self.ok(self.run_program("start"))
        self.assertTrue(os.path.exists(self.fake + "/initialize"))
        os.remove(self.fake + "/data/PG_VERSION")
        self.write("runs", "")
        self.fails(self.run_program("start"), 1, "a node of the cluster runs, and may come to lead")
        self.assertTrue(os.path.exists(self.fake + "/initialize"), "its leader is being elected")
        os.remove(self.fake + "/runs")
        self.write("faster", "")
        self.fails(self.run_program("start"), 1, "was changed at the same moment")
        os.remove(self.fake + "/faster")
        self.assertIn("is forgotten: it is founded from a backup", self.ok(self.run_program("start")))
        self.assertFalse(os.path.exists(self.fake + "/initialize"))
        self.assertEqual({**theirs, "quorum_restoration": "20261127T150000Z"}, json.loads(self.read("dcs.json")))
        for restoration, again in (("20261127T150000Z", False), ("20261120T150000Z", False), ("20261201T150000Z", True)):
            self.write("initialize", "7712274936758698863")
            self.config["restoration"] = restoration
            self.ok(self.run_program("start"))
            self.assertEqual(again, not os.path.exists(self.fake + "/initialize"), restoration)

    def test_restore_of_a_cluster_whose_leader_is_in_etcd(self):
        """Where that leads, it is not lost. Else the key ends by its lease, or there is none, and it is a remnant."""
        self.write("dcs.json", json.dumps({"ttl": 40, "postgresql": {"pg_hba": ["local all all peer"]}}))
        self.write("initialize", "7712274936758698863")
        self.config["restoration"] = "20261127T150000Z"
        api = serve(self, API)
        api.cluster = {"leads": True}
        url = f"https://127.0.0.1:{api.server_port}/patroni"
        for lease in ("4711", None):
            self.write("leads", json.dumps([lease, "postgres-2", url]))
            self.ok(self.run_program("start"))
            self.assertTrue(os.path.exists(self.fake + "/initialize"), "it leads")
        api.cluster["leads"] = False
        for told in (url, "https://127.0.0.1:1/patroni", None):
            self.write("leads", json.dumps(["4711", "postgres-2", told]))
            self.fails(self.run_program("start"), 1, "postgres-2 leads by its key in etcd, and does not say so itself")
            self.assertTrue(os.path.exists(self.fake + "/initialize"))
        self.write("leads", json.dumps([None, "postgres-2", url]))
        self.assertIn("is forgotten: it is founded from a backup", self.ok(self.run_program("start")))
        self.assertFalse(os.path.exists(self.fake + "/initialize"))

    def test_validate(self):
        self.assertEqual("", self.ok(self.run_program("validate")))
        runs = ("restapi.listen 10.0.0.1:4443 didn't pass validation: Port 4443 is already in use.\n"
                "etcd3.hosts.0 10.0.0.2:2379 didn't pass validation: 10.0.0.2:2379 is not reachable\n")
        self.write("complaints", runs)
        self.ok(self.run_program("validate"))
        self.write("complaints", runs + "postgresql.data_dir  is not defined.\n")
        self.fails(self.run_program("validate"), 1, "Patroni refuses its configuration: postgresql.data_dir  is not defined.\n")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_validate_after_the_data_is_the_users(self):
        """The data of another installation: only its owner, and root, can read it."""
        self.write("data/PG_VERSION", "17\n")
        os.chmod(self.fake, 0o755)
        os.chmod(self.fake + "/data", 0o700)
        os.chown(self.fake + "/data", 4711, 4711)
        self.config.update(user="nobody", own=["sh", "-c", f"chown -R nobody {self.fake}/data {self.fake}/config.json"])
        self.ok(self.run_program("validate"))
        self.config["own"] = ["sh", "-c", "echo input/output error >&2; exit 1"]
        self.fails(self.run_program("validate"), 1, "input/output error", "cannot be given to nobody")

    def test_that_of_the_data(self):
        self.install("16")
        self.write("data/PG_VERSION", "16\n")
        self.assertIn("installed/16/bin", self.ok(self.run_program("start")))

    def test_the_one_wanted(self):
        self.install("16")
        self.config["version"] = "16"
        self.assertIn("installed/16/bin", self.ok(self.run_program("start")))

    def test_data_of_a_version_that_is_not_installed(self):
        self.write("data/PG_VERSION", "15\n")
        self.fails(self.run_program("start"), 78, "is of PostgreSQL 15, and installed is 17")

    def test_data_of_another_version_than_wanted(self):
        self.install("15")
        self.write("data/PG_VERSION", "15\n")
        self.config["version"] = "17"
        self.fails(self.run_program("start"), 78, "is of PostgreSQL 15, not 17")

    def test_real_patroni(self):
        """The distribution's own, which misses what such a file should have."""
        self.config["conf"], self.python = self.fake + "/none.yml", ""
        self.write("data/PG_VERSION", "17\n")
        done = self.run_program("start")
        self.assertIn("distributed configuration store", done.stdout + done.stderr)
        self.assertNotIn("bin_dir", done.stdout + done.stderr)

    def test_a_cluster_without_rules_gets_them_from_a_node_that_joins(self):
        theirs, rules = {"ttl": 30, "postgresql": {"use_slots": True}}, ["local all postgres peer", "hostssl all all all scram-sha-256"]
        self.config["settings"]["postgresql"]["pg_hba"] = [rules[0], rules[1] + " clientcert=verify-ca"]
        self.ok(self.run_program("start"))
        self.assertEqual("", self.read("dcs.json"), "there is no cluster yet")
        self.write("dcs.json", json.dumps(theirs))
        self.write("faster", "")
        self.fails(self.run_program("start"), 1, "was changed at the same moment")
        os.remove(self.fake + "/faster")
        self.ok(self.run_program("start"))
        self.assertEqual({**theirs, "postgresql": {"use_slots": True, "pg_hba": rules}}, json.loads(self.read("dcs.json")))
        for has, data in ((["theirs"], ""), (None, "17\n")):
            theirs["postgresql"]["pg_hba"] = has
            self.write("dcs.json", json.dumps(theirs))
            if data:
                self.write("data/PG_VERSION", data)
            self.ok(self.run_program("start"))
            self.assertEqual(theirs, json.loads(self.read("dcs.json")))

    def test_old_patroni(self):
        self.fails(self.run_program("start", patroni="2.1.2"), 78, "Patroni 2.1.2 is too old")


class Check(Case):
    def test_all_parameters_are_shown_to_postgres(self):
        self.config["settings"]["postgresql"]["parameters"] = {"archive_command": r"cp '%p' C:\x"}
        self.ok(self.run_program("check"))
        self.assertEqual("archive_command = 'cp ''%p'' C:\\\\x'\n", self.read("parameters"))

    def test_refused(self):
        self.config["settings"]["postgresql"]["parameters"]["work_mem"] = "bad"
        self.fails(self.run_program("check"), 1, 'PostgreSQL refuses postgres.params: invalid value for parameter "work_mem": "bad"\n')


class Cluster(Case):
    def setUp(self):
        super().setUp()
        self.cluster = {"leads": False, "node": {}, "patches": [], "conflicts": 0, "members": []}
        self.cluster["config"] = {"ttl": 30, "pause": True, "postgresql": {"use_slots": True, "parameters": {"work_mem": "8MB"}}}
        self.serve(PKI + "/ca.crt")

    def serve(self, client_ca):
        server = serve(self, API, client_ca)
        server.cluster = self.cluster
        self.config["api"] = f"https://127.0.0.1:{server.server_port}"


class Settings(Cluster):
    def test_nothing_to_do(self):
        self.assertIn("the cluster has them", self.ok(self.run_program("settings")))
        self.assertEqual([], self.cluster["patches"])

    def test_only_what_differs_is_sent(self):
        self.cluster["config"].update(ttl=60, check_timeline=True)
        self.cluster["config"]["postgresql"]["parameters"] = {"Work_Mem": "8MB", "jit": "off"}
        out = self.ok(self.run_program("settings"))
        self.assertEqual([{"ttl": 30, "check_timeline": None,
                           "postgresql": {"parameters": {"work_mem": "8MB", "Work_Mem": None, "jit": None}}}], self.cluster["patches"])
        self.assertEqual({"ttl": 30, "pause": True, "postgresql": {"use_slots": True, "parameters": {"work_mem": "8MB"}}}, self.cluster["config"])
        self.assertIn("check_timeline, postgresql.parameters.Work_Mem, postgresql.parameters.jit", out)
        self.assertIn("the cluster has them", self.ok(self.run_program("settings")))

    def test_certificates_of_nodes_that_others_made_stay(self):
        theirs = {"ssl": "on", "ssl_cert_file": "/etc/postgres/tls/server.crt", "ssl_key_file": "/etc/postgres/tls/server.key"}
        self.cluster["config"]["postgresql"]["parameters"] = {**theirs, "log_directory": "/var/log/postgresql"}
        self.ok(self.run_program("settings"))
        self.assertEqual({**theirs, "work_mem": "8MB"}, self.cluster["config"]["postgresql"]["parameters"])

    def test_a_cluster_that_was_promoted_becomes_no_standby_again(self):
        self.config["settings"]["standby_cluster"] = {"host": "10.1.0.41", "port": 5432, "primary_slot_name": None}
        self.assertIn("the cluster has them", self.ok(self.run_program("settings")))
        synchronous = {"synchronous_mode": True, "synchronous_node_count": 2}
        self.cluster["config"].update(synchronous)
        self.config["settings"]["synchronous_mode"] = False
        self.assertIn("the cluster has them", self.ok(self.run_program("settings")))
        self.assertEqual(synchronous, {name: self.cluster["config"].get(name) for name in synchronous}, "a node that is late does not turn them off")
        del self.config["settings"]["synchronous_mode"]
        self.cluster["config"]["standby_cluster"] = {"host": "10.1.0.40", "port": 5432, "primary_slot_name": "b"}
        self.ok(self.run_program("settings"))
        self.assertEqual([{"standby_cluster": {"host": "10.1.0.41", "primary_slot_name": None}}], self.cluster["patches"])

    def test_no_parameters(self):
        self.config["settings"]["postgresql"]["parameters"] = {}
        self.ok(self.run_program("settings"))
        self.assertEqual({}, self.cluster["config"]["postgresql"]["parameters"])

    def test_rules_wait_for_all_nodes_to_present_certificates(self):
        strict, plain = (f"hostssl replication replicator all scram-sha-256{option}" for option in (" clientcert=verify-ca", ""))
        self.config["settings"]["postgresql"]["pg_hba"] = [strict, "hostssl all all 10.0.0.0/8 cert"]
        ready, old = {"name": "postgres-1", "tags": {"clientcert": True}}, {"name": "postgres-2", "tags": {"nosync": True}}
        has = self.cluster["config"]["postgresql"]

        self.cluster["members"] = [old, {"name": "postgres-1"}]
        self.fails(self.run_program("settings"), 1, "has yet to tell the others that this node presents a certificate")
        self.assertNotIn("pg_hba", has)

        self.cluster["members"] = [ready, old]
        self.assertIn("until these have been updated, or are gone: postgres-2", self.ok(self.run_program("settings")))
        self.assertEqual([plain, "hostssl all all 10.0.0.0/8 cert"], has["pg_hba"])

        self.cluster["members"], self.cluster["config"]["quorum_nodes"] = [ready], {"postgres-1": {}, "postgres-2": {}}  # one is off
        self.assertIn("or are gone: postgres-2", self.ok(self.run_program("rules")))
        self.assertEqual(plain, has["pg_hba"][0])

        self.cluster["config"]["quorum_nodes"] = {"postgres-1": {}}
        self.ok(self.run_program("rules"))
        self.assertEqual(strict, has["pg_hba"][0])

        # One that came later, and presents none, keeps no change of the rules from the cluster.
        self.cluster["members"], self.config["settings"]["postgresql"]["pg_hba"] = [ready, old], [strict]
        self.assertIn("the cluster takes postgresql.pg_hba", self.ok(self.run_program("settings")))
        self.assertEqual([strict], has["pg_hba"])

    def test_rules_of_another_change_stay(self):
        self.config["settings"]["postgresql"]["pg_hba"] = ["hostssl all postgres all scram-sha-256 clientcert=verify-ca"]
        for rules in (["local all postgres peer"], None):
            self.cluster["config"]["postgresql"]["pg_hba"] = rules
            self.assertEqual("", self.ok(self.run_program("rules")))
            self.assertEqual([], self.cluster["patches"])

    def test_numbers_are_compared_as_patroni_does(self):
        self.cluster["config"]["ttl"] = "30"
        self.ok(self.run_program("settings"))
        self.assertEqual([], self.cluster["patches"])

    def test_another_node_was_faster(self):
        self.cluster["config"]["ttl"], self.cluster["conflicts"] = 60, 1
        self.ok(self.run_program("settings"))
        self.assertEqual(30, self.cluster["config"]["ttl"])

    def test_no_cluster_yet(self):
        self.cluster["config"] = None
        self.fails(self.run_program("settings"), 1, "did not take the settings: GET /config: status 502")

    def test_patroni_is_down(self):
        self.config["api"] = "https://127.0.0.1:1"
        self.fails(self.run_program("settings"), 1, "did not take the settings: GET /config")

    def test_certificate_of_another_authority(self):
        self.config["caFile"] = PKI + "/other.crt"
        self.fails(self.run_program("settings"), 1, "certificate verify failed")

    def test_shows_its_certificate(self):
        self.serve(PKI + "/other.crt")
        self.fails(self.run_program("settings"), 1, "did not take the settings")

    def test_restart_is_left_to_the_operator(self):
        self.cluster["node"] = {"pending_restart": True, "pending_restart_reason": {"shared_buffers": {}}}
        self.assertNotIn("RESTART", self.ok(self.run_program("settings")))
        self.config["settings"]["postgresql"]["parameters"]["shared_buffers"] = "1GB"
        self.assertIn("RESTART NEEDED for shared_buffers: patronictl -c /etc/patroni/conf.yml restart --pending main\n",
                      self.ok(self.run_program("settings")))


class Passwords(Cluster):
    def setUp(self):
        super().setUp()
        self.cluster["leads"] = True
        self.roles(PASSWORD)

    def roles(self, password):
        self.write("roles", f"postgres|{program.hash_of(password)}\nsomebody|\n")

    def test_the_same(self):
        self.assertNotIn("passwords", self.ok(self.run_program("settings")))
        self.assertEqual("", self.read("sql"))

    def test_another(self):
        for role in ("postgres|" + program.hash_of("old"), "postgres|md5c0ffee", "postgres|"):
            self.write("roles", role + "\n")
            self.write("sql", "")
            self.assertIn("passwords: changed for postgres\n", self.ok(self.run_program("settings")))
            statement = self.read("sql").splitlines()[1]
            self.assertRegex(statement, r"^ALTER ROLE \"postgres\" PASSWORD 'SCRAM-SHA-256\$4096:\S+';$")
            self.assertTrue(program.is_hash_of(statement.split("'")[1], PASSWORD))
        self.assertNotIn("hush", self.read("sql") + self.read("arguments"))

    def test_a_replica_writes_nothing(self):
        self.roles("old")
        self.cluster["leads"] = False
        self.ok(self.run_program("settings"))
        self.assertEqual("", self.read("sql"))

    def test_a_pool_may_look_up_users_where_the_leader_is(self):
        mark = self.fake + "/looked"
        self.config["pool"] = ["/bin/sh", "-c", f"echo once >>{mark}"]
        self.config["settings"]["postgresql"]["pg_hba"] = []
        self.ok(self.run_program("settings"))
        self.ok(self.run_program("rules"))  # later too: for databases that are new, and after a backup was restored
        self.assertEqual("once\nonce\n", self.read("looked"))
        self.cluster["leads"] = False
        self.ok(self.run_program("settings"))
        self.ok(self.run_program("rules"))
        self.assertEqual("once\nonce\n", self.read("looked"))

    def test_a_pool_that_may_not(self):
        self.config["pool"] = ["/bin/false"]
        self.fails(self.run_program("settings"), 1, "the pool cannot look up users yet")

    def test_rewinder_is_made(self):
        self.config["passwords"]["rewind_user"] = "new"
        self.ok(self.run_program("settings"))
        self.assertIn('CREATE ROLE "rewind_user" LOGIN', self.read("sql"))
        self.assertEqual(4, self.read("sql").count("GRANT EXECUTE"))

    def test_role_that_patroni_has_not_made_yet(self):
        self.write("roles", "somebody|\n")
        self.fails(self.run_program("settings"), 1, "there is no role postgres yet")

    def test_database_is_down(self):
        os.unlink(self.fake + "/roles")
        done = self.run_program("settings")
        self.fails(done, 1, "psql: exit status 2")
        self.assertNotIn("hush", done.stdout + done.stderr)

    def test_hash_is_postgres_own(self):
        # Made by PostgreSQL 15: SET password_encryption = 'scram-sha-256'; CREATE ROLE x PASSWORD 'hush ''n hush'.
        self.assertTrue(program.is_hash_of(KNOWN, PASSWORD))
        self.assertFalse(program.is_hash_of(KNOWN, PASSWORD + "x"))
        self.assertTrue(program.is_hash_of(UNICODE, "p\u00e4ssw\u00f6rd \ufb01"))


class Reload(Case):
    """Patroni, here a process that a signal ends, has or has not the certificate beside the client's."""

    def setUp(self):
        super().setUp()
        server = serve(self, API)
        self.patroni = subprocess.Popen(["sleep", "60"])
        self.addCleanup(self.patroni.wait)
        self.addCleanup(self.patroni.kill)
        for name in ("client.crt", "client.key", "server.crt"):
            with open(f"{PKI}/{name.replace('client', 'server')}", encoding="utf-8") as file:
                self.write(name, file.read())
        self.config.update(api=f"https://127.0.0.1:{server.server_port}", certFile=self.fake + "/client.crt", keyFile=self.fake + "/client.key", reloading=0.5)
        os.environ["MAINPID"] = str(self.patroni.pid)

    def test_it_has_the_certificate(self):
        self.ok(self.run_program("reload"))
        self.assertIsNone(self.patroni.poll())

    def test_other_parameters_fit(self):
        self.ok(self.run_program("reload"))
        self.config["fits"] = Fits.FITS
        self.ok(self.run_program("reload"))
        self.assertEqual(-signal.SIGHUP, self.patroni.wait(5))

    def test_it_has_another(self):
        with open(PKI + "/other.crt", encoding="utf-8") as file:
            self.write("server.crt", file.read())
        self.config["reloading"] = 3  # on a slow machine the first look takes a second
        self.run_program("reload")
        self.assertEqual(-signal.SIGHUP, self.patroni.wait(5))

    def test_it_does_not_answer(self):
        self.config["api"] = "https://127.0.0.1:1"
        self.ok(self.run_program("reload"))
        self.assertIsNone(self.patroni.poll())


KNOWN = ("SCRAM-SHA-256$4096:oCHc5a/R/JHClxeSBrpl5Q==$i5+Soz/iJCMIW4fwE/lDf9OEKWHdnbiWh9yKUUrfcvs="
         ":FCx6Fo+Bztq8dgvM0lSAMX7IPObvl+Rbk577eDNJnvQ=")
# The same for a password with letters beyond ASCII, one of which PostgreSQL takes apart first.
UNICODE = ("SCRAM-SHA-256$4096:6Usd7gdUPg9HnXiiKEeyYA==$IEik0RtKmR/rFL0o/Vgc1yDweQQeHZa8XSBQdaRIpl8="
           ":Q3hmgfK8HieIbYW5313GEnEpPDLDO8t4tzo1+KNeG5Y=")

if __name__ == "__main__":
    unittest.main()
