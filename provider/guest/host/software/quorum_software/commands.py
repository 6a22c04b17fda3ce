"""Runs other programs, and reads and writes files."""
import contextlib
import fcntl
import os
import signal
import subprocess

ROOT = ""  # tests put a directory here
LOCK = "/var/lib/quorum/software.lock"


class Failure(Exception):
    """What the operator is told."""


class Ending:
    """Whether systemd has asked for an end: what apt is doing is done first, since only this program is asked."""

    asked = False

    def listen(self):
        signal.signal(signal.SIGTERM, self.ask)

    def ask(self, *_):
        self.asked = True

    def check(self):
        if self.asked:
            raise Failure("was stopped, and goes on when it is started next")


ENDING = Ending()


def say(text):
    print(text, flush=True)


def at(path):
    return ROOT + path


@contextlib.contextmanager
def alone():
    """One run at a time, also of those by hand."""
    os.makedirs(os.path.dirname(at(LOCK)), mode=0o700, exist_ok=True)
    with open(at(LOCK), "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure("another run goes on") from None
        yield


def run(*command, seconds=120, **environment):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, encoding="utf-8", errors="replace",
                              check=False, env={**os.environ, "LC_ALL": "C", **environment})
    except FileNotFoundError:
        return subprocess.CompletedProcess(command, 127, "", f"there is no {command[0]}")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"was not done after {seconds} s")


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode:
        told = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [line for line in told if line.startswith(("E:", "Err:", "dpkg: error"))]
        raise Failure(f"{' '.join(command[:1] + command[-1:])}: {'; '.join((errors or told)[-3:]) or 'exit status %d' % done.returncode}")
    return done.stdout


def read(path):
    try:
        with open(at(path), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def replace(path, text, mode=0o644):
    """Writes a file beside its place, and moves it there once it is whole."""
    new = at(path) + ".quorum-new"
    try:
        os.makedirs(os.path.dirname(new), exist_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode), "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, at(path))
    except OSError as error:  # a disk that is full does not say of which file
        with contextlib.suppress(OSError):
            os.remove(new)
        raise Failure(f"{path}: {error.strerror}") from None
