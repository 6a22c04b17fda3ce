"""Programs that come from elsewhere than a repository."""
import os
import re
import tarfile
import urllib.parse
import zipfile

from quorum_apply.download import download
from quorum_apply.files import File, put
from quorum_apply.paths import at, HOME
from quorum_apply.records import load, store
from quorum_apply.report import Failure, say, short
from quorum_apply.repositories import fill


def install_artifacts(state, previous):
    """The binaries that come from elsewhere than a repository; each is downloaded once."""
    installed = load("artifacts.json", {})
    for artifact in state["artifacts"]:
        url = fill(artifact["url"])
        wanted = {"url": url, "sha256": artifact["sha256"] or artifact["sha256SumsUrl"], "files": artifact["files"]}
        if installed.get(artifact["name"]) == wanted and all(os.path.exists(at(path)) for path in artifact["files"].values()):
            continue
        sha256 = artifact["sha256"].lower() or listed_sha256(fill(artifact["sha256SumsUrl"]), url)
        archive, found = download(url)
        if found != sha256:
            raise Failure(f"{short(url)}: its sha256 is {found}, it should be {sha256}")
        files = [File(path, member(archive, url, name), mode=0o755) for name, path in artifact["files"].items()]
        previous.save([file.path for file in files] + [HOME + "/artifacts.json"])
        put(*files)
        installed[artifact["name"]] = wanted
        store("artifacts.json", installed)
        say(f"{artifact['name']}: installed from {short(url)}")


def listed_sha256(sums_url, url):
    name = os.path.basename(urllib.parse.urlsplit(url).path)
    for line in download(sums_url)[0].read(1 << 20).decode(errors="replace").splitlines():
        found = re.fullmatch(r"([0-9a-fA-F]{64})\s+[*]?(?:.*/)?(.*?)\s*", line)
        if found and found[2] == name:
            return found[1].lower()
    raise Failure(f"{short(sums_url)}: has no sha256 of {name}")


def member(archive, url, name):
    """What an archive holds under a base name, the one nearest its top; a plain file is its only member."""
    archive.seek(0)
    path = urllib.parse.urlsplit(url).path
    try:
        if path.endswith((".tar.gz", ".tgz")):
            tar = tarfile.open(fileobj=archive, mode="r:gz")
            names, open_member = [m.name for m in tar.getmembers() if m.isfile()], tar.extractfile
        elif path.endswith(".zip"):
            file = zipfile.ZipFile(archive)
            names, open_member = file.namelist(), file.open
        else:
            return archive.read()
        found = [n for n in names if os.path.basename(n) == name]
        if not found:
            raise Failure(f"{short(url)}: holds no {name}")
        return open_member(min(found, key=lambda n: n.count("/"))).read()
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise Failure(f"{short(url)}: cannot be unpacked: {error}") from None
