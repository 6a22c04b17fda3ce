"""Runs other programs."""
import os
import subprocess

from quorum_apply.report import Failure

TOO_LONG = 124  # as timeout(1) says it


def run(*command, seconds=120, **environment):
    """Runs a command; its exit status is for the caller to judge."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds,
                              encoding="utf-8", errors="replace", env={**os.environ, **environment})
    except FileNotFoundError:
        return subprocess.CompletedProcess(command, 127, "", "there is no such command")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, TOO_LONG, "", f"was not done after {seconds} s")


def must(*command, **options):
    """Runs a command that has to succeed; returns what it printed."""
    done = run(*command, **options)
    if done.returncode:
        raise Failure(f"{' '.join(command[:3])}: exit status {done.returncode}", (done.stdout + done.stderr).splitlines())
    return done.stdout
