"""An S3 service, with a certificate, that a test can take away."""
import ctypes
import http.client
import http.server
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading

PKI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata/pki")
ACCESS, SECRET, KEY = "key-of-s3", "secret-of-s3", "key-of-all-backups"
REGION, BUCKET = "eu-central-1", "backups"
CLONE_NEWNS = 0x20000


class Refusing(http.server.BaseHTTPRequestHandler):
    """Passes on to S3 all but what it refuses to have read, or written, as by a policy that changed meanwhile."""

    protocol_version = "HTTP/1.1"

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.command == self.server.command and re.search(self.server.refuses, self.path):
            self.server.refused += 1
            if self.server.status is None:
                self.server.answers.wait()
                return None
            return self.answer(self.server.status, {}, b"<Error><Code>%s</Code><Message>%s</Message></Error>" % tuple(word.encode() for word in self.server.says))
        s3 = http.client.HTTPSConnection("localhost", self.server.s3, context=ssl._create_unverified_context(), timeout=30)
        s3.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():  # the host that the signature is of, too
            s3.putheader(name, value)
        s3.endheaders(body)
        told = s3.getresponse()
        headers = {name: value for name, value in told.getheaders() if name.lower() not in ("connection", "transfer-encoding", "content-length")}
        text = told.read()
        self.answer(told.status, headers, text, told.getheader("Content-Length") or len(text))
        s3.close()
        return None

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on

    def answer(self, status, headers, text, length=None):
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(length or len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class S3:
    """What a World has of it. Its files are below `top`, and it listens at `port`. With `domain`, buckets are names below that, too."""

    domain = None

    def make_s3(self):
        os.makedirs(f"{self.top}/s3/{BUCKET}")
        self.port, self.s3, self.keys = free_port(), None, (ACCESS, SECRET)
        self.make_certificates()
        self.start_s3()

    def make_certificates(self):
        tls = self.top + "/tls"
        os.makedirs(tls)
        with open(tls + "/names", "w", encoding="utf-8") as file:
            file.write("subjectAltName=DNS:localhost" + (f",DNS:*.{self.domain}" if self.domain else ""))
        for command in (f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {tls}/s3.key -out {tls}/s3.csr -subj /CN=s3",
                        f"x509 -req -in {tls}/s3.csr -CA {PKI}/ca.crt -CAkey {PKI}/ca.key -set_serial 4711 -days 2 -out {tls}/s3.crt -extfile {tls}/names"):
            subprocess.run(["openssl", *command.split()], check=True, capture_output=True)
        shutil.copy(PKI + "/ca.crt", tls + "/ca.crt")
        for name in ("server.crt", "server.key"):
            shutil.copy(f"{PKI}/{name}", tls)
        for name in os.listdir(tls):
            os.chmod(f"{tls}/{name}", 0o644)

    def resolve(self, *names):
        """Has this thread, and what it runs, find names here: in a /etc/hosts that nobody else sees."""
        before = os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
        self.addCleanup(os.close, before)
        libc = ctypes.CDLL(None, use_errno=True)
        self.assertEqual(0, libc.unshare(CLONE_NEWNS), os.strerror(ctypes.get_errno()))
        self.addCleanup(lambda: self.assertEqual(0, libc.setns(before, CLONE_NEWNS), os.strerror(ctypes.get_errno())))
        hosts = self.write("hosts", "127.0.0.1 localhost " + " ".join(names) + "\n")
        for words in (["--make-rprivate", "/"], ["--bind", hosts, "/etc/hosts"]):
            subprocess.run(["mount", *words], check=True)

    def start_s3(self):
        tls = self.top + "/tls"
        self.s3 = subprocess.Popen([os.environ["S3"] + "/versitygw", "-q", "--keep-alive", "--port", f"127.0.0.1:{self.port}", "--access", self.keys[0], "--secret", self.keys[1], "--region", REGION,
                                    "--cert", tls + "/s3.crt", "--key", tls + "/s3.key", *(["--virtual-domain", self.domain] if self.domain else []), "posix", self.top + "/s3"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop_s3)
        self.wait(lambda: answers(self.port), "S3")
        self.be_patient()

    def give_other_keys(self, access="other-key-of-s3"):
        """Has S3 refuse those of before at once."""
        self.stop_s3()
        self.keys = access, "other-secret-of-s3"
        self.start_s3()

    def stop_s3(self):
        if self.s3:
            self.s3.kill()
            self.s3.wait()
            self.s3 = None
            self.be_patient()

    def refuse(self, pattern, status=403, says=("AccessDenied", "Access Denied."), command="GET"):
        """Another port of S3, where objects whose path matches cannot be read, or written. Without a status they are waited for until the test ends."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.top + "/tls/s3.crt", self.top + "/tls/s3.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.refuses, server.command, server.s3, server.refused = pattern, command, self.port, 0
        server.status, server.says, server.answers = status, says, threading.Event()
        server.daemon_threads = True
        self.addCleanup(server.answers.set)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def frozen(self):
        """A port that takes connections, and never says anything."""
        listens = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.addCleanup(listens.close)
        return listens.getsockname()[1]

    def be_patient(self):
        """S3 has come or gone."""

    def objects(self, pattern):
        found = []
        for directory, _, names in os.walk(f"{self.top}/s3/{BUCKET}"):
            found += [f"{directory}/{name}" for name in names]
        return sorted(path for path in found if re.search(pattern, path))


def answers(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def free_port():
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]
