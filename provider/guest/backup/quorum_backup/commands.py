"""Programs that are run."""
import os
import signal
import subprocess

from quorum_backup.report import Failure

PR_SET_PDEATHSIG = 1


def end_with_parent():
    """A program that restores data must not go on when Patroni has been killed and is started again."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    except Exception:  # where systemd keeps that from the service: it ends all programs of that itself
        return


def run(command, seconds, env=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    """Status and output, of which nothing is shown: see `said`."""
    try:
        done = subprocess.run(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace", timeout=seconds, check=False,
                              preexec_fn=end_with_parent, env={**os.environ, "LC_ALL": "C", **(env or {})})
        if done.returncode < 0:  # as where memory runs out
            done.stderr += f"\nended by signal {-done.returncode}"
        return done
    except subprocess.TimeoutExpired as ended:
        told = (ended.stderr or b"").decode(errors="replace").strip().splitlines()
        raise Failure(f"{os.path.basename(command[0])}: no end within {seconds} s" + (f": {told[-1][:500]}" if told else "")) from None
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}") from None
