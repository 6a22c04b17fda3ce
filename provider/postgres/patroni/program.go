package patroni

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/upgrade"
)

// programConf is what quorum-patroni reads.
func (c Config) programConf() (string, error) {
	conf := map[string]any{
		"conf":      confFile,
		"dataDir":   dataDir,
		"version":   c.version(),
		"etcd":      c.login(),
		"api":       c.api(),
		"caFile":    caFile,
		"certFile":  clientCert,
		"keyFile":   clientKey,
		"seconds":   secondsToTake,
		"settings":  c.dynamic(),
		"passwords": c.passwords(),
		"rewinder":  rewinder,
		"user":      user,
		"own":       data.Own(),
		"node":      c.node(),
		"fits":      c.rules(),
	}
	if c.Joins {
		conf["settings"], conf["passwords"], conf["joins"] = noSettings, map[string]string{}, true
	}
	if c.From != "" { // the data say which version runs
		conf["version"], conf["upgrade"] = "", upgrade.HoldCommand()
	}
	if c.Restoration != "" {
		conf["restoration"] = c.Restoration
	}
	if c.Pool != nil {
		conf["pool"] = c.Pool.Lookup
	}
	b, err := json.MarshalIndent(conf, "", "  ")
	if err != nil {
		return "", fmt.Errorf("marshal %s: %w", programConf, err)
	}
	return string(b) + "\n", nil
}

// login is the etcd that Patroni logs in to, if it does so with a password.
func (c Config) login() any {
	if c.Etcd.Username == nil {
		return nil
	}
	return map[string]any{"endpoints": c.Etcd.Endpoints, "caFile": etcdCA}
}
