"""Where data came from: a restored cluster has the system id and the history of its source, into whose archive it must never write."""
import contextlib
import os

ORIGIN = "quorum-restored"  # in the data, so that each copy has it; quorum-wal looks for it


def origins(data):
    """Names of the repositories that data were restored from, one after the other."""
    with contextlib.suppress(FileNotFoundError), open(f"{data}/{ORIGIN}", encoding="utf-8") as file:
        return file.read().splitlines()
    return []


def note_origin(data, name):
    names = origins(data)
    if name not in names:
        with open(f"{data}/{ORIGIN}", "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in [*names, name])
            file.flush()
            os.fsync(file.fileno())
