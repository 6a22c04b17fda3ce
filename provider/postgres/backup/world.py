"""A node with PostgreSQL, pgBackRest and an S3 service, all of them real, below a directory of their own. Patroni's answers are made up."""
import atexit
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(HERE, "../../guest/backup")
sys.dont_write_bytecode = True
sys.path.insert(0, SHARED)
from patroni_api import serve_patroni  # noqa: E402
from s3 import KEY, S3, SECRET  # noqa: E402

STATE = os.path.join(HERE, "../../testdata/postgres-server/backup/state.yaml")
INSTALLED = "/usr/lib/postgresql"
VERSION = max(os.listdir(INSTALLED), key=float) if os.path.isdir(INSTALLED) else ""
BIN = f"{INSTALLED}/{VERSION}/bin"
AS_POSTGRES = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

BACKED_UP = tempfile.mkdtemp(prefix="quorum-backed-up-")  # what World.backed_up begins with: volume and S3

atexit.register(shutil.rmtree, BACKED_UP, ignore_errors=True)


def handed(path):
    """What a machine is handed as a file."""
    with open(STATE, encoding="utf-8") as file:
        return next(f["content"] for f in yaml.safe_load(file)["files"] if f["path"] == path)


class World(S3, unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="quorum-backup-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        os.chmod(self.top, 0o755)
        for place in (HERE, SHARED):
            shutil.copytree(place + "/quorum_backup", self.top + "/program/quorum_backup", dirs_exist_ok=True)
        self.have_short_commands_wait("--log-level-file=off")  # as long as the configuration says
        shutil.copy(HERE + "/quorum-wal", self.top + "/quorum-wal")
        self.volume, self.own = self.top + "/volume", self.top + "/volume/quorum-backup"
        self.environment = {"PATH": os.environ["PATH"], "PGHOST": self.volume, "LC_ALL": "C", "HOME": self.top}
        os.makedirs(self.own)
        if AS_POSTGRES:
            shutil.chown(self.volume, "postgres", "postgres")
            shutil.chown(self.own, "postgres", "postgres")
        self.data = self.volume + "/data"
        self.make_s3()
        self.conf = self.configure("pgbackrest.conf")
        self.patroni = serve_patroni(self)

    # --- S3

    def patience(self):
        """How long pgBackRest waits for S3, in seconds, and four times that until it gives up. Where nothing listens, more is of no use."""
        return "5" if self.s3 else "0.5"

    def be_patient(self):
        for name in os.listdir(self.top):
            if name.endswith(".conf"):
                with open(f"{self.top}/{name}", encoding="utf-8") as file:
                    text = file.read()
                self.write(name, re.sub("^io-timeout=.*$", f"io-timeout={self.patience()}", text, flags=re.MULTILINE))

    def have_short_commands_wait(self, option):
        """Gives the commands that read little another option than the program has."""
        path = self.top + "/program/quorum_backup/repository.py"
        with open(path, encoding="utf-8") as file:
            text, count = re.subn('^IO = "[^"]*"', f'IO = "{option}"', file.read(), flags=re.MULTILINE)
        self.assertEqual(1, count)
        self.write("program/quorum_backup/repository.py", text)

    # --- the node

    def configure(self, name, data=None, **changes):
        """A configuration of pgBackRest as machines have it, but for where all is."""
        conf = handed(f"/etc/quorum-backup/{'restore' if name == 'restore.conf' else 'pgbackrest'}.conf")
        conf = re.sub("^archive-push-queue-max=.*\n", "", conf, flags=re.MULTILINE)  # as where none is given
        if name == "restore.conf":  # which is of another cluster there
            own = handed("/etc/quorum-backup/pgbackrest.conf")
            for option in ("repo1-path", "repo1-s3-bucket", "repo1-s3-region", "repo1-s3-key", "repo1-s3-key-secret", "repo1-cipher-pass"):
                changes.setdefault(option, re.search(f"^{option}=(.*)$", own, re.MULTILINE)[1])
        for option, value in {"repo1-s3-endpoint": "localhost", "repo1-storage-port": str(self.port), "repo1-s3-uri-style": "path",
                              "repo1-storage-ca-file": self.top + "/tls/ca.crt", "spool-path": self.own + "/spool", "lock-path": self.own + "/lock",
                              "pg1-path": data or self.data, "io-timeout": self.patience(), "job-retry-interval": "0.1", **changes}.items():
            line = f"{option}={value}"
            conf, count = re.subn(f"^{option}=.*$", line, conf, flags=re.MULTILINE)
            if not count:
                conf = conf.replace("[global]\n", f"[global]\n{line}\n")
        return self.write(name, conf)

    def write(self, name, text):
        path = f"{self.top}/{name}"
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path + ".new", 0o644)
        os.replace(path + ".new", path)  # PostgreSQL's archiver may be reading it
        return path

    def start_postgres(self, data=None):
        """Founds the node's PostgreSQL unless it is there, and runs it."""
        data = data or self.data
        if not os.path.exists(data):
            self.does([BIN + "/initdb", "-k", "-A", "trust", "-D", data])
            with open(data + "/postgresql.conf", "a", encoding="utf-8") as file:
                file.write(f"listen_addresses=''\nunix_socket_directories='{self.volume}'\narchive_mode=on\narchive_timeout=2\n"
                           f"archive_command='{self.top}/quorum-wal push {self.conf} main {self.own} \"%p\"'\n")
        started = self.does([BIN + "/pg_ctl", "-D", data, "-l", self.volume + "/log", "-w", "start"], check=False)
        self.addCleanup(self.does, [BIN + "/pg_ctl", "-D", data, "-m", "immediate", "stop"], check=False)
        with open(self.volume + "/log", encoding="utf-8", errors="replace") as file:
            self.assertEqual(0, started.returncode, started.stdout + file.read()[-2000:])
        self.patroni["node"]["database_system_identifier"] = self.sql("SELECT system_identifier FROM pg_control_system()")

    def stop_postgres(self, data=None):
        self.does([BIN + "/pg_ctl", "-D", data or self.data, "-m", "fast", "-w", "stop"], check=os.path.exists((data or self.data) + "/postmaster.pid"))

    def backed_up(self):
        """Runs a node that has a table t and a first backup. That takes long to make, so all tests have copies of one."""
        if not os.listdir(BACKED_UP):
            self.start_postgres()
            self.sql("CREATE TABLE t (i int)")
            self.ok("look")
            self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop"])
            self.write("top", self.top)
            copy(BACKED_UP, *(f"{self.top}/{name}" for name in ("volume", "s3", "top")))
        else:
            copy(self.top, BACKED_UP + "/volume", BACKED_UP + "/s3")
            with open(BACKED_UP + "/top", encoding="utf-8") as file:
                former = file.read()
            with open(self.data + "/postgresql.conf", "r+", encoding="utf-8") as file:
                text = file.read().replace(former, self.top)
                file.seek(0)
                file.truncate()
                file.write(text)
        self.start_postgres()

    def on_small_volume(self, mib):
        """Gives the node a data volume of so many MiB, before there is anything on it."""
        if os.geteuid():
            self.skipTest("to mount a volume takes root")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=755", "quorum-test", self.volume], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.volume], check=True)
        os.makedirs(self.own)
        for place in (self.volume, self.own):
            shutil.chown(place, "postgres", "postgres")

    def leave(self, mib):
        """Fills the volume but for so many MiB."""
        volume = os.statvfs(self.volume)
        with open(self.volume + "/filler", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, volume.f_bavail * volume.f_frsize - (mib << 20))

    def sql(self, text):
        return self.does([BIN + "/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", text, "postgres"]).stdout.strip()

    def archived(self):
        """All that was written is in the repository."""
        wal = self.sql("CHECKPOINT; SELECT pg_walfile_name(pg_switch_wal())")
        self.wait(lambda: self.objects(f"/{wal}-"), f"the archive of {wal}")

    def switch_over(self):
        """The node as another one that follows it to its end, and then leads."""
        self.does([BIN + "/pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop"])
        self.lead_anew()

    def lead_anew(self):
        """Starts PostgreSQL as that of a node that followed, and promotes it."""
        with open(self.data + "/standby.signal", "w", encoding="utf-8"):
            pass
        self.start_postgres()
        self.does([BIN + "/pg_ctl", "-D", self.data, "-w", "promote"])

    def forget_away(self):
        """Lets quorum-wal try at once."""
        for name in os.listdir(self.own):
            if name.startswith("away"):
                os.remove(f"{self.own}/{name}")

    def replace_pgbackrest(self, text):
        """Has all that begins from now on run a program in its place."""
        os.makedirs(self.top + "/bin", exist_ok=True)
        os.chmod(self.write("bin/pgbackrest", text), 0o755)
        if not self.environment["PATH"].startswith(self.top):
            self.environment["PATH"] = f"{self.top}/bin:{self.environment['PATH']}"

    # --- quorum-backup

    def config(self, **changes):
        return {"conf": self.conf, "stanza": "main", "id": "4e1d", "full": "yearly", "differential": "yearly", "drill": "", "dataDir": self.data, "directory": self.own,
                "installed": INSTALLED, "node": "postgres-1", "api": self.patroni["url"], "caFile": self.top + "/tls/ca.crt",
                "certFile": self.top + "/tls/server.crt", "keyFile": self.top + "/tls/server.key", "cluster": "4711", "restore": None, "again": 0.5, **changes}

    def begin(self, verb, **changes):
        path = self.write(changes.pop("file", "backup.json"), json.dumps(self.config(**changes)))
        main = f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '{self.top}/program'); from quorum_backup.main import main; sys.exit(main())"
        return subprocess.Popen(["/usr/bin/python3", "-c", main, verb, path],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment, cwd="/", start_new_session=True, **AS_POSTGRES)

    def run_program(self, verb, **changes):
        with self.begin(verb, **changes) as process:
            said, _ = process.communicate(timeout=120)
        return process.returncode, said

    def ok(self, verb, **changes):
        status, said = self.run_program(verb, **changes)
        self.assertEqual(0, status, said)
        return said

    def fails(self, verb, *words, **changes):
        status, said = self.run_program(verb, **changes)
        self.assertEqual(78 if verb == "refused" else 1, status, said)
        for word in words:
            self.assertIn(word, said, said)
        for secret in (SECRET, KEY):
            self.assertNotIn(secret, said)
        return said

    def metrics(self):
        with open(self.own + "/metrics.prom", encoding="utf-8") as file:
            return dict(line.rstrip("\n").rsplit(" ", 1) for line in file)

    def restoring(self):
        """What the metrics of a restore say."""
        if not os.path.exists(self.own + "/restore.prom"):
            return ""
        with open(self.own + "/restore.prom", encoding="utf-8") as file:
            return file.read()

    def does(self, command, check=True):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment, cwd="/",
                              timeout=60, check=False, **AS_POSTGRES)
        if check:
            self.assertEqual(0, done.returncode, done.stdout)
        return done

    def wait(self, until, what):
        end = time.monotonic() + 60
        while not until():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.1)


def copy(to, *directories):
    """As they are: with owners, and with what versitygw keeps in attributes."""
    subprocess.run(["cp", "-a", *directories, to], check=True)


def needed():
    """Why these tests cannot run here, or None."""
    if not os.environ.get("S3"):
        return "S3 is to be the directory of versitygw: see the Makefile"
    if os.geteuid() == 0 and "postgres" not in [entry.pw_name for entry in pwd.getpwall()]:
        return "there is no user postgres"
    return None
