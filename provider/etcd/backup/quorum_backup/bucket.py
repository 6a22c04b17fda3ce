"""What is in a bucket. restic would make one where its name is a mistake, and a repository beside what is left of another."""
import datetime
import hashlib
import hmac
import http.client
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request

from quorum_backup.report import Failure

NOTHING = hashlib.sha256(b"").hexdigest()
SILENCE = 30  # seconds


def has_objects(conf, below):
    """Asks for one object below the prefix, since keys of S3 may be for that only."""
    parts = urllib.parse.urlsplit(conf["url"].removeprefix("s3:"))
    _, bucket, prefix = (parts.path + "/").split("/", 2)
    host, path, query = parts.netloc.removesuffix(":443"), "/", "list-type=2&max-keys=1&prefix=" + urllib.parse.quote(prefix + below, safe="")
    if conf["style"] == "path":
        path += bucket
    else:
        host = f"{bucket}.{host}"
    request = urllib.request.Request(f"https://{host}{path}?{query}", headers=signed(conf, host, path, query))
    context = ssl.create_default_context(cafile=conf["caFile"])
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # Python 3.13 began to refuse certificates that others take
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)).open(request, timeout=SILENCE) as answer:
            body = answer.read(1 << 16).decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            body = error.read(1 << 16).decode(errors="replace")
        told = re.search(r"<Code>([^<]*)</Code>\s*<Message>([^<]*)</Message>", body)
        raise Failure("S3: " + (": ".join(told.groups()) if told else f"status {error.code}") + (f": {bucket}" if error.code == 404 else ""), again=error.code not in (401, 403, 404) or "Skew" in body) from None
    except (OSError, http.client.HTTPException) as error:
        raise Failure(f"S3: {parts.netloc}: {getattr(error, 'reason', None) or error}") from None
    if "<ListBucketResult" not in body:
        raise Failure("S3: something else answers at its endpoint, such as a proxy")
    return "<Contents>" in body


def signed(conf, host, path, query):
    """https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html"""
    def sign(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()
    moment = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": host, "x-amz-content-sha256": NOTHING, "x-amz-date": moment}
    names = ";".join(headers)
    asked = "\n".join(["GET", path, query, *(f"{name}:{value}" for name, value in headers.items()), "", names, NOTHING])
    scope = f"{moment[:8]}/{conf['region']}/s3/aws4_request"
    key = ("AWS4" + conf["secretKey"]).encode()
    for part in scope.split("/"):
        key = sign(key, part)
    text = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(asked.encode()).hexdigest()])
    return {**headers, "Authorization": f"AWS4-HMAC-SHA256 Credential={conf['accessKey']}/{scope}, SignedHeaders={names}, Signature={sign(key, text).hex()}"}
