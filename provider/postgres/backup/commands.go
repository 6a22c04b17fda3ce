package backup

import "fmt"

// What PostgreSQL and Patroni run.

// ArchiveCommand is PostgreSQL's archive_command, which puts one file of WAL into the repository.
func (c Config) ArchiveCommand() string { return c.wal("push", `"%p"`) }

// RestoreCommand is PostgreSQL's restore_command, by which a standby gets WAL that the leader has no more.
func (c Config) RestoreCommand() string { return c.wal("get", `%f "%p"`) }

func (c Config) wal(verb, files string) string {
	return fmt.Sprintf("%s %s %s %s %s %s", walProgram, verb, conf, *c.Backup.Stanza, c.own(), files)
}

// StandbyCommand has Patroni make a standby from the repository.
func (Config) StandbyCommand() string { return program + " standby " + programConf }

// FoundCommand has Patroni found the cluster from a backup.
func (Config) FoundCommand() string { return program + " found " + programConf }

// Conf is where pgBackRest's configuration is.
func (Config) Conf() string { return conf }
