"""PostgreSQL on restored data: a server of its own, which nobody else reaches, until the data is consistent and all wanted WAL is in it."""
import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

from quorum_backup.commands import end_with_parent, run
from quorum_backup.report import Failure, say

POLL, REPORT = 0.5, 30  # seconds between looks, and between lines in the journal
STARTS = 24 * 3600  # for all WAL that there is
STOPS = 600
# What PostgreSQL says when restore_command failed, while a server that was killed has not ended yet, when memory or something else runs out, and where
# a tablespace is to be made: in a drill its place is the one of the data that run, which systemd keeps from it, and it goes on with the next backup.
PASSES = "could not restore file|directory .*(only|exist)|still in use|by signal 9:|memory|oo many|unavailable|No space left|canceling|terminating"
MOST_LOG = 4 << 20
SAFELY = {"PGOPTIONS": "-csearch_path=pg_catalog"}  # whatever the owner of the database has made, it is not run by this superuser


def control(programs, data):
    """What pg_controldata says."""
    done = run([programs + "/pg_controldata", data], 60)
    if done.returncode:
        raise Failure(f"pg_controldata: {done.stderr.strip()}")
    return dict(re.split(r":\s+", line, maxsplit=1) for line in done.stdout.splitlines() if re.search(r":\s+", line))


class Server:
    """PostgreSQL on a directory, with settings of its own: nothing in the data runs, such as subscriptions or scheduled jobs."""

    def __init__(self, programs, data, log, lasting=True, spare=0):
        self.programs, self.data, self.log, self.spare = programs, data, log, spare
        self.settings = {
            "listen_addresses": "", "unix_socket_permissions": "0700", "archive_mode": "off", "hot_standby": "off", "ssl": "off", "jit": "off",
            "logging_collector": "off", "log_destination": "stderr", "log_min_messages": "warning", "autovacuum": "off", "shared_buffers": "64MB",
            # Without a hot standby, recovery needs nothing else as large as it was, and the leader may have come to allow more after the backup.
            "max_prepared_transactions": int(control(programs, data)["max_prepared_xacts setting"]) + 1000,
            "shared_preload_libraries": "", "max_logical_replication_workers": "0", "fsync": "on" if lasting else "off", "synchronous_standby_names": "",
            # How far subscriptions have come, and when transactions were committed, is kept only by a server that has room for it.
            "max_replication_slots": "1000", "track_commit_timestamp": "on",
            **({"max_active_replication_origins": "1000"} if int(programs.split("/")[-2]) > 17 else {}),
        }

    @contextlib.contextmanager
    def running(self):
        """Ends recovery, and then stops the server in an orderly way."""
        with tempfile.TemporaryDirectory(prefix="quorum-") as own, open(self.log, "wb") as log:
            with open(own + "/hba.conf", "w", encoding="utf-8") as file:
                file.write("local all all peer\n")
            for name in ("postgresql.conf", "ident.conf"):
                with open(f"{own}/{name}", "w", encoding="utf-8"):
                    pass
            self.socket = own
            settings = {**self.settings, "unix_socket_directories": own, "config_file": own + "/postgresql.conf",
                        "hba_file": own + "/hba.conf", "ident_file": own + "/ident.conf"}
            command = [self.programs + "/postgres", "-D", self.data, *(f"--{name}={value}" for name, value in settings.items())]
            gone, held = os.pipe()
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent, pass_fds=[held],
                                  env={**os.environ, "LC_ALL": "C"}) as process:
                os.close(held)
                try:
                    self.recovered(process)
                    yield self
                finally:
                    self.stop(process)
                    if process.returncode < 0:
                        self.bury(gone)
                    os.close(gone)

    def recovered(self, process):
        began = told = time.monotonic()
        while self.sql("postgres", "SELECT pg_is_in_recovery()") != "f":
            if process.poll() is not None:
                why = self.why()
                raise Failure(why, again=None if "No space left" in why else process.returncode <= 0 or re.search(PASSES, why) is not None)
            if (free := self.room()) < self.spare:
                raise Failure(f"WAL makes the data larger than the backup was: recovery was ended with {free >> 20} MiB free on the volume", again=None)
            if time.monotonic() - began > STARTS:
                raise Failure(f"recovery has not ended within {STARTS} s")
            if time.monotonic() - told > REPORT:
                told = time.monotonic()
                say(f"recovery goes on: {control(self.programs, self.data).get('Minimum recovery ending location', '')}")
            until = time.monotonic() + POLL
            while time.monotonic() < until and self.room() >= self.spare:
                time.sleep(POLL / 10)

    def room(self):
        return shutil.disk_usage(self.data).free

    def sql(self, database, text):
        """The answer, or None if there is none."""
        done = run([self.programs + "/psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", f"--host={self.socket}", "--set=ON_ERROR_STOP=1",
                    f"--dbname={database}", f"--command={text}"], 3600, SAFELY)
        return done.stdout.strip() if not done.returncode else None

    def came_to(self, last_wal, advice=""):
        """Requires recovery to have come to the last file of the archive, or the one before, where a record may end that goes on: a file that is missing ends it."""
        next_wal = self.sql("postgres", "SELECT pg_walfile_name(pg_last_wal_replay_lsn() + pg_size_bytes(current_setting('wal_segment_size')))")
        if next_wal is None:
            raise Failure("PostgreSQL does not say up to where it has recovered")
        if next_wal and next_wal[8:] < last_wal[8:]:
            raise Failure(f"WAL is missing in the archive: recovery ended before {last_wal[:8]}{next_wal[8:]}, and there is WAL up to {last_wal}{advice}", again=False)

    def why(self):
        """Why PostgreSQL ended, and up to when it had data."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            text = file.read(MOST_LOG)
        fatal = [line for line in re.findall(r"(?:FATAL|PANIC):\s+(.*)", text) if "the database system is" not in line]  # that is for who asks too early
        fatal += [f"restore_command: {line}" for line in re.findall(r"ERROR: \[\d+\]: (.*)", text)[-1:]]
        last = re.findall(r"last completed transaction was at log time (.*)", text)
        reason = "; ".join(dict.fromkeys(fatal)) or "it ended: " + text.strip()[-500:]
        with contextlib.suppress(OSError), open(self.data + "/backup_label", encoding="utf-8") as file:  # which the first record that is read sets aside
            reason += f" (the backup needs WAL from {file.read().split('(file ')[1][:24]} on)"
        return f"PostgreSQL: {reason}" + (f" (the last transaction in the archive is of {last[-1]})" if last else "")

    def stop(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOPS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def bury(self, gone):
        """Of a server that was killed, its processes may write for a moment, and its mark would keep pgBackRest from restoring again."""
        select.select([gone], [], [], STOPS)  # until none has the other end
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.data + "/postmaster.pid")


def forget_recovery(data):
    """Removes how pgBackRest had PostgreSQL recover: it would go on to ask the source for WAL."""
    with contextlib.suppress(FileNotFoundError):
        path = data + "/postgresql.auto.conf"
        with open(path, encoding="utf-8") as file:
            kept = [line for line in file if not re.match(r"\s*(restore_command|recovery_\w+)\s*=|# Recovery settings generated by pgBackRest", line)]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(kept)
    for name in ("recovery.signal", "standby.signal", "backup_label.old", "tablespace_map.old"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{data}/{name}")
