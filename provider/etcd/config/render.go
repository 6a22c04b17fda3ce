package config

import (
	"fmt"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// DataVolume is where the data volume is mounted, if there is one.
const DataVolume = "/var/lib/etcd"

const (
	dataDir  = DataVolume + "/data" // below the mount, which has a lost+found that etcd would not take
	confFile = "/etc/etcd/conf.yml"
	caFile   = "/etc/etcd/tls/ca.crt"
	certFile = "/etc/etcd/tls/server.crt"
	keyFile  = "/etc/etcd/tls/server.key"
)

// peerName is what a certificate must be for to be taken for a peer's, beside the authority
// that signed it: without that, every client would be one. Certificates of members are for
// it since their health is asked there; those of clients have no address. So a cluster needs
// no other certificates to require it, and its members can do so one after the other.
const peerName = loopback

const loopback = "127.0.0.1"

// conf is etcd's configuration file:
// https://github.com/etcd-io/etcd/blob/v3.5.21/etcd.conf.yml.sample
type conf struct {
	Name                    string   `yaml:"name"`
	DataDir                 string   `yaml:"data-dir"`
	HeartbeatInterval       int      `yaml:"heartbeat-interval"`
	ElectionTimeout         int      `yaml:"election-timeout"`
	QuotaBackendBytes       int      `yaml:"quota-backend-bytes"`
	AutoCompactionMode      string   `yaml:"auto-compaction-mode"`
	AutoCompactionRetention string   `yaml:"auto-compaction-retention"`
	EnableGRPCGateway       bool     `yaml:"enable-grpc-gateway"`
	ListenPeerURLs          string   `yaml:"listen-peer-urls"`
	ListenClientURLs        string   `yaml:"listen-client-urls"`
	AdvertisePeerURLs       string   `yaml:"initial-advertise-peer-urls"`
	AdvertiseClientURLs     string   `yaml:"advertise-client-urls"`
	PeerSecurity            security `yaml:"peer-transport-security"`
	ClientSecurity          security `yaml:"client-transport-security"`

	integrity `yaml:",inline"`
	*initial  `yaml:",inline"`
}

// integrity has members compare their data: each one before it serves, the leader with the
// others once a minute for what was compacted, and twice a day for all. 3.6 takes these
// names as well as its own: https://etcd.io/docs/v3.5/op-guide/data_corruption/
type integrity struct {
	InitialCorruptCheck     bool  `yaml:"experimental-initial-corrupt-check"`
	CompactHashCheckEnabled bool  `yaml:"experimental-compact-hash-check-enabled"`
	CorruptCheckTime        int64 `yaml:"experimental-corrupt-check-time"` // in nanoseconds
}

// initial is what etcd reads only when it starts without data.
type initial struct {
	Cluster string `yaml:"initial-cluster"`
	Token   string `yaml:"initial-cluster-token"`
	State   string `yaml:"initial-cluster-state"`
}

type security struct {
	CertFile       string `yaml:"cert-file"`
	KeyFile        string `yaml:"key-file"`
	ClientCertAuth bool   `yaml:"client-cert-auth"`
	TrustedCAFile  string `yaml:"trusted-ca-file,omitempty"`

	AllowedHostname []string `yaml:"allowed-hostname,omitempty"`
}

// conf gives the configuration file, and beside it the part of it whose
// change is worth a restart.
func (c Config) conf() (whole, lasting string, err error) {
	ip := c.IPs[0]
	f := conf{
		Name:                    c.Name,
		DataDir:                 dataDir,
		HeartbeatInterval:       *c.Etcd.HeartbeatInterval,
		ElectionTimeout:         *c.Etcd.ElectionTimeout,
		QuotaBackendBytes:       *c.Etcd.SpaceQuota,
		AutoCompactionMode:      string(*c.Etcd.AutoCompactionMode),
		AutoCompactionRetention: *c.Etcd.AutoCompactionRetention,
		EnableGRPCGateway:       *c.Etcd.GRPCGatewayEnabled,
		ListenPeerURLs:          url(ip, ports.EtcdPeer),
		ListenClientURLs:        url(ip, ports.EtcdClient) + "," + url(loopback, ports.EtcdClient),
		AdvertisePeerURLs:       url(ip, ports.EtcdPeer),
		AdvertiseClientURLs:     url(ip, ports.EtcdClient),
		PeerSecurity:            security{certFile, keyFile, true, caFile, []string{peerName}},
		ClientSecurity:          security{CertFile: certFile, KeyFile: keyFile},
		integrity:               integrity{true, c.Etcd.comparesCompacted(), (12 * time.Hour).Nanoseconds()},
	}
	if c.certAuth() {
		f.ClientSecurity.ClientCertAuth, f.ClientSecurity.TrustedCAFile = true, caFile
	}
	if lasting, err = marshal(f); err != nil {
		return "", "", err
	}
	var members []string
	for _, m := range c.Cluster.InitialMembers {
		members = append(members, m.Name+"="+url(m.IP, ports.EtcdPeer))
	}
	f.initial = &initial{strings.Join(members, ","), *c.Cluster.InitialToken, string(*c.Cluster.InitialState)}
	whole, err = marshal(f)
	return whole, lasting, err
}

func marshal(f conf) (string, error) {
	b, err := yaml.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("marshal %s: %w", confFile, err)
	}
	return string(b), nil
}

func url(ip string, port int) string {
	return "https://" + ports.At(ip, port)
}
