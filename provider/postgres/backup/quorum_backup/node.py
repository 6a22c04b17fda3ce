"""What Patroni on this machine says of the cluster."""
import http.client
import json
import ssl
import urllib.error
import urllib.request

from quorum_backup.report import Failure

LEADER, STREAMING = ("leader", "standby_leader"), ("streaming", "running")


class Node:
    """This node of the cluster."""

    def __init__(self, config):
        self.api, self.name = config["api"], config["node"]
        context = ssl.create_default_context(cafile=config["caFile"])
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # as quorum-patroni
        context.load_cert_chain(config["certFile"], config["keyFile"])
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))

    def ask(self, url):
        try:
            with self.opener.open(url, timeout=10) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:  # Patroni answers 503 of a node that does not run, and says the same
                body = error.read()
            try:
                return json.loads(body)
            except ValueError:
                raise Failure(f"{url}: status {error.code}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Failure(f"{url}: {getattr(error, 'reason', None) or error}") from None

    def members(self):
        return self.ask(self.api + "/cluster").get("members", [])

    def status(self):
        return self.ask(self.api + "/patroni")

    def drills(self):
        """Whether the drill is this node's: the first standby's, by name, or the leader's where there is none."""
        members = self.members()
        standbys = sorted(m["name"] for m in members if m["role"] not in LEADER and m["state"] in STREAMING)
        return self.name == (standbys[0] if standbys else next((m["name"] for m in members if m["role"] in LEADER), None))

    def leader(self):
        return next((m for m in self.members() if m["role"] in LEADER), None)

    def system_id(self):
        """The cluster's, as its leader says."""
        leader = self.leader()
        if leader is None:
            raise Failure("no node leads")
        return system_id_by(self.ask(leader["api_url"]))


def system_id_by(status):
    """The cluster's, which Patroni tells only once it has founded it."""
    if not status.get("database_system_identifier"):
        raise Failure("Patroni does not say yet which cluster this is")
    return str(status["database_system_identifier"])


def leads_by(status):
    """Whether a node leads: only then it writes to the repository."""
    return status.get("role") in ("master", "primary") and status.get("state") == "running"


def follows_by(status):
    """Whether a node follows, and would begin a timeline if it came to lead."""
    return status.get("role") in ("replica", "standby_leader") and status.get("state") in STREAMING
