package admin

import (
	"context"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// tellHowToReach says it once the cluster is founded, or has other endpoints.
func (s HealthState) tellHowToReach(ctx context.Context, before *HealthState) {
	if text := s.howToReach(before); text != "" {
		p.GetLogger(ctx).Info(text)
	}
}

// howToReach is how to connect to a cluster whose last gate has passed, or "" where
// that was said before. It names outputs of the cluster, and has no secret.
func (s HealthState) howToReach(before *HealthState) string {
	if *s.Require != All || s.Without != nil || !ptr.Value(s.RemoveOthers) || s.ClusterID == "" {
		return ""
	}
	if before != nil && before.ClusterID == s.ClusterID && check.SameTexts(before.Endpoints, s.Endpoints) {
		return ""
	}
	login, outputs := "--user root", "ca.crt is the output caCert of the cluster, and the password that etcdctl asks for the output rootPassword"
	if s.Etcd.ClientCert != nil {
		login, outputs = "--cert root.crt --key root.key", "ca.crt, root.crt and root.key are the outputs caCert, rootCert and rootKey of the cluster"
	}
	return "How to reach the cluster:\n" +
		"  etcdctl --endpoints " + strings.Join(s.Endpoints, ",") + " --cacert ca.crt " + login + " endpoint health\n" +
		outputs + ": `pulumi stack output NAME --show-secrets`, where the program has them as outputs of the stack."
}
