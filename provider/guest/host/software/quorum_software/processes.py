"""What still runs the former packages."""
import contextlib
import os
import re

from quorum_software.commands import at, read, run

# Who is logged in stays so, and quorum-apply waits for this program. needrestart leaves the same alone.
LEFT = re.compile(r"(dbus|dbus-broker|systemd-logind|NetworkManager|networkd-dispatcher|unattended-upgrades|apt-daily.*|packagekit"
                  r"|quorum-.*|cloud-.*|.*getty@.*|user@.*|user-runtime-dir@.*|emergency|rescue)\.service$")
C_LIBRARY = re.compile(r"/usr/lib/.*/(libc\.so\.6|libc-[\d.]+\.so|ld-linux[^/]*)$")
PROGRAMS = ("/usr/", "/lib", "/bin/", "/sbin/", "/opt/")
GONE = " (deleted)"


def usual(path):
    """A path as programs have it: /lib is /usr/lib."""
    return "/usr" + path if path.startswith(("/lib", "/bin/", "/sbin/")) else path


class Process:
    """One that runs: its unit, what it maps, and when it started, in seconds after the boot."""

    def __init__(self, number):
        def file(name):
            return read(f"/proc/{number}/{name}")
        parts = [part for line in file("cgroup").splitlines() if line.startswith("0::") for part in line[3:].split("/")]
        self.unit = next((part for part in parts if part.endswith(".service")), "init.scope" if "init.scope" in parts else "")
        self.started = int(file("stat").rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        # A line is "address perms offset device inode path", and "(deleted)" is behind a path that is another file now.
        mapped = [line.split(None, 5) for line in file("maps").splitlines()]
        paths = {usual(line[5]) for line in mapped if len(line) == 6 and "x" in line[1] and line[5].startswith(PROGRAMS)}
        self.gone = {path[:-len(GONE)] for path in paths if path.endswith(GONE)}
        self.paths = self.gone | paths
        self.is_python = any(re.match(r"/usr/bin/python3[\d.]*$", path) for path in self.paths)


def processes():
    for number in os.listdir(at("/proc")):
        if number.isdigit() and int(number) != os.getpid():
            with contextlib.suppress(IndexError, ValueError):  # it has ended
                yield Process(number)


class Former:
    """What still runs the former packages."""

    def __init__(self, came, since):
        """since is how long after this boot they had all come, None if that was in another one."""
        files = {usual(path) for name in came for path in run("dpkg-query", "--listfiles", name).stdout.splitlines()}
        python = any(path.startswith("/usr/lib/python3/") for path in files)
        self.units, self.c_library = {}, False
        for process in processes():
            old = set(process.gone)
            if since is not None and process.started < since:
                old |= process.paths & files
                shipped = f"/usr/lib/systemd/system/{process.unit}"
                if shipped in files or python and process.is_python:
                    old.add("its own package" if shipped in files else "modules of Python")
            if old:
                self.units.setdefault(process.unit, set()).update(old)
                self.c_library |= any(C_LIBRARY.match(path) for path in old)

    def restarted(self):
        return sorted(name for name in self.units if name.endswith(".service") and not LEFT.match(name))

    def left(self):
        """Those that go on until the machine starts next; of this package's own, and of logins, nothing is said."""
        return sorted(name for name in self.units if LEFT.match(name) and not name.startswith(("quorum-", "cloud-", "user")))
