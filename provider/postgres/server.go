// Package postgres has the machines of PostgreSQL: nodes and load balancers, each by
// itself, and a PostgresCluster of both, which change one after the other behind gates.
//
// What the machines are to be is in patroni and haproxy; what asks a cluster is in
// health.
package postgres

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/pgbouncer"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// PostgresServer is a machine that is a node of a PostgreSQL cluster.
type PostgresServer struct {
	pulumi.ResourceState

	Name        pulumi.StringOutput    `pulumi:"name"`
	IP          pulumi.StringOutput    `pulumi:"ip"`
	Endpoint    pulumi.StringOutput    `pulumi:"endpoint"`
	Pooler      pulumi.StringPtrOutput `pulumi:"poolerEndpoint"`
	APIEndpoint pulumi.StringOutput    `pulumi:"apiEndpoint"`
	CACert      pulumi.StringOutput    `pulumi:"caCert"`
	ServerCert  pulumi.StringOutput    `pulumi:"serverCert"`
	ClientCert  pulumi.StringOutput    `pulumi:"clientCert"`
	ClientKey   pulumi.StringOutput    `pulumi:"clientKey" provider:"secret"`
	MachineID   pulumi.StringOutput    `pulumi:"machineId"`
	Generation  pulumi.StringOutput    `pulumi:"generation"`

	data, drive pulumi.StringOutput // ids of what its data lie on, and of what hands it its settings
	last        []pulumi.Resource   // of its machine
}

// PostgresServerArgs are the inputs of a PostgresServer.
type PostgresServerArgs struct {
	server.ServerArgs

	Artifacts      map[string]host.Artifact `pulumi:"artifacts,optional"`
	Postgres       patroni.Postgres         `pulumi:"postgres"`
	Patroni        patroni.Settings         `pulumi:"patroni"`
	Etcd           host.EtcdConnection      `pulumi:"etcd"`
	TLS            *patroni.TLS             `pulumi:"tls,optional"`
	CA             *server.CA               `pulumi:"ca,optional"`
	TrustedCACerts []string                 `pulumi:"trustedCaCerts,optional"`
	Certificate    *server.Certificate      `pulumi:"certificate,optional"`
	Backup         *backup.Settings         `pulumi:"backup,optional"`
	Restore        *backup.Restore          `pulumi:"restore,optional"`
	StandbyOf      *patroni.Standby         `pulumi:"standbyOf,optional" json:",omitempty"`
	Pooler         *pgbouncer.Settings      `pulumi:"pooler,optional" json:",omitempty"`
	AllowDataLoss  *bool                    `pulumi:"allowDataLoss,optional" json:"-"`
	Joins          *bool                    `pulumi:"joins,optional" json:",omitempty"`
}

const (
	postgresServerToken = "quorum:index:PostgresServer"

	postgresVolume = "postgres_data" // the label that the Terraform modules gave it too
	patroniService = "patroni.service"

	// patroniClient is the name that nodes, and their load balancers, have for
	// each other in Patroni's API.
	patroniClient = "patroni-client"

	// Among the secrets made for a node.
	superuserPassword  = "superuserPassword"
	replicatorPassword = "replicatorPassword"
	etcdPassword       = "etcdPassword"
	backupKey          = "backupEncryptionKey"
	backupStanza       = "backupStanza"
	restoration        = "restoration"
	upgradeFrom        = "upgradeFrom"
)

// postgresLogs are the services whose logs are forwarded. PostgreSQL writes to
// that of Patroni.
var postgresLogs = []host.Log{{Name: "patroni", Unit: patroniService}, {Name: "patroniSettings", Unit: "patroni-settings.service"}}

// poolerLogs are those of its pool.
var poolerLogs = []host.Log{{Name: "pooler", Unit: pgbouncer.Service}}

const (
	postgresDoor = "postgres"
	poolerDoor   = "pooler"
	patroniDoor  = "patroni"
)

// postgresDoors are a node's ports, by the services that the firewall has.
var postgresDoors = []host.Door{
	{Service: postgresDoor, Port: ports.Postgres, Protocol: host.TCP},
	{Service: patroniDoor, Port: ports.Patroni, Protocol: host.TCP, Asked: true},
}

// poolerDoors are those of a pool, by default.
var poolerDoors = []host.Door{{Service: poolerDoor, Port: pgbouncer.DefaultPort, Protocol: host.TCP}}

// logs are those that are forwarded.
func (a PostgresServerArgs) logs() []host.Log {
	if a.Pooler == nil {
		return postgresLogs
	}
	return slices.Concat(postgresLogs, poolerLogs)
}

// doors are the node's ports.
func (a PostgresServerArgs) doors() []host.Door {
	if a.Pooler == nil {
		return postgresDoors
	}
	return slices.Concat(postgresDoors, []host.Door{{Service: poolerDoor, Port: *a.Pooler.Port, Protocol: host.TCP}})
}

var postgresRole = server.Role[PostgresServerArgs, *PostgresServer]{
	Token: postgresServerToken, HasData: true, Certificates: postgresCerts, State: PostgresServerArgs.state, Outputs: (*PostgresServer).outputs, Restarts: restartsOfServer,
	Follows: fittingServer,
}

func NewPostgresServer(ctx *pulumi.Context, name string, in inputs.Inputs[PostgresServerArgs], opts ...pulumi.ResourceOption) (*PostgresServer, error) {
	return postgresRole.New(ctx, name, &PostgresServer{}, in, opts)
}

