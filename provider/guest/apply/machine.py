"""A machine for the tests: a directory, and fake commands that keep their state in it."""
import atexit
import base64
import gzip
import importlib.machinery
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
FAKES = HERE + "/fakes"
PROGRAM = os.path.join(tempfile.mkdtemp(prefix="quorum-apply-"), "quorum-apply")
SECRET = "hush-4711-hush"

sys.dont_write_bytecode = True
atexit.register(shutil.rmtree, os.path.dirname(PROGRAM))
with open(PROGRAM, "wb") as program:  # as machines are handed it
    subprocess.run(["go", "run", "../../cmd/quorum-apply"], cwd=HERE, stdout=program, check=True)
loader = importlib.machinery.SourceFileLoader("quorum_apply", PROGRAM)
apply = importlib.util.module_from_spec(importlib.util.spec_from_loader("quorum_apply", loader))
loader.exec_module(apply)
apply.POLL, apply.STEADY, apply.PAUSE, apply.DEVICE, apply.GO_BACK = 0.01, 0, 0, 0.05, 5

CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink", "subprocess.Popen")


class Machine:
    def __init__(self, parent, name="etcd-1"):
        self.root, self.fake, self.name = f"{parent}/root", f"{parent}/fake", name
        if not os.path.exists(parent + "/root"):
            for directory in (self.fake + "/packages", self.fake + "/vendor", self.root + "/dev", self.root + "/etc"):
                os.makedirs(directory)
            self.write("/etc/os-release", 'ID=debian\nVERSION_CODENAME="bookworm"\n')
            self.write("/dev/console", "")

    def clone(self, parent):
        shutil.copytree(os.path.dirname(self.root), parent)
        return Machine(parent, self.name)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        with open(self.root + path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path, top=None):
        try:
            with open((top or self.root) + path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def calls(self, word):
        return [line for line in (self.read("/calls", self.fake) or "").splitlines() if word in line]

    def forget_calls(self):
        open(self.fake + "/calls", "w", encoding="utf-8").close()

    def runs(self, service):
        """The configuration a running service has loaded."""
        if (self.read(f"/units/{service}", self.fake) or "").strip() == "active":
            return self.read(f"/units/{service}.runs", self.fake)
        return None

    def enabled(self, service):
        return os.path.exists(f"{self.fake}/units/{service}.enabled")

    def record(self, name):
        return json.loads(self.read(f"/var/lib/quorum/{name}.json") or "{}")

    def first_boot(self, state, **options):
        self.write("/var/lib/quorum/drive/state.json", json.dumps(state))
        return self.run("--first-boot", **options)

    def insert(self, state, text=None, made="20261121120000"):
        """Puts a drive with the state, or with any text, into the machine. It says when it was made, as an ISO does, an hour east of Greenwich."""
        entry = {"path": "/var/lib/quorum/drive/state.json", "permissions": "0600", "content": json.dumps(state)}
        text = text if text is not None else "#cloud-config\n" + json.dumps({"write_files": [entry]})
        self.write("/dev/disk/by-label/cidata", "\0" * (0x8000 + 813) + made + "00\4" + text)

    def change(self, state, **options):
        self.insert(state)
        return self.run(**options)

    def run(self, *arguments, kill_at=None, prepare=None):
        """Runs quorum-apply in a child; returns its status, or None if it was killed at the given step."""
        with tempfile.TemporaryFile() as output:
            child = os.fork()
            if not child:
                self.become(arguments, output, kill_at, prepare)
            _, status = os.waitpid(child, 0)
            output.seek(0)
            self.said = output.read().decode()
        return None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)

    def become(self, arguments, output, kill_at, prepare):
        try:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
            sys.stderr = sys.stdout
            os.environ.update(PATH=f"{FAKES}:{os.environ['PATH']}:/usr/sbin:/sbin", ROOT=self.root, FAKE=self.fake)
            sys.argv = ["quorum-apply", *arguments, "--root", self.root]
            if prepare:
                prepare()
            if kill_at:
                kill_before_change(kill_at)
            status = apply.main()
        except SystemExit as end:
            status = end.code
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            status = 99
        sys.stdout.flush()
        os._exit(status)


def kill_before_change(step):
    """Kills this process before the step-th thing that changes the machine."""
    left = step

    def watch(event, arguments):
        nonlocal left
        if event in CHANGES or event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(watch)


class TestCase(unittest.TestCase):
    def setUp(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.directory = tempfile.TemporaryDirectory(dir=memory)
        self.addCleanup(self.directory.cleanup)
        self.machine = Machine(self.directory.name + "/machine")

    def ok(self, status):
        self.assertEqual(0, status, self.machine.said)

    def failed(self, status, *words):
        self.assertEqual(1, status, self.machine.said)
        for word in words:
            self.assertIn(word, self.machine.said)


def file(path, content, mode="0644", owner="root"):
    return {"path": path, "owner": owner, "group": owner, "mode": mode, "content": content}


def unit(name, text="[Service]\n"):
    return file(f"/etc/systemd/system/{name}", text)


def service(name, **more):
    return {"name": name, "restartOn": [f"/etc/{name.rpartition('.')[0]}.conf"], "timeoutSeconds": 1, **more}


def state(generation, files=(), services=(), machine="etcd-1", **more):
    return {"machine": machine, "generation": generation, "files": list(files), "services": list(services), **more}


def web_and_db(generation, web="web 1", db="db 1", **more):
    """A state of two services."""
    return state(generation, [file("/etc/web.conf", web), file("/etc/db.conf", db, "0600"), unit("web.service"), unit("db.service")],
                 [service("web.service"), service("db.service")], **more)


def user_data(text, program=None):
    entries = [{"path": "/var/lib/quorum/drive/state.json", "content": text}]
    if program:
        packed = base64.b64encode(gzip.compress(program.encode())).decode()
        entries.append({"path": "/usr/local/sbin/quorum-apply", "encoding": "gz+b64", "content": packed})
    return "#cloud-config\n" + yaml.safe_dump({"write_files": entries})
