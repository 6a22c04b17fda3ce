"""Whether the volume has room."""
import shutil

from quorum_backup.report import Failure

ROOM = 1.1  # of a size


def need_room(directory, size, spare=0):
    """Requires the volume to have room for so many bytes, and for `spare` of its size beside."""
    volume = shutil.disk_usage(directory)
    needed = int(size * ROOM + spare * volume.total)
    if volume.free < needed:
        raise Failure(f"this needs {needed >> 20} MiB, and {directory} has {volume.free >> 20} MiB free", again=False)
