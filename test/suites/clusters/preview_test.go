package clusters

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// changes are the steps but for the halves of replacements.
func changes(r engine.Result) (all []string) {
	image := regexp.MustCompile(`-volume-[0-9a-f]{8}$`) // what it is of
	for _, step := range r.Steps {
		if step.Op != "create-replacement" && step.Op != "delete-replaced" {
			all = append(all, step.Op+" "+step.Type[strings.LastIndex(step.Type, ":")+1:]+" "+image.ReplaceAllString(strings.TrimPrefix(step.Name, "main-"), "-volume"))
		}
	}
	return all
}

// ofEach are steps with the name of each member for a *.
func ofEach(members []string, steps ...string) (all []string) {
	for _, member := range members {
		for _, step := range steps {
			all = append(all, strings.ReplaceAll(step, "*", member))
		}
	}
	return all
}

// all are steps of one kind.
func all(op string, steps []string) (done []string) {
	for _, step := range steps {
		done = append(done, op+step)
	}
	return done
}

// TestPreviews has previews say what each kind of change does to the machines,
// and show nothing else as changed.
func TestPreviews(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	was := c.options
	handed := []string{"replace CloudInitDisk *-cloud-init", "update Domain *-domain", "update MachineChange *"}
	gates := []string{"update EtcdHealth without-*", "update EtcdMember *"}
	signed := ofEach(append(was.members[:3:3], "root"), "replace CertRequest *-request", "replace LocallySignedCert *-cert")
	parts := []string{
		"EtcdServer *", "PrivateKey *-key", "CertRequest *-request", "LocallySignedCert *-cert", "CloudInitDisk *-cloud-init", "Volume *-volume",
		"Volume *-data-volume", "Domain *-domain", "MachineChange *", "MachineIdentity *", "EtcdHealth without-*", "EtcdMember *", "EtcdGuard guard-*",
	}
	const plan, healthy, recovery, tells = "update EtcdHealth plan", "update EtcdHealth healthy", "update EtcdRecovery recovery", "update ClusterChange main"
	for _, change := range []struct {
		name  string
		to    func(*options)
		shown []string
	}{
		{
			"live", func(o *options) { o.extra = "      certificate: {organization: another}\n" },
			append(ofEach(was.members, slices.Concat(handed, gates)...), append(signed, plan, healthy, recovery, tells)...),
		},
		{
			"restart", func(o *options) { o.extra = "      etcd: {heartbeatInterval: 150}\n" },
			append(ofEach(was.members, slices.Concat(handed, gates)...), healthy, tells),
		},
		{
			"shared", func(o *options) { o.extra = "      libvirt: {vcpus: 3}\n" },
			append(ofEach(was.members, append(gates, "replace Domain *-domain", "update MachineChange *", "replace EtcdGuard guard-*")...), plan, healthy, tells),
		},
		{
			"login", func(o *options) { o.key = anotherKey },
			append(ofEach(was.members, append(slices.Concat(handed, gates), "update MachineIdentity *")...), plan, healthy, tells),
		},
		{
			"rebuild", func(o *options) { o.image = "debian-14.qcow2" },
			append(ofEach(was.members, append(gates, "create Volume *-volume", "delete Volume *-volume", "replace Domain *-domain", "update MachineChange *", "replace EtcdGuard guard-*")...), plan, healthy, tells),
		},
		{
			"added", func(o *options) { o.members = append(was.members[:3:3], "etcd-4") },
			slices.Concat(ofEach(was.members, slices.Concat(handed, gates)...), all("create ", ofEach([]string{"etcd-4"}, parts...)), []string{plan, healthy, recovery, tells}),
		},
		{
			"removed", func(o *options) { o.members = was.members[:2] },
			slices.Concat(ofEach(was.members[:2], slices.Concat(handed, gates)...), all("delete ", ofEach([]string{"etcd-3"}, parts...)), []string{plan, healthy, recovery, tells}),
		},
		{
			"grown", func(o *options) { o.data = "21474836480" },
			append(ofEach(was.members, "update EtcdHealth without-*", "update Volume *-data-volume", "update MachineChange *"), plan, healthy, tells),
		},
		{
			"grown-rebuilt", func(o *options) { o.data, o.image = "21474836480", "debian-14.qcow2" },
			append(ofEach(was.members, append(gates, "create Volume *-volume", "delete Volume *-volume", "update Volume *-data-volume", "replace Domain *-domain", "update MachineChange *", "replace EtcdGuard guard-*")...), plan, healthy, tells),
		},
		{
			"data", func(o *options) { o.pool = "other" },
			append(ofEach(was.members, append(gates, "replace Volume *-data-volume", "replace Domain *-domain", "update MachineChange *", "replace EtcdGuard guard-*")...), plan, healthy, tells),
		},
	} {
		c.change(func(o *options) { *o = was; change.to(o) })
		preview := c.Preview("--diff")
		assert.ElementsMatch(t, change.shown, changes(preview), change.name)
		previews.Reads(t, "etcd/"+change.name, c.subnet, preview)
		if !slices.Contains([]string{"added", "removed"}, change.name) { // of those the engine shows all inputs
			previews.Shows(t, "etcd/"+change.name, c.subnet, preview)
		}
	}
	c.change(func(o *options) { *o = was })
	nothing := c.Preview("--diff")
	assert.True(t, nothing.Unchanged())
	previews.Reads(t, "etcd/nothing", c.subnet, nothing)
}
