"""What is said in the journal, and what fails."""
import sys


class Failure(Exception):
    """What cannot be done, and why. `again` is whether a later attempt may succeed although nothing is changed; None where it needs more room on the volume."""

    def __init__(self, reason, again=True):
        super().__init__(reason)
        self.again = again


def say(text):
    print(f"quorum-backup: {text}", flush=True)


def complain(text):
    print(f"quorum-backup: {text}", file=sys.stderr, flush=True)
