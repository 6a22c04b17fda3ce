"""What the operator is told, without secrets."""
import contextlib
import re
import urllib.parse


class Failure(Exception):
    """What the operator is told, and lines that other programs printed about it."""

    def __init__(self, reason, details=()):
        super().__init__(reason)
        self.details = [hide(line.rstrip()) for line in details][-15:]

    def full(self):
        return "\n".join([str(self), *self.details])


SECRETS = set()


def words(text):
    """The words of a text that may be secret: no names of settings, no paths."""
    text = re.sub(r"(?m)^[\s-]*\"?[\w.-]+\"?\s*[:=]", " ", text)
    return {w for w in re.split(r"[\s\"'`=,;:()<>\[\]{}|]+", text) if len(w) >= 6 and not w.startswith("/")}


def hide(text):
    for secret in sorted(SECRETS, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def say(text):
    for line in text.splitlines():
        with contextlib.suppress(OSError):  # a log that is gone keeps nothing from being done or undone
            print("quorum-apply: " + line, flush=True)


def short(url):
    """A url without what may be secret in it."""
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def explain(error):
    """Any error as a Failure that quotes nothing of what was read or written."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, OSError) and error.strerror:
        return Failure(f"{error.filename or 'this machine'}: {error.strerror}")
    trace = error.__traceback__
    while trace.tb_next and trace.tb_next.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return Failure(f"{type(error).__name__} at line {trace.tb_lineno} of quorum-apply")
