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
	a.Describe(&f, "Forwards the journals of the machine's services with Fluent Bit. Requires `forward`, `dynamicConfig` or both. The package comes from Fluent Bit's own apt repository, whose signing key is verified.")
	a.Describe(&f.Tags, "Tag of each service's log, by service: `Tag` of its input `systemd`. Defaults to the service's name.")
	a.Describe(&f.Forward, "The fluentd or Fluent Bit that receives the logs: the output `forward`.")
	a.Describe(&f.Metrics, "Serves Fluent Bit's metrics, without TLS, on the first address of the machine (`HTTP_Server on`).")
	a.Describe(&f.Buffer, "How logs that cannot be sent yet are buffered.")
	a.Describe(&f.DynamicConfig, "Reads Fluent Bit's configuration from etcd, and applies its changes.")
}

// Annotate describes f.
func (f *Forward) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitForward")
	a.Describe(&f, "A fluentd or Fluent Bit that receives logs by the forward protocol over TLS: the output `forward`.")
	a.Describe(&f.Domain, "Host name or address of the receiver, which its certificate must name. An address needs Fluent Bit 5.0.6 or later.")
	a.Describe(&f.Port, "Port of the receiver.")
	a.Describe(&f.Hostname, "`Self_Hostname` of the output: the name that the machine sends to the receiver. Defaults to the machine's name.")
	a.Describe(&f.SharedKey, "`Shared_Key` of the output: the key that the receiver shares with its clients.")
	a.Describe(&f.CACert, "Certificate, PEM, of the authority that signs the receiver's certificate.")
}

// Annotate describes m.
func (m *Metrics) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitMetrics")
	a.Describe(&m, "Fluent Bit's own HTTP server.")
	a.Describe(&m.Port, "Port of Fluent Bit's HTTP server, none that another service of the machine has.")
	a.SetDefault(&m.Port, ports.FluentBit)
}

// Annotate describes b.
func (b *Buffer) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitBuffer")
	a.Describe(&b, "How logs that cannot be sent yet are buffered: https://docs.fluentbit.io/manual/administration/buffering-and-storage")
	a.Describe(&b.StorageType, "Where they are buffered, `storage.type` of the inputs: `memory` or `filesystem`.")
	a.SetDefault(&b.StorageType, defaultStorageType)
	a.Describe(&b.MemBufLimit, "`Mem_Buf_Limit` of the inputs: memory for each service's log, like 10MB, at least 32KB, with `storageType: memory`. When it is full, the rest stays in the journal.")
	a.SetDefault(&b.MemBufLimit, defaultMemBufLimit)
	a.Describe(&b.StorageTotalLimitSize, "`storage.total_limit_size` of the output: disk space for the buffer, like 1GB, at least 32KB, with `storageType: filesystem`; when it is full, the oldest logs are dropped. No limit without it.")
	a.Describe(&b.RetryLimit, "`Retry_Limit` of the output: how often to retry a chunk before it is dropped. No limit without it. A stop of Fluent Bit may use up five retries, and so drop logs that are buffered on disk.")
}

// Annotate describes d.
func (d *DynamicConfig) Annotate(a infer.Annotator) {
	a.SetToken("index", "FluentbitDynamicConfig")
	a.Describe(&d, "Configuration of Fluent Bit kept in etcd: the key `<keyPrefix>index.conf` is included by the main file, and may include its neighbours and the default files in /etc/fluent-bit-customization/default-config. A change is applied if `fluent-bit --dry-run` accepts all files together. An error that Fluent Bit finds only at its start, like a missing path, stops forwarding until it is corrected in etcd; meanwhile the logs stay in the journal.")
	a.Describe(&d.Etcd, "The cluster that has the keys.")
	a.Describe(&d.KeyPrefix, "Prefix of the keys, beginning with /. The rest of a key is the path of a file below /etc/fluent-bit-customization/dynamic-config.")
}

// Values lists the storage types.
func (StorageType) Values() []infer.EnumValue[StorageType] {
	return []infer.EnumValue[StorageType]{
		{Name: "Memory", Value: Memory, Description: "In memory."},
		{Name: "Filesystem", Value: Filesystem, Description: "On disk, so that they survive a restart."},
	}
}
