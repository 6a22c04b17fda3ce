package admin

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated            = (*User)(nil)
	_ infer.Annotated            = (*UserArgs)(nil)
	_ infer.Annotated            = (*UserState)(nil)
	_ infer.Annotated            = (*Role)(nil)
	_ infer.Annotated            = (*RoleArgs)(nil)
	_ infer.Annotated            = (*RoleState)(nil)
	_ infer.Annotated            = (*Key)(nil)
	_ infer.Annotated            = (*KeyArgs)(nil)
	_ infer.Annotated            = (*KeyState)(nil)
	_ infer.Annotated            = (*Permission)(nil)
	_ infer.Enum[PermissionType] = PermissionType("")
)

const (
	manager     = "How to connect to the cluster, as a user with the role root. A change of the connection changes nothing in etcd."
	writer      = "How to connect to the cluster, as a user with read and write permission for the key. A change of the connection changes nothing in etcd."
	userName    = "Name of the user: one line without a colon, and not root. A change creates a new user and deletes the old one. Defaults to the name of the resource."
	password    = "Password of the user: one line. Without it the user can log in by client certificate only, whose common name is the user. A change is made in place; to add or remove the password, the user is deleted and added again at once, as etcd requires."
	roles       = "Names of the roles of the user: these and no others."
	roleName    = "Name of the role: one line without a colon, and not root. A change creates a new role and deletes the old one. Defaults to the name of the resource."
	permissions = "All permissions of the role. No permission may be granted twice on a key."
	keyName     = "The key. A change writes the new key, then deletes the old one."
	keyValue    = "Value of the key, a text. Always secret, since it may contain one."
)

// Annotate describes u.
func (u *User) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdUser")
	a.Describe(&u, "A user of an etcd cluster. One that already exists with other values is not overwritten, but can be imported by its name.")
}

// Annotate describes u.
func (u *UserArgs) Annotate(a infer.Annotator) {
	a.Describe(&u.Etcd, manager)
	a.Describe(&u.Name, userName)
	a.Describe(&u.Password, password)
	a.Describe(&u.Roles, roles)
}

// Annotate describes u.
func (u *UserState) Annotate(a infer.Annotator) {
	a.Describe(&u.Etcd, "The connection that was used last.")
	a.Describe(&u.Name, "Name of the user.")
	a.Describe(&u.Password, "Password of the user.")
	a.Describe(&u.Roles, "Names of the roles of the user.")
}

// Annotate describes r.
func (r *Role) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdRole")
	a.Describe(&r, "A role of an etcd cluster, with its permissions. One that already exists with other values is not overwritten, but can be imported by its name.")
}

// Annotate describes r.
func (r *RoleArgs) Annotate(a infer.Annotator) {
	a.Describe(&r.Etcd, manager)
	a.Describe(&r.Name, roleName)
	a.Describe(&r.Permissions, permissions)
}

// Annotate describes r.
func (r *RoleState) Annotate(a infer.Annotator) {
	a.Describe(&r.Etcd, "The connection that was used last.")
	a.Describe(&r.Name, "Name of the role.")
	a.Describe(&r.Permissions, "Permissions of the role.")
}

// Annotate describes p.
func (p *Permission) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdPermission")
	a.Describe(&p, "A permission on a key or a range of keys. Set one of `key`, `prefix` and `from`.")
	a.Describe(&p.Key, "A single key.")
	a.Describe(&p.Prefix, "Prefix of the keys, like /service/.")
	a.Describe(&p.From, "First key of a range, in byte order. `from: \"\\0\"` without `to` is all keys.")
	a.Describe(&p.To, "End of the range, exclusive, with `from`. Without it the range has no end.")
	a.Describe(&p.Permission, "`read`, `write` (which includes deletion) or `readwrite`.")
}

// Values are the rights.
func (PermissionType) Values() []infer.EnumValue[PermissionType] {
	return []infer.EnumValue[PermissionType]{
		{Name: "Read", Value: Read, Description: "Read the keys and their values."},
		{Name: "Write", Value: Write, Description: "Write and delete the keys."},
		{Name: "ReadWrite", Value: ReadWrite, Description: "Both."},
	}
}

// Annotate describes k.
func (k *Key) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdKey")
	a.Describe(&k, "A key of an etcd cluster and its value. One that already exists with other values is not overwritten, but can be imported by its name. A change by someone else is not overwritten before `pulumi refresh` has shown it.")
}

// Annotate describes k.
func (k *KeyArgs) Annotate(a infer.Annotator) {
	a.Describe(&k.Etcd, writer)
	a.Describe(&k.Key, keyName)
	a.Describe(&k.Value, keyValue)
}

// Annotate describes k.
func (k *KeyState) Annotate(a infer.Annotator) {
	a.Describe(&k.Etcd, "The connection that was used last.")
	a.Describe(&k.Key, "The key.")
	a.Describe(&k.Value, keyValue)
	a.Describe(&k.ModRevision, "Revision of the cluster in which the key was last written, as far as known.")
}
