"""Packages, repositories, artifacts, users; and health checks by url."""
import functools
import hashlib
import http.server
import io
import os
import signal
import ssl
import subprocess
import tarfile
import unittest
import unittest.mock
import zipfile

from machine import apply, HERE, TestCase, service, state, unit

FINGERPRINT = "A54937EB273C45A624920866666CFB335BDF527D"


class Packages(TestCase):
    def setUp(self):
        super().setUp()
        self.machine.write("/../fake/packages/etcd-server", "/usr/bin/etcd\n")
        self.state = state("g1", packages=[{"name": "etcd-server", "provides": ["/usr/bin/etcd"]}], aptProxy="http://10.0.0.1:3142")

    def test_only_what_is_missing(self):
        self.ok(self.machine.first_boot(self.state))
        self.assertEqual('Acquire::http::Proxy "http://10.0.0.1:3142";\n', self.machine.read("/etc/apt/apt.conf.d/90quorum-proxy"))
        self.machine.forget_calls()
        self.ok(self.machine.change(self.state))
        self.assertEqual([], self.machine.calls("apt-get"))

    def test_presets_are_there_before_the_packages(self):
        preset = {"path": "/etc/etcd-common.conf", "owner": "root", "group": "root", "mode": "0644", "content": "start = no\n"}
        self.machine.write("/../fake/apt-fails", "")
        self.failed(self.machine.first_boot({**self.state, "presets": [preset]}), "E: no network")
        self.assertEqual("start = no\n", self.machine.read("/etc/etcd-common.conf"))
        os.unlink(self.machine.fake + "/apt-fails")
        self.ok(self.machine.first_boot({**self.state, "presets": [preset]}))
        self.machine.write("/etc/etcd-common.conf", "mine\n")
        self.ok(self.machine.change({**self.state, "presets": [preset]}))
        self.assertEqual("mine\n", self.machine.read("/etc/etcd-common.conf"))

    def test_start_no_services(self):
        self.ok(self.machine.first_boot(self.state))
        self.assertIn("policy-rc.d", self.machine.read("/policy", self.machine.fake))
        self.assertIsNone(self.machine.read("/usr/sbin/policy-rc.d"))

    def test_a_killed_run_left_its_policy(self):
        step, seen = 0, False
        while not seen:
            step += 1
            self.machine.first_boot(self.state, kill_at=step)
            seen = self.machine.read("/usr/sbin/policy-rc.d") is not None
        self.ok(self.machine.first_boot(state("g1")))
        self.assertIsNone(self.machine.read("/usr/sbin/policy-rc.d"))

    def test_somebody_elses_policy_stays(self):
        self.machine.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 0\n")
        self.ok(self.machine.first_boot(self.state))
        self.assertEqual("#!/bin/sh\nexit 0\n", self.machine.read("/usr/sbin/policy-rc.d"))

    def test_network_is_down(self):
        self.machine.write("/../fake/apt-fails", "")
        self.failed(self.machine.first_boot(self.state), "trying again", "E: no network")
        self.assertEqual(3, len(self.machine.calls("apt-get")))

    def test_packages_are_left_half_way(self):
        self.machine.write("/../fake/apt-ends", "")
        self.ok(self.machine.first_boot(self.state))
        self.assertEqual(2, len(self.machine.calls("--configure -a")))

    def test_another_apt_runs(self):
        self.machine.write("/../fake/locked", "\n" * 5)
        self.machine.write("/../fake/lists-locked", "\n" * 5)
        self.ok(self.machine.first_boot(self.state))

    def test_another_apt_does_not_end(self):
        self.machine.write("/../fake/locked", "\n" * 5000)

        def hurry():
            apply.APT = 1
        self.failed(self.machine.first_boot(self.state, prepare=hurry), "dpkg frontend lock was locked by another process with pid 821")

    def test_quorum_software_removes_its_policy_meanwhile(self):
        self.machine.write("/usr/sbin/policy-rc.d", "#!/bin/sh\n# quorum-software: packages restart no services\nexit 101\n")
        self.ok(self.machine.first_boot(self.state))
        self.assertIsNone(self.machine.read("/usr/sbin/policy-rc.d"), "it writes its own")

    def test_all_that_is_missing_is_named(self):
        more = {"install": False, "artifacts": [{"name": "coredns", "url": "https://host/c", "sha256": "0", "files": {"c": "/usr/local/bin/coredns"}}]}
        self.failed(self.machine.first_boot({**self.state, **more}), "/usr/bin/etcd (etcd-server), /usr/local/bin/coredns (coredns)")
        self.assertEqual([], self.machine.calls("apt-get"))
        self.assertIn("/usr/bin/etcd", self.machine.read("/dev/console"))

    def test_users(self):
        self.ok(self.machine.first_boot(state("g1", users=[{"name": "etcd", "home": "/var/lib/etcd", "groups": ["staff"]}],
                                              directories=[{"path": "/var/lib/etcd/data", "owner": "etcd", "group": "etcd", "mode": "0700"}])))
        self.assertEqual(1, len(self.machine.calls("useradd --system --user-group --home-dir /var/lib/etcd")))
        self.assertEqual(1, len(self.machine.calls("usermod --append --groups staff etcd")))
        self.assertEqual(0o700, os.stat(self.machine.root + "/var/lib/etcd/data").st_mode & 0o777)
        self.assertEqual(0o755, os.stat(self.machine.root + "/var/lib/etcd").st_mode & 0o777)


