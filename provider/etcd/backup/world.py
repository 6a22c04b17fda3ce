"""Members of etcd, quorum-backup, restic and an S3 service, all of them real, below a directory of their own."""
import contextlib
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(HERE, "../../guest/backup")
JOIN = os.path.join(HERE, "../config/join")
sys.dont_write_bytecode = True
sys.path.insert(0, SHARED)
import s3  # noqa: E402

PASSWORD = "of-the-root"
# As on a machine, but for where all is, the time between two attempts, and how long members wait for one that is late
# or has other data.
STARTS = """
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("etcd_join", "{join}/etcd-join")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("etcd_join", loader))
loader.exec_module(program)
program.POLL, program.LINGER, program.AGAIN, program.SLOWEST, program.PATIENCE = 0.2, 0.5, 0.5, 30, 5
program.BACKUPS, program.BACKUP = "{member}/backup.json", "{program}"
program.main()
"""


class Member:
    """One, at 127.0.0.N."""

    def __init__(self, world, n, cluster, **conf):
        self.world, self.n, self.name = world, n, f"etcd-{n}"
        self.dir, self.client = f"{world.top}/{cluster}-{n}", f"https://127.0.0.{n}:{world.ports[0]}"
        self.own = self.dir + "/quorum-backup"
        os.makedirs(self.own)
        os.makedirs(self.dir + "/data", mode=0o700)
        security = {"cert-file": world.top + "/member.crt", "key-file": world.top + "/member.key", "client-cert-auth": True, "trusted-ca-file": s3.PKI + "/ca.crt"}
        peers = {m: f"https://127.0.0.{m}:{world.ports[1]}" for m in world.numbers}
        self.conf = {"name": self.name, "data-dir": self.dir + "/data", "listen-peer-urls": peers[n], "initial-advertise-peer-urls": peers[n],
                     "listen-client-urls": self.client, "advertise-client-urls": self.client, "heartbeat-interval": 100, "election-timeout": 1000,
                     "auto-compaction-mode": "revision", "auto-compaction-retention": "1000", "enable-grpc-gateway": True,
                     "peer-transport-security": security, "client-transport-security": {"cert-file": security["cert-file"], "key-file": security["key-file"]} if world.passwords else security,
                     "experimental-initial-corrupt-check": True,
                     "initial-cluster": ",".join(f"etcd-{m}={url}" for m, url in peers.items()), "initial-cluster-token": cluster, "initial-cluster-state": "new", **conf}
        self.process, self.program = None, world.top + "/quorum-backup"
        self.configure()

    def configure(self, restore=None, **changes):
        with open(self.dir + "/conf.yml", "w", encoding="utf-8") as file:
            yaml.safe_dump(self.conf, file)
        root = {"passwordFile": self.world.top + "/root-password"} if self.world.passwords else {"certFile": self.world.top + "/root.crt", "keyFile": self.world.top + "/root.key"}
        config = {"conf": self.dir + "/conf.yml", "etcd": self.world.top + "/bin", "library": JOIN, "directory": self.own, "root": root,
                  "repository": self.world.repository(), "id": "here", "schedule": "weekly", "drill": "", "retention": {"last": 3, "daily": 0, "weekly": 0},
                  "restore": restore, **changes}
        self.config = config
        with open(self.dir + "/backup.json", "w", encoding="utf-8") as file:
            json.dump(config, file)

    def start(self):
        run = STARTS.format(join=JOIN, member=self.dir, program=self.program)
        script = f"/usr/bin/python3 -c '{run}' {self.dir}/conf.yml {self.dir}/run.yml && exec {self.world.top}/bin/etcd --config-file {self.dir}/run.yml"
        with open(self.dir + "/log", "ab") as log:
            self.process = subprocess.Popen(["sh", "-c", script], stdout=log, stderr=log, start_new_session=True)
        self.world.addCleanup(self.stop)

    def stop(self):
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def log(self):
        with open(self.dir + "/log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def ctl(self, *words, check=True):
        return self.world.ctl(self.client, *words, check=check)

    def begin(self, verb):
        return subprocess.Popen([self.world.top + "/quorum-backup", verb, self.dir + "/backup.json"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def run(self, verb):
        with self.begin(verb) as process:
            said, _ = process.communicate(timeout=300)
        for secret in (s3.SECRET, s3.KEY, PASSWORD):
            self.world.assertNotIn(secret, said)
        return process.returncode, said

    def ok(self, verb):
        status, said = self.run(verb)
        self.world.assertEqual(0, status, said)
        return said

    def fails(self, verb, *words):
        status, said = self.run(verb)
        self.world.assertEqual(1, status, said)
        for word in words:
            self.world.assertIn(word, said)
        return said

    def metrics(self, name="metrics"):
        with open(f"{self.own}/{name}.prom", encoding="utf-8") as file:
            return dict(line.rstrip("\n").rsplit(" ", 1) for line in file)

    def status(self):
        return json.loads(self.ctl("endpoint", "status", "-w", "json"))[0]["Status"]

    def hash(self):
        return json.loads(self.ctl("endpoint", "hashkv", "-w", "json"))[0]["HashKV"]["hash"]


class World(s3.S3, unittest.TestCase):
    numbers, passwords = (1, 2, 3), False

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="quorum-backup-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        os.chmod(self.top, 0o755)
        self.make_s3()
        self.ports = s3.free_port(), s3.free_port()
        self.write("names", "subjectAltName=IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3")
        self.write("root-password", PASSWORD + "\n")
        for name in ("member", "root"):
            for command in (f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {self.top}/{name}.key -out {self.top}/{name}.csr -subj /CN={name}",
                            f"x509 -req -in {self.top}/{name}.csr -CA {s3.PKI}/ca.crt -CAkey {s3.PKI}/ca.key -set_serial {len(name)} -days 2 -out {self.top}/{name}.crt"
                            + (f" -extfile {self.top}/names" if name == "member" else "")):
                subprocess.run(["openssl", *command.split()], check=True, capture_output=True)
        for place in (HERE, SHARED):
            shutil.copytree(place + "/quorum_backup", self.top + "/program/quorum_backup", dirs_exist_ok=True)
        self.program("quorum-backup", f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '{self.top}/program'); from quorum_backup.main import main; sys.exit(main())")
        os.makedirs(self.top + "/bin")
        tools = os.path.dirname(os.environ["ETCD"])
        for name, target in {"etcd": os.environ["ETCD"], "etcdctl": tools + "/etcdctl", "etcdutl": tools + "/etcdutl"}.items():
            os.symlink(target, f"{self.top}/bin/{name}")

    def write(self, name, text):
        path = f"{self.top}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o644)
        return path

    def wait(self, until, what, seconds=60):
        end = time.monotonic() + seconds
        while not until():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.1)

    def program(self, name, text):
        os.chmod(self.write(name, "#!/usr/bin/python3\n" + text + "\n"), 0o755)

    def repository(self, name="s3.json", **changes):
        conf = {"url": f"s3:https://localhost:{self.port}/{s3.BUCKET}/etcd", "style": "path", "region": s3.REGION, "caFile": self.top + "/tls/ca.crt",
                "accessKey": s3.ACCESS, "secretKey": s3.SECRET, "key": s3.KEY, **changes}
        return self.write(name, json.dumps(conf))

    def restic(self, repository, *words, stdin=subprocess.DEVNULL):
        with open(os.path.join(self.top, repository), encoding="utf-8") as file:
            conf = json.load(file)
        return subprocess.run(["restic", "--repo", conf["url"], "--no-cache", "--cacert", conf["caFile"], "-o", "s3.bucket-lookup=path", *words], check=True, capture_output=True, stdin=stdin,
                              env={"PATH": os.environ["PATH"], "AWS_ACCESS_KEY_ID": s3.ACCESS, "AWS_SECRET_ACCESS_KEY": s3.SECRET, "RESTIC_PASSWORD": s3.KEY}).stdout

    def wanted(self, **changes):
        """What a restore is of: the newest snapshot."""
        return {"repository": self.repository(), "snapshot": None, "until": "2100-01-01T00:00:00Z", "dropPatroniLocks": True, **changes}

    def ctl(self, endpoint, *words, check=True):
        identity = {"ETCDCTL_CERT": self.top + "/root.crt", "ETCDCTL_KEY": self.top + "/root.key"}
        environment = {"PATH": os.environ["PATH"], "ETCDCTL_API": "3", "ETCDCTL_CACERT": s3.PKI + "/ca.crt", "ETCDCTL_ENDPOINTS": endpoint, **identity}
        if self.passwords and words[0] not in ("user", "auth"):
            environment.update({"ETCDCTL_USER": "root", "ETCDCTL_PASSWORD": PASSWORD})
        done = subprocess.run([self.top + "/bin/etcdctl", "--command-timeout=20s", *words], capture_output=True, text=True, env=environment, check=False, timeout=60)
        if check:
            self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def found(self, cluster="platform", identity="of-the-first", **conf):
        """A cluster with authentication on, which an update has given its identity."""
        members = [Member(self, n, cluster, **conf) for n in self.numbers]
        self.start(members)
        first = members[0]
        first.ctl("user", "add", "root", *([f"--new-user-password={PASSWORD}"] if self.passwords else ["--no-password"]))
        first.ctl("user", "grant-role", "root", "root")
        first.ctl("auth", "enable")
        first.ctl("put", "quorum/identity", identity)
        return members

    def start(self, members):
        for member in members:
            member.start()
        for member in members:
            self.serves(member)

    def serves(self, member, seconds=90):
        end = time.monotonic() + seconds
        while "true" not in self.health(member):
            self.assertLess(time.monotonic(), end, member.log()[-3000:])
            time.sleep(0.2)

    def health(self, member, path="/health"):
        context = ssl.create_default_context(cafile=s3.PKI + "/ca.crt")
        context.load_cert_chain(self.top + "/member.crt", self.top + "/member.key")
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)).open(member.client + path, timeout=3) as answer:
                return answer.read().decode()
        except (OSError, urllib.error.URLError) as error:
            return str(error)

    def stop(self, members):
        for member in members:
            member.stop()


def needed():
    """Why these tests cannot run here, or None."""
    if not os.environ.get("S3") or not os.environ.get("ETCD"):
        return "S3 and ETCD are to be where versitygw and etcd are: see the Makefile"
    return None if shutil.which("restic") else "there is no restic"


real = unittest.skipIf(needed(), needed())
