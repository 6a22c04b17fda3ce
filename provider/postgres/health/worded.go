package health

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// ofCluster are inputs of a PostgresCluster by those of its gates that have another path. There is none for what the
// reason says of a volume.
var ofCluster = map[string]string{
	"plan.version": "postgres.version", "plan.keys": "patroni", "plan.authority": "ca", "plan.data": "", "passwords": "postgres",
	"plan.upgrade": "upgrade", "plan.upgrade.from": "upgrade.from", "plan.upgrade.finish": "upgrade.finish", "synchronousStandbys": "patroni.synchronousSettings.synchronousNodeCount",
}

// InProgram tells problems of a cluster's gate by the inputs of the cluster.
func (Health) InProgram(resource urn.URN, problem check.Problem) check.Problem {
	if !run.InCluster(resource) {
		return problem
	}
	if problem.Path == "passwords" {
		problem.Reason = "passwords " + problem.Reason
	}
	return problem.By(ofCluster, "nodes")
}
