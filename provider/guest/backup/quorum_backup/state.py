"""What is remembered on the data volume, a JSON file each."""
import contextlib
import json
import os


def load(config, name):
    with contextlib.suppress(FileNotFoundError, ValueError), open(f"{config['directory']}/{name}.json", encoding="utf-8") as file:
        return json.load(file)
    return {}


def store(config, name, value):
    path = f"{config['directory']}/{name}.json"
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def drop(config, name):
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{config['directory']}/{name}.json")
