"""Programs that are run."""
import os
import subprocess
import sys
import time

from quorum_upgrade.marker import BEAT
from quorum_upgrade.report import Away, Problem, say


# In sessions of this superuser nothing counts that the owner of a database has set for it: neither where names are looked up,
# which would run what that owner has made as a superuser, nor another role, nor how long a statement may take.
OPTIONS = " ".join("-c " + setting for setting in (
    "search_path=pg_catalog", "role=none", "statement_timeout=0", "lock_timeout=0", "idle_in_transaction_session_timeout=0", "idle_session_timeout=0"))


def environment():
    return {**{name: value for name, value in os.environ.items() if not name.startswith("PG")}, "LC_ALL": "C", "PGOPTIONS": OPTIONS}


def run(command, seconds=60, **more):
    """Exit status and output of a program that soon ends."""
    try:
        return subprocess.run(command, stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=more.pop("stderr", subprocess.STDOUT), text=True, errors="replace",
                              env=environment(), timeout=seconds, check=False, **more)
    except subprocess.TimeoutExpired:
        raise Away(f"{os.path.basename(command[0])}: no end within {seconds} s") from None
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from None


def watched(command, beat, directory):
    """The same of a program that may take long: `beat` is called while it runs, and says whether it is still wanted. If not,
    this program ends with all that it has started, which systemd sees to, and begins anew."""
    try:
        with open(directory + "/output", "w+", encoding="utf-8", errors="replace") as output, subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment(), cwd=directory) as process:
            since = time.monotonic()
            while process.poll() is None:
                time.sleep(0.1)
                if time.monotonic() - since > BEAT:
                    since = time.monotonic()
                    if not beat():
                        process.kill()
                        say(f"{os.path.basename(command[0])} is ended: it takes too long, or the others have gone on without it")
                        sys.exit(1)
            output.seek(0)
            return process.returncode, output.read()
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from None
