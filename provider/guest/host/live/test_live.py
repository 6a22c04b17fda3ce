"""SSH keys and DNS servers of a machine that runs."""
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def key(n):
    """A line of authorized_keys. Not a real key, as long as one."""
    return f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{chr(65 + n) * 43} admin-{n}@example.org"


class TestCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name

    def path(self, name, text=None, mode=0o644):
        path = f"{self.root}/{name}"
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, mode)
        return path

    def read(self, name):
        with open(f"{self.root}/{name}", encoding="utf-8") as file:
            return file.read()


def fingerprint(line):
    """As OpenSSH names a key."""
    shown = subprocess.run(["ssh-keygen", "-lf", "-"], input=line, text=True, capture_output=True, check=True).stdout
    return shown.split()[1]


class Keys(TestCase):
    FILE = "home/.ssh/authorized_keys"

    def settle(self, wanted, *former, status=0):
        given = "# The SSH keys of admin; after a dash fingerprints of former ones.\n"
        given += "".join(f"- {fingerprint(line)}\n" for line in former) + wanted + "\n"
        os.makedirs(self.root + "/home", exist_ok=True)
        program = f"import sys; sys.argv = ['quorum-keys']; exec(open({HERE + '/quorum-keys'!r}).read().split('if __name__')[0]); " \
                  f"main({self.path('given', given)!r}, {self.root + '/home'!r})"
        done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=False)
        self.assertEqual(status, done.returncode, done.stderr)
        return done.stdout

    def test_the_next_key_takes_the_place_of_the_former(self):
        self.path(self.FILE, key(0) + "\n", 0o600)
        self.assertIn("written", self.settle(key(1), key(0)))
        self.assertEqual(key(1) + "\n", self.read(self.FILE))
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.path(self.FILE)).st_mode))

    def test_keys_of_others_stay_where_they_are(self):
        others = f"# by hand\n{key(7)}\n\nfrom=\"10.0.0.0/8\" {key(8)}\nnonsense\n"
        self.path(self.FILE, f"{key(0)}\n{others}", 0o600)
        self.settle(key(1), key(0))
        self.assertEqual(others + key(1) + "\n", self.read(self.FILE))

    def test_all_former_keys_go_also_those_of_changes_that_were_missed(self):
        self.path(self.FILE, f"{key(0)}\nno-pty,command=\"echo ssh-ed25519 here\" {key(1)}\n", 0o600)
        self.settle(key(2), key(0), key(1))
        self.assertEqual(key(2) + "\n", self.read(self.FILE))

    def test_twice_is_as_once(self):
        self.path(self.FILE, key(0) + "\n", 0o600)
        self.settle(key(1), key(0))
        before = os.stat(self.path(self.FILE))
        self.assertEqual("", self.settle(key(1), key(0)))
        self.assertEqual(before.st_ino, os.stat(self.path(self.FILE)).st_ino)

    def test_other_options_of_the_same_key(self):
        self.path(self.FILE, key(0) + "\n", 0o600)
        self.settle(f"from=\"10.0.0.0/8\" {key(0)}", key(0))
        self.assertEqual(f"from=\"10.0.0.0/8\" {key(0)}\n", self.read(self.FILE))

    def test_one_that_is_wanted_again(self):
        self.path(self.FILE, key(1) + "\n", 0o600)
        self.settle(key(0), key(0), key(1))
        self.assertEqual(key(0) + "\n", self.read(self.FILE))

    def test_no_file_yet(self):
        self.settle(key(0), key(1))
        self.assertEqual(key(0) + "\n", self.read(self.FILE))
        self.assertEqual(0o700, stat.S_IMODE(os.stat(self.root + "/home/.ssh").st_mode))

    def test_a_file_that_all_may_read_is_closed(self):
        self.path(self.FILE, key(0) + "\n", 0o644)
        self.settle(key(0), key(1))
        self.assertEqual(0o600, stat.S_IMODE(os.stat(self.path(self.FILE)).st_mode))

    def test_a_last_line_without_an_end(self):
        self.path(self.FILE, f"{key(0)}\n{key(7)}", 0o600)
        self.settle(key(1), key(0))
        self.assertEqual(f"{key(7)}\n{key(1)}\n", self.read(self.FILE))

    def test_a_link_stays_one(self):
        self.path("elsewhere", key(0) + "\n", 0o600)
        os.makedirs(self.root + "/home/.ssh")
        os.symlink(self.root + "/elsewhere", self.path(self.FILE))
        self.settle(key(1), key(0))
        self.assertTrue(os.path.islink(self.path(self.FILE)))
        self.assertEqual(key(1) + "\n", self.read("elsewhere"))

    def test_a_write_that_was_cut_before(self):
        self.path(self.FILE, key(0) + "\n", 0o600)
        self.path(self.FILE + ".quorum-new", "half of a li", 0o600)
        self.settle(key(1), key(0))
        self.assertEqual(key(1) + "\n", self.read(self.FILE))
        self.assertEqual(["authorized_keys"], os.listdir(self.root + "/home/.ssh"))

    def test_a_full_disk_leaves_the_keys(self):
        self.path(self.FILE, key(0) + "\n", 0o600)
        os.makedirs(self.path(self.FILE) + ".quorum-new")  # what cannot be opened stands for it
        self.settle(key(1), key(0), status=1)
        self.assertEqual(key(0) + "\n", self.read(self.FILE))


