package change

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// InProgram leaves out the path: no input of a server is called data, and the reason names the volume.
func (Data) InProgram(resource urn.URN, problem check.Problem) check.Problem {
	return withoutPath(resource, problem)
}

// InProgram leaves out the path: the reason begins with that of the server.
func (Machine) InProgram(resource urn.URN, problem check.Problem) check.Problem {
	return withoutPath(resource, problem)
}

// withoutPath leaves out the path of what a component has made.
func withoutPath(resource urn.URN, problem check.Problem) check.Problem {
	if running.InComponent(resource) {
		problem.Path = ""
	}
	return problem
}
