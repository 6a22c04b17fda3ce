package server

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// Restarts are the settings of a database whose changes have no effect before it is restarted,
// and how that is done.
type Restarts struct {
	Settings pulumi.StringArrayInput // paths of inputs
	Command  pulumi.StringPtrInput
}

// change is what says what happens to the machine. In a cluster that is said of all at once.
func (p Planned) change(m machine.Machine, effects pulumi.StringMapInput) quorum.MachineChangeArgs {
	args := quorum.MachineChangeArgs{Effects: effects, Machine: p.Name.ToStringPtrOutput(), MachineId: m.ID.ToStringPtrOutput()}
	if p.stored != nil {
		args.DataId = m.Data.ToStringPtrOutput()
	}
	if p.Cluster != "" {
		args.Cluster = pulumi.String(p.Cluster)
		if p.stored != nil {
			args.Data, args.Volume = p.stored.data.ToStringPtrOutput(), p.stored.volume.ToStringPtrOutput()
		}
		return args
	}
	args.Settings, args.SecretSettings = plainTexts(p.settings), secretTexts(p.settings)
	args.RestartSettings, args.RestartCommand = p.restarts.Settings, p.restarts.Command
	return args
}

// stored are the data of a machine: a text that changes when they are lost, what they lie on in
// words, and whether they may be.
type stored struct {
	data, volume pulumi.StringOutput
	allowed      pulumi.BoolPtrInput
}

// guardData registers what refuses that a machine outside of a cluster loses its data, before
// anything happens to it; nil for one without data. In a cluster the first gate does.
func (p Planned) guardData(ctx *pulumi.Context) (pulumi.Resource, error) {
	if p.stored == nil || p.Cluster != "" {
		return nil, nil
	}
	guard := &CustomResource{}
	args := quorum.DataGuardArgs{Machine: p.Name, Data: p.stored.data, Volume: p.stored.volume, AllowDataLoss: p.stored.allowed}
	opts := append(p.children[:len(p.children):len(p.children)], pulumi.Version(version.String()))
	return guard, ctx.RegisterResource("quorum:index:DataGuard", p.name+"-data", args, guard, opts...)
}

// TellChanges registers what says what an update does to a cluster, after its last gate: what did
// not come about is said again.
func TellChanges(
	ctx *pulumi.Context, cluster string, args quorum.ClusterChangeArgs, settings inputs.Settings, restarts Restarts, last pulumi.Resource, opts []pulumi.ResourceOption,
) error {
	args.Settings, args.SecretSettings = plainTexts(settings), secretTexts(settings)
	args.RestartSettings, args.RestartCommand = restarts.Settings, restarts.Command
	return ctx.RegisterResource("quorum:index:ClusterChange", cluster, args, &CustomResource{},
		append(opts[:len(opts):len(opts)], pulumi.Version(version.String()), pulumi.DependsOn([]pulumi.Resource{last}))...)
}

// Names are those of machines, as far as they are known.
func Names[M any](machines []M, of func(M) string) pulumi.StringArray {
	all := pulumi.StringArray{}
	for _, m := range machines {
		if name := of(m); name != "" {
			all = append(all, pulumi.String(name))
		}
	}
	return all
}

func plainTexts(of inputs.Settings) pulumi.StringMap {
	all := pulumi.StringMap{}
	for path, text := range of.Plain {
		all[path] = known(text)
	}
	return all
}

// secretTexts are secret each by itself: a map is unknown as a whole where it is an output.
func secretTexts(of inputs.Settings) pulumi.StringMap {
	all := pulumi.StringMap{}
	for path, hash := range of.Secret {
		all[path] = pulumi.ToSecret(known(hash)).(pulumi.StringOutput)
	}
	return all
}

// known is a setting, as far as it is known.
func known(text string) pulumi.StringInput {
	if text != "" {
		return pulumi.String(text)
	}
	return fault.Apply(pulumi.UnsafeUnknownOutput(nil), func(any) string { return "" }).(pulumi.StringOutput)
}
