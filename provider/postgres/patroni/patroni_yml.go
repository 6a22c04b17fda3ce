package patroni

import (
	"gopkg.in/yaml.v3"
)

// conf is Patroni's configuration file:
// https://patroni.readthedocs.io/en/latest/yaml_configuration.html
type conf struct {
	Scope      string     `yaml:"scope"`
	Namespace  string     `yaml:"namespace"`
	Name       string     `yaml:"name"`
	RestAPI    restAPI    `yaml:"restapi"`
	Ctl        ctl        `yaml:"ctl"`
	Etcd3      etcd3      `yaml:"etcd3"`
	Bootstrap  bootstrap  `yaml:"bootstrap"`
	Postgresql postgresql `yaml:"postgresql"`
	Watchdog   watchdog   `yaml:"watchdog"`
	Tags       tags       `yaml:"tags"`
}

type restAPI struct {
	Listen         string `yaml:"listen"`
	ConnectAddress string `yaml:"connect_address"`
	CertFile       string `yaml:"certfile"`
	KeyFile        string `yaml:"keyfile"`
	CAFile         string `yaml:"cafile"`
	VerifyClient   string `yaml:"verify_client"`

	Allowlist               []string `yaml:"allowlist,omitempty"`
	AllowlistIncludeMembers bool     `yaml:"allowlist_include_members,omitempty"`
}

// ctl is for patronictl, and for what nodes ask each other.
type ctl struct {
	Insecure bool   `yaml:"insecure"`
	CertFile string `yaml:"certfile"`
	KeyFile  string `yaml:"keyfile"`
	CACert   string `yaml:"cacert"`
}

type etcd3 struct {
	Hosts    []string `yaml:"hosts"`
	Protocol string   `yaml:"protocol"`
	CACert   string   `yaml:"cacert"`
	Cert     string   `yaml:"cert,omitempty"`
	Key      string   `yaml:"key,omitempty"`
	Username text     `yaml:"username,omitempty"`
	Password text     `yaml:"password,omitempty"`
}

type bootstrap struct {
	DCS     dynamic  `yaml:"dcs"`
	InitDB  []any    `yaml:"initdb"`
	PgHBA   []string `yaml:"pg_hba"` // unused beside that of dcs, but Patroni 3.0 misses it
	Method  string   `yaml:"method,omitempty"`
	Restore *command `yaml:"quorum_restore,omitempty"`
	Join    *command `yaml:"quorum_join,omitempty"`
}

// command is what Patroni runs to found a cluster, or to make a standby, in another way than its own.
type command struct {
	Command  string `yaml:"command"`
	KeepData bool   `yaml:"keep_data,omitempty"`
	NoParams bool   `yaml:"no_params"`
	NoLeader bool   `yaml:"no_leader,omitempty"` // it needs none
}

type postgresql struct {
	Listen            string           `yaml:"listen"`
	ConnectAddress    string           `yaml:"connect_address"`
	DataDir           string           `yaml:"data_dir"`
	PgPass            string           `yaml:"pgpass"`
	UseUnixSocket     bool             `yaml:"use_unix_socket"`
	UseUnixSocketRepl bool             `yaml:"use_unix_socket_repl"`
	Parameters        parameters       `yaml:"parameters"`
	Authentication    map[string]login `yaml:"authentication"`

	PgHBA []string `yaml:"pg_hba,omitempty"` // instead of that of dcs

	CreateReplicaMethods []string          `yaml:"create_replica_methods,omitempty"`
	Standby              *command          `yaml:"quorum_standby,omitempty"`
	Copy                 *command          `yaml:"quorum_copy,omitempty"`
	RecoveryConf         map[string]string `yaml:"recovery_conf,omitempty"`
}

// parameters are those that differ from node to node, or name its files.
type parameters struct {
	SSL         string `yaml:"ssl"`
	SSLCertFile string `yaml:"ssl_cert_file"`
	SSLKeyFile  string `yaml:"ssl_key_file"`
	SSLCAFile   string `yaml:"ssl_ca_file"`

	// Those of extensions are here, and not among the settings that nodes share: another node, which has no
	// package of them yet, would not start again.
	SharedPreloadLibraries text `yaml:"shared_preload_libraries,omitempty"`

	ArchiveMode    string `yaml:"archive_mode,omitempty"`
	ArchiveCommand string `yaml:"archive_command,omitempty"`
	ArchiveTimeout string `yaml:"archive_timeout,omitempty"`
}

type login struct {
	Username    string `yaml:"username"`
	Password    text   `yaml:"password"`
	SSLMode     string `yaml:"sslmode"`
	SSLRootCert string `yaml:"sslrootcert"`
	SSLCert     string `yaml:"sslcert"`
	SSLKey      string `yaml:"sslkey"`
}

type watchdog struct {
	Mode         string `yaml:"mode"`
	Device       string `yaml:"device"`
	SafetyMargin int    `yaml:"safety_margin"`
}

type tags struct {
	NoFailover    bool `yaml:"nofailover"`
	NoLoadBalance bool `yaml:"noloadbalance"`
	CloneFrom     bool `yaml:"clonefrom"`
	NoSync        bool `yaml:"nosync"`

	// ClientCert tells the others that this node has a certificate when it logs in to
	// PostgreSQL. Once all nodes say so, they require it of each other.
	ClientCert bool `yaml:"clientcert"`
}

// text is what a user may write as he likes. Patroni's YAML is of version 1.1,
// and takes some plain words, such as =, for something else.
type text string

// MarshalYAML quotes t.
func (t text) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: string(t)}, nil
}
