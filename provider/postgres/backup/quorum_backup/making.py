"""What the leader does in the repository: the backup that is due, whether all of it can be read, and what is kept no longer."""
import contextlib
import os
import time

from quorum_backup.report import Failure, say
from quorum_backup.repository import DRILL, VERIFIED
from quorum_backup.schedule import next_after
from quorum_backup.state import load

DAY = 24 * 3600  # seconds until damaged files, and data with wrong pages, are looked at again
ALL = 9999999  # the most that pgBackRest takes as retention


def make_backup(look):
    need_right_pages(look)
    kind = due(look)
    if not kind:
        return
    say(f"makes a {kind} backup" + (f": the archive lacks {look.lacks}" if look.lacks else ""))
    look.begin()
    look.repository.need_deletes()
    with contextlib.suppress(FileNotFoundError):
        os.remove(look.config["directory"] + "/dropping")  # the WAL of this backup is wanted again
    dropped = dropped_at(look)
    look.repository.run("backup", "--no-expire-auto", f"--type={'full' if kind == 'full' else 'diff'}")
    look.learn()
    need_right_pages(look)
    if dropped and dropped_at(look) == dropped:  # else more was dropped meanwhile
        os.remove(look.config["directory"] + "/dropped")
        look.learn()
    say(f"{look.info.newest()['label']} is complete")


def dropped_at(look):
    """What the file system says, whatever clock it had."""
    with contextlib.suppress(FileNotFoundError):
        return os.stat(look.config["directory"] + "/dropped").st_mtime_ns


def need_right_pages(look):
    """pgBackRest makes a backup of pages whose checksum is wrong, too, and notes that. Another one would be no better, but is tried a day later."""
    last = look.info.last()
    if last and last.get("error") and time.time() < last["timestamp"]["stop"] + DAY:
        files = look.repository.wrong_pages(last["label"])
        raise Failure(f"the data has pages whose checksum is wrong: {', '.join(files[:3]) or 'some'}{', ...' if files[3:] else ''}, in {last['label']}", again=False)


def due(look):
    """Which kind of backup is due, if any. A differential one has the wrong pages of its full one."""
    now, full, last = time.time(), look.info.newest("full"), look.info.newest()
    if full is None or look.info.last("full").get("error") or look.dropped() or next_after(look.config["full"], full["timestamp"]["start"]) <= now:
        return "full"
    return "differential" if look.lacks or next_after(look.config["differential"], last["timestamp"]["start"]) <= now else None


def verify(look):
    """Once for each full backup."""
    full, damaged = look.info.unverified(), load(look.config, "damaged")
    if full and damaged.get("label") == full["label"] and time.time() < damaged["time"] + DAY:
        raise Failure(damaged["reason"], again=False)  # to read all of it at each look would help nobody
    if full:
        look.begin()
        try:
            look.repository.verify()
        except Failure as failure:
            if not failure.again and " S3: " not in str(failure):  # else it is refused, and not damaged
                look.remember("damaged", {"label": full["label"], "time": time.time(), "reason": str(failure)})
            raise
        look.repository.mark(full["label"], VERIFIED, str(int(time.time())))
        look.learn()
        say("all files of the repository are as they were written")


def expire(look):
    """Removes what is kept no longer. pgBackRest would count backups that are damaged or have wrong pages like others, and remove the last good one for them."""
    for label in look.info.spoiled():
        look.repository.run("expire", f"--set={label}", f"--repo1-retention-full={ALL}")  # and no WAL of others
    if look.info.may_expire(look.repository.keeps()):
        for _, text in look.info.marked(DRILL)[-1:]:  # the backup of that drill may go, and one would follow that is not due
            look.repository.mark(look.info.newest()["label"], DRILL, text)
        look.repository.run("expire")
        look.learn()
