"""A standby from the repository: Patroni runs this, and copies the leader's data where it fails."""
from quorum_backup.node import Node
from quorum_backup.recovery import control
from quorum_backup.report import complain, Failure, say
from quorum_backup.repository import Repository
from quorum_backup.restoring import programs


def make_standby(config):
    repository, data = Repository(config["conf"], config["stanza"]), config["dataDir"]
    try:
        info, cluster = repository.info(), Node(config).system_id()
        newest = info and info.newest()
        if not newest or newest["database"]["id"] != info.database:  # before a major upgrade they were other data
            raise Failure("there is no backup yet")
        if info.system_id != cluster:
            raise Failure(f"the backups are of another cluster, {info.system_id}, and not of {cluster}")
        tools = programs(config, info.version)
        say(f"standby: restores {newest['label']}")
        repository.run("restore", "--delta", "--type=standby", f"--pg1-path={data}", f"--lock-path={config['directory']}/lock")
        found = control(tools, data)["Database system identifier"]
        if found != cluster:
            raise Failure(f"the restored data is of another cluster, {found}")
    except Failure as failure:
        complain(f"standby: {failure}; it copies the leader's data instead")
        return 1
    return 0
