"""Back to the former major version, with the data that a replica has kept."""
from quorum_upgrade.data import version
from quorum_upgrade.forward import begin
from quorum_upgrade.marker import PATIENCE, SILENCE


def back_ordered(node, view):
    """Whoever leads sees to it that there is something to go back to. If nobody does, the node that has the former data."""
    marker = view.marker
    keeper = marker.get("keeper", "")
    if marker.get("has") == marker["from"]:  # it went back already, by hand
        if node.name == view.leader:
            node.change(view, "reverted", byHand=False)
        return 1
    if node.name == keeper and "offers" not in marker:
        node.change(view, offers=marker["from"] in (version(node.data.beside(marker["from"])), node.data.version()))
        return 0.2
    if node.name != (view.leader or keeper):
        return 1
    if not keeper:
        return stay(node, view, f"no node has data of PostgreSQL {marker['from']}: only a backup leads back")
    if "offers" not in marker:
        return stay(node, view, f"{keeper} has the former data, and does not answer") if node.waited("keeper", PATIENCE) else 1
    if not marker["offers"]:
        return stay(node, view, f"{keeper} has no data of PostgreSQL {marker['from']} any more")
    if node.data.runs():
        node.data.sql("CHECKPOINT", seconds=3600)  # so that it stops soon
    node.change(node.again(view), "stopping", {"pause": True}, base=keeper, stopped={}, beat=0)
    return 0.1


def back_stopping(node, view):
    marker = view.marker
    if node.name not in marker["stopped"]:
        with node.at_work(view):
            node.service.end()
            node.data.stop()
        node.add(node.again(view), "stopped")
        return 0.1
    if node.name != marker["base"]:
        if node.is_silent(view):
            stay(node, view, f"{marker['base']}, which has the former data, gave no sign for some minutes")
        return 0.5
    missing = [name for name in {*view.members, view.leader} - {""} if name not in marker["stopped"]]
    if missing and node.waited("stop", SILENCE):
        return stay(node, view, f"{', '.join(sorted(missing))} did not stop")
    if missing:
        node.waits_in_turn(view)
        return 0.5
    old, new = marker["from"], marker["to"]
    with node.data.lock() as mine:
        if mine:
            if node.data.version() != old:
                with node.at_work(view):
                    node.data.exchange(new, old)
            begin(node, view, view.initialize)
    return 0.1


def stay(node, view, told):
    """All go on with the new version, where they were, if this node is one that goes back."""
    marker = view.marker
    if marker["stage"] not in ("ordered", "stopping"):
        return 1
    settings = {"pause": None} if marker["stage"] == "stopping" else {}
    node.change(view, marker.get("was") or "done", settings, action="run", base=marker.get("ran", ""), problems=[told if isinstance(told, str) else "; ".join(told)])
    return 1
