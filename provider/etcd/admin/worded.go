package admin

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// ofCluster are inputs of an EtcdCluster by those of its gates that have another path. There is none for what the
// reason says of a volume.
var ofCluster = map[string]string{"version": "etcd.version", "authority": "ca", "data": ""}

// InProgram tells problems of a cluster's gate by the inputs of the cluster.
func (Health) InProgram(resource urn.URN, problem check.Problem) check.Problem {
	if !running.InCluster(resource) {
		return problem
	}
	return problem.By(ofCluster, "members")
}
