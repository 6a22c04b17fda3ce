"""Asks systemd."""
from quorum_apply.commands import must, run
from quorum_apply.download import retry


def unit(name):
    """What systemd knows of a unit. While it takes its own new version, it may not answer."""
    shown = retry(lambda: must("systemctl", "show", name, "--property=LoadState,ActiveState,Type,UnitFileState,InvocationID,ConditionResult,"
                                                          "ConditionTimestampMonotonic,NRestarts,Job,ActiveEnterTimestampMonotonic"), attempts=3)
    return dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)


def journal(name):
    return run("journalctl", "--unit", name, "--lines=15", "--no-pager", "--output=cat").stdout.splitlines()


def starts_at_boot(state):
    return state["UnitFileState"] in ("enabled", "static", "generated", "transient", "alias", "indirect")


def enable(*names):
    """For the next boot. Nothing is reloaded, here or by the scripts for SysV: on a slow machine that takes seconds each time."""
    must("systemctl", "enable", "--no-reload", *names, SYSTEMCTL_SKIP_SYSV="1")


def reload_stale(*names):
    """Has systemd read units again that it has read before they changed; new ones, and those that it missed, it looks for when they are to start."""
    shown = must("systemctl", "show", "--property=LoadState,NeedDaemonReload", *names)
    if any("NeedDaemonReload=yes" in one and "LoadState=not-found" not in one for one in shown.split("\n\n")):
        must("systemctl", "daemon-reload")


def stopped(state):
    """Whether a unit does not run though it should; a oneshot need not. What systemd is about to start is on its way: the boot may still go on."""
    if state.get("Job"):
        return False
    return state["ActiveState"] == "failed" or state["ActiveState"] == "inactive" and state.get("Type") != "oneshot"


def unmet(state):
    """Whether a unit was not started since its conditions are not met; a start that still waits has not looked at them."""
    looked = state["ConditionTimestampMonotonic"] != "0" and not state.get("Job")
    return looked and state["ActiveState"] == "inactive" and state["ConditionResult"] == "no"
