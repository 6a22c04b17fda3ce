package host

import "github.com/pulumi-quorum/pulumi-quorum/provider/ptr"

// Fluentbit forwards the journals of the machine's services.
type Fluentbit struct {
	Tags          map[string]string `pulumi:"tags,optional"`
	Forward       *Forward          `pulumi:"forward,optional"`
	Metrics       *Metrics          `pulumi:"metrics,optional"`
	Buffer        *Buffer           `pulumi:"buffer,optional"`
	DynamicConfig *DynamicConfig    `pulumi:"dynamicConfig,optional"`
}

// Forward is the fluentd or fluent-bit that takes the logs, over TLS.
type Forward struct {
	Domain    string  `pulumi:"domain"`
	Port      int     `pulumi:"port"`
	Hostname  *string `pulumi:"hostname,optional"`
	SharedKey string  `pulumi:"sharedKey" provider:"secret"`
	CACert    string  `pulumi:"caCert"`
}

// Metrics is fluent-bit's own HTTP server.
type Metrics struct {
	Port *int `pulumi:"port,optional"`
}

// Buffer is where logs wait that cannot be sent at once.
type Buffer struct {
	StorageType           *StorageType `pulumi:"storageType,optional"`
	MemBufLimit           *string      `pulumi:"memBufLimit,optional"`
	StorageTotalLimitSize *string      `pulumi:"storageTotalLimitSize,optional"`
	RetryLimit            *int         `pulumi:"retryLimit,optional"`
}

// StorageType is where fluent-bit buffers.
type StorageType string

// The places to buffer in.
const (
	Memory     StorageType = "memory"
	Filesystem StorageType = "filesystem"
)

// DynamicConfig is a prefix of etcd that holds fluent-bit's configuration.
type DynamicConfig struct {
	Etcd      EtcdConnection `pulumi:"etcd"`
	KeyPrefix string         `pulumi:"keyPrefix"`
}

const (
	defaultStorageType = Memory
	defaultMemBufLimit = "10MB"
)

// tag is the tag of a service's log: its name, unless the user gives another.
func (f *Fluentbit) tag(l Log) string {
	if t, ok := f.Tags[l.Name]; ok {
		return t
	}
	return l.Name
}

// Doors are those of Fluent Bit's own HTTP server.
func (f *Fluentbit) Doors() []Door {
	if f == nil || f.Metrics == nil {
		return nil
	}
	return []Door{{Service: MetricsDoor, Port: ptr.Value(f.Metrics.Port), Protocol: TCP}}
}
