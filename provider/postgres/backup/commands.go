package backup

import "fmt"

// What PostgreSQL and Patroni run.

// ArchiveCommand is PostgreSQL's archive_command, which puts one file of WAL into the repository.
func (c Config) ArchiveCommand() string {
	return c.wal("push", `"%p"`)
}

// RestoreCommand is PostgreSQL's restore_command, by which a standby gets WAL that the leader has no more.
func (c Config) RestoreCommand() string {
	return c.wal("get", `%f "%p"`)
}

// FollowCommand is that of the leader of a standby cluster, by which it gets the source's WAL. Patroni gives it to all nodes
// once the first one is handed it, and PostgreSQL ends where the program is not there yet: that is the same as no such WAL.
func (c Config) FollowCommand() string {
	return fmt.Sprintf(`test -x %s && %s %s %s %s %%f "%%p"`, follow, follow, sourceConf, c.Follows.Stanza, c.followed())
}

func (c Config) wal(verb, files string) string {
	return fmt.Sprintf("%s %s %s %s %s %s", walProgram, verb, conf, *c.Backup.Stanza, c.own(), files)
}

// StandbyCommand has Patroni make a standby from the repository.
func (Config) StandbyCommand() string { return program + " standby " + programConf }

// FoundCommand has Patroni found the cluster from a backup, or make the leader of a standby cluster from those of its source.
func (Config) FoundCommand() string { return program + " found " + programConf }

// Conf is where pgBackRest's configuration is.
func (Config) Conf() string { return conf }