RESOLVECTL = """#!/bin/sh
[ ! -e "$ROOT/no-resolved" ] || exit 1
[ "$#" -lt 2 ] || for word; do printf '<%s>' "$word"; done >>"$ROOT/asked"
"""


class Resolver(TestCase):
    DROP_IN = "etc/systemd/network/10-netplan-libvirt0.network.d/90-quorum-dns.conf"

    def setUp(self):
        super().setUp()
        self.path("bin/resolvectl", RESOLVECTL, 0o755)
        self.interface("libvirt0", "3", "52:54:00:00:00:01", "/run/systemd/network/10-netplan-libvirt0.network")
        self.path("var/lib/quorum/applied.json", "{}")

    def interface(self, name, number, mac, network):
        self.path(f"sys/class/net/{name}/ifindex", number + "\n")
        self.path(f"sys/class/net/{name}/address", mac + "\n")
        self.path(f"run/systemd/netif/links/{number}", "# private\nADMIN_STATE=configured\n" + (f"NETWORK_FILE={network}\n" if network else ""))

    def settle(self, text, status=0):
        environment = {**os.environ, "ROOT": self.root, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        done = subprocess.run([HERE + "/quorum-resolver", self.path("given", text)], env=environment, text=True, capture_output=True, check=False)
        self.assertEqual(status, done.returncode, done.stderr)
        return done.stderr

    def test_now_and_at_the_next_boot(self):
        self.settle("libvirt0 52:54:00:00:00:01 10.0.0.53 fd00::53\n")
        self.assertEqual("[Network]\nDNS=\nDNS=10.0.0.53\nDNS=fd00::53\n", self.read(self.DROP_IN))
        self.assertEqual(0o644, stat.S_IMODE(os.stat(self.path(self.DROP_IN)).st_mode))
        self.assertEqual("<dns><libvirt0><10.0.0.53><fd00::53>", self.read("asked"))

    def test_others_and_twice(self):
        self.settle("libvirt0 52:54:00:00:00:01 10.0.0.53\n")
        for _ in range(2):
            self.settle("libvirt0 52:54:00:00:00:01 10.0.0.54\n")
            self.assertEqual("[Network]\nDNS=\nDNS=10.0.0.54\n", self.read(self.DROP_IN))
        self.assertEqual(["90-quorum-dns.conf"], os.listdir(os.path.dirname(self.path(self.DROP_IN))))

    def test_none_any_more(self):
        self.settle("libvirt0 52:54:00:00:00:01\n")
        self.assertEqual("[Network]\nDNS=\n", self.read(self.DROP_IN))
        self.assertEqual("<dns><libvirt0><>", self.read("asked"))

    def test_each_interface(self):
        self.interface("macvtap0", "4", "52:54:00:00:00:02", "/etc/systemd/network/10-cloud-init-macvtap0.network")
        self.settle("libvirt0 52:54:00:00:00:01 10.0.0.53\nmacvtap0 52:54:00:00:00:02 10.1.0.53\n")
        self.assertEqual("[Network]\nDNS=\nDNS=10.1.0.53\n", self.read("etc/systemd/network/10-cloud-init-macvtap0.network.d/90-quorum-dns.conf"))
        self.assertEqual("<dns><libvirt0><10.0.0.53><dns><macvtap0><10.1.0.53>", self.read("asked"))

    def test_an_interface_that_nobody_renamed(self):
        self.interface("eth0", "5", "52:54:00:00:00:09", "/etc/systemd/network/10-cloud-init-libvirt1.network")
        self.settle("libvirt1 52:54:00:00:00:09 10.0.0.53\n")
        self.assertEqual("<dns><eth0><10.0.0.53>", self.read("asked"))
        self.assertIn("DNS=10.0.0.53", self.read("etc/systemd/network/10-cloud-init-libvirt1.network.d/90-quorum-dns.conf"))

    def test_what_an_image_lacks_is_told(self):
        self.interface("eth1", "6", "52:54:00:00:00:06", "")
        self.assertIn("there is no interface libvirt9, nor one with the MAC 52:54:00:00:00:07", self.settle("libvirt9 52:54:00:00:00:07 10.0.0.53\n", status=1))
        self.assertIn("systemd-networkd does not manage the interface eth1", self.settle("eth1 52:54:00:00:00:06 10.0.0.53\n", status=1))
        self.path("no-resolved", "")
        said = self.settle("libvirt0 52:54:00:00:00:01 10.0.0.53\n", status=1)
        self.assertIn("systemd-resolved is not there, or does not run: on this image only a machine that is made anew takes other DNS servers", said)

    def test_a_machine_that_comes_to_be_has_them_from_cloud_init(self):
        os.remove(self.path("var/lib/quorum/applied.json"))
        self.path("no-resolved", "")
        self.settle("libvirt0 52:54:00:00:00:01 10.0.0.53\n")


if __name__ == "__main__":
    unittest.main()
