package admin

import (
	"fmt"
	"slices"

	"go.etcd.io/etcd/api/v3/authpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Permission is what a role may do with some keys: one, those with a prefix, or
// those of a range.
type Permission struct {
	Key        *string        `pulumi:"key,optional"`
	Prefix     *string        `pulumi:"prefix,optional"`
	From       *string        `pulumi:"from,optional"`
	To         *string        `pulumi:"to,optional"`
	Permission PermissionType `pulumi:"permission"`
}

// PermissionType is which rights a permission gives.
type PermissionType string

// The types of permissions.
const (
	Read      PermissionType = "read"
	Write     PermissionType = "write"
	ReadWrite PermissionType = "readwrite"
)

// toEnd is the end of a range that has none.
const toEnd = "\x00"

// span are keys as etcd has them: one if end is "", else those from begin to
// end, exclusive.
type span struct{ begin, end string }

func (p Permission) span() span {
	switch {
	case p.Key != nil:
		return span{*p.Key, ""}
	case p.Prefix != nil:
		return span{*p.Prefix, clientv3.GetPrefixRangeEnd(*p.Prefix)}
	case p.To != nil:
		return span{ptr.Value(p.From), *p.To}
	}
	return span{ptr.Value(p.From), toEnd}
}

// String is which keys p is for.
func (p Permission) String() string {
	switch {
	case p.Key != nil:
		return "key " + *p.Key
	case p.Prefix != nil:
		return "prefix " + *p.Prefix
	case p.To != nil:
		return fmt.Sprintf("keys from %s to %s", ptr.Value(p.From), *p.To)
	}
	return fmt.Sprintf("keys from %q on", ptr.Value(p.From))
}

// overlaps reports whether there are keys in both.
func (s span) overlaps(other span) bool { return s.reaches(other.begin) && other.reaches(s.begin) }

// reaches reports whether s ends after key.
func (s span) reaches(key string) bool {
	return s.end == toEnd || s.end == "" && key <= s.begin || key < s.end
}

// shared are the rights that both give.
func (t PermissionType) shared(other PermissionType) PermissionType {
	switch {
	case t == ReadWrite:
		return other
	case t == other || other == ReadWrite:
		return t
	}
	return ""
}

func (t PermissionType) etcd() clientv3.PermissionType {
	return clientv3.PermissionType(map[PermissionType]authpb.Permission_Type{
		Read: authpb.READ, Write: authpb.WRITE, ReadWrite: authpb.READWRITE,
	}[t])
}

// described is a permission as the one of known for the same keys describes
// them, or else in the simplest way.
func described(p *authpb.Permission, known []Permission) Permission {
	right := map[authpb.Permission_Type]PermissionType{authpb.READ: Read, authpb.WRITE: Write, authpb.READWRITE: ReadWrite}[p.PermType]
	s := span{string(p.Key), string(p.RangeEnd)}
	if i := slices.IndexFunc(known, func(k Permission) bool { return k.span() == s }); i >= 0 {
		same := known[i]
		same.Permission = right
		return same
	}
	switch {
	case s.end == "":
		return Permission{Key: &s.begin, Permission: right}
	case s.end == toEnd:
		return Permission{From: &s.begin, Permission: right}
	case s.end == clientv3.GetPrefixRangeEnd(s.begin):
		return Permission{Prefix: &s.begin, Permission: right}
	}
	return Permission{From: &s.begin, To: &s.end, Permission: right}
}
