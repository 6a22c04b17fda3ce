"""PostgreSQL's data on this node, and what runs with them."""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import time

from quorum_upgrade.commands import run
from quorum_upgrade.report import Away, Problem

STOP = 600  # seconds: what does not stop in an orderly way by then is not upgraded
END = 60  # seconds for Patroni to end, which in a pause leaves PostgreSQL alone


def version(directory):
    """The major version of data, or nothing where there are none."""
    try:
        with open(directory + "/PG_VERSION", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def remove(directory):
    """Removes data: none are left by halves."""
    gone = directory + ".gone"
    if os.path.isdir(directory + "/pg_tblspc") and os.listdir(directory + "/pg_tblspc"):
        raise Problem(f"{directory} has tablespaces: remove it and them by hand")
    if os.path.lexists(gone):
        shutil.rmtree(gone)
    if os.path.lexists(directory):
        os.rename(directory, gone)
        shutil.rmtree(gone)


class Data:
    """The data directory, and the ones beside it."""

    def __init__(self, config):
        self.directory, self.installed = config["dataDir"], config["installed"]

    def beside(self, major):
        return f"{self.directory}-{major}"

    def version(self):
        return version(self.directory)

    def tools(self, major=None):
        return f"{self.installed}/{major or self.version()}/bin"

    def control(self, directory=None):
        directory = directory or self.directory
        done = run([self.tools(version(directory)) + "/pg_controldata", "-D", directory])
        if done.returncode:
            raise Problem(f"pg_controldata: {done.stdout.strip()}")
        return dict(re.findall(r"^([^:]+): +(.*)$", done.stdout, re.MULTILINE))

    def system_id(self):
        return self.control()["Database system identifier"]

    def of(self, directory=None):
        """The system id of data, or nothing where they cannot say it."""
        try:
            return self.control(directory)["Database system identifier"] if version(directory or self.directory) else ""
        except Problem:
            return ""

    def work(self):
        """A directory for sockets, and for what is noted of an upgrade."""
        path = os.path.dirname(self.directory) + "/quorum-upgrade"
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def note(self, name, **values):
        """Writes down what the next run has to know, also after a loss of power."""
        path = f"{self.work()}/{name}.json"
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(values, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)

    def noted(self, name):
        try:
            with open(f"{self.work()}/{name}.json", encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    @contextlib.contextmanager
    def lock(self):
        """Says whether nobody else moves these data about: who upgrades them, and who starts PostgreSQL with them, are two programs."""
        with open(self.work() + "/lock", "w", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def prove(self, upgrade, old, new):
        """Notes that pg_upgrade has made the data of `new` beside, to their end, for that upgrade."""
        os.sync()
        self.note("upgraded", id=upgrade, old=old, new=new, systemId=self.control(self.beside(new))["Database system identifier"])

    def proven(self, upgrade, new):
        noted, there = self.noted("upgraded"), next((path for path in (self.directory, self.beside(new)) if version(path) == new), "")
        return noted.get("id") == upgrade and bool(there) and self.control(there)["Database system identifier"] == noted["systemId"]

    def runs(self):
        return bool(self.version()) and run([self.tools() + "/pg_ctl", "status", "-D", self.directory]).returncode == 0

    def stop(self):
        """Stops PostgreSQL in an orderly way: one that leads waits until those that follow have all."""
        if self.runs():
            done = run([self.tools() + "/pg_ctl", "stop", "-D", self.directory, "--mode=fast", "--wait", f"--timeout={STOP}"], STOP + 60)
            if done.returncode:
                raise Problem(f"PostgreSQL does not stop: {done.stdout.strip()}")

    def sql(self, text, database="postgres", seconds=60):
        command = [self.tools() + "/psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--dbname=" + database, "--command=" + text]
        done = run(command, seconds, stderr=subprocess.PIPE)  # a warning, as of a collation, is no row
        if done.returncode:
            raise Away(f"psql: {done.stderr.strip()}")
        return [line for line in done.stdout.splitlines() if line]

    def empty(self):
        """Makes room for other data: the directory stays."""
        if self.version():
            remove(self.directory)
        os.makedirs(self.directory, mode=0o700, exist_ok=True)

    def keep(self):
        """Lays the data aside."""
        os.rename(self.directory, self.beside(self.version()))
        os.mkdir(self.directory, 0o700)

    def put_back(self, old, new):
        """What pg_upgrade has begun with the data of `old` is undone: nothing of them was changed before the new version is started."""
        if self.version() == new and version(self.beside(old)) == old or not self.version() and version(self.beside(old)) == old:
            if self.version():
                os.rename(self.directory, self.beside(new))
            os.rename(self.beside(old), self.directory)
        control = self.directory + "/global/pg_control"
        if self.version() == old and not os.path.exists(control) and os.path.exists(control + ".old"):
            os.rename(control + ".old", control)
        remove(self.beside(new))

    def exchange(self, old, new):
        """The data of `new` come to be those in force, and the others lie beside. It may have been cut short."""
        if self.version() == old:
            remove(self.beside(old))
            os.rename(self.directory, self.beside(old))
        if not self.version():
            remove(self.directory)  # what a copy has left that was cut
            os.rename(self.beside(new), self.directory)
        os.sync()


class Service:
    """Patroni's: killed it is started again, and held before it runs."""

    def __init__(self, name="patroni.service"):
        self.name = name

    def pid(self):
        return int(run(["systemctl", "show", "--property=MainPID", "--value", self.name]).stdout.strip() or 0)

    def end(self):
        """Ends what runs there: what comes after it is held."""
        pid, since, last = self.pid(), time.monotonic(), signal.SIGTERM
        if pid:
            os.kill(pid, last)
        while pid and self.pid() == pid:
            if time.monotonic() - since > END and last != signal.SIGKILL:
                last = signal.SIGKILL
                os.kill(pid, last)
            if time.monotonic() - since > 2 * END:
                raise Away("Patroni does not end")
            time.sleep(0.1)
