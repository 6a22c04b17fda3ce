package explore

import "testing"

var etcdChoices = choices{
	sizes:  []int{3, 1, 2, 3, 5, 3},
	faults: []string{"off", "off", "frozen", "frozen", "data lost", "data lost", "expired", "full", "libvirt", "libvirt", "leader"},
	edits: []string{
		"a machine is rebuilt", "a machine is rebuilt", "a machine is removed", "a machine is removed", "a machine is added", "a machine is added", "a machine is renamed", "a machine moves",
		"the image", "the image", "the memory", "a setting", "the version", "the certificates", "the quota", "nothing", "nothing",
	},
	ways:   []string{withRefresh, withRefresh, replaceFirst, targetOne},
	meets:  []string{killAll, loseQuorum, loseLibvirt, "off", "leader"},
	rounds: 4, mostAt: 9,
}

func TestEtcd(t *testing.T) { //nolint:paralleltest // it has sequences side by side itself
	explore(t, settings.etcd, settings.time, etcdChoices, runEtcd)
}

var postgresChoices = choices{
	sizes:  []int{3, 2, 3},
	faults: []string{"off", "frozen", "data lost", "data lost", "etcd", "libvirt", "libvirt"},
	edits: []string{
		"a machine is rebuilt", "a machine is rebuilt", "a machine is removed", "a machine is added", "a machine moves",
		"the image", "a parameter", "a parameter that needs a restart", "the certificates", "the load balancer", "nothing", "nothing",
	},
	ways:   []string{withRefresh, withRefresh, replaceFirst, targetOne},
	meets:  []string{killAll, loseQuorum, loseLibvirt, "off"},
	rounds: 2, mostAt: 7,
}

func TestPostgres(t *testing.T) { //nolint:paralleltest // it has sequences side by side itself
	explore(t, settings.postgres, settings.time/2, postgresChoices, runPostgres)
}