class Downloads(TestCase):
    def setUp(self):
        super().setUp()
        self.web = self.directory.name + "/web"
        os.mkdir(self.web)
        certificate = self.directory.name + "/server.crt"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.directory.name + "/server.key", "-out", certificate],
                       check=True, capture_output=True)
        self.log = log = self.directory.name + "/requests"

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_request(self, *_):
                with open(log, "a", encoding="utf-8") as file:
                    file.write(self.path + "\n")

            def log_error(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, self.directory.name + "/server.key")
        server = http.server.HTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=self.web))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        child = os.fork()  # a thread would not go well with the fork of every run
        if not child:
            server.serve_forever()
        server.server_close()
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        self.url = f"https://127.0.0.1:{server.server_port}"
        self.certificate = certificate
        with open(certificate, encoding="utf-8") as text:
            self.machine.write("/etc/ca.crt", text.read())
        environment = unittest.mock.patch.dict(os.environ, SSL_CERT_FILE=certificate)
        environment.start()
        self.addCleanup(environment.stop)

    def requests(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read().split()

    def publish(self, name, content):
        with open(f"{self.web}/{name}", "wb") as file:
            file.write(content)
        return hashlib.sha256(content).hexdigest()

    def tar(self, **members):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for name, content in members.items():
                header = tarfile.TarInfo(f"etcd-v3/{name}")
                header.size = len(content)
                archive.addfile(header, io.BytesIO(content))
        return out.getvalue()

    def artifact(self, name, sha256, generation="g1", **more):
        return state(generation, artifacts=[{"name": "etcd", "url": f"{self.url}/{name}", "sha256": sha256,
                                             "files": {"etcd": "/usr/local/bin/etcd"}, **more}])

    def test_archive_once(self):
        wanted = self.artifact("etcd.tar.gz", self.publish("etcd.tar.gz", self.tar(etcd=b"program", README=b"")))
        self.ok(self.machine.first_boot(wanted))
        self.assertEqual("program", self.machine.read("/usr/local/bin/etcd"))
        self.assertEqual(0o755, os.stat(self.machine.root + "/usr/local/bin/etcd").st_mode & 0o777)
        self.ok(self.machine.change(wanted))
        self.assertEqual(["/etcd.tar.gz"], self.requests())

    def test_zip_and_plain(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a/etcd", "zipped")
        self.ok(self.machine.first_boot(self.artifact("etcd.zip", self.publish("etcd.zip", out.getvalue()))))
        self.assertEqual("zipped", self.machine.read("/usr/local/bin/etcd"))
        self.ok(self.machine.change(self.artifact("etcd", self.publish("etcd", b"plain"), "g2")))
        self.assertEqual("plain", self.machine.read("/usr/local/bin/etcd"))

    def test_sums_file(self):
        sha256 = self.publish("etcd.tar.gz", self.tar(etcd=b"program"))
        self.publish("SUMS", f"{'0' * 64}  other\n{sha256}  etcd.tar.gz\n".encode())
        self.ok(self.machine.first_boot(self.artifact("etcd.tar.gz", "", sha256SumsUrl=self.url + "/SUMS")))
        self.publish("NONE", b"")
        self.failed(self.machine.change(self.artifact("etcd.tar.gz", "", "g2", sha256SumsUrl=self.url + "/NONE")), "has no sha256 of etcd.tar.gz")

    def test_unverifiable(self):
        self.publish("etcd.tar.gz", self.tar(etcd=b"evil"))
        self.failed(self.machine.first_boot(self.artifact("etcd.tar.gz", "0" * 64)), "its sha256 is")
        self.assertIsNone(self.machine.read("/usr/local/bin/etcd"))

    def test_not_there(self):
        self.failed(self.machine.first_boot(self.artifact("nothing", "0" * 64)), "404")
        self.assertEqual(5, self.requests().count("/nothing"))

    def test_binary_goes_back_with_its_service(self):
        def version(generation, content, conf):
            wanted = self.artifact("etcd", self.publish("etcd", content), generation)
            return {**wanted, "files": [unit("etcd.service"), {"path": "/etc/etcd.conf", "content": conf}], "services": [service("etcd.service")]}
        self.ok(self.machine.first_boot(version("g1", b"old", "1")))
        self.failed(self.machine.change(version("g2", b"new", "BROKEN")), "rolled back")
        self.assertEqual("old", self.machine.read("/usr/local/bin/etcd"))
        self.ok(self.machine.change(version("g3", b"new", "2")))
        self.assertEqual("new", self.machine.read("/usr/local/bin/etcd"))

    def repository(self, fingerprint):
        return state("g1", repositories=[{"name": "r", "uri": "https://host/{id}/{codename}", "suite": "{codename}", "components": ["main"],
                                          "keyUrl": self.url + "/key", "fingerprint": fingerprint}])

    def test_repository(self):
        with open(HERE + "/testdata/key.asc", "rb") as key:
            self.publish("key", key.read())
        self.ok(self.machine.first_boot(self.repository(FINGERPRINT.lower())))
        self.assertEqual("Types: deb\nURIs: https://host/debian/bookworm\nSuites: bookworm\nComponents: main\n"
                         "Signed-By: /etc/apt/keyrings/quorum-r.gpg\n", self.machine.read("/etc/apt/sources.list.d/quorum-r.sources"))
        self.ok(self.machine.change(self.repository(FINGERPRINT)))
        self.assertEqual(["/key"], self.requests())
        self.ok(self.machine.change(state("g2")))
        self.assertIsNone(self.machine.read("/etc/apt/sources.list.d/quorum-r.sources"))

    def test_keys_that_are_not_the_one(self):
        with open(HERE + "/testdata/two-keys.gpg", "rb") as keys:
            two = keys.read()
        for key in (two, two[:-3], b"", b"<html>"):
            self.publish("key", key)
            self.failed(self.machine.first_boot(self.repository(FINGERPRINT)), "is not the one key")
        self.assertIsNone(self.machine.read("/etc/apt/sources.list.d/quorum-r.sources"))

    def checked(self, generation, contains, key="", **more):
        check = {"url": self.url + "/health", "caFile": "/etc/ca.crt", "contains": contains, **more}
        return state(generation, [unit("web.service")], [service("web.service", check=check, restartKey=key)])

    def test_health(self):
        self.publish("health", b'{"health":"true"}')
        self.ok(self.machine.first_boot(self.checked("g1", '"health":"true"')))
        self.publish("health", b'{"health":"false","reason":"no leader"}')
        self.failed(self.machine.change(self.checked("g2", '"health":"true"', "k")), "is not healthy after 1 s", "no leader", "rolled back")

    def test_health_of_somebody_else(self):
        self.publish("health", b"ok")
        state = self.checked("g1", "ok")
        state["services"][0]["check"]["url"] = self.url.replace("127.0.0.1", "localhost") + "/health"
        self.failed(self.machine.first_boot(state), "Hostname mismatch")


if __name__ == "__main__":
    unittest.main()
