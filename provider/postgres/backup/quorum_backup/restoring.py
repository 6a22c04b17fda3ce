"""A backup becomes a directory of data."""
import os
import shutil

from quorum_backup.report import Failure

ROOM = 1.1  # of the size of the data


def need_room(directory, info, spare=0):
    """Requires the volume to have room for the newest backup, and `spare` of its size beside."""
    size = info.newest()["info"]["size"]
    volume = shutil.disk_usage(directory)
    free, needed = volume.free, int(size * ROOM + spare * volume.total)
    if free < needed:
        raise Failure(f"the backup is of {size >> 20} MiB, which needs {needed >> 20} MiB, and {directory} has {free >> 20} MiB free", again=False)


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
    return " ".join(words)
