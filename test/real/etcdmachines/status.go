package etcdmachines

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
)

// Status is what the etcd of a machine has in its process, without asking it as a client.
type Status struct {
	ClusterID uint64
	Leader    uint64 // 0 when it sees none
	ID        uint64
	Votes     bool
	Voters    []string // addresses of the members that vote
	Others    []string // and of those that do not yet
	Alarms    int
	Expired   bool // whether its certificate is
}

// Statuses are those of the members that serve, by name of the machine.
func (m *Machines) Statuses() map[string]Status {
	all := map[string]Status{}
	m.serving.Range(func(name, served any) bool {
		etcd := served.(*embed.Etcd)
		server := etcd.Server
		s := Status{
			ClusterID: uint64(server.Cluster().ID()), Leader: uint64(server.Leader()), ID: uint64(server.MemberID()),
			Alarms: len(server.Alarms()), Expired: expired(etcd.Config().ClientTLSInfo.CertFile),
		}
		for _, member := range server.Cluster().Members() {
			ip := ""
			if peer, err := url.Parse(member.PeerURLs[0]); err == nil {
				ip = peer.Hostname()
			}
			if member.IsLearner {
				s.Others = append(s.Others, ip)
			} else {
				s.Voters = append(s.Voters, ip)
				s.Votes = s.Votes || member.ID == server.MemberID()
			}
		}
		all[name.(string)] = s
		return true
	})
	return all
}

// expired reports whether the certificate in a file is.
func expired(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	return err == nil && time.Now().After(leaf.NotAfter)
}

// Full raises the alarm of a machine that has no space left, or has it lower all
// that stand.
func (m *Machines) Full(ctx context.Context, name string, full bool) error {
	served, serves := m.serving.Load(name)
	if !serves {
		return errors.New(name + " does not serve")
	}
	server := served.(*embed.Etcd).Server
	alarms, action := server.Alarms(), etcdserverpb.AlarmRequest_DEACTIVATE
	if full {
		own := &etcdserverpb.AlarmMember{MemberID: uint64(server.MemberID()), Alarm: etcdserverpb.AlarmType_NOSPACE}
		alarms, action = []*etcdserverpb.AlarmMember{own}, etcdserverpb.AlarmRequest_ACTIVATE
	}
	for _, alarm := range alarms {
		if _, err := server.Alarm(ctx, &etcdserverpb.AlarmRequest{Action: action, MemberID: alarm.MemberID, Alarm: alarm.Alarm}); err != nil {
			return err
		}
	}
	return nil
}

// Lead has another machine's member lead.
func (m *Machines) Lead(ctx context.Context, name string) error {
	heir, serves := m.serving.Load(name)
	if !serves {
		return errors.New(name + " does not serve")
	}
	to := uint64(heir.(*embed.Etcd).Server.MemberID())
	err := errors.New("nobody leads")
	m.serving.Range(func(_, served any) bool {
		if server := served.(*embed.Etcd).Server; server.Leader() == server.MemberID() {
			err = server.MoveLeader(ctx, uint64(server.MemberID()), to)
		}
		return true
	})
	return err
}
