"""Whether the archive has all WAL since a backup, although other nodes have come to lead, or it was not archived here meanwhile."""
import contextlib
import os
import re


def first_missing(repository, info, wal, current):
    """The first file between the newest backup and the current file that the archive lacks, or None. What this node is still to archive is not missing.

    A timeline begins with a copy of the last file of the one before, as far as that went: that one is in no archive.
    Recovery looks for the histories one after the other, and ends where one is missing.
    """
    newest, timeline, each, history, found = info.newest(), int(current[:8], 16), (1 << 32) // os.path.getsize(f"{wal}/{current}"), "", {}
    stop = newest["archive"]["stop"]
    first, number = int(stop[:8], 16), int(stop[8:16], 16) * each + int(stop[16:], 16) + 1
    with contextlib.suppress(FileNotFoundError), open(f"{wal}/{timeline:08X}.history", encoding="utf-8") as file:
        history = file.read()
    ends = {int(before): (int(high, 16) * each) + int(low, 16) * each // (1 << 32) for before, high, low in re.findall(r"(?m)^(\d+)\t(\w+)/(\w+)", history)}
    ends[timeline] = int(current[8:16], 16) * each + int(current[16:], 16)
    if first < timeline and ends.get(first, 0) < number:
        return f"the end of {newest['label']}"  # which nobody continues
    there = os.listdir(wal)
    done = os.listdir(wal + "/archive_status")
    waits = [name for name in there if name[:8] == current[:8] and name + ".done" not in done]
    names = [f"{later:08X}.history" for later in range(first + 1, timeline)]
    for before, end in sorted(ends.items()):
        if before >= first:
            names += [f"{before:08X}{at // each:08X}{at % each:08X}" for at in range(number, end)]
            number = end
    for name in (name for name in names if name not in waits):
        place = name[:16] if len(name) == 24 else ""
        if place not in found:
            found[place] = {file[:24] for file in repository.ls(f"archive/{repository.stanza}/{info.archive}/{place}")}
        if name not in found[place]:
            return name
    return None
