package admin

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// orFromEnvironment fills in the connection of a resource that is being imported.
// shown is the connection without secrets, since the inputs of an import become a
// program, in clear.
func orFromEnvironment(c *host.EtcdConnection) (shown host.EtcdConnection, err error) {
	if len(c.Endpoints) > 0 {
		return *c, nil
	}
	*c, err = FromEnvironment()
	return Shown(*c), err
}

// Shown is a connection without what is secret.
func Shown(c host.EtcdConnection) host.EtcdConnection {
	c.ClientKey, c.Password = nil, nil
	return c
}
