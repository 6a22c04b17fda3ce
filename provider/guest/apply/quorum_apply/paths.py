"""Where things lie, and how long they may take."""

ROOT = ""  # tests put a directory here; at() makes every path lie below it
HOME = "/var/lib/quorum"
PROGRAM = "/usr/local/sbin/quorum-apply"
CANDIDATES = HOME + "/candidates"
WRITTEN_BY_CLOUD_INIT = HOME + "/drive/state.json"
ARCHIVE = WRITTEN_BY_CLOUD_INIT + ".tar.bz2"  # with that and this program, on OpenStack
SEED = "/var/lib/cloud/seed/nocloud/user-data"
COPIES = ("/var/lib/cloud/instances/*", "/run/cloud-init")  # where cloud-init keeps what it read
DRIVES = ("/dev/disk/by-label/cidata", "/dev/disk/by-label/CIDATA")
# One of these is there when a drive has come since the last run began: the first
# starts a run, which makes it the second while it waits for another run to end.
COME = ("/run/quorum-apply.wanted", "/run/quorum-apply.waits")


# Bounds in seconds.
LOCK, DEVICE, NETWORK, APT, CHECK, DOWNLOAD, GO_BACK, STOP = 3600, 60, 300, 1800, 4 * 3600, 900, 120, 600
SMOKE, TRIAL, MAKE_WAY = 60, 6 * 3600, 300  # of a program on trial: to say its help, to end, and to end when another drive has come
POLL, REPORT, STEADY, PAUSE = 1, 15, 3, 5
CRASHES = 4  # of a service that a change has broken
MOST_DRIVES = 1000  # that are remembered


def put_below(root):
    global ROOT
    ROOT = root


def at(path):
    return ROOT + path
