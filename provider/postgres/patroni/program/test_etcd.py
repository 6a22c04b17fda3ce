"""quorum-patroni start where Patroni and etcd do not fit each other."""
import shutil
import unittest

import test_patroni
from test_patroni import PKI

OLD = ("3.0.2", "3.2.9", "3.3.8", "4.0.7", "4.1.0")
NEW = ("3.3.9", "4.0.8", "4.1.1", "4.2.0", "5.0.0")


class Etcd(test_patroni.Handler):
    """Answers as etcd 3.6.14 does, once it is no longer away."""

    away = 0

    def do_POST(self):
        if Etcd.away:
            Etcd.away -= 1
        elif self.path != "/v3/cluster/member/list" or self.server.refuses is None:
            self.answer(404)
        elif self.server.refuses:
            self.answer(400, {"code": 3, "message": "etcdserver: user name is empty"})
        else:
            self.answer(200, {"members": []})

    def do_GET(self):
        self.answer(200, {"etcdserver": "3.6.14", "etcdcluster": "3.6.0", "storage": "3.6.0"})


class Start(test_patroni.Case):
    def serve(self, *refuse):
        """An etcd each, which refuses, lists its members, or has no gateway."""
        self.config["etcd"] = {"endpoints": [], "caFile": PKI + "/ca.crt"}
        for refuses in refuse:
            etcd = test_patroni.serve(self, Etcd)
            etcd.refuses = refuses
            self.config["etcd"]["endpoints"].append(f"127.0.0.1:{etcd.server_port}")

    def test_etcd_that_wants_a_login_first(self):
        self.serve(True, True)
        for version in OLD:
            done = self.run_program("start", patroni=version)
            self.fails(done, 78, f"etcd 3.6.14 tells its members only to who has logged in, and Patroni {version} asks for them before",
                       "patroni/pull/3580", "Patroni 3.3.9, 4.0.8, 4.1.1 or later", "on a rebuilt machine with a postgres.version it comes from the PostgreSQL project")
        for version in NEW:
            self.ok(self.run_program("start", patroni=version))

    def test_patroni_that_a_distribution_has_changed(self):
        self.serve(True)
        self.write("data/PG_VERSION", "17\n")
        shutil.copytree(self.python + "/patroni", self.fake + "/python/patroni", ignore=shutil.ignore_patterns("dcs.py", "__pycache__"))
        self.write("python/patroni/dcs/__init__.py", "")
        self.write("python/patroni/dcs/etcd3.py", "class Etcd3Client:\n    def authenticate_on_start(self):\n        pass\n")
        self.ok(self.run_program("start", patroni="4.0.7"))

    def test_one_that_tells_is_enough(self):
        self.serve(True, False)
        self.ok(self.run_program("start"))

    def test_one_that_is_away_does_not_hide_the_others(self):
        self.serve(True)
        self.config["etcd"]["endpoints"].insert(0, "127.0.0.1:1")
        self.fails(self.run_program("start"), 78, "etcd 3.6.14")

    def test_what_else_is_wrong_is_left_to_patroni(self):
        self.serve(None)
        self.ok(self.run_program("start"))
        self.serve(True)
        self.config["etcd"]["caFile"] = PKI + "/other.crt"
        self.ok(self.run_program("start"))

    def test_waits_until_one_answers(self):
        self.serve(False)
        Etcd.away = 3
        self.assertRegex(self.ok(self.run_program("start")), r"\Aquorum-patroni: waiting for etcd: https://127.*\n/etc/patroni/conf.yml ")
        self.assertEqual(0, Etcd.away)


if __name__ == "__main__":
    unittest.main()
