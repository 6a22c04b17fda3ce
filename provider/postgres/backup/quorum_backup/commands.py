"""Programs that are run."""
import ctypes
import os
import signal
import subprocess

from quorum_backup.report import Failure

PR_SET_PDEATHSIG = 1


def end_with_parent():
    """A program that restores data must not go on when Patroni has been killed and is started again."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(command, seconds, env=None):
    """Status and output, of which nothing is shown: see `said`."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds, check=False,
                              preexec_fn=end_with_parent, env={**os.environ, **(env or {})})
    except subprocess.TimeoutExpired:
        raise Failure(f"{os.path.basename(command[0])}: no end within {seconds} s") from None
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from None
