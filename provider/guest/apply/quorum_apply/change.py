"""Brings files and services from the state they are in to another, or back."""
import collections
import os
import time

from quorum_apply.commands import must, run
from quorum_apply.files import beside, File, put, remove, set_owner_and_mode
from quorum_apply.paths import at, GO_BACK, POLL, STOP
from quorum_apply.records import load, Previous, store
from quorum_apply.report import explain, Failure, say
from quorum_apply.service import deadline, fed_by, has_only_to_stay, inputs, order, wait
from quorum_apply.state import fit, mode, owners, SHAPE
from quorum_apply.systemd import enable, starts_at_boot, stopped, unit


class Change:
    """The way of files and services from the state they are in to another, or back."""

    def __init__(self, state, medium):
        self.state, self.medium = state, medium
        self.good = load("applied.json", None)
        self.now = load("running.json", {"machine": state["machine"], "files": [], "services": {}})
        self.previous = Previous(self.good)
        self.reload_units = self.previous.is_open()
        self.changed, self.gone_units, self.acted = [], [], collections.Counter()

    def note(self, service=None, entry=None):
        """Writes down what the machine has now; entry is what the service runs with, None that it is ours no more."""
        if service:
            self.now["services"][service] = entry
            if entry is None:
                del self.now["services"][service]
        store("running.json", self.now)

    def write_files(self):
        wanted = {f["path"]: File(f["path"], f["content"].encode(), *owners(f), mode(f)) for f in self.state["files"]}
        known = sorted({*self.now["files"], *wanted})
        if known != self.now["files"]:
            self.now["files"] = known
            self.note()
        for path in known:
            remove(beside(path))  # left by a run that was killed
        new = [f for f in wanted.values() if not f.has_content()]
        shifted = [f for f in wanted.values() if f not in new and not f.is_there()]
        gone = [path for path in known if path not in wanted and os.path.lexists(at(path))]
        self.changed = [f.path for f in new] + gone
        if self.changed or shifted:
            self.distrust()
            self.previous.save(self.changed + [f.path for f in shifted])
            put(*new)
        for file in shifted:
            set_owner_and_mode(file.path, file.uid, file.gid, file.mode)
            say(f"{file.path}: given its owner and mode")
        # A unit goes after its service is stopped: systemd would not know how to stop it.
        self.gone_units = [path for path in gone if "/systemd/system/" in path]
        for path in self.changed:
            say(f"{path}: {'removed' if path in gone else 'written'}")
            if path in gone and path not in self.gone_units:
                remove(path)

    def distrust(self):
        """A file that somebody else changed: what runs may run with that, whatever was noted."""
        for service in self.state["services"]:
            entry, name = self.now["services"].get(service["name"]), service["name"]
            if entry == {**inputs(service, self.state["files"]), "checked": True}:
                if any(fed_by(service, path) for path in self.changed):
                    self.note(name, {})
                elif any(path in service["reloadOn"] for path in self.changed):
                    self.note(name, {"restart": entry["restart"]})

    def distrust_others(self):
        """What is about to restart them: they are looked at again, and a way back restarts those whose files have changed."""
        for service in self.state["services"]:
            entry, name = self.now["services"].get(service["name"]), service["name"]
            if entry:
                self.note(name, dict(entry.items() & inputs(service, self.state["files"]).items()))

    def needed(self, name, wanted):
        """What it takes for the service to run with what is wanted: restart, reload, start or nothing."""
        has = self.now["services"].get(name, {})
        if has.get("restart") != wanted["restart"]:
            return "restart"
        state = unit(name)
        # What was started to do something, and has not been found done, was cut if systemd has not looked at it in this boot.
        if stopped(state) or state.get("Type") == "oneshot" and has.get("checked") is False and state["ConditionTimestampMonotonic"] == "0":
            return "start"
        if has.get("reload") == wanted["reload"]:
            return ""
        # What is still to start, or starts and dies, cannot be asked to reload: that might be the very cure.
        return "reload" if state["ActiveState"] in ("active", "reloading") else "restart"

    def verify(self, service):
        """Lets a program judge its new files before its service is touched."""
        if service["verify"] and self.needed(service["name"], inputs(service, self.state["files"])):
            done = run(*service["verify"], seconds=service["timeoutSeconds"] or 300)  # it may have to fetch what it judges with
            if done.returncode:
                raise Failure(f"{service['name']}: {os.path.basename(service['verify'][0])} refuses the new configuration "
                              f"(exit status {done.returncode})", (done.stdout + done.stderr).splitlines())

    def settle_services(self):
        kept = [service["name"] for service in self.state["services"]]
        for name in [name for name in self.now["services"] if name not in kept]:
            self.retire(name)
        for path in self.gone_units:
            remove(path)
        if self.reload_units or any("/systemd/system/" in path for path in self.changed):
            must("systemctl", "daemon-reload")
        if not self.good:
            return self.settle_first()
        for service in self.state["services"]:
            self.settle(service, inputs(service, self.state["files"]))
        for service in self.state["services"]:
            self.await_health(service, inputs(service, self.state["files"]), deadline(service))

    def settle_first(self):
        """The first boot, where each call of systemctl may take a second: all are enabled by one, and while one starts others show that they stay up."""
        disabled, staying = [], []
        try:
            for service in self.state["services"]:
                self.verify(service)  # those before it run then, as the exporter that tells of it
                wanted, end = inputs(service, self.state["files"]), deadline(service)
                state = self.start(service, wanted)
                if not starts_at_boot(state):
                    disabled.append(service["name"])
                if has_only_to_stay(service, state):
                    staying.append((service, wanted, end))
                else:
                    self.await_health(service, wanted, end)
            for service in staying:
                self.await_health(*service)
        finally:
            if disabled:
                enable(*disabled)

    def retire(self, name):
        self.previous.begin()
        run("systemctl", "disable", name)
        run("systemctl", "stop", "--no-block", name)
        end = time.monotonic() + STOP
        while unit(name)["ActiveState"] not in ("inactive", "failed") or unit(name).get("Job"):
            if time.monotonic() > end:
                raise Failure(f"{name}: has not stopped after {STOP} s")
            time.sleep(POLL)
        self.note(name, None)
        say(f"{name}: stopped and disabled")

    def settle(self, service, wanted):
        """Gets a service to run with what is wanted, and waits until it is well."""
        end = deadline(service)
        if not starts_at_boot(self.start(service, wanted)):
            enable(service["name"])
        self.await_health(service, wanted, end)

    def start(self, service, wanted):
        """Has a service run with what is wanted; returns the state in which systemd had it."""
        name = service["name"]
        state = unit(name)
        if state["LoadState"] != "loaded":
            raise Failure(f"{name}: systemd has no such unit ({state['LoadState']})")
        if name not in self.now["services"]:
            self.previous.begin()
            self.note(name, {})
        action = self.needed(name, wanted)
        if action:
            if action != "start":  # to start what merely stopped is no change that could be undone
                self.previous.begin()
            if state.get("Type") == "oneshot" and not starts_at_boot(state):  # a boot that cuts it goes on with it
                enable(name)
            if service["restartsOthers"] and self.good:
                self.distrust_others()
            self.note(name, {} if action == "restart" else {"restart": wanted["restart"]})
            order(action, name, deadline(service))
            self.note(name, {**wanted, "checked": False})
            verb = "start" if state["ActiveState"] in ("inactive", "failed") else action
            self.acted[verb + "ed"] += 1
            say(f"{name}: {verb}ed{self.why(service)}")
        return state

    def await_health(self, service, wanted, end):
        if not self.now["services"][service["name"]].get("checked"):
            wait(service, end, has_previous=bool(self.good))
            self.note(service["name"], {**wanted, "checked": True})

    def why(self, service):
        causes = [path for path in self.changed if fed_by(service, path) or path in service["reloadOn"]]
        return f" (changed: {', '.join(causes)})" if causes else ""

    def go_back(self):
        """Puts the previous files back and has the services that were touched run with them; says what is still not well."""
        say("going back to the previous files")
        services, unwell = self.good["services"], []
        for name in [name for name in self.now["services"] if name not in services]:
            self.retire(name)
        self.previous.put_back()
        self.changed, self.now["files"] = [], self.good["files"]
        must("systemctl", "daemon-reload")
        for name, entry in services.items():
            if self.now["services"].get(name) != entry:
                try:
                    service = fit({"name": name, "timeoutSeconds": GO_BACK}, SHAPE["services"][0], name, [])
                    self.settle(service, {"restart": entry["restart"], "reload": entry["reload"]})
                except Failure as failure:
                    unwell.append(str(failure))
        self.note()
        self.previous.drop()
        return unwell

    def close(self):
        self.now.update(machine=self.state["machine"], files=sorted(f["path"] for f in self.state["files"]))
        self.now["services"] = {s["name"]: self.now["services"][s["name"]] for s in self.state["services"]}
        self.note()
        store("applied.json", {**self.now, "generation": self.state["generation"], "drive": self.medium, "change": self.previous.number()})
        self.previous.drop()


def roll_back(change, failure):
    """Undoes the change; returns the reason, or fails with it if that does not go well either."""
    try:
        unwell = change.go_back()
    except Exception as error:
        raise Failure(f"{failure}; and the rollback failed: {explain(error)}", failure.details) from None
    if unwell:
        raise Failure(f"{failure}; rolled back, but {'; '.join(unwell)}", failure.details)
    return failure.full()
