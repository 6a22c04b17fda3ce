// Package host configures what all roles share on a machine: its
// administrator, the clock, the metrics exporter and the forwarding of logs.
//
// Nothing here talks to Pulumi or to a network.
package host

// Admin is who may log in: with the key over SSH, with the password on the
// console only.
type Admin struct {
	User      string
	PublicKey string
	Password  string
}

// Artifact is a release to take from elsewhere than from its publisher.
type Artifact struct {
	URL    string `pulumi:"url"`
	SHA256 string `pulumi:"sha256"`
}

// EtcdConnection is how a service reaches an etcd cluster.
type EtcdConnection struct {
	Endpoints  []string `pulumi:"endpoints"`
	CACert     string   `pulumi:"caCert"`
	ClientCert *string  `pulumi:"clientCert,optional"`
	ClientKey  *string  `pulumi:"clientKey,optional" provider:"secret"`
	Username   *string  `pulumi:"username,optional"`
	Password   *string  `pulumi:"password,optional" provider:"secret"`
}

// Log is a service whose journal is forwarded, and the name it has in fluentbit.tags.
type Log struct{ Name, Unit string }

// Logs are the services of every machine whose journals are worth forwarding.
var Logs = []Log{{"nodeExporter", exporter}, {"quorumApply", "quorum-apply.service"}}

// secondsToStart bounds how long a service takes to start.
const secondsToStart = 120
