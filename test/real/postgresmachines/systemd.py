#!/usr/bin/python3
"""What systemd does on these machines: Patroni runs, and where a machine has quorum-upgrade, that too, which holds Patroni back
before it starts.

One version of PostgreSQL is installed, and plays all of them: a file beside PG_VERSION says which one data are of, and those
that have none are of the one that the program has, or had before an upgrade. All else of that is done by the real programs.

  systemd.py boot DIR COMMAND...     runs Patroni, by COMMAND
  systemd.py patroni DATA PROGRAM..  is quorum-patroni
  systemd.py upgrade DIR VERB        is quorum-upgrade

DIR has etc/, and upgrade.json in it if there is an upgrade; held, if pg_upgrade is not to begin; and is given pid, Patroni's.
"""
import glob
import json
import os
import signal
import subprocess
import sys
import time

MAJOR = "/MAJOR"


class Unit:
    """A service that runs, or is started again."""

    def __init__(self):
        self.process = None

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def start(self, command, **more):
        self.process = subprocess.Popen(command, **more)

    def end(self):
        if self.runs():
            self.process.kill()
            self.process.wait()


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def boot(directory, command):
    patroni, upgrade, has, held = Unit(), Unit(), "", False
    signal.signal(signal.SIGHUP, lambda *_: patroni.runs() and not held and patroni.process.send_signal(signal.SIGHUP))

    def of_upgrade(verb):
        return ["/usr/bin/python3", os.path.abspath(__file__), "upgrade", directory, verb]
    while True:
        if read(directory + "/etc/upgrade.json") != has:
            has = read(directory + "/etc/upgrade.json")
            upgrade.end()
        if has and not upgrade.runs():
            upgrade.start(of_upgrade("watch"))
        if not patroni.runs():
            ended, was_held = patroni.process, held
            if ended and not has and not was_held:
                sys.exit(ended.returncode)
            held = bool(has) and not (was_held and ended.returncode == 0)
            patroni.start(of_upgrade("hold") if held else command, stdout=subprocess.DEVNULL if held else None)
            with open(directory + "/pid", "w", encoding="utf-8") as file:
                file.write(str(patroni.process.pid))
        time.sleep(0.1)


def install(directory, config, volume):
    """PostgreSQL, as both versions."""
    real, before, after = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1], config["from"], config["to"]
    clients = {name: f'PGHOST={volume} PGUSER=postgres exec {real}/{name} "$@"' for name in ("psql", "vacuumdb")}
    own = {before: clients, after: {
        **clients,
        "initdb": f'case "$*" in *--pgdata=*) ;; *) exec {real}/initdb "$@" ;; esac\n'
                  f'{real}/initdb "$@" --auth-local=trust --no-sync && echo {after} > {volume}/data-{after}{MAJOR}',
        "pg_upgrade": f'case "$*" in *--check*) ;; *) while [ -e {directory}/held ]; do sleep 0.1; done ;; esac\nexec {real}/pg_upgrade "$@"',
    }}
    for major, scripts in own.items():
        programs = f"{config['installed']}/{major}/bin"
        os.makedirs(programs, exist_ok=True)
        for name in os.listdir(real):
            path = f"{programs}/{name}"
            if os.path.lexists(path):
                continue
            if name not in scripts:
                os.symlink(f"{real}/{name}", path)
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{scripts[name]}\n")
            os.chmod(path, 0o755)


def major(data, etc):
    """The version that data are of, or nothing where there are none."""
    def of(name, key):
        return json.loads(read(f"{etc}/{name}.json") or "{}").get(key)
    real = read(data + "/PG_VERSION").strip()
    return real and (read(data + MAJOR).strip() or of("upgrade", "from") or of("quorum", "version") or real)


def patroni(data, program, *args):
    import patroni.api
    etc, handler = os.path.dirname(program), patroni.api.RestApiHandler

    def status(self, *more):
        says = asked(self, *more)
        return {**says, "server_version": int(major(data, etc)) * 10000} if "server_version" in says else says
    asked, handler.get_postgresql_status = handler.get_postgresql_status, status
    sys.argv = [program, *args]
    exec(compile(read(program), program, "exec"), {"__name__": "__main__", "__file__": program})


def upgrade(directory, verb):
    path = directory + "/etc/upgrade.json"
    config = json.loads(read(path))
    install(directory, config, os.path.dirname(config["dataDir"]))
    program = {"__name__": "quorum_upgrade"}
    exec(compile(read(directory + "/etc/quorum-upgrade"), "quorum-upgrade", "exec"), program)

    program["version"] = lambda data: major(data, directory + "/etc")
    program["Service"].pid = lambda _: int(read(directory + "/pid") or 0)
    sys.argv = ["quorum-upgrade", verb, path]
    sys.exit(program["main"]())


if __name__ == "__main__":
    called, *rest = sys.argv[1:]
    if called == "boot":
        boot(rest[0], rest[1:])
    {"patroni": patroni, "upgrade": upgrade}[called](*rest)
