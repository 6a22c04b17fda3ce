"""pgBackRest, and what it says of the backups of a stanza."""
import html
import json
import re

from quorum_backup.commands import run
from quorum_backup.report import Failure

PROGRAM = "pgbackrest"
READS = 24 * 3600
WAITS = 300  # seconds for a command that reads little
IO = "--io-timeout=10"  # of such a command: `info` tries for eight times that, where nothing listens, and by default that is 60
VERIFIED, DRILL = "quorum-verified", "quorum-drill"  # notes at backups
NO_STANZA, NO_BACKUP, NO_INFO, OTHER = 1, 2, 3, 99  # codes of `info`

# What a later attempt does not mend, by number and, as far as `info` quotes them, by name: checksum, file-invalid, format, option-invalid,
# option-invalid-value, path-not-empty, version-not-supported, command-invalid, backup-mismatch, file-missing, crypto and json-format of
# https://github.com/pgbackrest/pgbackrest/blob/main/src/build/error/error.yaml
LASTING = "026 028 029 031 032 040 046 048 051 055 095 099 ChecksumError FormatError FileMissingError CryptoError".split()


class Repository:
    """A stanza in a repository, as a configuration of pgBackRest has it."""

    def __init__(self, conf, stanza):
        self.conf, self.stanza = conf, stanza

    def command(self, verb, *options):
        return [PROGRAM, f"--config={self.conf}", f"--stanza={self.stanza}", verb, *options]

    def place(self):
        """Bucket, path and stanza. The same service may have several addresses."""
        found = self.options("repo1-s3-bucket", "repo1-path")
        return [found["repo1-s3-bucket"], found["repo1-path"], self.stanza]

    def keeps(self):
        """How many full backups."""
        return int(self.options("repo1-retention-full")["repo1-retention-full"])

    def name(self):
        """`place` as one line, as quorum-wal has it, too."""
        return " ".join(self.place())

    def options(self, *names):
        """Those of the configuration that it has."""
        with open(self.conf, encoding="utf-8") as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file if line.startswith(tuple(name + "=" for name in names)))

    def run(self, verb, *options, seconds=READS):
        """Output of a command of pgBackRest."""
        done = run(self.command(verb, *[IO] * (seconds == WAITS), *options), seconds)
        if done.returncode:
            raise Failure(*judge(verb, done.stderr + done.stdout))
        return done.stdout

    def told(self):
        """What the repository says of the stanza, or None if it is not there yet."""
        told = json.loads(self.run("info", "--output=json", seconds=WAITS), strict=False)  # it quotes bytes that it could not read
        status = told[0]["repo"][0]["status"] if told and told[0].get("repo") else {"code": NO_STANZA}
        if status["code"] in (NO_INFO, OTHER):
            raise Failure(*judge("info", status["message"] if status["code"] == OTHER else "backup.info is missing"))
        return told[0] if status["code"] in (0, NO_BACKUP) else None

    def create(self, cluster):
        """Makes the stanza. One that was ended while it did has left a part, into which WAL may have come: of use to nobody, as there was
        no backup. Another cluster's stays, which may be about to make the rest."""
        try:
            self.run("stanza-create", seconds=WAITS)
        except Failure as failure:
            archive = f"archive/{self.stanza}"
            if not re.search("no backup.info|not empty", str(failure)) or ".backup" in self.run("repo-ls", "--recurse", archive, seconds=WAITS) \
                    or cluster not in self.run("repo-get", archive + "/archive.info", seconds=WAITS):
                raise
            self.run("repo-rm", "--recurse", archive, seconds=WAITS)
            self.create(cluster)

    def need_deletes(self):
        """A backup for which S3 deletes nothing fails when all is uploaded, and the next attempt uploads all again. Where it does not delete several
        objects at once, what is kept no longer stays, and is told of at one look only."""
        for name, *how in ("/1",), ("", "--recurse"):
            self.run("repo-put", "--raw", f"deletes/{self.stanza}/1", seconds=WAITS)
            self.run("repo-rm", *how, f"deletes/{self.stanza}{name}", seconds=WAITS)

    def claim(self, mine):
        """Claims the stanza for a cluster; returns why it is not its own, and whether to try again. Clusters that are restored at the same time have
        one system id. At most one finds only its own claim: who comes later finds that. Those that find each other take theirs back, and the first tries again."""
        place = f"claims/{self.stanza}"
        found = self.ls(place) or self.run("repo-put", "--raw", f"{place}/{mine}", seconds=WAITS) or self.ls(place)
        if found == [mine]:
            return None, False
        if mine in found:
            self.run("repo-rm", f"{place}/{mine}", seconds=WAITS)
        return f"is claimed by another cluster that is restored, in {place}", found[:1] == [mine]

    def wrong_pages(self, label):
        """Which files have pages whose checksum is wrong, as far as the repository tells."""
        told = json.loads(self.run("info", "--output=json", f"--set={label}", seconds=WAITS), strict=False)
        return told[0]["backup"][0].get("error-list") or []

    def info(self):
        told = self.told()
        return Info(told) if told else None

    def ls(self, path):
        return self.run("repo-ls", path, seconds=WAITS).splitlines()

    def mark(self, label, name, text):
        """Notes at a backup, in the repository, where all nodes find it."""
        self.run("annotate", f"--set={label}", f"--annotation={name}={text}", seconds=WAITS)

    def verify(self):
        """Reads all files of the repository. pgBackRest ends with 0 whatever it found, and tells it: also of files that S3 did not let it read."""
        text = self.run("verify", "--output=text", "--verbose", "--log-level-console=info")
        if not re.search(r"^status: ok$", text, re.MULTILINE):
            found = " ".join(re.findall("^ {0,4}([a-z].*)", text, re.MULTILINE))
            unread = re.search(r"\[(\d+)] raised from [^:]*: (.*)", text)
            if unread and unread[1].zfill(3) not in LASTING and not re.search("(ing|lid): [1-9]", found):
                raise Failure(*judge("verify", f"[{unread[1]}] {unread[2]}"))
            raise Failure("the repository is damaged: " + found, again=False)


