package host

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

var (
	_ infer.Annotated         = (*Fluentbit)(nil)
	_ infer.Annotated         = (*Forward)(nil)
	_ infer.Annotated         = (*Metrics)(nil)
	_ infer.Annotated         = (*Buffer)(nil)
	_ infer.Annotated         = (*DynamicConfig)(nil)
	_ infer.Enum[StorageType] = StorageType("")
)

// Annotate describes f.
func (f *Fluentbit) Annotate(a infer.Annotator) {
	a.SetToken("index", "Fluentbit")
	a.Describe(&f, "Forwards the journals of the machine's services by Fluent Bit. Needs `forward`, `dynamicConfig` or both. The package comes from Fluent Bit's own apt repository, whose signing key is checked.")
	a.Describe(&f.Tags, "Tag of each service's log, by the service's name. A service that is not named here has its own name as tag.")
	a.Describe(&f.Forward, "The fluentd or Fluent Bit that takes the logs.")
	a.Describe(&f.Metrics, "Serves Fluent Bit's metrics, in clear, on the first address of the machine.")
	a.Describe(&f.Buffer, "How logs wait that cannot be sent at once.")
	a.Describe(&f.DynamicConfig, "Takes Fluent Bit's configuration from etcd, and follows its changes.")
}

// Annotate describes f.
func (f *Forward) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitForward")
	a.Describe(&f, "A fluentd or Fluent Bit that takes logs by the forward protocol over TLS.")
	a.Describe(&f.Domain, "Host name or address of the receiver, which its certificate must name. An address needs Fluent Bit 5.0.6 or later.")
	a.Describe(&f.Port, "Port of the receiver.")
	a.Describe(&f.Hostname, "Name under which the machine presents itself. Defaults to the machine's name.")
	a.Describe(&f.SharedKey, "Key that the receiver shares with its clients.")
	a.Describe(&f.CACert, "Certificate, PEM, of the authority that signs the receiver's certificate.")
}

// Annotate describes m.
func (m *Metrics) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitMetrics")
	a.Describe(&m, "Fluent Bit's own HTTP server.")
	a.Describe(&m.Port, "Port of Fluent Bit's HTTP server.")
	a.SetDefault(&m.Port, ports.FluentBit)
}

// Annotate describes b.
func (b *Buffer) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitBuffer")
	a.Describe(&b, "How logs wait that cannot be sent at once: https://docs.fluentbit.io/manual/administration/buffering-and-storage")
	a.Describe(&b.StorageType, "Where they wait: `memory` or `filesystem`.")
	a.SetDefault(&b.StorageType, defaultStorageType)
	a.Describe(&b.MemBufLimit, "Memory for each service's log, like 10MB, with `storageType: memory`. When it is full, the rest waits in the journal.")
	a.SetDefault(&b.MemBufLimit, defaultMemBufLimit)
	a.Describe(&b.StorageTotalLimitSize, "Disk space for all that waits, like 1GB, with `storageType: filesystem`; the oldest goes first. No limit without it.")
	a.Describe(&b.RetryLimit, "How often to try to send a chunk before it is dropped. No limit without it. A stop of Fluent Bit may use up five tries, and so drop what waits on disk too.")
}

// Annotate describes d.
func (d *DynamicConfig) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitDynamicConfig")
	a.Describe(&d, "Configuration of Fluent Bit kept in etcd: the key `<keyPrefix>index.conf` is included by the main file, and may include its neighbours and the default files in /etc/fluent-bit-customization/default-config. A change is taken if `fluent-bit --dry-run` accepts all files together. What only shows at a start, like a path that is missing, stops forwarding until etcd has better; meanwhile the logs wait in the journal.")
	a.Describe(&d.Etcd, "The cluster that holds it.")
	a.Describe(&d.KeyPrefix, "Prefix of the keys, beginning with /. What follows it is the path of a file below /etc/fluent-bit-customization/dynamic-config.")
}

// Values lists the storage types.
func (StorageType) Values() []infer.EnumValue[StorageType] {
	return []infer.EnumValue[StorageType]{
		{Name: "Memory", Value: Memory, Description: "In memory."},
		{Name: "Filesystem", Value: Filesystem, Description: "On disk, so that they survive a restart."},
	}
}
