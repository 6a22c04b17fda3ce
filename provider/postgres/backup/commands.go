package backup

import "fmt"

// What PostgreSQL and Patroni run.

// ArchiveCommand is PostgreSQL's archive_command, which puts one file of WAL into the repository.
func (c Config) ArchiveCommand() string {
	return wal("push", conf, *c.Backup.Stanza, c.own(), `"%p"`)
}

// RestoreCommand is PostgreSQL's restore_command, by which a standby gets WAL that the leader has no more.
func (c Config) RestoreCommand() string {
	return wal("get", conf, *c.Backup.Stanza, c.own(), `%f "%p"`)
}

// FollowCommand is that of the leader of a standby cluster, by which it gets the source's WAL.
func (c Config) FollowCommand() string {
	return wal("get", sourceConf, c.Follows.Stanza, c.followed(), `%f "%p"`)
}

func wal(verb, conf, stanza, directory, files string) string {
	return fmt.Sprintf("%s %s %s %s %s %s", walProgram, verb, conf, stanza, directory, files)
}

// CopyCommand has Patroni make the leader of a standby cluster from the source's backups.
func (c Config) CopyCommand() string {
	return fmt.Sprintf("%s %s %s %s", copyProgram, sourceConf, c.Follows.Stanza, c.DataDir)
}

// StandbyCommand has Patroni make a standby from the repository.
func (Config) StandbyCommand() string { return program + " standby " + programConf }

// FoundCommand has Patroni found the cluster from a backup.
func (Config) FoundCommand() string { return program + " found " + programConf }
