package host

import (
	"fmt"
	"net"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

const (
	exporter     = "prometheus-node-exporter.service"
	exporterConf = "/etc/default/prometheus-node-exporter"
	exporterPort = 9100
)

// Exporter is the node exporter, on the first address of the machine.
func Exporter(ip string) guest.State {
	listen := net.JoinHostPort(ip, fmt.Sprint(exporterPort))
	return guest.State{
		Packages: []guest.Package{{Name: "prometheus-node-exporter", Provides: []string{"/usr/bin/prometheus-node-exporter"}}},
		Files:    []guest.File{guest.Public(exporterConf, fmt.Sprintf("ARGS=\"--web.listen-address=%s\"\n", listen))},
		Services: []guest.Service{{
			Name: exporter, RestartOn: []string{exporterConf}, Timeout: secondsToStart,
			Check: &guest.Check{URL: "http://" + listen + "/"},
		}},
	}
}
