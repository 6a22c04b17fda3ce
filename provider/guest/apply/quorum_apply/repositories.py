"""Repositories of packages, as apt is told of them."""
import base64
import hashlib
import os
import platform
import re

from quorum_apply.download import download
from quorum_apply.files import File, keep_written, read, remove
from quorum_apply.paths import at
from quorum_apply.report import Failure, say, short


def configure_apt(state):
    """The proxy and the repositories; those of an earlier state go."""
    files, repositories = [], state["repositories"]
    if state["aptProxy"]:
        files.append(File("/etc/apt/apt.conf.d/90quorum-proxy", f'Acquire::http::Proxy "{state["aptProxy"]}";\n'.encode(),
                          mode=0o600 if "@" in state["aptProxy"] else 0o644))
    for repository in repositories:
        keyring = f"/etc/apt/keyrings/quorum-{repository['name']}.gpg"
        files.append(File(keyring, repository_key(repository, keyring)))
        components = f"Components: {' '.join(repository['components'])}\n" if repository["components"] else ""
        files.append(File(f"/etc/apt/sources.list.d/quorum-{repository['name']}.sources",
                          f"Types: deb\nURIs: {fill(repository['uri'])}\nSuites: {fill(repository['suite'])}\n"
                          f"{components}Signed-By: {keyring}\n".encode()))
    for path in keep_written(*files):
        say(f"{path}: written")
    for directory, ours in (("apt.conf.d", "90quorum-proxy$"), ("keyrings", "quorum-"), ("sources.list.d", "quorum-")):
        directory = f"/etc/apt/{directory}"
        for name in os.listdir(at(directory)) if os.path.isdir(at(directory)) else []:
            if re.match(ours, name) and f"{directory}/{name}" not in [f.path for f in files]:
                remove(f"{directory}/{name}")


def fill(text):
    """Fills in what depends on the distribution and the processor."""
    with open(at("/etc/os-release"), encoding="utf-8") as lines:
        release = dict(line.strip().replace('"', "").split("=", 1) for line in lines if "=" in line)
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    for name, value in (("{id}", release.get("ID")), ("{codename}", release.get("VERSION_CODENAME")), ("{arch}", arch)):
        text = text.replace(name, value or name)
    return text


def repository_key(repository, keyring):
    """The key the repository signs with, downloaded unless it is there."""
    wanted = repository["fingerprint"].replace(" ", "").upper()
    if os.path.exists(at(keyring)) and fingerprint(read(keyring)) == wanted:
        return read(keyring)
    key = dearmor(download(repository["keyUrl"])[0].read(1 << 20))
    if fingerprint(key) != wanted:
        raise Failure(f"{short(repository['keyUrl'])}: is not the one key with the fingerprint {wanted}")
    return key


def dearmor(key):
    armor = re.search(rb"-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n([A-Za-z0-9+/=\s]+?)(?:\n=\S{4})?\s*-----END", key)
    return base64.b64decode(armor[1]) if armor else key


def fingerprint(key):
    """The fingerprint of the one primary key among OpenPGP packets, or nothing (RFC 4880, 4.2 and 12.2)."""
    primaries, i = [], 0
    try:
        while i < len(key):
            if key[i] & 0x40:
                tag, first = key[i] & 0x3F, key[i + 1]
                start = i + (2 if first < 192 else 3 if first < 224 else 6)
                length = first if first < 192 else ((first - 192) << 8) + key[i + 2] + 192 if first < 224 else int.from_bytes(key[i + 2:i + 6], "big")
            else:
                tag, size = key[i] >> 2 & 0xF, 1 << (key[i] & 3)
                start = i + 1 + size
                length = int.from_bytes(key[i + 1:start], "big")
            if not key[i] & 0x80 or start + length > len(key):
                return ""
            if tag == 6:
                primaries.append(key[start:start + length])
            i = start + length
    except IndexError:
        return ""
    if len(primaries) != 1 or primaries[0][:1] != b"\4":
        return ""
    return hashlib.sha1(b"\x99" + len(primaries[0]).to_bytes(2, "big") + primaries[0]).hexdigest().upper()
