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
	manager     = "How to reach the cluster, as a user with the role root. A change touches nothing in etcd."
	writer      = "How to reach the cluster, as a user who may read and write the key. A change touches nothing in etcd."
	userName    = "Name of the user: one line without a colon, and not root. A change makes another user. Defaults to the name of the resource."
	password    = "Password of the user: one line. Without it the user can log in by client certificate only, whose common name is the user. A change is made in place; but to begin or cease to have one, etcd must delete the user and add it again, at once."
	roles       = "Names of the roles of the user: these and no others."
	roleName    = "Name of the role: one line without a colon, and not root. A change makes another role. Defaults to the name of the resource."
	permissions = "What the role may do: this and nothing else. No right may be given twice on a key."
	keyName     = "The key. A change moves the value: the new key is written, then the old one deleted."
	keyValue    = "Text that lies there. Always secret, since it may hold one."
)

// Annotate describes u.
func (u *User) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdUser")
	a.Describe(&u, "A user of an etcd cluster. One that is there already, and is not just the same, is not taken over, but can be imported by its name.")
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
	a.Describe(&u.Etcd, "How the cluster was reached last.")
	a.Describe(&u.Name, "Name of the user.")
	a.Describe(&u.Password, "Password of the user.")
	a.Describe(&u.Roles, "Names of the roles of the user.")
}

// Annotate describes r.
func (r *Role) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdRole")
	a.Describe(&r, "A role of an etcd cluster: what its users may do with which keys. One that is there already, and is not just the same, is not taken over, but can be imported by its name.")
}

// Annotate describes r.
func (r *RoleArgs) Annotate(a infer.Annotator) {
	a.Describe(&r.Etcd, manager)
	a.Describe(&r.Name, roleName)
	a.Describe(&r.Permissions, permissions)
}

// Annotate describes r.
func (r *RoleState) Annotate(a infer.Annotator) {
	a.Describe(&r.Etcd, "How the cluster was reached last.")
	a.Describe(&r.Name, "Name of the role.")
	a.Describe(&r.Permissions, "What the role may do.")
}

// Annotate describes p.
func (p *Permission) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdPermission")
	a.Describe(&p, "What may be done with some keys. Give one of `key`, `prefix` and `from`.")
	a.Describe(&p.Key, "The only key.")
	a.Describe(&p.Prefix, "What the keys begin with, like /service/.")
	a.Describe(&p.From, "The first of the keys, in the order of bytes. All keys are those from \"\\0\" on.")
	a.Describe(&p.To, "The key after the last, with `from`. Without it the keys go on to the end.")
	a.Describe(&p.Permission, "What may be done: `read`, `write` (which deleting is too) or `readwrite`.")
}

// Values are the rights.
func (PermissionType) Values() []infer.EnumValue[PermissionType] {
	return []infer.EnumValue[PermissionType]{
		{Name: "Read", Value: Read, Description: "See the keys and their values."},
		{Name: "Write", Value: Write, Description: "Write and delete the keys."},
		{Name: "ReadWrite", Value: ReadWrite, Description: "Both."},
	}
}

// Annotate describes k.
func (k *Key) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdKey")
	a.Describe(&k, "A key of an etcd cluster and its value. One that is there already, and is not just the same, is not taken over, but can be imported by its name. What somebody else has changed since it was last seen is not overwritten: `pulumi refresh` takes it over first.")
}

// Annotate describes k.
func (k *KeyArgs) Annotate(a infer.Annotator) {
	a.Describe(&k.Etcd, writer)
	a.Describe(&k.Key, keyName)
	a.Describe(&k.Value, keyValue)
}

// Annotate describes k.
func (k *KeyState) Annotate(a infer.Annotator) {
	a.Describe(&k.Etcd, "How the cluster was reached last.")
	a.Describe(&k.Key, "The key.")
	a.Describe(&k.Value, keyValue)
	a.Describe(&k.ModRevision, "Revision of the cluster in which the key was last written, as far as known.")
}
