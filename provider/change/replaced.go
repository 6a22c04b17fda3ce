package change

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// found is what the state has of a MachineChange, noted by its URN. One that --replace names with the rest of its
// machine is created anew and not told what was before; but the engine asks what the end of the machine means for it.
type found struct{ *MachineArgs }

func noteFound(ctx context.Context, before property.Map) MachineArgs {
	was := MachineArgs{
		Effects: texts(before, "effects"), Machine: text(before, "machine"), Cluster: text(before, "cluster"), Data: text(before, "data"),
		Volume: text(before, "volume"), MachineID: text(before, "machineId"), DataID: text(before, "dataId"),
		Settings: texts(before, "settings"), SecretSettings: texts(before, "secretSettings"),
	}
	if list := before.Get("restartSettings"); list.IsArray() {
		for _, v := range list.AsArray().All {
			was.RestartSettings = append(was.RestartSettings, v.AsString())
		}
	}
	running.Note(ctx, string(running.URN(ctx)), func(now *found) { now.MachineArgs = &was })
	return was
}

func text(of property.Map, key string) *string {
	if v := of.Get(key); v.IsString() {
		is := v.AsString()
		return &is
	}
	return nil
}

func texts(of property.Map, key string) map[string]string {
	if !of.Get(key).IsMap() {
		return nil
	}
	all := map[string]string{}
	for key, v := range of.Get(key).AsMap().All {
		switch {
		case v.IsString():
			all[key] = v.AsString()
		case v.IsComputed():
			all[key] = ""
		}
	}
	return all
}
