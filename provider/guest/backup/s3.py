"""An S3 service, with a certificate, that a test can take away."""
import os
import re
import shutil
import socket
import subprocess

PKI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata/pki")
ACCESS, SECRET, KEY = "key-of-s3", "secret-of-s3", "key-of-all-backups"
REGION, BUCKET = "eu-central-1", "backups"


class S3:
    """What a World has of it. Its files are below `top`, and it listens at `port`."""

    def make_s3(self):
        os.makedirs(f"{self.top}/s3/{BUCKET}")
        self.port, self.s3 = free_port(), None
        self.make_certificates()
        self.start_s3()

    def make_certificates(self):
        tls = self.top + "/tls"
        os.makedirs(tls)
        with open(tls + "/names", "w", encoding="utf-8") as file:
            file.write("subjectAltName=DNS:localhost")
        for command in (f"req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {tls}/s3.key -out {tls}/s3.csr -subj /CN=s3",
                        f"x509 -req -in {tls}/s3.csr -CA {PKI}/ca.crt -CAkey {PKI}/ca.key -set_serial 4711 -days 2 -out {tls}/s3.crt -extfile {tls}/names"):
            subprocess.run(["openssl", *command.split()], check=True, capture_output=True)
        shutil.copy(PKI + "/ca.crt", tls + "/ca.crt")
        for name in ("server.crt", "server.key"):
            shutil.copy(f"{PKI}/{name}", tls)
        for name in os.listdir(tls):
            os.chmod(f"{tls}/{name}", 0o644)

    def start_s3(self):
        tls = self.top + "/tls"
        self.s3 = subprocess.Popen([os.environ["S3"] + "/versitygw", "-q", "--keep-alive", "--port", f"127.0.0.1:{self.port}", "--access", ACCESS, "--secret", SECRET, "--region", REGION,
                                    "--cert", tls + "/s3.crt", "--key", tls + "/s3.key", "posix", self.top + "/s3"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop_s3)
        self.wait(lambda: answers(self.port), "S3")
        self.be_patient()

    def stop_s3(self):
        if self.s3:
            self.s3.kill()
            self.s3.wait()
            self.s3 = None
            self.be_patient()

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
