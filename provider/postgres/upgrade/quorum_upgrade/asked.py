"""What is asked for, and what is looked at before anything stops."""
import time

from quorum_upgrade.checks import Check, report, room, unfit
from quorum_upgrade.data import remove
from quorum_upgrade.marker import ORDER, PATIENCE, REST
from quorum_upgrade.report import Away, Problem, say

KEPT = ("base", "keeper", "nodes", "leader", "bytes", "has", "skipped", "did", "joined", "turn")  # of an upgrade that was made
OLD = 3600  # seconds after which nobody waits any more for what was asked for
UNBEGUN = ("ordered", "checking")  # nothing is stopped yet, and all can be given up


def take_up(node, view):
    """The leader takes up what is asked for, if that fits. To go back where nobody leads, the node that has the former data. What
    fits nothing is dropped. Says whether it did one of these."""
    order, marker = view.order, view.marker
    has = node.data.version() if node.name == view.leader else ""
    wrong = unfit_order(order, marker, view.leader, has)
    if wrong:
        say(f"{order.get('action')}: is not begun: {wrong}")
        return node.etcd.change(view, marker, **{ORDER: None})
    gives_up = order["action"] == "revert" and marker.get("stage") in UNBEGUN
    if node.name != (view.leader or (marker.get("leader" if gives_up else "keeper") if order["action"] == "revert" else "")):
        return False
    goes_on = order["action"] in ("revert", "finish") and not gives_up
    kept = {name: marker[name] for name in (KEPT if goes_on else ("has",)) if name in marker}
    if gives_up:
        done = node.etcd.change(view, {**kept, **order, "stage": "reverted", "problems": [], "notes": []}, **{ORDER: None})
        if done and node.data.version() == order["from"]:
            say(f"{marker['action']}: is given up")
            remove(node.data.beside(order["to"]))
        return done
    if "has" in kept and not goes_on:
        kept["has"] = has or kept["has"]
    if goes_on:
        kept.update(was=marker["stage"], ran=marker.get("base", ""))
    done = node.etcd.change(view, {**kept, **order, "stage": "ordered", "problems": [], "notes": []}, **{ORDER: None})
    if done:
        say(f"{order['action']}: ordered")
    return done


def unfit_order(order, marker, leader, has):
    """Why an order cannot be taken up. Who leads knows which data the cluster has: perhaps those of a backup of before."""
    if not {"id", "action", "from", "to", "at"} <= order.keys():
        return "it is not whole"
    if time.time() - order["at"] > OLD:
        return "it is of long ago"
    stage, same = marker.get("stage", ""), (order["from"], order["to"]) == (marker.get("from"), marker.get("to"))
    made = same and marker.get("action") in ("run", "finish") and marker.get("has") == marker.get("to")
    if order["action"] == "revert":
        by_hand = same and stage == "reverted" and marker.get("byHand") and not order.get("byHand")
        unbegun = same and marker.get("action") in ("check", "run") and stage in UNBEGUN
        well = unbegun or by_hand or made and (stage == "done" or marker["action"] == "run" and (stage == "replicas" or stage == "starting" and not leader))
        return "" if well else f"there is nothing to go back from, or it is {stage}"
    if stage not in REST:
        return f"{marker['action']} is {stage}"
    if order["action"] == "finish":
        return "" if made and stage == "done" else "no upgrade was made that could be finished"
    return "it is made already" if made and stage == "done" and has and has != order["from"] else ""


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
        try:
            check.run()
        except Away as reason:
            node.unchecked = node.unchecked or time.monotonic()
            if view.leader == node.name and time.monotonic() - node.unchecked > PATIENCE:  # as of a database that lets nobody in
                raise Problem(str(reason)) from None
            raise
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
