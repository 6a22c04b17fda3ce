package host

import (
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

const (
	exporter     = "prometheus-node-exporter.service"
	exporterConf = "/etc/default/prometheus-node-exporter"
)

// Exporter is the node exporter, on the first address of the machine.
func Exporter(ip string) guest.State {
	listen := ports.At(ip, ports.NodeExporter)
	return guest.State{
		Packages: []guest.Package{{Name: "prometheus-node-exporter", Provides: []string{"/usr/bin/prometheus-node-exporter"}}},
		Files:    []guest.File{guest.Public(exporterConf, fmt.Sprintf("ARGS=\"--web.listen-address=%s\"\n", listen))},
		Services: []guest.Service{{
			Name: exporter, RestartOn: []string{exporterConf}, Timeout: secondsToStart,
			Check: &guest.Check{URL: "http://" + listen + "/"},
		}},
	}
}