func (c *PostgresServer) outputs(in inputs.Inputs[PostgresServerArgs], made pulumi.StringMap, m machine.Machine) {
	c.Name = in.RequiredString("name").ToStringOutput()
	c.IP = in.Args.Backend().Addresses(in, "")[0].ToStringOutput()
	c.Endpoint = server.Endpoint(c.IP, ports.Postgres)
	if in.Args.Pooler != nil {
		c.Pooler = fault.Apply(pulumi.All(c.IP, in.RequiredInt("pooler.port")), func(all []any) string {
			return ports.At(all[0].(string), all[1].(int))
		}).(pulumi.StringOutput).ToStringPtrOutput()
	}
	c.APIEndpoint = server.Endpoint(c.IP, ports.Patroni)
	// Certificates are for everybody, also those that came beside a secret key.
	c.CACert = server.Unsecret(made["caCert"].ToStringOutput())
	c.ServerCert = server.Unsecret(made["serverCert"].ToStringOutput())
	c.ClientCert = server.Unsecret(made["clientCert"].ToStringOutput())
	c.ClientKey = pulumi.ToSecret(made["clientKey"]).(pulumi.StringOutput)
	c.MachineID, c.data, c.drive, c.last = m.ID, m.Data, m.Drive, m.Last
	c.Generation = m.Generation
}

// postgresCerts are the certificates of a node: ready-made, or signed.
func postgresCerts(ctx *pulumi.Context, name string, in inputs.Inputs[PostgresServerArgs], opts []pulumi.ResourceOption) (pulumi.StringMap, error) {
	if in.Args.TLS != nil {
		all := pulumi.StringMap{}
		for _, cert := range []string{"caCert", "serverCert", "serverKey", "clientCert", "clientKey"} {
			all[cert] = in.RequiredString("tls." + cert)
		}
		all["caCert"] = server.Trusted(in, all["caCert"])
		return all, nil
	}
	ips := in.Args.Backend().Addresses(in, "")
	serving, err := server.Sign(ctx, name, in, server.Subject{
		CommonName: in.RequiredString("name"),
		IPs:        server.Concat(append(ips, pulumi.String("127.0.0.1")), in.Strings("certificate.extraIps")),
		Domains: server.Concat(pulumi.StringArray{in.RequiredString("name"), pulumi.String("localhost")},
			in.Strings("certificate.domains"), alsoNames(ips)),
		Uses: []string{"server_auth"},
	}, opts...)
	if err != nil {
		return nil, err
	}
	client, err := server.Sign(ctx, name+"-client", in, server.Subject{CommonName: pulumi.String(patroniClient), Uses: []string{"client_auth"}}, opts...)
	return pulumi.StringMap{
		"caCert":     server.Trusted(in, in.RequiredString("ca.cert")),
		"serverCert": serving.Cert, "serverKey": serving.Key,
		"clientCert": client.Cert, "clientKey": client.Key,
	}, err
}

// alsoNames are the addresses that a certificate has among its domain names
// too, where clients of PostgreSQL before 15 look for them.
func alsoNames(ips pulumi.StringArray) pulumi.StringArrayOutput {
	return fault.Apply(ips.ToStringArrayOutput(), func(ips []string) (names []string) {
		for _, ip := range ips {
			if check.DomainName(ip) == "" { // not IPv6
				names = append(names, ip)
			}
		}
		return names
	}).(pulumi.StringArrayOutput)
}

// state is what the node's machine is to be, with what was made for it.
func (a PostgresServerArgs) state(made map[string]string) (guest.State, error) {
	node := a.node()
	node.TLS = patroni.TLS{
		CACert: made["caCert"], ServerCert: made["serverCert"], ServerKey: made["serverKey"],
		ClientCert: made["clientCert"], ClientKey: made["clientKey"],
	}
	if password, has := made[etcdPassword]; has {
		node.Etcd.Password = &password
		node.Postgres.SuperuserPassword, node.Postgres.ReplicatorPassword = made[superuserPassword], made[replicatorPassword]
	}
	if key, has := made[backupKey]; has {
		settings, stanza := *node.Backup, made[backupStanza]
		settings.EncryptionKey, settings.Stanza = &key, &stanza
		node.Backup = &settings
	}
	if a.Restore != nil {
		node.Restoration = made[restoration]
	}
	node.From = made[upgradeFrom]
	role, err := node.State()
	if err != nil {
		return guest.State{}, err
	}
	role.Volumes = a.Backend().Volumes(postgresVolume, patroni.DataVolume)
	if a.Pooler != nil {
		pool, err := pgbouncer.Config{
			IP: node.IPs[0], Pooler: *a.Pooler, Rules: node.PoolRules(), ServerCert: made["serverCert"], ServerKey: made["serverKey"],
		}.State()
		if err != nil {
			return guest.State{}, err
		}
		role.Add(pool)
	}
	settings, err := node.Settings()
	if err != nil {
		return guest.State{}, err
	}
	return a.Run(role, settings, a.logs(), a.doors())
}

func (a PostgresServerArgs) node() patroni.Config {
	c := patroni.Config{
		Name: ptr.Value(a.Name), Postgres: a.Postgres, Patroni: a.Patroni, Etcd: a.Etcd, TLS: ptr.Value(a.TLS), IPs: a.Backend().IPs(),
		Backup: a.Backup, Restore: a.Restore, Standby: a.StandbyOf, Joins: ptr.Value(a.Joins), KeptVolume: a.Backend().HasKeptData(), DataBytes: a.Backend().DataBytes(), MemoryBytes: a.Backend().MemoryBytes(),
	}
	if a.Pooler != nil {
		c.Pool = &patroni.Pool{User: pgbouncer.User, Lookup: pgbouncer.Lookup()}
	}
	return c
}
