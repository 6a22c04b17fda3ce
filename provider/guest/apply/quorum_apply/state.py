"""Reads the state and checks it."""
import collections
import functools
import json
import os
import re
import urllib.parse

from quorum_apply.commands import run
from quorum_apply.paths import HOME, PROGRAM
from quorum_apply.report import Failure, SECRETS, short, words
from quorum_apply.units import UNITS


def learn_secrets(state):
    """Remembers the words that only files closed to others hold; hide() blots them out."""
    private = [f for f in state["files"] if not mode(f) & 0o004]
    public = {**state, "files": [{**f, "content": ""} if f in private else f for f in state["files"]], "aptProxy": ""}
    SECRETS.update(*(words(f["content"]) for f in private), words(urllib.parse.urlsplit(state["aptProxy"]).password or ""))
    SECRETS.difference_update(words(json.dumps(public)), *(words(f["content"]) for f in public["files"]))


def mode(item):
    return int(item["mode"] or "0644", 8)


@functools.lru_cache(None)
def number_of(database, name):
    found = run("getent", database, name or "root")
    if found.returncode:
        raise Failure(f"there is no {database} entry {name}")
    return int(found.stdout.split(":")[2])


def owners(item):
    return number_of("passwd", item["owner"]), number_of("group", item["group"])


TEXT, NUMBER, YES = "", 0, True  # what a thing is when it is absent; an exclamation mark is before what must be there
SHAPE = {
    "machine!": TEXT, "generation!": TEXT, "install": YES, "aptProxy": TEXT,
    "repositories": [{"name!": TEXT, "uri!": TEXT, "suite!": TEXT, "components": [TEXT], "keyUrl!": TEXT, "fingerprint!": TEXT}],
    "presets": [{"path!": TEXT, "owner": TEXT, "group": TEXT, "mode": TEXT, "content": TEXT}],
    "packages": [{"name!": TEXT, "provides": [TEXT]}],
    "artifacts": [{"name!": TEXT, "url!": TEXT, "sha256": TEXT, "sha256SumsUrl": TEXT, "files!": {"*": TEXT}}],
    "users": [{"name!": TEXT, "home!": TEXT, "groups": [TEXT]}],
    "volumes": [{"device!": TEXT, "label!": TEXT, "mountPoint!": TEXT}],
    "directories": [{"path!": TEXT, "owner": TEXT, "group": TEXT, "mode": TEXT}],
    "files": [{"path!": TEXT, "owner": TEXT, "group": TEXT, "mode": TEXT, "content": TEXT}],
    "services": [{"name!": TEXT, "restartOn": [TEXT], "reloadOn": [TEXT], "restartKey": TEXT, "verify": [TEXT], "timeoutSeconds": NUMBER, "restartsOthers": TEXT,
                  "check": {"url": TEXT, "caFile": TEXT, "certFile": TEXT, "keyFile": TEXT, "contains": TEXT}}],
}


def fit(value, shape, where, problems):
    """Returns value with all that shape has; what does not fit becomes a problem, named but never quoted."""
    if value is None:
        return fit(type(shape)(), shape, where, problems) if isinstance(shape, (dict, list)) else shape
    if type(value) is not type(shape):
        problems.append(f"{where}: must be a {type(shape).__name__}, not a {type(value).__name__}")
        return fit(None, shape, where, [])
    if isinstance(shape, list):
        return [fit(item, shape[0], f"{where}[{i}]", problems) for i, item in enumerate(value)]
    if not isinstance(shape, dict):
        return value
    if "*" in shape:
        return {key: fit(item, shape["*"], f"{where}.{key}", problems) for key, item in value.items()}
    required = {key.rstrip("!"): key.endswith("!") for key in shape}
    problems += [f"{where}.{key}: is not known to this quorum-apply" for key in value if key not in required]
    problems += [f"{where}.{key}: is required" for key in required if required[key] and not value.get(key)]
    return {key.rstrip("!"): fit(value.get(key.rstrip("!")), part, f"{where}.{key.rstrip('!')}", problems) for key, part in shape.items()}


def parse(text):
    """The state in a JSON text, complete and checked."""
    try:
        raw = json.loads(text, strict=False)  # ends of lines may stand as such in its strings
    except ValueError as error:
        raise Failure(f"the state is not JSON ({getattr(error, 'msg', 'not text')}): half-written?") from None
    problems = []
    state = fit(raw, SHAPE, "state", problems)
    paths = [f["path"] for f in state["presets"] + state["files"]] + [p for a in state["artifacts"] for p in a["files"].values()]
    directories = [d["path"] for d in state["directories"]] + [v["mountPoint"] for v in state["volumes"]]
    for path in paths + directories:
        if not path.startswith("/") or os.path.normpath(path) != path or "\0" in path or path == "/":
            problems.append(f"{path!r}: must be an absolute path without . and ..")
        elif f"{path}/".startswith(HOME + "/") or path in (PROGRAM, *UNITS):
            problems.append(f"{path}: belongs to quorum-apply")
    problems += [f"{path}: is there twice" for path, n in collections.Counter(paths).items() if n > 1]
    for item in state["presets"] + state["files"] + state["directories"]:
        if not re.fullmatch("[0-7]{3,4}", item["mode"] or "0644"):
            problems.append(f"{item['path']}: mode must be octal digits")
        elif mode(item) & 0o002:
            problems.append(f"{item['path']}: mode must not let everybody write")
    for name, n in collections.Counter(s["name"] for s in state["services"]).items():
        if n > 1 or not re.fullmatch(r"[\w:.\\@-]+\.(service|socket|timer|path|target|mount)", name):
            problems.append(f"{name!r}: must be the full name of a unit, and that once")
    for name in [item["name"] for item in state["repositories"] + state["users"]] + [v["label"] for v in state["volumes"]]:
        if not re.fullmatch(r"\w[\w.-]*", name, re.ASCII):
            problems.append(f"{name!r}: must be of letters, digits and . _ -")
    problems += [f"{v['label']}: is longer than the 16 bytes a label has" for v in state["volumes"] if len(v["label"]) > 16]
    problems += [f"{a['name']}: needs sha256 or sha256SumsUrl" for a in state["artifacts"] if not a["sha256"] and not a["sha256SumsUrl"]]
    trusted = [r["keyUrl"] for r in state["repositories"]] + [a["sha256SumsUrl"] for a in state["artifacts"] if not a["sha256"]]
    problems += [f"{short(url)}: must be https" for url in trusted if url and not url.startswith("https://")]
    if problems:
        raise Failure("the state does not fit: " + "; ".join(problems))
    return state
