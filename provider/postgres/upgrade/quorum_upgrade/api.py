"""Patroni's API on this machine."""
import json
import ssl
import urllib.error
import urllib.request


class Api:
    def __init__(self, config):
        self.url, self.files = config["api"], (config["caFile"], config["certFile"], config["keyFile"])

    def ask(self, path, method="GET", body=None):
        """Whether the answer is 200, and what it is."""
        try:
            context = ssl.create_default_context(cafile=self.files[0])
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # as quorum-patroni
            context.load_cert_chain(*self.files[1:])
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
            request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode() if body is not None else None)
            with opener.open(request, timeout=10) as answer:
                return True, json.loads(answer.read() or b"null")
        except (OSError, ValueError):
            return False, None

    def leads(self):
        return self.ask("/primary")[0]

    def runs(self):
        """Whether PostgreSQL leads, or follows the leader."""
        well, says = self.ask("/patroni")
        return well and says.get("state") in ("running", "streaming") and (says.get("role") in ("primary", "master") or says.get("replication_state", "streaming") == "streaming")

    def wake(self):
        """Has Patroni look now, by a change that changes nothing."""
        self.ask("/config", "PATCH", {"wake": None})
