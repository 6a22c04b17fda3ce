"""The units and rules by which systemd and udev start quorum-apply."""

UNITS = {
    # In no order with anything: whatever the boot waits for, a drive is taken. The
    # program itself waits for the network, and not for long. Nobody waits for it.
    "/etc/systemd/system/quorum-apply.service": """\
[Unit]
Description=Put the state on the cloud-init drive in place
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStartPre=/bin/sh -c 'if [ -e /run/quorum-apply.wanted ]; then mv -f /run/quorum-apply.wanted /run/quorum-apply.waits; fi'
ExecStart=/usr/local/sbin/quorum-apply
# A run that is killed is continued.
Restart=on-abnormal
RestartSec=60
UMask=0077

[Install]
WantedBy=multi-user.target
""",
    # The path is looked at again when the service ends, so that no change made
    # during a run is lost, and no run is cut short by a change.
    "/etc/systemd/system/quorum-apply.path": """\
[Unit]
Description=Changes of the cloud-init drive

[Path]
PathExists=/run/quorum-apply.wanted

[Install]
WantedBy=multi-user.target
""",
    # cloud-init writes its copies of the drive's data at each boot.
    "/etc/systemd/system/quorum-forget.service": """\
[Unit]
Description=Remove copies of the state that is in force
After=cloud-final.service
ConditionPathExists=/var/lib/quorum/applied.json

[Service]
Type=oneshot
ExecStart=-/usr/local/sbin/quorum-apply --forget
UMask=0077

[Install]
WantedBy=cloud-init.target
""",
    # Later than the rules that give drives to group cdrom, earlier than the one that gives them to the user at the console.
    "/etc/udev/rules.d/72-quorum-apply.rules": """\
# The cloud-init drive holds secrets: only root reads it, by whichever of its device nodes.
SUBSYSTEM=="block", KERNEL=="sr[0-9]*", OWNER:="root", GROUP:="root", MODE:="0600", TAG-="uaccess"
SUBSYSTEM=="block", ENV{ID_FS_LABEL}=="cidata|CIDATA", OWNER:="root", GROUP:="root", MODE:="0600", TAG-="uaccess"
SUBSYSTEM=="scsi_generic", ATTRS{type}=="5", OWNER:="root", GROUP:="root", MODE:="0600", TAG-="uaccess"

# Its tray stays unlocked, else the hypervisor waits for this machine, and not for long, to let the medium go.
ACTION!="remove", SUBSYSTEM=="block", KERNEL=="sr[0-9]*", RUN+="cdrom_id --unlock-media $devnode"

# Another medium in it is another state for this machine.
ACTION=="change", SUBSYSTEM=="block", ENV{DISK_MEDIA_CHANGE}=="1", ENV{ID_FS_LABEL}=="cidata|CIDATA", RUN+="/usr/bin/touch /run/quorum-apply.wanted"
""",
}
