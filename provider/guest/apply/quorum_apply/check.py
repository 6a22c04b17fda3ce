"""Asks a service whether it is well."""
import ssl
import urllib.error
import urllib.request

from quorum_apply.paths import at
from quorum_apply.report import hide


def ask(check):
    """Asks a service by its url; says what is wrong with the answer, nothing if all is well."""
    context = ssl.create_default_context(cafile=at(check["caFile"]) if check["caFile"] else None)
    # Python 3.13 began to refuse certificates that services and older Pythons take.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        if check["certFile"]:
            context.load_cert_chain(at(check["certFile"]), at(check["keyFile"]) if check["keyFile"] else None)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        with opener.open(check["url"], timeout=5) as answer:
            status, body = answer.status, answer.read(1 << 16).decode(errors="replace")
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read(1 << 16).decode(errors="replace")
    except Exception as error:
        return f"{check['url']}: {getattr(error, 'reason', None) or error}"
    if status == 200 and check["contains"] in body:
        return None
    return f"{check['url']}: status {status}: {hide(body[:200].strip())}"
