"""Copies of the state, which are of no more use once it is in force: the drive has it, and the services' own files."""
import glob
import gzip
import os
import pickle

import yaml

from quorum_apply.files import File, owner_and_mode, put, read, remove
from quorum_apply.paths import at, HOME, INSTANCES, WRITTEN_BY_CLOUD_INIT
from quorum_apply.report import say


def without_state(text):
    """User data for cloud-init, but for the state."""
    content = text.encode() if isinstance(text, str) else text
    packed = content[:2] == b"\x1f\x8b"
    config = yaml.safe_load(gzip.decompress(content) if packed else content)
    kept = [file for file in config["write_files"] if file["path"] != WRITTEN_BY_CLOUD_INIT]
    if len(kept) == len(config["write_files"]):
        return text
    config["write_files"] = kept
    changed = "#cloud-config\n" + yaml.safe_dump(config)
    if packed:
        return gzip.compress(changed.encode())
    return changed if isinstance(text, str) else changed.encode()


def source_without_state(content):
    """What cloud-init remembers of where its data came from, for a boot in which that is not there."""
    source = pickle.loads(content)
    stripped = without_state(source.userdata_raw)
    if stripped == source.userdata_raw:
        return content
    source.userdata_raw, source.userdata = stripped, None
    return pickle.dumps(source)


COPIES = {"user-data.txt": without_state, "user-data.txt.i": lambda _: b"", "cloud-config.txt": without_state, "obj.pkl": source_without_state}


def forget_copies():
    """Removes what cloud-init wrote at the first boot, and what it keeps of it at each."""
    if not os.path.exists(at(HOME + "/applied.json")):
        return
    remove(WRITTEN_BY_CLOUD_INIT)
    for name, strip in COPIES.items():
        for found in glob.glob(at(INSTANCES + "/" + name)):
            path = found.removeprefix(at(""))
            try:
                content = strip(read(path))
                if content != read(path):
                    put(File(path, content, *owner_and_mode(path)))
            except Exception as error:  # its message could quote what it read
                say(f"{path}: still has a copy of the state ({type(error).__name__})")
