"""Copies of a state that is in force, which are of no more use: the drive has it, and the services' own files."""
import glob
import gzip
import itertools
import json
import pickle

import yaml

from quorum_apply.drive import has_drive
from quorum_apply.files import File, owner_and_mode, put, read, remove
from quorum_apply.paths import ARCHIVE, at, COPIES, WRITTEN_BY_CLOUD_INIT
from quorum_apply.records import load, Previous
from quorum_apply.report import say

def has_state(content):
    return WRITTEN_BY_CLOUD_INIT.encode() in content


def without_file(config):
    config["write_files"] = [file for file in config["write_files"] if file["path"] not in (WRITTEN_BY_CLOUD_INIT, ARCHIVE)]
    if "runcmd" in config:  # or the next boot would look for the state again
        config["runcmd"] = [command for command in config["runcmd"] if ARCHIVE not in command]
    return config


def in_user_data(text):
    """User data without the state."""
    content = (text or "").encode() if isinstance(text, (str, type(None))) else text
    packed = content[:2] == b"\x1f\x8b"
    plain = gzip.decompress(content) if packed else content
    if not has_state(plain):
        return text
    # Those of libyaml are ten times as fast, which on a slow machine saves seconds of its first boot.
    changed = "#cloud-config\n" + yaml.dump(without_file(yaml.load(plain, yaml.CSafeLoader)), Dumper=yaml.CSafeDumper)
    if packed:
        return gzip.compress(changed.encode())
    return changed if isinstance(text, str) else changed.encode()


def in_message(content):
    """What cloud-init makes of user data, and nothing reads."""
    return b"" if has_state(content) else content


def in_json(content):
    return json.dumps(without_file(json.loads(content))).encode() if has_state(content) else content


def in_source(content):
    """What cloud-init remembers of where its data came from, for a boot in which that is not there."""
    source = pickle.loads(content)
    stripped = in_user_data(source.userdata_raw)
    if stripped == source.userdata_raw:
        return content
    source.userdata_raw, source.userdata = stripped, None
    return pickle.dumps(source)


STRIP = {"user-data.txt": in_user_data, "cloud-config.txt": in_user_data, "user-data.txt.i": in_message, "obj.pkl": in_source,
         "combined-cloud-config.json": in_json}


def forget_copies():
    """Removes what cloud-init wrote at the first boot, and what it keeps of it at each, and files from before a change that is done."""
    good = load("applied.json", None)
    if not good:
        return
    if not Previous(good).is_open():
        Previous(good).drop()
    remove(ARCHIVE)
    if has_drive():  # or else it is what a machine repairs itself by at each boot: OpenStack hands it over once
        remove(WRITTEN_BY_CLOUD_INIT)
    for directory, (name, strip) in itertools.product(COPIES, STRIP.items()):
        for found in glob.glob(at(f"{directory}/{name}")):
            path = found.removeprefix(at(""))
            try:
                content = read(path)
                stripped = strip(content)
                if stripped != content:
                    put(File(path, stripped, *owner_and_mode(path)))
            except Exception as error:  # its message could quote what it read
                say(f"{path}: may still have a copy of the state ({type(error).__name__})")
