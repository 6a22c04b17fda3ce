"""own-data on directories of other numbers. Needs root, as chown does."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
NOBODY, OLD = 65534, 4711


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class Own(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(dir=os.environ.get("XATTR_TMPDIR"))
        self.addCleanup(temporary.cleanup)
        self.top, self.volume = temporary.name, temporary.name + "/volume"
        self.data = self.volume + "/data"
        # On a machine user and group have one name; here they are looked up in files of the test.
        self.users = self.top + "/users"
        os.mkdir(self.users)
        for name in ("base/1", "pg_wal/archive_status", "pg_tblspc"):
            os.makedirs(f"{self.data}/{name}")
        for name in ("PG_VERSION", "base/1/2604", "base/1/2605", "pg_wal/000000010000000000000001"):
            self.file(f"data/{name}")
        self.file("pgpass")
        os.mkdir(self.volume + "/lost+found")
        self.give(self.volume, OLD)
        self.give(self.volume + "/lost+found", 0)

    def file(self, name):
        with open(f"{self.volume}/{name}", "w", encoding="utf-8") as file:
            file.write(name)
        os.chmod(f"{self.volume}/{name}", 0o600)

    def give(self, path, number):
        subprocess.run(["chown", "-hR", f"{number}:{number}", path], check=True)

    def own(self, number=NOBODY, **options):
        """Runs own-data for a user with that number."""
        code = ("import importlib.machinery, pwd, grp, sys, types\n"
                f"number = {number}\n"
                "pwd.getpwnam = lambda name: types.SimpleNamespace(pw_uid=number)\n"
                "grp.getgrnam = lambda name: types.SimpleNamespace(gr_gid=number)\n"
                f"importlib.machinery.SourceFileLoader('__main__', {HERE + '/own-data'!r}).load_module()\n")
        return subprocess.run([*options.get("under", []), sys.executable, "-B", "-W", "ignore", "-c", code, "postgres", self.volume, self.data],
                              capture_output=True, text=True, check=False)

    def owners(self, top=None):
        found = {}
        for path, directories, files in os.walk(top or self.volume):
            for name in directories + files:
                found[os.path.relpath(f"{path}/{name}", self.volume)] = os.lstat(f"{path}/{name}").st_uid
        return found

    def owned(self, number=NOBODY):
        done = self.own(number)
        self.assertEqual(0, done.returncode, done.stderr)
        owners = self.owners()
        self.assertEqual(0, owners.pop("lost+found"))
        self.assertEqual({number}, set(owners.values()) | {os.stat(self.volume).st_uid}, owners)
        return done.stdout

    def test_of_another_installation(self):
        self.assertIn("12 files and directories given to postgres (65534:65534)", self.owned())
        self.assertEqual("", self.owned())
        self.assertEqual(0o600, os.stat(self.data + "/PG_VERSION").st_mode & 0o777)

    def test_there_and_back_with_a_cut_between(self):
        self.owned(OLD)
        self.give(self.volume + "/data/pg_tblspc", NOBODY)  # of another machine's run, which was killed
        os.removexattr(self.data, "trusted.quorum.owner")
        self.owned(OLD)

    def test_killed_before_any_change(self):
        """strace kills it at its n-th chown; the next run does the rest."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        for step in range(1, 10):
            with self.subTest(step=step):
                self.give(self.volume, OLD if step % 2 else OLD + 1)
                self.give(self.volume + "/lost+found", 0)
                killed = self.own(under=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=fchownat:signal=KILL:when={step}"])
                self.assertNotEqual(0, killed.returncode)
                self.owned()

    def test_a_volume_that_is_read_only(self):
        """As the kernel makes one in which it finds errors."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        done = self.own(under=["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fchownat:error=EROFS"])
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stderr, r"^own-data: .*/volume: could not be given to postgres: Read-only file system \(.*\)\n$")
        self.owned()

    def test_cut_by_an_older_release(self):
        """The directory and PG_VERSION are right, and some of the rest."""
        self.give(self.data, NOBODY)
        self.give(self.data + "/base/1/2605", OLD)
        os.chown(self.volume, NOBODY, NOBODY)
        self.owned()

    def test_restored_by_root(self):
        self.owned()
        shutil.rmtree(self.data)
        os.makedirs(self.data + "/base/1")
        self.file("data/base/1/2604")
        self.owned()
        self.file("data/postgresql.auto.conf")
        self.assertIn("1 files", self.owned())

    def test_links_are_not_followed(self):
        outside = self.top + "/outside"
        os.mkdir(outside)
        with open(outside + "/shadow", "w", encoding="utf-8") as file:
            file.write("root's")
        for name, target in (("data/pg_tblspc/16384", outside), ("data/shadow", outside + "/shadow"), ("out", outside), ("data/nowhere", "/nowhere"), ("data/up", "..")):
            os.symlink(target, f"{self.volume}/{name}")
            os.chown(f"{self.volume}/{name}", OLD, OLD, follow_symlinks=False)
        said = self.owned()
        self.assertEqual([0, 0], [os.stat(outside).st_uid, os.stat(outside + "/shadow").st_uid])
        self.assertIn(f"pg_tblspc/16384 -> {outside}: the link is given to postgres, and nothing behind it", said)

    def test_a_link_in_the_place_of_the_data(self):
        shutil.rmtree(self.data)
        os.mkdir(self.top + "/outside")
        os.symlink(self.top + "/outside", self.data)
        self.own()
        self.assertEqual(0, os.stat(self.top + "/outside").st_uid)

    def test_hard_links_to_files_of_root(self):
        with open(self.top + "/shadow", "w", encoding="utf-8") as file:
            file.write("root's")
        os.link(self.top + "/shadow", self.data + "/base/1/shadow")
        self.own()
        self.assertEqual(0, os.stat(self.top + "/shadow").st_uid)

    def test_files_that_root_put_beside_the_data_stay(self):
        self.file("backup-key")
        os.chown(self.volume + "/backup-key", 0, 0)
        self.own()
        self.assertEqual(0, os.stat(self.volume + "/backup-key").st_uid)

    def test_files_that_a_running_service_removes(self):
        self.owned()
        os.chmod(self.top, 0o755)
        code = f"""import os, itertools
for i in itertools.count():
    name = {self.data + '/base/1/'!r} + str(i % 9)
    os.close(os.open(name, os.O_CREAT))
    os.unlink(name)"""
        with subprocess.Popen(["/usr/bin/python3", "-c", code], user=NOBODY, group=NOBODY, extra_groups=[]) as service:
            for _ in range(20):
                os.removexattr(self.data, "trusted.quorum.owner")
                done = self.own()
                self.assertEqual(0, done.returncode, done.stderr)
            self.assertIsNone(service.poll())
            service.kill()

    def test_big_data_is_not_walked_when_nothing_is_wrong(self):
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        for number in range(300):
            self.file(f"data/base/1/{number}")
        self.owned()
        self.own(under=["strace", "-f", "-qq", "-o", self.top + "/trace", "-e", "trace=%file,%desc"])
        with open(self.top + "/trace", encoding="utf-8") as trace:
            text = trace.read()
        self.assertIn("PG_VERSION", text)
        self.assertNotIn("base/1", text)
        self.assertNotIn('"2604"', text)


if __name__ == "__main__":
    unittest.main()
