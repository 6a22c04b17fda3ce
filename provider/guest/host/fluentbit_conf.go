package host

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

//go:embed fluentbit/*
var fluentbitFiles embed.FS

var fluentbitTemplates = template.Must(template.ParseFS(fluentbitFiles, "fluentbit/*.tmpl"))

// fluentbitValues is what the templates of fluent-bit's files are filled with.
type fluentbitValues struct {
	*Fluentbit
	Hostname, IP string
	Buffer       Buffer
	Inputs       []fluentbitInput
	Directory    string // of the default configuration
	Dynamic      string // directory of the configuration from etcd, once it is judged
	Wanted       string // and before
	Mirror       string // directory of quorum-mirror's own files
	Judge        string // program
	Conf         string // Fluent Bit's main file
	Own          string // command
}

type fluentbitInput struct{ Tag, Unit string }

func (f *Fluentbit) values(hostname, ip string, logs []Log) fluentbitValues {
	v := fluentbitValues{
		Fluentbit: f, Hostname: hostname, IP: ip, Directory: fluentbitDefaults, Dynamic: fluentbitDynamic,
		Wanted: fluentbitWanted, Mirror: mirrorConf, Judge: judgePath, Conf: fluentbitConf, Own: dynamic.OwnLine(),
	}
	if f.Buffer != nil {
		v.Buffer = *f.Buffer
	} else {
		storage, limit := defaultStorageType, defaultMemBufLimit
		v.Buffer = Buffer{StorageType: &storage, MemBufLimit: &limit}
	}
	if f.Forward != nil && f.Forward.Hostname != nil {
		v.Hostname = *f.Forward.Hostname
	}
	for _, l := range logs {
		v.Inputs = append(v.Inputs, fluentbitInput{f.tag(l), l.Unit})
	}
	return v
}

// OnDisk reports whether logs wait on disk.
func (v fluentbitValues) OnDisk() bool { return ptr.Value(v.Buffer.StorageType) == Filesystem }

func (v fluentbitValues) fill(name string) (string, error) {
	var b strings.Builder
	if err := fluentbitTemplates.ExecuteTemplate(&b, name+".tmpl", v); err != nil {
		return "", fmt.Errorf("write fluent-bit's %s: %w", name, err)
	}
	return b.String(), nil
}
