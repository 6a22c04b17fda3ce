package provider

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// etcdIdentity is how a client is etcd's user root: by certificate or by
// password. The one that it is not is absent.
type etcdIdentity struct {
	byCert    bool
	cert, key pulumi.StringPtrOutput
	password  pulumi.StringPtrOutput
	secrets   pulumi.StringMap // for the member that turns authentication on
}

func etcdRoot(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdClusterArgs], ca identity, opts []pulumi.ResourceOption) (etcdIdentity, error) {
	root := etcdIdentity{byCert: in.Args.certAuth(), cert: none(), key: none(), password: none()}
	if !root.byCert {
		made, err := password(ctx, name+"-root-password", in.String("rootPassword"), opts)
		root.password, root.secrets = made.ToStringPtrOutput(), pulumi.StringMap{rootPassword: made}
		return root, err
	}
	id, err := sign(ctx, name+"-root", signedBy(ca, in), subject{
		CommonName: pulumi.String("root"), Uses: []string{"client_auth"},
	}, opts...)
	if err != nil {
		return root, err
	}
	root.cert, root.key = unsecret(id.Cert).ToStringPtrOutput(), id.Key.ToStringPtrOutput()
	return root, nil
}
