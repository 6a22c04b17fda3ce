"""To the next major version, while nothing runs."""
import time

from quorum_upgrade.checks import upgrade
from quorum_upgrade.marker import IDS, PATIENCE
from quorum_upgrade.report import Away, Problem, say

REPLAY = 10  # seconds for a replica to apply what it has received


def stopping(node, view):
    """The leader stops first: it waits until its replicas have all that was written."""
    marker = view.marker
    if node.name != marker["base"]:
        return 1 if goes_on_without(node, view) else 0.2
    if view.leader not in ("", node.name):
        raise Problem(f"{view.leader} leads by now, instead of {node.name}")
    with node.at_work(view):
        node.service.end()
        node.data.stop()
        control = node.data.control()
    if control["Database cluster state"] != "shut down":
        raise Problem(f"{node.name} did not stop in an orderly way: {control['Database cluster state']}")
    node.change(node.again(view), "stopped", lsn=control["Latest checkpoint location"], timeline=control["Latest checkpoint's TimeLineID"],
                systemId=control["Database system identifier"])
    return 0.1


def stopped(node, view):
    marker = view.marker
    if node.name == marker["base"]:
        return prepared(node, view)
    if node.name not in marker["kept"]:
        return hold_still(node, view)
    goes_on_without(node, view)
    return 0.5


def prepared(node, view):
    """Upgrades the data beside, and then has a replica keep the former ones."""
    marker = view.marker
    if not node.data.proven(marker["id"], marker["to"]):
        if node.data.version() != marker["from"]:
            raise Problem(f"{node.name} has no data of PostgreSQL {marker['from']}")
        with node.data.lock() as mine:
            if not mine:
                return 0.5
            with node.at_work(view) as is_wanted:
                upgrade(node.data, marker["from"], marker["to"], is_wanted)
                node.data.prove(marker["id"], marker["from"], marker["to"])
        return 0.1
    others = [name for name in marker["nodes"] if name != node.name]
    awaited = [name for name in others if name in view.members and name not in marker["kept"]]
    ahead = [name for name in others if marker["kept"].get(name) == "ahead"]
    keeper = next((name for name in others if marker["kept"].get(name) == "kept"), "")
    if ahead:
        raise Problem(f"{', '.join(ahead)} led after {node.name}, and may have what {node.name} has not")
    if awaited and not node.waited("keeper", PATIENCE):
        node.waits_in_turn(view)
        return 0.2
    if others and not keeper:
        raise Problem("no replica has all that was written, and room to keep the former data, so that there would be no way back")
    node.change(view, "upgraded", keeper=keeper)
    return 0.1


def hold_still(node, view):
    """Stops this replica. It has all that was written, and no more, if its last checkpoint is the leader's, and its timeline."""
    marker = view.marker
    try:
        while node.data.runs() and not node.waited("replay", REPLAY) and node.data.sql(f"SELECT pg_last_wal_replay_lsn() >= '{marker['lsn']}'") != ["t"]:
            time.sleep(0.2)
    except Away as reason:
        say(str(reason))
    node.service.end()
    node.data.stop()
    node.add(node.again(view), "kept", what_it_has(node, marker))
    return 0.1


def what_it_has(node, marker):
    has = node.data.version() == marker["from"] and node.data.control()
    if not has or has["Database system identifier"] != marker["systemId"]:
        return "other"
    timelines = [int(has[name]) for name in ("Latest checkpoint's TimeLineID", "Min recovery ending loc's timeline")]
    if max(timelines) > int(marker["timeline"]):
        return "ahead"
    same = has["Latest checkpoint location"] == marker["lsn"] and has["Database cluster state"] == "shut down in recovery"
    return "kept" if same and node.name in marker["keepers"] else "other"


def upgraded(node, view):
    marker = view.marker
    if node.name != marker["base"]:
        goes_on_without(node, view)
        return 0.5
    if not node.data.proven(marker["id"], marker["to"]):
        raise Problem(f"{node.name} has no data of PostgreSQL {marker['to']} any more")
    with node.data.lock() as mine:
        if mine:
            with node.at_work(view):
                node.data.exchange(marker["from"], marker["to"])
            begin(node, view, marker["systemId"])
    return 0.1


def begin(node, view, before):
    """The data that are in place now become those of the cluster, and Patroni may start with them."""
    now, has = node.data.system_id(), node.data.version()
    for _ in range(20):
        view = node.again(view)
        ids = list(dict.fromkeys([*view.config.get(IDS, []), before, now]))
        marker = {**view.marker, "stage": "starting", "has": has, "did": {}, "joined": {}, "there": {}, "turn": "", "skipped": []}
        if node.etcd.begin(view, marker, now, pause=None, **{IDS: ids}):
            say(f"{marker['action']}: starting")
            return
    raise Away("etcd: others write at the same time")


def goes_on_without(node, view):
    """Goes on without a node that upgrades and gives no sign: what it has done does not count."""
    marker = view.marker
    if not node.is_silent(view):
        return False
    node.change(view, "refused", {"pause": None}, problems=[f"{marker['base']} gave no sign for some minutes: the cluster goes on with PostgreSQL {marker['from']}"])
    return True


def give_up(node, view, told):
    """All runs as before, if this is the node that does it, and nobody has the new data yet."""
    marker = view.marker
    if marker["stage"] not in ("checking", "stopping", "stopped", "upgraded") or marker["action"] == "revert" or node.name != marker.get("base", marker.get("leader")):
        return
    view = node.again(view)
    with node.data.lock() as mine:
        if mine and marker["stage"] in ("stopped", "upgraded"):
            node.data.put_back(marker["from"], marker["to"])
    settings = {} if marker["stage"] == "checking" else {"pause": None}
    for _ in range(20):
        if node.change(node.again(view), "refused", settings, problems=[told] if isinstance(told, str) else told):
            return
