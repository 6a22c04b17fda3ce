"""Patroni 3.0 of the distribution against an etcd, as a machine that was paused goes on: with what quorum-patroni mends, and as it is."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # that has Patroni

# The lock of the former leader has expired, and another one leads. The former one remembers what was before.
DRIVER = """
import importlib.machinery, importlib.util, json, sys
sys.dont_write_bytecode = True
program, etcd, mended = sys.argv[1:]
import patroni.dcs.etcd3 as etcd3
from patroni.dcs import get_dcs
if mended == "mended":
    loader = importlib.machinery.SourceFileLoader("program", program)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("program", loader))
    loader.exec_module(module)
    module.mend(etcd3)
def node(name):
    return get_dcs({"scope": mended, "namespace": "/service/", "name": name, "ttl": 30, "loop_wait": 10, "retry_timeout": 10,
                    "etcd3": {"host": etcd, "protocol": "http"}})
def holds():
    found = successor._client.call_rpc("/kv/range", {"key": etcd3.base64_encode(successor.leader_path)})
    return etcd3.base64_decode(found["kvs"][0]["value"])
former, successor = node("former"), node("successor")
said = {"took": former.attempt_to_acquire_leader()}
former.get_cluster()
former._lease = None  # as when ttl changes
said["keeps"] = former.update_leader(None), holds()
former.get_cluster()
former._client.call_rpc("/lease/revoke", {"ID": former._lease})
said["next"] = successor.attempt_to_acquire_leader(), holds()
said["goes on"] = former.update_leader(None), holds()
looks = []
former._client._kv_cache.kill_stream = lambda: looks.append(1)
said["stale"] = bool(former.set_sync_state_value("{}", 1)), len(looks)
print(json.dumps(said))
"""

# Says which of the functions are those of the program, once it is about to become Patroni.
RUN = """
import importlib.machinery, importlib.util, logging, sys
sys.dont_write_bytecode = True
import patroni.__main__
import patroni.api
import patroni.dcs.etcd3
import patroni.postgresql.bootstrap
def main():
    functions = (patroni.dcs.etcd3.PatroniEtcd3Client.call_rpc, patroni.postgresql.bootstrap.Bootstrap.post_bootstrap, patroni.api.RestApiServer.handle_error, logging.Formatter.format)
    print(sys.argv, *(function.__code__.co_filename == sys.argv[0] or function.__code__.co_filename == program for function in functions))
program = sys.argv[1]
patroni.__main__.main = main
loader = importlib.machinery.SourceFileLoader("program", program)
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("program", loader))
loader.exec_module(module)
module.run("conf.yml")
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Mend(unittest.TestCase):
    def setUp(self):
        version = subprocess.run([PYTHON, "-c", "import patroni.version; print(patroni.version.__version__)"], capture_output=True, text=True, check=False)
        if not version.stdout.startswith("3.0."):
            self.skipTest(f"no Patroni 3.0: {version.stdout or version.stderr.splitlines()[-1]}")
        etcd = os.environ.get("ETCD") or shutil.which("etcd")
        if not etcd:
            self.skipTest("no etcd: ETCD says where it is, and make test does")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.address, peers = f"127.0.0.1:{free_port()}", f"http://127.0.0.1:{free_port()}"
        client = "http://" + self.address
        running = subprocess.Popen([etcd, "--data-dir", directory.name, "--listen-client-urls", client, "--advertise-client-urls", client,
                                    "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default=" + peers,
                                    "--log-level=error"])
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(client + "/health", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        self.fail("etcd does not start")

    def went(self, how):
        done = subprocess.run([PYTHON, "-c", DRIVER, HERE + "/quorum-patroni", self.address, how], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def test_patroni_is_run_with_it(self):
        done = subprocess.run([PYTHON, "-c", RUN, HERE + "/quorum-patroni"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((0, "['patroni', 'conf.yml'] True True True True\n"), (done.returncode, done.stdout), done.stderr)

    def test_a_paused_leader_goes_on(self):
        self.assertEqual({"took": True, "keeps": [True, "former"], "next": [True, "successor"],
                          "goes on": [False, "successor"], "stale": [False, 1]}, self.went("mended"))
        as_it_is = self.went("as-it-is")
        self.assertEqual([True, "former"], as_it_is["goes on"], "the fault is there to be mended")
        self.assertEqual([False, 0], as_it_is["stale"])


if __name__ == "__main__":
    sys.exit(unittest.main())
