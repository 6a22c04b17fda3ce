package provider

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/state"
	"github.com/pulumi-quorum/pulumi-quorum/provider/substrate/libvirt"
)

// documents are what cloud-init reads.
type documents struct{ user, meta, network, rebuild string }

// makeMachine makes the machine of a component. What it is to be is rendered
// in one go, once all of its inputs and the certificates are there.
func makeMachine[A any](
	ctx *pulumi.Context, name string, in inputs.Inputs[A], h hostArgs, certs pulumi.StringMap,
	render func(certs map[string]string) (state.State, error), opts []pulumi.ResourceOption,
) (machine.Machine, error) {
	all := inputs.Render(in, certs, notOnTheMachine, func(certs map[string]string) (any, error) {
		s, err := render(certs)
		if err != nil {
			return nil, err
		}
		return h.documents(s)
	})
	part := func(of func(documents) string) pulumi.StringOutput {
		return all.ApplyT(func(v any) string { return of(v.(documents)) }).(pulumi.StringOutput)
	}
	var substrate machine.Substrate = libvirt.Substrate{Config: *h.libvirt, Inputs: machine.Under(in, "libvirt")}
	return substrate.Make(ctx, name, machine.Spec{
		Name:          h.name,
		UserData:      part(func(d documents) string { return d.user }),
		MetaData:      part(func(d documents) string { return d.meta }),
		NetworkConfig: part(func(d documents) string { return d.network }),
		// Short hashes of long secrets tell nothing, and name what the user sees.
		Content: unsecret(part(func(d documents) string { return state.Hash(d.user, d.meta, d.network) })),
		Rebuild: unsecret(part(func(d documents) string { return d.rebuild })),
	}, opts...)
}

// notOnTheMachine are inputs that the documents do not depend on. They come
// from other resources, and are unknown while these are being replaced.
var notOnTheMachine = []string{
	"libvirt.uri", "libvirt.volumeId", "libvirt.volume", "libvirt.dataVolumeId", "libvirt.dataVolume",
	"libvirt.cloudInitVolumePool", "libvirt.cloudInitVolumeName", "ca",
}

func (h hostArgs) documents(s state.State) (d documents, err error) {
	user, err := host.UserData(h.name, h.admin)
	if err != nil {
		return d, err
	}
	before, err := user.Marshal()
	if err != nil {
		return d, err
	}
	if d.network, err = cloudinit.NetworkConfig(h.libvirt.Interfaces(h.name)); err != nil {
		return d, err
	}
	// All but the state is taken up only by a fresh machine.
	d.rebuild = state.Hash(before, d.network)
	if d.meta, err = cloudinit.MetaData(h.name+"-"+d.rebuild, h.name); err != nil {
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
