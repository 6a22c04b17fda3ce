"""etcd, as its user root."""
import contextlib
import json
import os
import re
import socket
import subprocess

import yaml

from quorum_backup.commands import end_with_parent, run
from quorum_backup.report import Failure

STARTS, ANSWERS, SAVES = 600, 60, 3600  # seconds
NO_AUTHENTICATION = "authentication is not enabled"


def configuration(config):
    with open(config["conf"], encoding="utf-8") as file:
        return yaml.safe_load(file)


class Etcd:
    """etcd at an endpoint, by default the one of this machine."""

    def __init__(self, config, endpoint=None):
        conf, root = configuration(config), config["root"]
        self.programs = config["etcd"]
        self.environment = {"ETCDCTL_API": "3", "ETCDCTL_ENDPOINTS": endpoint or conf["listen-client-urls"].split(",")[-1],
                            "ETCDCTL_CACERT": conf["peer-transport-security"]["trusted-ca-file"]}
        if "keyFile" in root:
            self.login = {"ETCDCTL_CERT": root["certFile"], "ETCDCTL_KEY": root["keyFile"]}
        else:
            with open(root["passwordFile"], encoding="utf-8") as file:
                self.login = {"ETCDCTL_USER": "root", "ETCDCTL_PASSWORD": file.read().strip()}

    def ctl(self, *words, seconds=ANSWERS):
        environment = {**self.environment, **self.login, "ETCDCTL_COMMAND_TIMEOUT": f"{seconds}s", "ETCDCTL_DIAL_TIMEOUT": "5s"}
        done = run([self.programs + "/etcdctl", *words], seconds + 10, environment)
        if done.returncode and NO_AUTHENTICATION in done.stderr and "ETCDCTL_USER" in self.login:
            self.login = {}
            return self.ctl(*words, seconds=seconds)
        if done.returncode:
            raise Failure(f"etcdctl {words[0]}: {said(done.stderr)}")
        return done.stdout

    def locked(self, key, command, environment):
        """Runs a command that one member at a time may run."""
        return run([self.programs + "/etcdctl", "lock", key, "--", *command], ANSWERS, {**self.environment, **self.login, **environment})

    def status(self):
        return json.loads(self.ctl("endpoint", "status", "--write-out=json"))[0]["Status"]

    def voters(self):
        """Names by id."""
        members = json.loads(self.ctl("member", "list", "--write-out=json"))["members"]
        return {m["ID"]: m.get("name", "") for m in members if not m.get("isLearner")}

    def get(self, key):
        return self.ctl("get", key, "--print-value-only").strip()

    def leases(self):
        """How long each was granted for, in seconds, by its id."""
        found = json.loads(self.ctl("lease", "list", "--write-out=json")).get("leases") or []
        ids = sorted(f"{lease['id']:x}" for lease in found)
        return {lease: json.loads(self.ctl("lease", "timetolive", lease, "--write-out=json"))["granted-ttl"] for lease in ids}

    def hash(self):
        """Of all keys."""
        return json.loads(self.ctl("endpoint", "hashkv", "--write-out=json"))[0]["HashKV"]["hash"]


def said(text):
    """The reason in what etcd's programs say, which log in JSON."""
    lines = text.strip().splitlines() or ["it failed"]
    with contextlib.suppress(ValueError):
        told = json.loads(lines[-1])
        return told.get("error") or told.get("msg")
    return lines[-1].removeprefix("Error: ")[:500]


def passes(status, text):
    """Whether a program was ended from outside, or wanted something that may be there later: no word on the data."""
    return status < 0 or re.search("out of memory|allocate memory|no space left|too many open files|address already in use|unavailable", text) is not None


def utl(config, *words, seconds=SAVES):
    """Output of etcdutl."""
    program = config["etcd"] + "/etcdutl"
    if not os.path.exists(program):
        raise Failure(f"{program} is not there: backups need etcd 3.5.10 or later. Set etcd.version, or use an image of Debian 13", again=False)
    done = run([program, *words], seconds)
    if done.returncode:
        raise Failure(f"etcdutl {' '.join(words[:2])}: {said(done.stderr)}", passes(done.returncode, done.stderr))
    return done.stdout


def state_of(config, path):
    """What is in a snapshot: a hash of all of it, and how many keys."""
    told = json.loads(utl(config, "snapshot", "status", path, "--write-out=json"))
    return {"hash": str(told["hash"]), "keys": str(told["totalKey"]), "revision": str(told["revision"])}


def free_url():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"https://127.0.0.1:{found.getsockname()[1]}"


@contextlib.contextmanager
def alone(config, snapshot, place, *how):
    """etcd of its own on the data of a snapshot, which nobody else reaches."""
    peer, client, data = free_url(), free_url(), place + "/alone"
    utl(config, "snapshot", "restore", snapshot, "--data-dir", data, "--name", "alone", "--initial-cluster", "alone=" + peer,
        "--initial-advertise-peer-urls", peer, *how)
    conf = {name: value for name, value in configuration(config).items() if not name.startswith("initial-")}
    conf.update({"name": "alone", "data-dir": data, "listen-peer-urls": peer, "listen-client-urls": client, "advertise-client-urls": client,
                 "initial-advertise-peer-urls": peer, "initial-cluster": "alone=" + peer, "auto-compaction-retention": "0"})
    with open(place + "/alone.yml", "w", encoding="utf-8") as file:
        yaml.safe_dump(conf, file)
    name = f"@quorum-etcd-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready, open(place + "/alone.log", "wb") as log:
        ready.bind("\0" + name[1:])
        ready.settimeout(0.2)
        with subprocess.Popen([config["etcd"] + "/etcd", "--config-file", place + "/alone.yml"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent,
                              env={**os.environ, "NOTIFY_SOCKET": name}) as process:
            try:
                wait(ready, process, place + "/alone.log")
                yield Etcd(config, client)
            finally:
                process.terminate()


def wait(ready, process, log):
    for _ in range(int(STARTS / ready.gettimeout())):
        with contextlib.suppress(TimeoutError):
            if b"READY=1" in ready.recv(4096):
                return
        if process.poll() is not None:
            with open(log, encoding="utf-8", errors="replace") as file:
                text = file.read()
            ended = f"ended by signal {-process.returncode}" if process.returncode < 0 else said(text)
            raise Failure(f"etcd does not start with the data of the snapshot: {ended}", passes(process.returncode, text))
    raise Failure(f"etcd did not start with the data of the snapshot within {STARTS} s")
