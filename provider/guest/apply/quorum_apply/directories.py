"""Directories."""
import contextlib
import os

from quorum_apply.files import beside, directory_of, hidden, make_parents, set_owner_and_mode
from quorum_apply.paths import at
from quorum_apply.report import Failure
from quorum_apply.state import mode, owners


def make_directory(directory):
    """Makes a directory, or gives the one that is there its owner and mode."""
    path, owner, bits = directory["path"], owners(directory), mode(directory)
    make_parents(path)
    if not os.path.lexists(at(path)):
        make_new_directory(path, owner, bits)
    if os.path.islink(at(path)):
        raise Failure(f"{path}: is a link, not a directory")
    set_owner_and_mode(path, *owner, bits, os.O_DIRECTORY)


def make_new_directory(path, owner, bits):
    """Makes it beside its place and moves it there with its owner: its user never finds one of root's. If he makes it meanwhile, his stays."""
    with directory_of(path) as (parent, name):
        with contextlib.suppress(FileExistsError):  # left by a run that was killed
            os.mkdir(hidden(name), 0o700, dir_fd=parent)
        set_owner_and_mode(beside(path), *owner, bits, os.O_DIRECTORY)
        try:
            os.rename(hidden(name), name, src_dir_fd=parent, dst_dir_fd=parent)
        except OSError:
            os.rmdir(hidden(name), dir_fd=parent)
