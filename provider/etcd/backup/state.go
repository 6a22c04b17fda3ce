package backup

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Config is what a member has to do with backups.
type Config struct {
	Backup  *Settings
	Restore *Restore
	Chosen  string // when it was decided to restore: the newest snapshot until then is the one

	Root Root // who makes and judges snapshots

	User, Volume, Conf, Programs string // of etcd
}

// Root is etcd's user root, by certificate or by password.
type Root struct{ Cert, Key, Password string }

const (
	directory        = host.BackupDirectory
	repository       = directory + "/s3.json"
	source           = directory + "/restore-s3.json"
	repositoryCAFile = directory + "/s3-ca.crt"
	sourceCAFile     = directory + "/restore-s3-ca.crt"
	rootCert         = directory + "/root.crt"
	rootKey          = directory + "/root.key"
	rootPassword     = directory + "/root-password"
)

//go:embed quorum_backup/*.py
var modules embed.FS

var programText = sync.OnceValue(func() string { return guest.Assemble(guest.Modules(modules, "quorum_backup"), guest.Backup) })

// own has what is kept of backups beside etcd's data.
func (c Config) own() string { return c.Volume + "/quorum-backup" }

// State is what backups need on the member's machine. Without backups and a restore it is nothing.
func (c Config) State() (guest.State, error) {
	var s guest.State
	if c.Backup == nil && c.Restore == nil {
		return s, nil
	}
	s.Packages = []guest.Package{{Name: "restic", Provides: []string{"/usr/bin/restic"}}}
	s.Directories = []guest.Directory{
		{Path: directory, Owner: "root", Group: c.User, Mode: "0750"},
		{Path: c.own(), Owner: c.User, Group: c.User, Mode: "0755"},
	}
	s.Files = []guest.File{guest.Program(host.BackupProgram, programText())}
	secrets := map[string]string{rootCert: c.Root.Cert, rootKey: c.Root.Key, rootPassword: c.Root.Password}
	for _, path := range []string{rootCert, rootKey, rootPassword} {
		if secrets[path] != "" {
			s.Files = append(s.Files, guest.Private(path, c.User, secrets[path]))
		}
	}
	conf := map[string]any{
		"conf": c.Conf, "etcd": c.Programs, "library": host.Library, "directory": c.own(), "root": c.root(),
		"repository": nil, "schedule": "", "drill": "", "retention": nil, "restore": nil,
	}
	if r := c.Restore; r != nil {
		if err := add(&s, r.S3, r.EncryptionKey, c.User, source, sourceCAFile); err != nil {
			return s, err
		}
		until := c.Chosen
		if at, err := check.ParseMoment(cmp.Or(ptr.Value(r.Time), "-")); err == nil {
			until = at.UTC().Format(time.RFC3339)
		}
		conf["restore"] = map[string]any{"repository": source, "snapshot": r.Snapshot, "until": until, "dropPatroniLocks": *r.DropPatroniLocks}
	}
	if b := c.Backup; b != nil {
		if err := add(&s, b.S3, *b.EncryptionKey, c.User, repository, repositoryCAFile); err != nil {
			return s, err
		}
		keep := b.Retention.WithDefaults()
		conf["repository"], conf["id"] = repository, b.Repository()
		conf["schedule"], conf["drill"] = *b.Schedule, b.Drill.When()
		conf["retention"] = map[string]int{"last": *keep.Last, "daily": *keep.Daily, "weekly": *keep.Weekly}
	}
	text, err := marshal(conf)
	if err != nil {
		return s, err
	}
	s.Files = append(s.Files, guest.Public(host.BackupConf, text)) // no secret is in it
	return s, c.backups().Add(&s)
}

// backups are what looks every few minutes whether one is due, also while etcd waits for a restore.
func (c Config) backups() host.Backups {
	b := host.Backups{
		Of: "etcd", Documentation: "https://restic.readthedocs.io/", User: c.User, Directory: c.own(),
		Restores: c.Restore != nil,
	}
	if c.Backup != nil {
		b.RestartOn, b.Schedules = []string{repository}, c.Backup.Drill.Schedules(*c.Backup.Schedule)
	}
	return b
}

// root says where the identity of etcd's root is.
func (c Config) root() map[string]string {
	if c.Root.Key != "" {
		return map[string]string{"certFile": rootCert, "keyFile": rootKey}
	}
	return map[string]string{"passwordFile": rootPassword}
}

// add adds how a repository is reached, and read.
func add(s *guest.State, store host.S3, key, user, path, caFile string) error {
	name, port := store.Address()
	conf := map[string]any{
		"url":       "s3:https://" + net.JoinHostPort(name, port) + "/" + store.Bucket + store.Directory(),
		"style":     *store.URIStyle,
		"region":    *store.Region,
		"accessKey": store.AccessKey,
		"secretKey": store.SecretKey,
		"key":       key,
		"caFile":    nil,
	}
	if store.CACert != nil {
		conf["caFile"] = caFile
		s.Files = append(s.Files, guest.Public(caFile, *store.CACert))
	}
	text, err := marshal(conf)
	s.Files = append(s.Files, guest.Private(path, user, text))
	return err
}

func marshal(conf map[string]any) (string, error) {
	b, err := json.MarshalIndent(conf, "", "  ")
	if err != nil {
		return "", fmt.Errorf("marshal the configuration of quorum-backup: %w", err)
	}
	return string(b) + "\n", nil
}
