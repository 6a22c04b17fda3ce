package backup

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Config is what a node has to do with backups.
type Config struct {
	Backup  *Settings
	Restore *Restore
	Follows *Source // what the cluster is a standby of
	Streams bool    // it also has the addresses of that

	Node, API, CAFile, CertFile, KeyFile string // of Patroni
	User, Volume, DataDir                string
	Cluster                              string // tells the cluster from others, the same on each node
}

const (
	directory   = host.BackupDirectory
	programConf = host.BackupConf
	conf        = directory + "/pgbackrest.conf"
	restoreConf = directory + "/restore.conf"
	sourceConf  = directory + "/source.conf"
	caFile      = directory + "/s3-ca.crt"
	restoreCA   = directory + "/restore-s3-ca.crt"
	sourceCA    = directory + "/source-s3-ca.crt"
	program     = host.BackupProgram
	walProgram  = host.Library + "/quorum-wal"
	follow      = host.Library + "/quorum-follow"
	installed   = "/usr/lib/postgresql"
)

//go:embed quorum_backup/*.py
var modules embed.FS

var programText = sync.OnceValue(func() string { return guest.Assemble(guest.Modules(modules, "quorum_backup"), guest.Backup) })

//go:embed quorum-wal
var walText string

//go:embed quorum-follow
var followText string

// own has what is kept of backups beside PostgreSQL's data: the queue of WAL, and what a drill restores.
func (c Config) own() string { return c.Volume + "/quorum-backup" }

// followed has the same of the source of a standby cluster.
func (c Config) followed() string { return c.own() + "/source" }

// State is what backups need on the node's machine. Without any it is nothing.
func (c Config) State() (guest.State, error) {
	var s guest.State
	if c.Backup == nil && c.Restore == nil && c.Follows == nil {
		return s, nil
	}
	s.Packages = []guest.Package{{Name: "pgbackrest", Provides: []string{"/usr/bin/pgbackrest"}}}
	s.Directories = []guest.Directory{
		{Path: directory, Owner: "root", Group: c.User, Mode: "0750"},
		{Path: c.own(), Owner: c.User, Group: c.User, Mode: "0755"},
	}
	own, err := c.programConf()
	if err != nil {
		return s, err
	}
	s.Files = []guest.File{guest.Public(programConf, own), guest.Program(program, programText())} // no secret is in it
	if r := c.Restore; r != nil {
		s.Files = append(s.Files, guest.Private(restoreConf, c.User, c.pgbackrest(r.S3, r.EncryptionKey, r.Stanza, restoreCA, c.own())))
		s.Files = append(s.Files, authority(r.S3, restoreCA)...)
	}
	if b := c.Backup; b != nil {
		s.Files = append(s.Files, guest.Private(conf, c.User, c.pgbackrest(b.S3, *b.EncryptionKey, *b.Stanza, caFile, c.own(), c.ownLines()...)))
		s.Files = append(s.Files, authority(b.S3, caFile)...)
	}
	if f := c.Follows; f != nil {
		s.Directories = append(s.Directories, guest.Directory{Path: c.followed(), Owner: c.User, Group: c.User, Mode: "0755"})
		s.Files = append(s.Files, guest.Private(sourceConf, c.User, c.pgbackrest(f.S3, f.EncryptionKey, f.Stanza, sourceCA, c.followed())))
		s.Files = append(append(s.Files, authority(f.S3, sourceCA)...), guest.Program(follow, guest.Terse(followText)))
	}
	if c.Backup != nil || c.Follows != nil {
		s.Files = append(s.Files, guest.Program(walProgram, guest.Terse(walText)))
	}
	return s, c.backups().Add(&s)
}

func authority(store host.S3, path string) []guest.File {
	if store.CACert == nil {
		return nil
	}
	return []guest.File{guest.Public(path, *store.CACert)}
}

