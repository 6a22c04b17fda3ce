"""What is said in the journal, and what fails."""
import sys


class Away(Exception):
    """etcd, Patroni or PostgreSQL does not do it now: it is tried again."""


class Outrun(Away):
    """The upgrade is elsewhere by now: what was done here in the meantime does not count."""


class Problem(Exception):
    """What keeps the upgrade from going on, in words."""


def say(text):
    print(f"quorum-upgrade: {text}", file=sys.stderr, flush=True)
