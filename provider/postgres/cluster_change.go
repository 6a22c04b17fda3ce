package postgres

import (
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// params begins the paths of PostgreSQL's parameters.
const params = "postgres.params."

// tellChanges says what an update does to the cluster.
func (r *postgresRoll) tellChanges(ctx *pulumi.Context, last pulumi.Resource) error {
	args, settings := r.in.Args, ptr.Value(r.in.Args.Postgres)
	tells := quorum.ClusterChangeArgs{Members: names(args.Nodes), LoadBalancers: names(args.LoadBalancers), Service: pulumi.String(patroniService)}
	if others := append(external(args.Nodes), external(args.LoadBalancers)...); others != nil {
		tells.External = others
	}
	if ptr.Value(args.ApplyRestarts) {
		first := pulumi.StringMap{}
		for name, standard := range health.NotBelowLeader {
			first[params+name] = pulumi.String(strconv.Itoa(standard))
		}
		tells.LeaderFirstSettings = first
	}
	return server.TellChanges(ctx, r.cluster, tells, r.in.Settings().With(fittingNodes(r.in)),
		restarts(r.in, patroni.Postgres{Version: settings.Version, Extensions: settings.Extensions}, args.Patroni.Scope), last, r.opts)
}

func (m PostgresClusterMachine) name() string { return m.Name }

func names(machines []PostgresClusterMachine) pulumi.StringArray {
	return server.Names(machines, PostgresClusterMachine.name)
}

func external(machines []PostgresClusterMachine) pulumi.StringArray {
	return server.ExternalNames(machines, PostgresClusterMachine.isExternal, PostgresClusterMachine.name)
}

func restartsOfServer(in inputs.Inputs[PostgresServerArgs]) server.Restarts {
	return restarts(in, in.Args.Postgres, in.Args.Patroni.Scope)
}

// restarts are the parameters among the inputs that PostgreSQL takes when it starts, whether their
// values are known or not, and the extensions whose libraries it loads then. Of a map or a list that is
// secret the names are too.
func restarts[A any](in inputs.Inputs[A], postgres patroni.Postgres, scope string) server.Restarts {
	given := map[string]string{}
	for _, settings := range []map[string]string{in.Settings().Plain, in.Settings().Secret} {
		for path := range settings {
			if name, is := strings.CutPrefix(path, params); is {
				given[name] = ""
			}
		}
	}
	paths := patroni.TakenAtStart(given, postgres.Version)
	for i, name := range paths {
		paths[i] = params + name
	}
	paths = append(paths, preloading(in, postgres.Extensions)...)
	restarting := pulumi.ToStringArray(paths).ToStringArrayOutput()
	if !in.Present("postgres.params") || !in.Known("postgres.version") || !in.Known("postgres.extensions") {
		restarting = fault.Apply(pulumi.UnsafeUnknownOutput(nil), func(any) []string { return nil }).(pulumi.StringArrayOutput)
	}
	if _, hidden := in.Settings().Secret["patroni.scope"]; hidden {
		scope = "SCOPE"
	}
	command := inputs.Render(in, nil, inputs.Only("patroni.scope"), func(map[string]string) (any, error) { return patroni.RestartCommand(scope), nil })
	return server.Restarts{
		Settings: restarting,
		Command:  server.Unsecret(fault.Apply(command, func(v any) string { return v.(string) }).(pulumi.StringOutput)).ToStringPtrOutput(),
	}
}

// preloading are the paths of extensions that PostgreSQL loads libraries of.
func preloading[A any](in inputs.Inputs[A], names []string) (paths []string) {
	if _, hidden := in.Settings().Secret["postgres.extensions"]; hidden {
		return []string{"postgres.extensions"}
	}
	for _, name := range patroni.Preloading(names) {
		paths = append(paths, "postgres.extensions["+name+"]")
	}
	return paths
}
