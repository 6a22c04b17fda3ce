package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// tellChanges says what an update does to the cluster.
func (r *postgresRoll) tellChanges(ctx *pulumi.Context, last pulumi.Resource) error {
	args, settings := r.in.Args, ptr.Value(r.in.Args.Postgres)
	return server.TellChanges(ctx, r.cluster, quorum.ClusterChangeArgs{
		Members: names(args.Nodes), LoadBalancers: names(args.LoadBalancers), Service: pulumi.String(patroniService),
	}, r.in.Settings(), restarts(r.in, settings.Params, settings.Version, args.Patroni.Scope), last, r.opts)
}

func names(machines []PostgresClusterMachine) pulumi.StringArray {
	all := pulumi.StringArray{}
	for _, m := range machines {
		if m.Name != "" { // else it is not known yet
			all = append(all, pulumi.String(m.Name))
		}
	}
	return all
}

func restartsOfServer(in inputs.Inputs[PostgresServerArgs]) server.Restarts {
	return restarts(in, in.Args.Postgres.Params, in.Args.Postgres.Version, in.Args.Patroni.Scope)
}

// restarts are the parameters among the inputs that PostgreSQL takes when it starts. Of parameters
// that are secret the names are too.
func restarts[A any](in inputs.Inputs[A], params map[string]string, version *string, scope string) server.Restarts {
	names := inputs.Render(in, nil, inputs.Only("postgres.params", "postgres.version"), func(map[string]string) (any, error) {
		paths := []string{}
		for _, name := range patroni.TakenAtStart(params, version) {
			if path := "postgres.params." + name; in.Settings().Plain[path] != "" {
				paths = append(paths, path)
			}
		}
		return paths, nil
	})
	if _, hidden := in.Settings().Secret["patroni.scope"]; hidden {
		scope = "SCOPE"
	}
	command := inputs.Render(in, nil, inputs.Only("patroni.scope"), func(map[string]string) (any, error) { return patroni.RestartCommand(scope), nil })
	return server.Restarts{
		Settings: pulumi.Unsecret(fault.Apply(names, func(v any) []string { return v.([]string) })).(pulumi.StringArrayOutput),
		Command:  server.Unsecret(fault.Apply(command, func(v any) string { return v.(string) }).(pulumi.StringOutput)).ToStringPtrOutput(),
	}
}
