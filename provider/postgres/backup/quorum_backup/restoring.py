"""A backup becomes a directory of data."""
import contextlib
import os
import shutil

from quorum_backup.report import Failure

ROOM = 1.1  # of the size of the data


def need_room(directory, info, spare=0, there=None):
    """Requires the volume to have room for the newest backup, and `spare` of its size beside. Some of it may be there already."""
    size = info.newest()["info"]["size"]
    volume = shutil.disk_usage(directory)
    free, needed = volume.free + (taken(there) if there else 0), int(size * ROOM + spare * volume.total)
    if free < needed:
        raise Failure(f"the backup is of {size >> 20} MiB, which needs {needed >> 20} MiB, and {directory} has {free >> 20} MiB free", again=None)


def taken(directory):
    """How many bytes a directory takes."""
    total = 0
    for top, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(f"{top}/{name}").st_blocks * 512
    return total


def programs(config, version):
    """Where the programs of a version of PostgreSQL are."""
    directory = f"{config['installed']}/{version}/bin"
    if not os.path.exists(directory + "/postgres"):
        has = sorted(v for v in os.listdir(config["installed"]) if os.path.exists(f"{config['installed']}/{v}/bin/postgres"))
        raise Failure(f"the backup is of PostgreSQL {version}, and this machine has {', '.join(has) or 'none'}: set postgres.version: \"{version}\"", again=False)
    return directory


def command_for_wal(config, repository, data):
    """restore_command of a recovery beside the running server: with its own queue and locks."""
    own = f"{config['directory']}/recovery"
    words = [*repository.command("archive-get", f"--pg1-path={data}", f"--spool-path={own}", f"--lock-path={own}"), "%f", '"%p"']
    # 1 says that there is no such file, and PostgreSQL takes more than 125 for a failure: it must not take S3 that is away for the end.
    return " ".join(words) + "; status=$?; [ $status -le 1 ] || status=255; exit $status"
