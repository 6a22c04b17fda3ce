"""What node exporter tells of backups, and the gates read."""
import os

LOOK, RESTORE = "metrics.prom", "restore.prom"  # of each look, and of a restore
MOST_SAID = 1000  # characters of a reason


class Metrics:
    """The metrics of this machine, which grow while it looks."""

    def __init__(self, config, file=LOOK):
        self.path, self.values = f"{config['directory']}/{file}", {}

    def set(self, name, value, **labels):
        """One without a value is left out."""
        key = metric("quorum_backup_" + name, **labels)
        self.values.pop(key, None)
        if value is not None:
            self.values[key] = value

    def fail(self, of, error):
        self.set("failure", 1, of=of, reason=str(error)[:MOST_SAID], again=str(bool(getattr(error, "again", True))).lower())

    def write(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.writelines(f"{name} {value}\n" for name, value in self.values.items())
        os.chmod(self.path + ".new", 0o644)
        os.replace(self.path + ".new", self.path)


def metric(name, **labels):
    """As https://prometheus.io/docs/instrumenting/exposition_formats/ has it."""
    def quote(text):
        return str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    inner = ",".join(f'{key}="{quote(text)}"' for key, text in labels.items())
    return f"{name}{{{inner}}}" if inner else name
