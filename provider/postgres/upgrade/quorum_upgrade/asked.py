"""What is asked for, and what is looked at before anything stops."""
from quorum_upgrade.checks import Check, report, room, unfit
from quorum_upgrade.data import remove
from quorum_upgrade.marker import ORDER, PATIENCE, REST
from quorum_upgrade.report import say

KEPT = ("base", "keeper", "nodes", "leader", "bytes", "has", "skipped")  # of an upgrade that was made


def take_up(node, view):
    """The leader takes up what is asked for, if nothing is under way. To go back where nobody leads, the node that has the former data."""
    order, marker = view.order, view.marker
    goes_on = order["action"] in ("revert", "finish") and (order["from"], order["to"]) == (marker.get("from"), marker.get("to"))
    if node.name != (view.leader or (marker.get("keeper") if order["action"] == "revert" and goes_on else "")):
        return
    is_lost = not view.leader and marker.get("stage") in ("starting", "replicas")  # nobody leads with the new data
    if marker.get("stage", "") not in REST and not is_lost:
        say(f"{order['action']}: is not begun: {marker['action']} is {marker['stage']}")
        node.etcd.change(view, marker, **{ORDER: None})
        return
    kept = {name: marker[name] for name in (KEPT if goes_on else ("has",)) if name in marker}
    if node.etcd.change(view, {**kept, **order, "stage": "ordered", "problems": [], "notes": []}, **{ORDER: None}):
        say(f"{order['action']}: ordered")


def ordered(node, view):
    if node.name != view.leader:
        return 1
    if view.marker["action"] == "finish":
        node.change(view, "finishing", cleaned={})
    else:
        node.change(view, "checking", leader=node.name, nodes=sorted({*view.members, node.name}), reports={})
    return 0.2


def checking(node, view):
    marker = view.marker
    if node.name == view.leader and marker["leader"] != node.name:  # it leads since just now
        node.change(view, leader=node.name, reports={}, nodes=sorted({*view.members, node.name}))
        return 1
    if node.name not in marker["reports"]:
        node.add(view, "reports", report(node.config, node.data, marker["to"]))
        return 1
    if node.name != marker["leader"]:
        return 1
    if node.found is None:
        check = Check(node.config, node.data, marker)
        check.run()
        node.found = check
        return 0.1
    if len(marker["reports"]) < len(marker["nodes"]) and not node.waited("reports", PATIENCE):
        return 1
    check = node.found
    fit, lacks = room(marker, node.name, check)
    problems, found = [*unfit(marker), *check.problems, *lacks], {"notes": check.notes, "bytes": check.bytes}
    if view.config.get("pause"):
        problems.append("the cluster is paused: `patronictl resume` first")
    if problems or marker["action"] == "check":
        remove(node.data.beside(marker["to"]))
        node.change(node.again(view), "refused" if problems else "checked", problems=problems, **found)
        return 0.1
    node.data.sql("CHECKPOINT", seconds=3600)  # so that it stops soon
    view = node.again(view)
    if view.leader == node.name:
        node.change(view, "stopping", {"pause": True}, base=node.name, keepers=fit, kept={}, beat=0, **found)
    return 0.1
