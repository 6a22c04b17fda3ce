package provider

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/state"
	"github.com/pulumi-quorum/pulumi-quorum/provider/substrate/libvirt"
)

// documents are what cloud-init reads.
type documents struct{ user, meta, network string }

// makeMachine makes the machine of a component. What it is to be is rendered
// in one go, once all of its inputs and the certificates are there.
func makeMachine[A any](
	ctx *pulumi.Context, name string, in inputs.Inputs[A], h hostArgs, certs pulumi.StringMap,
	render func(certs map[string]string) (state.State, error), opts []pulumi.ResourceOption,
) (machine.Machine, error) {
	fresh := sync.OnceValues(h.fresh) // the hash of a password takes long
	all := inputs.Render(in, certs, inputs.AllBut(notOnTheMachine...), func(certs map[string]string) (any, error) {
		s, err := render(certs)
		if err != nil {
			return nil, err
		}
		f, err := fresh()
		if err != nil {
			return nil, err
		}
		return h.documents(f, s)
	})
	part := func(of func(documents) string) pulumi.StringOutput {
		return all.ApplyT(func(v any) string { return of(v.(documents)) }).(pulumi.StringOutput)
	}
	// By itself: a preview knows it while other inputs, or a certificate that is being renewed, are unknown.
	rebuild := inputs.Render(in, nil, inputs.Only(onFreshMachines...), func(map[string]string) (any, error) {
		f, err := fresh()
		return f.hash, err
	}).ApplyT(func(v any) string { return v.(string) }).(pulumi.StringOutput)
	var substrate machine.Substrate = libvirt.Substrate{Config: *h.libvirt, Inputs: machine.Under(in, "libvirt")}
	return substrate.Make(ctx, name, machine.Spec{
		Name:          h.name,
		UserData:      part(func(d documents) string { return d.user }),
		MetaData:      part(func(d documents) string { return d.meta }),
		NetworkConfig: part(func(d documents) string { return d.network }),
		// Short hashes of long secrets tell nothing, and name what the user sees.
		Content: unsecret(part(func(d documents) string { return state.Hash(d.user, d.meta, d.network) })),
		Rebuild: unsecret(rebuild),
	}, opts...)
}

// notOnTheMachine are inputs that the documents do not depend on. They come
// from other resources, and are unknown while these are being replaced.
var notOnTheMachine = []string{
	"libvirt.uri", "libvirt.volumeId", "libvirt.volume", "libvirt.dataVolumeId", "libvirt.dataVolume",
	"libvirt.cloudInitVolumePool", "libvirt.cloudInitVolumeName", "ca",
}

// onFreshMachines are the inputs that only a fresh machine takes up.
var onFreshMachines = []string{
	"name", "sshAdminUser", "sshAdminPublicKey", "adminUserPassword", "libvirt.networks", "libvirt.macvtapInterfaces",
}

// fresh is what only a fresh machine takes up: all but the state. The hash
// names it.
type fresh struct {
	user          cloudinit.UserData
	network, hash string
}

func (h hostArgs) fresh() (f fresh, err error) {
	if f.user, err = host.UserData(h.name, h.admin); err != nil {
		return f, err
	}
	text, err := f.user.Marshal()
	if err != nil {
		return f, err
	}
	f.network, err = cloudinit.NetworkConfig(h.libvirt.Interfaces(h.name))
	f.hash = state.Hash(text, f.network)
	return f, err
}

func (h hostArgs) documents(f fresh, s state.State) (d documents, err error) {
	user := f.user
	d.network = f.network
	if d.meta, err = cloudinit.MetaData(h.name+"-"+f.hash, h.name); err != nil {
		return d, err
	}
	if err = host.Deliver(s, &user); err != nil {
		return d, err
	}
	d.user, err = user.Marshal()
	return d, err
}

func unsecret(s pulumi.StringOutput) pulumi.StringOutput {
	return pulumi.Unsecret(s).(pulumi.StringOutput)
}
