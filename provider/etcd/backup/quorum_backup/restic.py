"""A repository of restic, and the snapshots in it."""
import contextlib
import datetime
import json
import os
import re
import time

from quorum_backup.bucket import has_objects
from quorum_backup.commands import run
from quorum_backup.report import Failure
from quorum_backup.watched import run_watched

PROGRAM, NAME = "restic", "/etcd.db"  # what each snapshot has
READS, WAITS = 24 * 3600, 60  # seconds for a command that reads all, or little: restic tries again for a quarter of an hour
NOT_THERE, NO_KEY = "The specified key does not exist", "wrong password or no key found"
REFUSED = "(?i)signature we calculated|access denied|access key id|specified bucket"  # the same, where the keys or the bucket are wrong
AWAY = REFUSED + "|dial tcp|connection re|timeout|x509|Service Unavailable"  # in what restic says of S3: no word on the data

# What restic and S3 say, what that means, and whether a later attempt may succeed.
MEANS = (
    (NO_KEY, "the repository cannot be decrypted: it was written with another encryptionKey", False),
    ("repository contains errors", "the repository is damaged", False),
    (NOT_THERE, "the repository lacks a file", False),
    ("already locked", "another member is at work in the repository", True),
)


class Repository:
    """One as a file has it: url, style, region, caFile, accessKey, secretKey and key."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.conf = json.load(file)

    def command(self, *words):
        style = {"path": "path", "host": "dns"}[self.conf["style"]]
        trust = ["--cacert", self.conf["caFile"]] if self.conf["caFile"] else []
        return [PROGRAM, "--repo", self.conf["url"], "--no-cache", *trust, "-o", "s3.bucket-lookup=" + style, "-o", "s3.region=" + self.conf["region"], *words]

    def environment(self):
        return {"AWS_ACCESS_KEY_ID": self.conf["accessKey"], "AWS_SECRET_ACCESS_KEY": self.conf["secretKey"], "RESTIC_PASSWORD": self.conf["key"]}

    def become(self, words):
        os.execvpe(PROGRAM, self.command(*words), {**os.environ, **self.environment()})

    def run(self, *words, seconds=READS, **how):
        done = self.done(words, seconds, **how)
        if done.returncode:
            raise Failure(*judge(words[0], done.stderr + (done.stdout or "")))
        return done.stdout

    def done(self, words, seconds, **how):
        with self.asking():
            return (run_watched if seconds == READS else run)(self.command(*words), seconds, self.environment(), **how)

    @contextlib.contextmanager
    def asking(self):
        """restic does not say what it waits for: where it does not come to an end, S3 is asked."""
        try:
            yield
        except Failure:
            has_objects(self.conf, "")
            raise

    def snapshots(self, until=float("inf")):
        """Those until a moment, the newest last, or None if there is no repository yet."""
        done = self.done(("snapshots", "--json", "--no-lock"), WAITS)
        if not done.returncode:
            found = map(Snapshot, json.loads(done.stdout) or [])
            return sorted((snapshot for snapshot in found if snapshot.time <= until), key=lambda snapshot: snapshot.time)
        if NOT_THERE in done.stderr:
            if has_objects(self.conf, "keys/"):
                raise Failure("the repository is damaged: it has no config. Bring that back, or empty the prefix if there are no snapshots", again=False)
            return None
        if NO_KEY in done.stderr and not has_objects(self.conf, "keys/"):
            raise Failure("the repository is damaged: it has no keys. Bring them back", again=False)
        raise Failure(*judge("snapshots", done.stderr))

    def save(self, path, tags):
        """Puts a file into the repository."""
        self.run("unlock", seconds=WAITS)  # of those that were killed
        with open(path, "rb") as file:
            self.run("backup", "--quiet", "--host", "etcd", "--stdin", "--stdin-filename", NAME, *(f"--tag={name}:{value}" for name, value in tags.items()), stdin=file)

    def forget(self, snapshots):
        if snapshots:
            self.run("forget", "--quiet", "--prune", *(snapshot.id for snapshot in snapshots))

    def load(self, snapshot, path):
        with open(path, "wb") as file:
            self.run("dump", "--no-lock", snapshot.id, NAME, stdout=file)

    def size(self, snapshot):
        return json.loads(self.run("stats", "--no-lock", "--json", snapshot.id, seconds=2 * WAITS))["total_size"]  # a file that is gone is tried for the first half of it

    def check(self):
        """Reads all data."""
        self.run("unlock", seconds=WAITS)
        self.run("check", "--quiet", "--read-data")


def outdated(snapshots, keep):
    """Those that no rule keeps, as restic reads these, but for what is dated in the future, which would push all others out."""
    stay = set()
    for form, number in ((None, keep["last"]), ("%F", keep["daily"]), ("%G %V", keep["weekly"])):
        newest = {}
        for snapshot in reversed(snapshots):
            newest.setdefault(time.strftime(form, time.gmtime(snapshot.time)) if form else snapshot.id, snapshot)
        stay.update(list(newest.values())[:number])
    return [snapshot for snapshot in snapshots if snapshot not in stay]


class Snapshot:
    """One in a repository."""

    def __init__(self, told):
        self.id = told["id"]
        self.time = datetime.datetime.fromisoformat(re.sub(r"\.\d+", "", told["time"]).replace("Z", "+00:00")).timestamp()
        self.tags = dict(tag.split(":", 1) for tag in told.get("tags") or [] if ":" in tag)


def judge(verb, text):
    """What restic's error means, and whether a later attempt may succeed."""
    text = re.sub(r"^\S+\n\t.*\n?", "", text, flags=re.MULTILINE)  # where in its source it was
    text = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
    for words, meaning, again in MEANS:
        if words in text and (again or not re.search(AWAY, text)):
            detail = "; ".join(line for line in text.splitlines() if re.search("error|does not", line) and not re.search("retrying|contains errors", line))[:500]
            return f"restic {verb}: {meaning}" + (f": {detail}" if detail and "wrong" not in words else ""), again
    lines = [line for line in text.strip().splitlines() if "at the following location" not in line and not line.startswith("s3:")]
    fatal = [line for line in lines if line.startswith("Fatal: ")]
    if any("contains errors" in line for line in fatal):
        fatal = [line for line in lines if re.search(AWAY, line)]
    return f"restic {verb}: " + (fatal or [line for line in lines if re.search(AWAY, line)] or lines or ["it failed"])[-1][:800], not re.search(REFUSED, text)
