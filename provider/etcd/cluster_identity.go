package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// etcdIdentity is how a client is etcd's user root: by certificate or by
// password. The one that it is not is absent.
type etcdIdentity struct {
	byCert    bool
	cert, key pulumi.StringPtrOutput
	password  pulumi.StringPtrOutput
	secrets   pulumi.StringMap // for the member that turns authentication on
}

func etcdRoot(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdClusterArgs], ca server.Identity, opts []pulumi.ResourceOption) (etcdIdentity, error) {
	root := etcdIdentity{byCert: in.Args.certAuth(), cert: server.Absent(), key: server.Absent(), password: server.Absent()}
	if !root.byCert {
		made, err := server.Password(ctx, name+"-root-password", in.String("rootPassword"), opts)
		root.password, root.secrets = made.ToStringPtrOutput(), pulumi.StringMap{rootPassword: made}
		return root, err
	}
	if in.Args.TLS != nil {
		root.cert, root.key = in.String("tls.rootCert").ToStringPtrOutput(), in.String("tls.rootKey").ToStringPtrOutput()
		return root, nil
	}
	id, err := server.Sign(ctx, name+"-root", server.SignedBy(ca, in), server.Subject{
		CommonName: pulumi.String("root"), Uses: []string{"client_auth"},
	}, opts...)
	if err != nil {
		return root, err
	}
	root.cert, root.key = server.Unsecret(id.Cert).ToStringPtrOutput(), id.Key.ToStringPtrOutput()
	return root, nil
}
