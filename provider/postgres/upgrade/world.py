"""A cluster whose nodes have data, Patroni and etcd that are made up: files in a directory, and what is remembered."""
import json
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from quorum_upgrade import after, asked, forward, node as nodes  # noqa: E402
from quorum_upgrade.data import Data, version  # noqa: E402
from quorum_upgrade.hold import Hold  # noqa: E402
from quorum_upgrade.marker import changed, text, View  # noqa: E402
from quorum_upgrade.report import Away, Problem  # noqa: E402

OLD, NEW = "15", "17"


class Etcd:
    """As quorum_upgrade.marker.Etcd has it."""

    def __init__(self):
        self.config, self.revision, self.leader, self.members, self.initialize, self.away = {}, 1, "", [], "id-15", False

    def read(self):
        if self.away:
            raise Away("etcd: does not answer")
        return View(self.leader, sorted(self.members), text(self.config.get("quorum_upgrade")), dict(self.config), self.revision, self.initialize,
                    text(self.config.get("quorum_upgrade_order")))

    def change(self, view, marker, **settings):
        if view.revision != self.revision:
            return False
        self.config = changed(view, marker, settings)
        self.revision += 1
        return True

    def begin(self, view, marker, system_id, **settings):
        if not self.change(view, marker, **settings):
            return False
        self.initialize, self.leader = system_id, ""
        return True


class Files(Data):
    """Data of which a version, an id and an LSN are files."""

    def __init__(self, directory):
        super().__init__({"dataDir": directory, "installed": "/nowhere"})
        self.up, self.clean, self.timeline = False, True, 1

    def make(self, major, system_id, lsn, directory=None):
        directory = directory or self.directory
        os.makedirs(directory + "/global", exist_ok=True)
        for name, content in (("PG_VERSION", major), ("global/pg_control", f"{system_id} {lsn}")):
            with open(f"{directory}/{name}", "w", encoding="utf-8") as file:
                file.write(content)

    def control(self, directory=None):
        try:
            with open((directory or self.directory) + "/global/pg_control", encoding="utf-8") as file:
                system_id, lsn = file.read().split()
        except OSError:
            raise Problem("pg_controldata: no data") from None
        leads = getattr(self, "leads", True)
        state = ("shut down" if leads else "shut down in recovery") if self.clean else "in production"
        return {"Database system identifier": system_id, "Latest checkpoint location": lsn, "Database cluster state": state,
                "Latest checkpoint's TimeLineID": "1", "Min recovery ending loc's timeline": str(self.timeline if not leads else 0)}

    def runs(self):
        return self.up

    def stop(self):
        self.up = False

    def sql(self, text, database="postgres", seconds=60):
        if "pg_stat_replication" in text:
            return ["1"] if any(f"'{name}'" in text and machine.data.up for name, machine in self.world.machines.items()) else []
        return self.world.copying() if "pg_stat_progress_basebackup" in text else ["t"]


class Service:
    def __init__(self, machine):
        self.machine = machine

    def pid(self):
        return int(self.machine.patroni)

    def end(self):
        self.machine.patroni = False


class Api:
    def __init__(self, machine):
        self.machine = machine

    def leads(self):
        return self.machine.patroni and self.machine.etcd.leader == self.machine.name

    def runs(self):
        return self.machine.patroni and self.machine.data.up

    def wake(self):
        pass


