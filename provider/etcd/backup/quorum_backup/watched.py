"""restic waits for ever for an S3 that took its request and never answers: what it sends and gets is watched."""
import os
import re
import subprocess
import time

from quorum_backup.commands import end_with_parent
from quorum_backup.report import Failure

LOOKS, STANDS = 10, 600  # seconds between looks, and until one that stands still is ended
LITTLE = 1 << 16  # bytes of those that only try to connect


def run_watched(command, seconds, env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    """As `run`, for a command that may take long as long as it goes on."""
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace", preexec_fn=end_with_parent,
                          env={**os.environ, "LC_ALL": "C", **env}) as process:
        end, moved, stands = time.monotonic() + seconds, 0, time.monotonic()
        while True:
            try:
                said, complained = process.communicate(timeout=LOOKS)
                if process.returncode < 0:
                    complained += f"\nended by signal {-process.returncode}"
                return subprocess.CompletedProcess(command, process.returncode, said, complained)
            except subprocess.TimeoutExpired:
                now = transferred(process.pid)
            if now > moved + LITTLE:
                moved, stands = now, time.monotonic()
            late = time.monotonic() > end
            if late or time.monotonic() > stands + STANDS:
                process.kill()
                process.communicate()
                raise Failure(f"restic: no end within {seconds} s" if late else f"S3 does not answer: restic has been standing still for {STANDS} s")


def transferred(pid):
    """Bytes that a program has read and written, also of connections."""
    with open(f"/proc/{pid}/io", encoding="utf-8") as file:
        return sum(int(number) for number in re.findall(r"[rw]char: (\d+)", file.read()))
