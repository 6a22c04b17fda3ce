package keepalived

import (
	_ "embed"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Service is the package's unit.
const Service = "keepalived.service"

const (
	confFile = "/etc/keepalived/keepalived.conf"
	program  = "/usr/local/lib/quorum/keepalived-here"
	user     = "keepalived"

	secondsToStart = 60
)

var (
	//go:embed keepalived.conf
	confText string
	//go:embed keepalived-here
	programText string

	// unprivileged has the package's unit run keepalived as a user of its own.
	//
	//go:embed unprivileged.conf
	unprivileged string

	confTemplate = template.Must(template.New("keepalived.conf").Parse(confText))
)

// capabilities are to have addresses and routes, to send packets of its own making, and to
// set the groups of scripts.
var capabilities = []string{"CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_SETGID"}

// State is what keepalived needs on the machine.
func (c Config) State() (guest.State, error) {
	conf, err := c.conf()
	if err != nil {
		return guest.State{}, err
	}
	return guest.State{
		Packages:    []guest.Package{{Name: "keepalived", Provides: []string{"/usr/sbin/keepalived"}}},
		Users:       []guest.User{{Name: user, Home: "/nonexistent"}},
		Directories: []guest.Directory{{Path: "/etc/keepalived", Owner: "root", Group: "root", Mode: "0755"}},
		Files: []guest.File{
			guest.Public(confFile, conf), guest.Program(program, programText), guest.Unit(Service+".d/quorum.conf", unprivileged),
			host.Box{Unit: Service, Capabilities: capabilities}.File(),
		},
		Services: []guest.Service{{
			Name: Service, Means: "keepalived: which address it shares, and with whom", ReloadOn: []string{confFile}, Verify: []string{program, "check"}, Timeout: secondsToStart,
		}},
	}, nil
}

// conf is the configuration file.
func (c Config) conf() (string, error) {
	address, err := netip.ParseAddr(c.VirtualIP.Address)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", confFile, err)
	}
	var b strings.Builder
	err = confTemplate.Execute(&b, map[string]any{
		"Name": c.Name, "IP": c.IP, "User": user, "Check": strings.Join(c.Check, " "),
		"RouterID": c.VirtualIP.RouterID(), "Priority": c.VirtualIP.priority(), "Peers": c.VirtualIP.UnicastPeers,
		"Interval": strconv.FormatFloat(float64(c.VirtualIP.interval())/1000, 'f', -1, 64),
		// A network of its own, so that nothing leaves the machine from this address.
		"Address": address, "Bits": address.BitLen(),
	})
	if err != nil {
		return "", fmt.Errorf("write %s: %w", confFile, err)
	}
	return b.String(), nil
}
