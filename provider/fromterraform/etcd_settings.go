package fromterraform

import (
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// etcdSettings are etcd's own. Clients log in by certificate unless the members say
// otherwise.
func (p *program) etcdSettings(members []*member) (b *block, byCert bool) {
	b = newBlock()
	text := func(input string, path ...string) string {
		value, differ := agree(members, func(m *member) string { return m.conf.in(path...).text() })
		noteDiffering(b, input, differ)
		return value
	}
	p.etcdVersion(b, members)
	b.set("autoCompactionMode", text("autoCompactionMode", "auto-compaction-mode"))
	b.set("autoCompactionRetention", text("autoCompactionRetention", "auto-compaction-retention"))
	setNumber(b, "spaceQuota", text("spaceQuota", "quota-backend-bytes"), members[0].confFile+", quota-backend-bytes")
	setNumber(b, "heartbeatInterval", text("heartbeatInterval", "heartbeat-interval"), members[0].confFile)
	setNumber(b, "electionTimeout", text("electionTimeout", "election-timeout"), members[0].confFile)
	byCert = truthOf(text("clientCertAuth", "client-transport-security", "client-cert-auth"))
	gateway := truthOf(text("grpcGatewayEnabled", "enable-grpc-gateway"))
	b.set("clientCertAuth", byCert)
	if gateway && byCert {
		b.note("The members have enable-grpc-gateway: true, which is of no use with certificates, and refused here")
	} else {
		b.set("grpcGatewayEnabled", gateway)
	}
	return b, byCert
}

func truthOf(text string) bool { return strings.EqualFold(text, "true") }

// setNumber sets a whole number, unless there is none.
func setNumber(b *block, input, text, from string) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err == nil:
		b.set(input, n)
	case text != "":
		b.missing(input, "%s: it is no whole number", from)
	}
}

// leastRelease of 3.5 is the first from which there is a way up to 3.6.
const leastRelease = "3.5.26"

// etcdVersion is the release that quorum's own members are to have: of the same minor
// release as the others, and one that leads on.
func (p *program) etcdVersion(b *block, members []*member) {
	version, differ := agree(members, func(m *member) string { return m.version })
	for _, each := range differ {
		if each.version != "" {
			b.note("version: %s has %s", each.Address, each.version)
		}
		if natural(each.version, version) > 0 {
			version = each.version
		}
	}
	switch minor := check.Matches(`3\.5\.[0-9]+`, version); {
	case version == "":
		b.ask("version", asked{
			words: "etcd version", what: "release of etcd", example: leastRelease,
			why: "what the members run is not in the user data: give the same minor release, of 3.5 no earlier one than " + leastRelease,
		})
	case minor && natural(version, leastRelease) < 0:
		b.note("The members were made with %s, from which there is no way up to 3.6: new ones have a later one of the same minor release", version)
		b.set("version", leastRelease)
	case !check.Matches(`3\.[5-9]\.[0-9]+|3\.[1-9][0-9]\.[0-9]+`, version):
		b.note("The members were made with this release: upgrade them to 3.5 first, as etcd's documentation says, and give that here")
		b.set("version", version)
	default:
		b.note("The members were made with this release")
		b.set("version", version)
	}
}
