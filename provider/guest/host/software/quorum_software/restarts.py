"""Restarts what runs former packages."""
from quorum_software.commands import ENDING, Failure, must, run, say
from quorum_software.processes import HAPROXY
from quorum_software.reboots import boot

RESTART = 1200
ROLES = ("etcd.service", "patroni.service", "coredns.service", HAPROXY)
RELOADED = {HAPROXY}  # its workers are new ones after that, and the former ones end with their connections


def noted(record):
    """What an earlier run in this boot has left: what did not come up runs nothing by which it could be found."""
    of, names = (record.get("waiting") or ["", {}])[:2]
    return names if of == boot() else {}


def restart(former, record):
    """Each service that runs what is gone, that first which the machine is there for: if it does not come up, the others stay as they are."""
    waiting, failed = {**noted(record), **former.restarted()}, {}
    for name in sorted(waiting, key=lambda name: (name not in ROLES, name)):
        ENDING.check()
        record.note(waiting=[boot(), waiting])
        verb, what = "reload" if name in RELOADED else "restart", waiting[name]
        say(f"{name}: {verb}s, it ran former {what[0]}{f' and {len(what) - 1} more' if what[1:] else ''}")
        try:
            must("systemctl", "reload-or-restart" if name in RELOADED else "restart", name, seconds=RESTART)
            del waiting[name]
        except Failure as failure:
            failed[name] = f"{name} does not start with the packages that came: {failure}"
            if name in ROLES:
                break
    record.note(waiting=[boot(), waiting])
    others = sorted(waiting.keys() - failed.keys())
    if failed:
        raise Failure("; ".join([*failed.values()] + ["still to restart: " + " ".join(others)] * bool(others)))
    if "init.scope" in former.stay:
        run("systemctl", "daemon-reexec")
    if former.left():
        say("run former files until the machine starts next: " + " ".join(former.left()))
