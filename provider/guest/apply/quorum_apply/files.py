"""Files as they should be: whole or not at all, and only where root may put them."""
import collections
import contextlib
import errno
import os
import stat

from quorum_apply.paths import at, HOME
from quorum_apply.report import Failure


class File(collections.namedtuple("File", "path content uid gid mode", defaults=[-1, -1, 0o644])):
    """A file as it should be. An owner of -1 is the user this program runs as."""

    def has_content(self):
        return os.path.isfile(at(self.path)) and not os.path.islink(at(self.path)) and read(self.path) == self.content

    def is_there(self):
        return self.has_content() and owner_and_mode(self.path) == (self.uid, self.gid, self.mode)


def read(path):
    with open(at(path), "rb") as file:
        return file.read()


def owner_and_mode(path):
    return owner_and_mode_of(os.stat(at(path)))


def owner_and_mode_of(status):
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


@contextlib.contextmanager
def directory_of(path):
    """A descriptor of the directory that a path lies in, and the path's name there.

    A link on the way is followed where root alone can have put it. The user of
    a service could put one into a directory of his own, at the right moment,
    and would be given what it leads to.
    """
    *parents, name = path.strip("/").split("/")
    here = os.open(at("/"), os.O_PATH | os.O_DIRECTORY)
    try:
        for parent in parents:
            there = open_itself(path, parent, os.O_PATH | os.O_DIRECTORY, here, follow=only_ours(here))
            os.close(here)
            here = there
        yield here, name
    finally:
        os.close(here)


def only_ours(directory):
    now = os.fstat(directory)
    return now.st_uid == os.geteuid() and not now.st_mode & 0o022


def open_itself(path, name, flags, directory, follow=False):
    """A descriptor of what has the name in the directory, on the way of the path; not of what a link leads to."""
    try:
        return os.open(name, flags | (0 if follow else os.O_NOFOLLOW), dir_fd=directory)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Failure(f"{path}: {name} is a symbolic link or no directory, and not only root can write there") from None
        raise Failure(f"{path}: {error.strerror}") from None


def set_owner_and_mode(path, uid, gid, bits, kind=0):
    """Of what lies at the path itself, not of what a link there leads to; kind is os.O_DIRECTORY for a directory."""
    with directory_of(path) as (parent, name):
        descriptor = open_itself(path, name, os.O_RDONLY | os.O_NONBLOCK | kind, parent)
    try:
        if owner_and_mode_of(os.fstat(descriptor)) != (uid, gid, bits):
            os.fchown(descriptor, uid, gid)
            os.fchmod(descriptor, bits)
    finally:
        os.close(descriptor)


def hidden(name):
    return f".{name}.quorum-new"


def beside(path):
    return os.path.join(os.path.dirname(path), hidden(os.path.basename(path)))


def make_parents(path):
    parent = os.path.dirname(path)
    if not os.path.isdir(at(parent)):
        make_parents(parent)
        with directory_of(parent) as (above, name):
            make_with_mode(parent, name, 0o700 if parent == HOME or parent.startswith(HOME + "/") else 0o755, above)


def make_with_mode(path, name, bits, above):
    """Makes a directory that has its mode from the start: a run that is killed here leaves none that its users cannot enter."""
    umask = os.umask(0)
    try:
        os.mkdir(name, bits, dir_fd=above)
    except FileExistsError:  # of another run
        pass
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    finally:
        os.umask(umask)


def stage(file):
    """Writes a file beside its place, closed to others until its owner and mode are set."""
    make_parents(file.path)
    remove(beside(file.path))
    with directory_of(file.path) as (directory, name):
        descriptor = os.open(hidden(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=directory)
    with os.fdopen(descriptor, "wb") as out:
        out.write(file.content)
        out.flush()
        os.fchown(descriptor, file.uid, file.gid)
        os.fchmod(descriptor, file.mode)
        os.fsync(descriptor)


def stage_copy(file, copy):
    """The same with a file that is there already, which takes no room on a full disk."""
    make_parents(file.path)
    remove(beside(file.path))
    try:
        with directory_of(file.path) as (directory, name):
            os.link(at(copy), hidden(name), dst_dir_fd=directory)
    except OSError:  # it lies on another file system
        stage(file)
    set_owner_and_mode(beside(file.path), file.uid, file.gid, file.mode)


def put(*files):
    """Writes all the files or, when the disk is full, none: each is whole beside its place before the first is moved there."""
    try:
        for file in files:
            stage(file)
    except OSError as error:
        for file in files:
            remove(beside(file.path))
        raise Failure(f"{file.path}: could not be written: {error.strerror}") from None
    move_in(files)


def move_in(files):
    """Moves files that are staged to their places."""
    for file in files:
        with directory_of(file.path) as (directory, name):
            os.replace(hidden(name), name, src_dir_fd=directory, dst_dir_fd=directory)
    for directory in {os.path.dirname(file.path) for file in files}:
        sync(directory)


BLOCK = 4096  # what a file takes on a disk, at the least


def overwrite(path, text):
    """Writes into a file that is there, which takes no room on a full disk; cut to whole lines that fit. Says whether all of it did.

    A link is not followed, and a file with another name beside is left as it is: it may be anybody's.
    """
    content = text.encode()
    with contextlib.suppress(OSError, Failure), directory_of(path) as (directory, name), \
            open(os.open(name, os.O_RDWR | os.O_NOFOLLOW, dir_fd=directory), "r+b") as out:
        now = os.fstat(out.fileno())
        if not stat.S_ISREG(now.st_mode) or now.st_nlink > 1:
            return False
        had = now.st_size
        room = max(-(-had // BLOCK), 1) * BLOCK
        fits = len(content) <= room
        out.write((content if fits else content[:content.rfind(b"\n", 0, room) + 1]).ljust(had, b"\n"))
        return fits
    return False


def sync(path):
    descriptor = os.open(at(path), os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def remove(path):
    if os.path.lexists(at(path)):
        with directory_of(path) as (directory, name), contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=directory)


def keep_written(*files):
    """Writes those of the files that are not there already; says which those were."""
    changed = [f for f in files if not f.has_content()]
    put(*changed)
    return [f.path for f in changed]
