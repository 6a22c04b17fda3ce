"""One run at a time."""
import contextlib
import fcntl
import os
import time

from quorum_apply.files import make_parents
from quorum_apply.paths import at, HOME, LOCK, POLL
from quorum_apply.report import Failure


@contextlib.contextmanager
def alone():
    """One run at a time; the others wait."""
    make_parents(HOME + "/lock")
    os.chmod(at(HOME), 0o700)
    with open(at(HOME + "/lock"), "a") as lock:
        end = time.monotonic() + LOCK
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise Failure("another quorum-apply still runs") from None
                time.sleep(POLL / 2)
        yield
