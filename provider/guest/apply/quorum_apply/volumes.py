"""Checks and mounts volumes."""
import os
import time
import uuid

from quorum_apply.commands import must, run
from quorum_apply.disk import Disk
from quorum_apply.files import File, keep_written
from quorum_apply.paths import APT, at, CHECK, DEVICE, POLL
from quorum_apply.report import Failure, say
from quorum_apply.systemd import enable, journal, reload_stale, unit


def mount_volume(volume):
    """Mounts the file system with the label, once it is checked; makes it only on a disk that holds nothing."""
    label, place = volume["label"], volume["mountPoint"]
    device = "" if mounted(place) else labelled(volume)
    name, check = volume_units(volume)
    if device:
        # udev may have looked at the file system before it got its label, and misses what is written while it looks.
        run("udevadm", "trigger", "--action=change", device)
        run("udevadm", "settle", "--timeout=30")
        enable(name)
        say(f"{place}: checking and mounting {label} from {device}")
        done = run("systemctl", "start", name, seconds=CHECK)
        if done.returncode:
            explain_mount(volume, device, check, journal(name) or done.stderr.splitlines())
    now = mounted(place)
    if now[1:] == ["ext4"]:
        done = run("resize2fs", now[0], seconds=APT)
        if done.returncode:
            say(f"{place}: could not be grown to the size of its disk: {done.stderr.strip()}")
        elif "is now" in done.stdout:
            say(f"{place}: grown to the size of its disk")


def mounted(place):
    """The device mounted there and its kind of file system, or nothing."""
    return run("findmnt", "--noheadings", "--output", "SOURCE,FSTYPE", "--mountpoint", at(place)).stdout.split()


def volume_units(volume):
    """Writes the units that check and mount a volume, at each boot; returns their names."""
    label, place = volume["label"], volume["mountPoint"]
    source = f"/dev/disk/by-label/{label}"
    name, device = (must("systemd-escape", "--path", f"--suffix={kind}", path).strip() for kind, path in (("mount", place), ("device", source)))
    check = f"quorum-fsck-{label}.service"
    keep_written(
        # As systemd-fsck@.service, which before systemd 250 takes the whole machine to emergency mode, without a network.
        File(f"/etc/systemd/system/{check}",
             f"[Unit]\nDescription=File system check of the volume {label}\nDocumentation=man:fsck(8)\nDefaultDependencies=no\n"
             f"After={device} local-fs-pre.target\nBefore=shutdown.target\nConflicts=shutdown.target\nConditionFileIsExecutable=/sbin/fsck\n\n"
             "[Service]\nType=oneshot\nTimeoutStartSec=infinity\nStandardOutput=journal+console\n"
             f"ExecStart=/sbin/fsck -a -T -l -M {source}\n"
             "# 1: what was wrong is repaired. 8: fsck could not look, and it is for mount to succeed or fail.\nSuccessExitStatus=1 8 9\n".encode()),
        # nofail: the boot goes on without the disk, and only the services that need it do not start.
        File(f"/etc/systemd/system/{name}",
             f"[Unit]\nDescription=Volume {label}\nRequires={check}\nAfter={check}\n\n"
             f"[Mount]\nWhat={source}\nWhere={place}\nOptions=defaults,nofail\n\n[Install]\nWantedBy=local-fs.target\n".encode()),
        # The disk of a machine that runs became larger.
        File(f"/etc/udev/rules.d/90-quorum-{label}.rules",
             f'ACTION=="change", ENV{{RESIZE}}=="1", ENV{{ID_FS_LABEL}}=="{label}", ENV{{ID_FS_TYPE}}=="ext4", '
             'RUN+="/usr/bin/systemd-run --no-block --collect /sbin/resize2fs $devnode"\n'.encode()))
    reload_stale(name, check)
    return name, check


def explain_mount(volume, device, check, why):
    """Fails with the reason why a volume is not mounted."""
    label, place = volume["label"], volume["mountPoint"]
    if unit(check)["ActiveState"] == "failed":
        raise Failure(f"{place}: not mounted, and nothing that needs it is started: the file system {label} on {device} has errors that fsck does not "
                      f"repair unasked. On this machine, `e2fsck {device}` asks about each; then run `quorum-apply`, or reboot", journal(check))
    raise Failure(f"{place}: {label} on {device} could not be mounted", why)


def labelled(volume):
    """The device with the volume's label, made from a blank disk if there is none."""
    label, end = volume["label"], time.monotonic() + DEVICE
    disk = Disk(volume["device"])
    while True:
        found = run("blkid", "-c", "/dev/null", "-o", "device", "-t", f"LABEL={label}").stdout.split()
        if len(found) > 1:
            raise Failure(f"{label}: several file systems have this label: {', '.join(found)}")
        if found:
            Disk(found[0], found[0]).unmark(label)
            return found[0]
        if os.path.exists(disk.real):
            break
        if time.monotonic() > end:
            raise Failure(f"{disk.path}: did not appear, and no file system has the label {label}")
        time.sleep(POLL)
    identity = disk.unfinished(label)
    if identity:
        say(f"{disk.path}: formatting it as {label} was interrupted; formatting it again")
    elif disk.is_blank():
        say(f"{disk.path}: blank, making the file system {label}")
    else:
        raise Failure(f"{disk.path}: is not blank, and has no file system with the label {label}; nothing on it is changed. "
                      f"If it is this machine's ext4 file system, name it: `e2label {disk.path} {label}`. "
                      f"If nothing on the disk is needed, erase it: `mkfs.ext4 -L {label} {disk.path}`. Then run `quorum-apply`")
    disk.make_file_system(label, identity or str(uuid.uuid4()))
    return disk.path