class Info:
    """What a stanza has, until a moment."""

    def __init__(self, told, until=float("inf")):
        self.until, self.all = until, [backup for backup in told["backup"] if backup["timestamp"]["start"] <= until]
        self.backups = [backup for backup in self.all if not backup.get("error")]
        self.has_wal = any(archive.get("max") for archive in told["archive"])
        archive = max(told["archive"], key=lambda archive: archive["database"]["id"], default={"id": ""})
        self.archive, self.last_wal = archive["id"], archive.get("max") or ""
        last = max(told["db"], key=lambda database: database["id"], default={"id": 0, "system-id": "", "version": ""})
        self.database, self.system_id, self.version = last["id"], str(last["system-id"]), last["version"]

    def newest(self, *types):
        """The backup that began last, of any type or of those given."""
        return max((b for b in self.backups if not types or b["type"] in types), key=lambda b: b["timestamp"]["start"], default=None)

    def last(self, *types):
        """As `newest`, also of those that have wrong pages."""
        return max((b for b in self.all if not types or b["type"] in types), key=lambda b: b["timestamp"]["start"], default=None)

    def spoiled(self):
        """Full backups that have wrong pages and are of no use any more: a later one is there, and no good one is based on them."""
        fulls = [b for b in self.all if b["type"] == "full" and b.get("error") and b is not self.last("full")]
        return [full["label"] for full in fulls if not any(b["label"].startswith(full["label"]) for b in self.backups)]

    def may_expire(self, keeps):
        """Whether there are more full backups than are to be kept, and those to be kept are all good."""
        fulls = sorted((b for b in self.all if b["type"] == "full"), key=lambda b: b["timestamp"]["start"])
        return len(fulls) > keeps and not self.unverified() and not any(b.get("error") for b in fulls[-keeps:])

    def marked(self, name):
        """The backups that have a note, and what it is."""
        return [(b, b["annotation"][name]) for b in self.backups if name in (b.get("annotation") or {})]

    def verified(self):
        """When the repository was last found complete, or None."""
        return max((int(text) for _, text in self.marked(VERIFIED)), default=None)

    def unverified(self):
        """The newest full backup, if it has not been looked at yet."""
        full = self.newest("full")
        return full if full and all(backup is not full for backup, _ in self.marked(VERIFIED)) else None

    def drill(self):
        """The last drill that went well, or None."""
        drills = [json.loads(text) for _, text in self.marked(DRILL)]
        return max((drill for drill in drills if drill["time"] <= self.until), key=lambda drill: drill["time"], default=None)

    def first_end(self):
        """When the first backup ended: before that there is nothing to restore."""
        return min((backup["timestamp"]["stop"] for backup in self.backups), default=None)


def judge(verb, text):
    """What pgBackRest's error means, and whether a later attempt may succeed."""
    text = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
    found = re.search(r"ERROR: \[(\d+)\]: (.*)", text, re.DOTALL) or re.match(r"\[(\w+)\] (.*)", text, re.DOTALL)
    kind, reason = found.groups() if found else ("", text)
    again = kind not in LASTING or "certificate" in reason  # S3 may be given another
    gone = re.search(r"(\w+\.info)(?:' for read| is missing)", reason)
    refused = re.search(r"HTTP request failed with (\d+) \(([^)]*)\)", reason)
    if refused:
        detail = re.search(r"<Code>([^<]*)</Code>\s*<Message>([^<]*)</Message>", reason)
        reason = "S3: " + (html.unescape(": ".join(detail.groups())) if detail else " ".join(refused.groups()))
        again = not refused[1].startswith("4") or refused[1] in ("408", "409", "429") or re.search("RequestTime|IncompleteBody", reason) is not None
    elif gone:
        return f"the repository is damaged: it has no {gone[1]}", False
    elif "outside of section" in reason or "cipher header invalid" in reason or "unable to flush" in reason:
        reason, again = "the repository cannot be decrypted: it was written with another encryptionKey, or backup.info or archive.info is damaged, with its copy", False
    else:
        again = again or "in node 'html'" in reason or "IsTruncated" in reason  # a page of something between, such as a proxy
        reason = "S3: " * (kind in ("049", "HostConnectError") or "waiting for read from" in reason) + " ".join(line.strip() for line in reason.splitlines() if "HINT" not in line)[:800]
    return f"pgbackrest {verb}: {reason.strip()}", again