class Machine:
    """One node: each turn its programs do something, unless it is off."""

    def __init__(self, world, name, leads=False):
        self.world, self.etcd, self.name, self.off, self.patroni, self.leads = world, world.etcd, name, False, True, leads
        self.data = Files(f"{world.directory}/{name}/data")
        self.data.world = world
        self.data.make(OLD, "id-15", "0/1")
        self.data.up, self.data.leads = True, leads
        self.boot()

    def boot(self):
        config = {"node": self.name, "from": OLD, "to": NEW, "conf": "", "backup": self.world.backup}
        self.watch = nodes.Node(config, self.etcd, self.data, Service(self), Api(self))
        self.hold = Hold(config, self.etcd, self.data)

    def turn(self):
        if self.off:
            return
        for act in (self.watch.step, self.start):
            try:
                act()
            except Away as reason:
                self.world.said.append(f"{self.name}: {reason}")

    def start(self):
        if not self.patroni:
            wanted = self.hold.look()
            if wanted:
                self.patroni = True
                self.begin(wanted)
        if self.patroni and self.data.up and not self.etcd.leader and not self.etcd.config.get("pause") and self.data.control()["Database system identifier"] == self.etcd.initialize:
            self.etcd.leader, self.data.leads = self.name, True

    def begin(self, wanted):
        """Patroni starts: with its data, or with a copy of the leader's."""
        if not self.data.version():
            leader = self.world.machines.get(self.etcd.leader)
            if leader is None:
                self.patroni = False
                return
            assert leader.data.version() == wanted
            shutil.rmtree(self.data.directory, ignore_errors=True)
            shutil.copytree(leader.data.directory, self.data.directory)
        self.world.test.assertEqual(self.data.control()["Database system identifier"], self.etcd.initialize, f"{self.name} starts with the data of another cluster")
        self.data.up, self.data.clean = True, True
        self.data.leads = self.etcd.leader == self.name
        self.etcd.members = sorted({*self.etcd.members, self.name})

    def cut(self):
        """Its power fails."""
        self.off, self.patroni, self.data.up = True, False, False
        self.etcd.members = [name for name in self.etcd.members if name != self.name]
        if self.etcd.leader == self.name:
            self.etcd.leader = ""

    def back(self):
        self.off = False
        self.boot()


class World:
    def __init__(self, test, names=("a", "b", "c"), backup=None):
        self.test, self.backup, self.etcd, self.clock = test, backup, Etcd(), 0
        self.directory = tempfile.mkdtemp()
        test.addCleanup(shutil.rmtree, self.directory)
        self.machines = {name: Machine(self, name, leads=name == names[0]) for name in names}
        self.etcd.leader, self.etcd.members = names[0], list(names)
        self.problems, self.said, self.copying = [], [], lambda: []  # process ids of copies that run
        self.patch(test)

    def patch(self, test):
        """What runs programs is made up too."""
        world = self

        class Check:
            def __init__(self, config, data, marker):
                self.problems, self.notes, self.bytes, self.databases = list(world.problems), ["a note"], 1, 1

            def run(self):
                if world.silent:
                    raise Away(world.silent)

        def upgrade(data, old, new, is_wanted):
            if world.broken:
                raise Problem(["pg_upgrade: it is broken"])
            data.put_back(old, new)
            data.make(new, "id-17", "0/9", data.beside(new))
            os.replace(data.directory + "/global/pg_control", data.directory + "/global/pg_control.old")

        class Thread:
            def __init__(self, target, args, daemon):
                self.start = lambda: target(*args)

        self.broken, self.silent = False, ""
        for where, name, value in ((asked, "Check", Check), (forward, "upgrade", upgrade), (asked, "report", lambda *_: {"lacks": "", "free": 1 << 40}),
                                   (nodes.time, "monotonic", lambda: world.clock),
                                   (nodes.time, "sleep", lambda _: None), (after, "Thread", Thread),
                                   (after.After, "statistics", lambda *_: True), (after.After, "stanza", lambda *_: True), (after.After, "backup", lambda *_: True)):
            old = getattr(where, name)
            setattr(where, name, value)
            test.addCleanup(setattr, where, name, old)

    def order(self, action, **more):
        view = self.etcd.read()
        asks = {"id": action + str(self.etcd.revision), "at": time.time(), "from": OLD, "to": NEW, "action": action, **more}
        self.etcd.change(view, view.marker, quorum_upgrade_order=json.dumps(asks))

    @property
    def stage(self):
        return self.etcd.read().marker.get("stage")

    def turn(self):
        self.clock += 1
        for machine in self.machines.values():
            machine.turn()

    def until(self, stage, turns=400):
        """Lets time go by until the upgrade has come so far."""
        for _ in range(turns):
            if self.stage == stage:
                return self.etcd.read().marker
            self.turn()
        self.test.fail(f"it never came to {stage}: {self.etcd.read().marker}")

    def versions(self):
        return {name: (machine.data.version(), machine.data.up) for name, machine in self.machines.items()}

    def kept(self):
        return [name for name, machine in self.machines.items() if version(machine.data.beside(OLD))]
