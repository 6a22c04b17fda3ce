"""What a machine does every few minutes."""
import time

from quorum_backup.metrics import Metrics
from quorum_backup.report import complain, Failure

SKEW = 900  # seconds by which S3 lets clocks differ: what is dated later is of one that was wrong, and does not count


class Looks:
    """What is known at this look, and told at its end. Each role says how it does back_up and practise, and what is_overdue."""

    def __init__(self, config, **info):
        self.config, self.metrics, self.about = config, Metrics(config), info

    def look(self):
        """Returns whether all went well."""
        well = all([self.does("backup", self.back_up), self.does("drill", self.practise), self.does("backup", self.tell_overdue)])
        self.tell()
        return well

    def tell_overdue(self):
        self.metrics.set("overdue", 1)  # where the schedule is none
        self.metrics.set("overdue", int(self.is_overdue()))

    def tell(self):
        self.metrics.set("updated_timestamp_seconds", int(time.time()))
        self.metrics.set("info", 1, **self.about)
        try:
            self.metrics.write()
        except OSError as error:  # a full disk: the gates notice that nothing is told any more
            complain(f"metrics: {error}")

    def does(self, what, step):
        """That backups fail is no reason not to look at those that there are, and the other way round."""
        try:
            step()
            return True
        except Exception as error:  # such as a full disk, or an answer that nobody thought of: a look always tells
            if not isinstance(error, (Failure, OSError)):
                error = Failure(f"{type(error).__name__}: {error}")
            complain(f"{what}: {error}")
            self.metrics.fail(what, error)
            return False
        finally:
            self.metrics.set("running", None)

    def begin(self):
        """What comes takes long, in which nothing else is told."""
        self.metrics.set("running", 1)
        self.tell()
