package host

import (
	"fmt"
	"net"

	"github.com/pulumi-quorum/pulumi-quorum/provider/state"
)

const (
	exporter     = "prometheus-node-exporter.service"
	exporterConf = "/etc/default/prometheus-node-exporter"
	exporterPort = 9100
)

// Exporter is the node exporter, on the first address of the machine.
func Exporter(ip string) state.State {
	listen := net.JoinHostPort(ip, fmt.Sprint(exporterPort))
	return state.State{
		Packages: []state.Package{{Name: "prometheus-node-exporter", Provides: []string{"/usr/bin/prometheus-node-exporter"}}},
		Files:    []state.File{state.Public(exporterConf, fmt.Sprintf("ARGS=\"--web.listen-address=%s\"\n", listen))},
		Services: []state.Service{{
			Name: exporter, RestartOn: []string{exporterConf}, Timeout: secondsToStart,
			Check: &state.Check{URL: "http://" + listen + "/"},
		}},
	}
}
