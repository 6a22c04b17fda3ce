"""What still runs the former packages."""
import contextlib
import os
import re

from quorum_software.commands import at, read, run

# Who is logged in stays so, and the network; quorum-apply waits for this program, and quorum-upgrade may be in the middle of
# an upgrade of PostgreSQL. needrestart leaves most of these alone too.
LEFT = re.compile(r"(dbus.*|systemd-logind|rc-local|emergency|rescue|cloud-.*|.*getty@.*|user@.*|user-runtime-dir@.*"
                  r"|network.*|NetworkManager.*|ModemManager|ifup.*|wpa_supplicant.*|openvpn.*|(open|free|libre|strong)swan.*|bird.*|frr|quagga|tinc.*"
                  r"|docker|libvirt.*|virtlogd|virtlockd|lxcfs|cron-.*|unattended-upgrades|apt-daily.*|packagekit"
                  r"|quorum-(apply|software|upgrade))\.service$")
HAPROXY, HAPROXY_ITSELF = "haproxy.service", "/usr/sbin/haproxy"
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
        units = [part for part in parts if re.search(r"\.service$|^session-.*\.scope$|^init\.scope$", part)]
        self.unit = units[0] if units else ""
        self.started = int(file("stat").rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        # A line is "address perms offset device inode path", and "(deleted)" is behind a path that is another file now.
        mapped = [line.split(None, 5) for line in file("maps").splitlines()]
        paths = {usual(line[5]) for line in mapped if len(line) == 6 and "x" in line[1] and line[5].startswith(PROGRAMS)}
        self.gone = {path[:-len(GONE)] for path in paths if path.endswith(GONE)}
        self.paths = self.gone | paths
        self.is_python = any(re.match(r"/usr/bin/python3[\d.]*$", path) for path in self.paths)


def is_elsewhere(number):
    """Whether a process sees another root, as those of a container do: its files are not of this machine's packages."""
    try:
        return not os.path.samefile(at(f"/proc/{number}/root"), at("/"))
    except OSError:  # it has ended, or what it sees is not known
        return False


def processes():
    for number in os.listdir(at("/proc")):
        if number.isdigit() and int(number) != os.getpid() and not is_elsewhere(number):
            with contextlib.suppress(IndexError, ValueError):  # it has ended
                yield Process(number)


def listed(arrived):
    """The files of packages, each with when it came."""
    files = {}
    for name, when in arrived.items():
        for path in run("dpkg-query", "--listfiles", name).stdout.splitlines():
            files[usual(path)] = max(when, files.get(usual(path), 0))
    return files


class Former:
    """What still runs the former packages."""

    def __init__(self, arrived):
        files = listed(arrived)
        modules = max((when for path, when in files.items() if path.startswith("/usr/lib/python3/")), default=0)
        self.units, self.stay, self.c_library = {}, set(), False
        for process in processes():
            old = process.gone | {path for path in process.paths if files.get(path, 0) > process.started}
            if files.get(f"/usr/lib/systemd/system/{process.unit}", 0) > process.started:
                old.add("its own package")
            elif process.is_python and modules > process.started:
                old.add("modules of Python")
            if not old:
                continue
            self.c_library |= any(C_LIBRARY.match(path) for path in old)
            # A reload of HAProxy renews itself alone, and not what a container of it runs in.
            if LEFT.match(process.unit) or process.unit.endswith(".scope") or process.unit == HAPROXY and HAPROXY_ITSELF not in process.paths:
                self.stay.add(process.unit)
            elif process.unit:
                self.units.setdefault(process.unit, set()).update(old)

    def restarted(self):
        """The services that restart, each with what it ran. What ends by itself, as a backup, is left to do so."""
        shown = run("systemctl", "show", "--property=Id,Type,ActiveState", *sorted(self.units)).stdout if self.units else ""
        states = [dict(line.split("=", 1) for line in one.splitlines() if "=" in line) for one in shown.split("\n\n")]
        skipped = {state["Id"] for state in states if "Id" in state and (
            state.get("Type") == "oneshot" or state.get("ActiveState") in ("inactive", "failed", "deactivating"))}
        return {name: sorted(old) for name, old in self.units.items() if name not in skipped}

    def left(self):
        """Those that go on until the machine starts next, or they end; of this program and those that wait for it nothing is said."""
        return sorted(name for name in self.stay - {"init.scope"} if not re.match(r"(quorum-(apply|software)|cloud-.*)\.service$", name))
