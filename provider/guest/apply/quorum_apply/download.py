"""Downloads."""
import hashlib
import http.client
import re
import tempfile
import time
import urllib.request

from quorum_apply.files import make_parents
from quorum_apply.paths import APT, at, DOWNLOAD, HOME, PAUSE
from quorum_apply.report import Failure, say, short


def retry(action, attempts):
    """Tries it some times; that another apt runs is waited for: neither dpkg nor `apt-get update` do so."""
    end = time.monotonic() + APT
    while True:
        try:
            return action()
        except Failure as failure:
            attempts -= not (re.search(" get lock | locked by ", failure.full()) and time.monotonic() < end)
            if not attempts:
                raise
            say(f"{failure}; trying again")
            time.sleep(PAUSE)


def download(url):
    """An anonymous file with what is at url, and its sha256."""
    return retry(lambda: download_once(url), attempts=5)


def download_once(url):
    make_parents(HOME + "/x")
    file, digest, end = tempfile.TemporaryFile(dir=at(HOME)), hashlib.sha256(), time.monotonic() + DOWNLOAD
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            for chunk in iter(lambda: answer.read(1 << 20), b""):
                file.write(chunk)
                digest.update(chunk)
                if time.monotonic() > end:
                    raise TimeoutError(f"not done after {DOWNLOAD} s")
            if answer.length:
                raise OSError("the connection ended early")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Failure(f"{short(url)}: {getattr(error, 'code', '')} {getattr(error, 'reason', None) or error}") from None
    file.seek(0)
    return file, digest.hexdigest()
