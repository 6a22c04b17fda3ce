package health

import (
	"fmt"
	"net/url"
	"strconv"
)

// node is a member, with the address that it reports for its Patroni.
func (m member) node() (Node, error) {
	at, err := url.Parse(m.APIURL)
	if err != nil {
		return Node{}, fmt.Errorf("its address %s: %w", m.APIURL, err)
	}
	port, err := strconv.Atoi(at.Port())
	return Node{Name: m.Name, IP: at.Hostname(), APIPort: &port}, err
}

func (m member) synchronous() bool { return m.Role == "sync_standby" || m.Role == "quorum_standby" }

func (m member) String() string { return m.Name + " " + m.Role + " " + m.State }

func (s status) String() string { return s.Role + ", state " + s.State }
