"""Users and groups."""
from quorum_apply.commands import must, run
from quorum_apply.report import say


def make_user(user):
    name = user["name"]
    if run("getent", "passwd", name).returncode:
        group = ["--gid", name] if run("getent", "group", name).returncode == 0 else ["--user-group"]
        must("useradd", "--system", *group, "--home-dir", user["home"], "--no-create-home", "--shell", "/usr/sbin/nologin", name)
        say(f"user {name}: made")
    lacking = set(user["groups"]) - set(must("id", "--name", "--groups", name).split())
    if lacking:
        must("usermod", "--append", "--groups", ",".join(sorted(lacking)), name)
