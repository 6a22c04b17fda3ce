"""Programs that are run."""
import os
import subprocess
import sys
import time

from quorum_upgrade.marker import BEAT
from quorum_upgrade.report import Away, Problem, say


def environment():
    return {**{name: value for name, value in os.environ.items() if not name.startswith("PG")}, "LC_ALL": "C"}


def run(command, seconds=60, **more):
    """Exit status and output of a program that soon ends."""
    try:
        return subprocess.run(command, stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
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
