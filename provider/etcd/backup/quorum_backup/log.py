"""The index of etcd's log, which restored data begin anew. A client that had logged in before waits until the log has
come as far as its token says, and would do so for years: https://github.com/etcd-io/etcd/issues/11377"""
import importlib.machinery
import importlib.util
import mmap
import os
import re

from quorum_backup.report import Failure

SNAPSHOT = 5  # type of a record of the log, beside those that etcd-join knows
CONSISTENT = b"consistent_index"  # what the database has of the log: key, and value of eight bytes
MOST = 1 << 50


def programs(config):
    """etcd-recover, which knows etcd's log."""
    loader = importlib.machinery.SourceFileLoader("etcd_recover", config["library"] + "/etcd-recover")
    found = importlib.util.module_from_spec(importlib.util.spec_from_loader("etcd_recover", loader))
    loader.exec_module(found)
    return found


def places_of_index(data):
    at = data.find(CONSISTENT)
    while at >= 0:
        yield at + len(CONSISTENT), int.from_bytes(data[at + len(CONSISTENT):at + len(CONSISTENT) + 8], "big")
        at = data.find(CONSISTENT, at + 1)


def index_of(database):
    """The latest that a database tells: pages that are out of use may have earlier ones."""
    with open(database, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return max((index for _, index in places_of_index(data) if index < MOST), default=0)


def raise_index(config, member, index):
    """Has data that etcdutl restored say that all up to an index is in them."""
    recover = programs(config)
    (name,) = [name for name in os.listdir(member + "/snap") if name.endswith(".snap")]
    term, before = (int(number, 16) for number in re.fullmatch(r"([0-9a-f]+)-([0-9a-f]+)\.snap", name).groups())
    raise_in_snapshot(recover, f"{member}/snap/{name}", f"{member}/snap/{term:016x}-{index:016x}.snap", index)
    raise_in_log(recover, f"{member}/wal/{0:016x}-{0:016x}.wal", before, index)
    with open(member + "/snap/db", "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        found = [at for at, there in places_of_index(data) if there == before]
        if not found:
            raise Failure(f"{member}/snap/db does not say how far the log has come", again=False)
        for at in found:
            data[at:at + 8] = index.to_bytes(8, "big")
        data.flush()


def raise_in_snapshot(recover, path, new, index):
    fields, message = recover.joins.fields, recover.message
    with open(path, "rb") as file:
        content = fields(fields(file.read())[2])
    about = fields(content[2])
    content = message((1, content.get(1, b"")), (2, message((1, about[1]), (2, index), (3, about[3]))))
    with open(new, "wb") as file:
        file.write(message((1, recover.castagnoli(content, 0)), (2, content)))
    os.remove(path)


def raise_in_log(recover, path, before, index):
    """Writes the log anew, up to where it is empty: each checksum follows from those before."""
    joins, message, checksum, written = recover.joins, recover.message, 0, b""
    for _, kind, _, content in list(joins.records(path)):
        told = joins.fields(content)
        if kind == joins.STATE:
            content = message((1, told[1]), (2, told[2]), (3, index))
        elif kind == SNAPSHOT and told[1] == before:
            content = message((1, index), (2, told[2]), (3, told[3]))
        written += recover.record(kind, content, checksum)
        checksum = recover.castagnoli(content, checksum)
    with open(path, "r+b") as file:
        file.write(written)
