"""What quorum-apply remembers from one run to the next."""
import json
import os
import shutil

from quorum_apply.files import directory_of, File, move_in, overwrite, owner_and_mode, put, read, remove, stage_copy
from quorum_apply.paths import at, HOME
from quorum_apply.report import Failure, say


def load(name, default):
    """A record; one that is damaged is as none, and ends no run."""
    try:
        return json.loads(read(f"{HOME}/{name}"))
    except FileNotFoundError:
        return default
    except ValueError:
        say(f"{HOME}/{name}: is damaged, and ignored")
        return default


def store(name, value):
    """Writes a record; where the disk is full, into the one that is there."""
    text = json.dumps(value, indent=1)
    try:
        put(File(f"{HOME}/{name}", text.encode(), mode=0o600))
    except Failure:
        if not overwrite(f"{HOME}/{name}", text):
            raise


class Previous:
    """The files as they were before a change, until that is done or undone.

    While the change is open no copy is replaced: whoever killed the run that made
    it, it is what was there when all was well. The change ends in one step, when
    applied.json is written with its number.
    """

    def __init__(self, good):
        self.last = good["change"] if good else 0
        self.manifest = load("previous/manifest.json", {"change": 0, "saved": {}})

    def is_open(self):
        return self.manifest["change"] > self.last

    def number(self):
        return max(self.manifest["change"], self.last)

    def drop(self):
        """Removes the copies: they have secrets."""
        shutil.rmtree(at(HOME + "/previous"), ignore_errors=True)

    def begin(self):
        if not self.is_open():
            self.drop()
            self.manifest = {"change": self.last + 1, "saved": {}}
            store("previous/manifest.json", self.manifest)

    def save(self, paths):
        self.begin()
        saved = self.manifest["saved"]
        for path in paths:
            if path not in saved:
                saved[path] = self.copy(path, str(len(saved)))
        store("previous/manifest.json", self.manifest)

    def copy(self, path, name):
        if os.path.islink(at(path)):
            return {"link": os.readlink(at(path))}
        if not os.path.exists(at(path)):
            return None
        put(File(f"{HOME}/previous/{name}", read(path), mode=0o600))
        return {"copy": name, **dict(zip(("uid", "gid", "mode"), owner_and_mode(path)))}

    def put_back(self):
        files = []
        for path, was in self.manifest["saved"].items():
            if was and "copy" in was:
                copy = f"{HOME}/previous/{was['copy']}"
                file = File(path, read(copy), was["uid"], was["gid"], was["mode"])
                if not file.is_there():
                    stage_copy(file, copy)
                    files.append(file)
        move_in(files)
        for path, was in self.manifest["saved"].items():
            if was is None or "link" in was:
                remove(path)
            if was and "link" in was:
                with directory_of(path) as (directory, name):
                    os.symlink(was["link"], name, dir_fd=directory)