// backups are what looks every few minutes whether one is due, or how a restore goes.
func (c Config) backups() host.Backups {
	b := host.Backups{
		Of: "PostgreSQL", Documentation: "https://pgbackrest.org/user-guide.html", After: "patroni.service", User: c.User, Directory: c.own(),
		Restores: c.Restore != nil || c.Follows != nil, GeneratesCode: true,
	}
	if c.Backup != nil {
		b.RestartOn, b.Schedules = []string{conf}, c.Backup.Drill.Schedules(*c.Backup.FullSchedule, *c.Backup.DifferentialSchedule)
	}
	return b
}

// pgbackrest is a configuration of pgBackRest: https://pgbackrest.org/configuration.html
func (c Config) pgbackrest(store host.S3, key, stanza, ca, directory string, more ...string) string {
	host, port := store.Address()
	lines := []string{
		"[global]",
		"repo1-type=s3",
		"repo1-path=" + store.Directory(),
		"repo1-s3-endpoint=" + host,
		"repo1-storage-port=" + port,
		"repo1-s3-bucket=" + store.Bucket,
		"repo1-s3-region=" + *store.Region,
		"repo1-s3-uri-style=" + string(*store.URIStyle),
		"repo1-s3-key=" + store.AccessKey,
		"repo1-s3-key-secret=" + store.SecretKey,
		"repo1-cipher-type=aes-256-cbc",
		"repo1-cipher-pass=" + key,
		"spool-path=" + directory + "/spool",
		"lock-path=" + directory + "/lock",
		"log-level-file=off",
		"log-level-console=warn",
		"process-max=2",
		"archive-async=y",
	}
	if store.CACert != nil {
		lines = append(lines, "repo1-storage-ca-file="+ca)
	}
	lines = append(append(lines, more...), "", "["+stanza+"]", "pg1-path="+c.DataDir, "")
	return strings.Join(lines, "\n")
}

// ownLines are those for what the cluster itself writes.
func (c Config) ownLines() []string {
	lines := []string{
		fmt.Sprintf("repo1-retention-full=%d", *c.Backup.RetentionFull),
		"repo1-bundle=y",
		"compress-type=zst",
		"start-fast=y",
	}
	if most := c.Backup.ArchivePushQueueMax; most != nil { // else quorum-wal says it, by the room that there is
		lines = append(lines, fmt.Sprintf("archive-push-queue-max=%d", cmp.Or(*most, noLimit)))
	}
	return lines
}

// programConf is what quorum-backup reads.
func (c Config) programConf() (string, error) {
	values := map[string]any{
		"conf": "", "stanza": "", "full": "", "differential": "", "drill": "", "restore": nil,
		"dataDir": c.DataDir, "directory": c.own(), "installed": installed,
		"node": c.Node, "api": c.API, "caFile": c.CAFile, "certFile": c.CertFile, "keyFile": c.KeyFile,
	}
	if b := c.Backup; b != nil {
		values["conf"], values["stanza"], values["id"] = conf, *b.Stanza, ID(b.Access(), *b.EncryptionKey, *b.Stanza)
		values["full"], values["differential"], values["drill"] = *b.FullSchedule, *b.DifferentialSchedule, b.Drill.When()
	}
	if r := c.Restore; r != nil {
		kind, target := r.Target.kind()
		restore := map[string]any{"conf": restoreConf, "stanza": r.Stanza, "set": r.Set, "type": kind, "target": target}
		if r.Target != nil {
			restore["exclusive"], restore["timeline"] = *r.Target.Exclusive, *r.Target.Timeline
		}
		values["restore"], values["cluster"] = restore, c.Cluster
	}
	if f := c.Follows; f != nil {
		values["restore"] = map[string]any{"conf": sourceConf, "stanza": f.Stanza, "type": "standby", "streams": c.Streams}
		values["cluster"] = c.Cluster
	}
	b, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		return "", fmt.Errorf("marshal %s: %w", programConf, err)
	}
	return string(b) + "\n", nil
}
