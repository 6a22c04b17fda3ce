package admin

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated         = (*Connection)(nil)
	_ infer.Annotated         = (*User)(nil)
	_ infer.Annotated         = (*UserArgs)(nil)
	_ infer.Annotated         = (*UserState)(nil)
	_ infer.Annotated         = (*Database)(nil)
	_ infer.Annotated         = (*DatabaseArgs)(nil)
	_ infer.Annotated         = (*DatabaseState)(nil)
	_ infer.Annotated         = (*Extension)(nil)
	_ infer.Annotated         = (*Grant)(nil)
	_ infer.Annotated         = (*GrantArgs)(nil)
	_ infer.Annotated         = (*GrantState)(nil)
	_ infer.Enum[GrantAccess] = GrantAccess("")
)

const (
	manager  = "How to connect to the cluster, as a superuser. A change of the connection changes nothing in PostgreSQL."
	lastUsed = "The connection that was used last."
)

// Annotate describes c.
func (c *Connection) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresConnection")
	a.Describe(&c, "How to reach a PostgreSQL cluster from where Pulumi runs. The server that takes writes is used; TLS is required. A PostgresCluster lets `postgres` in with `password`, `clientCert` and `clientKey` together, or with `password` alone where a rule of `postgres.access` names that user.")
	a.Describe(&c.Endpoints, "Addresses or names with their ports, tried in this order: `primaryEndpoints` or `nodeEndpoints` of a PostgresCluster. Not those of a connection pool.")
	a.Describe(&c.CACert, "Certificate, PEM, of the authority that signs the nodes' certificates: `caCert` of a PostgresCluster.")
	a.Describe(&c.User, "User of PostgreSQL, a superuser.")
	a.SetDefault(&c.User, superuser)
	a.Describe(&c.Password, "Password of `user`: `superuserPassword` of a PostgresCluster.")
	a.Describe(&c.ClientCert, "Client certificate, PEM: `clientCert` of a PostgresCluster. Requires `clientKey`.")
	a.Describe(&c.ClientKey, "Private key of `clientCert`, PEM.")
}

// Annotate describes u.
func (u *User) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresUser")
	a.Describe(&u, "A user of a PostgreSQL cluster, or a role that users are members of. One that already exists with other values is not overwritten, but can be imported by its name.")
}

// Annotate describes u.
func (u *UserArgs) Annotate(a infer.Annotator) {
	a.Describe(&u.Connection, manager)
	a.Describe(&u.Name, "Name of the user: one line of at most 63 bytes, and not one that PostgreSQL or Patroni has of itself. A change creates a new user and deletes the old one. Defaults to the name of the resource.")
	a.Describe(&u.Password, "Password of the user: one line. Only a verifier of it (SCRAM-SHA-256) is sent to PostgreSQL. A change is made in place: open sessions stay, and the next login needs the new one.")
	a.Describe(&u.Login, "Whether the user may log in: `LOGIN`. By default one with a password may.")
	a.Describe(&u.MemberOf, "Names of the roles of which the user is a member: these and no others.")
	a.Describe(&u.ConnectionLimit, "How many connections the user may have at once: `CONNECTION LIMIT`. -1 is no limit.")
	a.SetDefault(&u.ConnectionLimit, unlimited)
	a.Describe(&u.CreateDatabase, "Whether the user may create databases: `CREATEDB`.")
	a.SetDefault(&u.CreateDatabase, false)
	a.Describe(&u.CreateRole, "Whether the user may create users: `CREATEROLE`.")
	a.SetDefault(&u.CreateRole, false)
	a.Describe(&u.Replication, "Whether the user may replicate, which gives it all data of the cluster: `REPLICATION`.")
	a.SetDefault(&u.Replication, false)
	a.Describe(&u.Settings, "Parameters of PostgreSQL that each new session of the user begins with, in all databases, these and no others: `ALTER ROLE ... SET`. Like `statement_timeout: 30s`, `search_path: app, public`, or `role: shop_owner`, of which the user must be a member, so that what they create belongs to that role. Anybody in the database can read them. Settings of a single database go before them, and are left alone.")
}

// Annotate describes u.
func (u *UserState) Annotate(a infer.Annotator) {
	a.Describe(&u.Connection, lastUsed)
	a.Describe(&u.Name, "Name of the user.")
	a.Describe(&u.Password, "Password of the user.")
	a.Describe(&u.Login, "Whether the user may log in.")
	a.Describe(&u.MemberOf, "Names of the roles of which the user is a member.")
	a.Describe(&u.ConnectionLimit, "How many connections the user may have at once.")
	a.Describe(&u.CreateDatabase, "Whether the user may create databases.")
	a.Describe(&u.CreateRole, "Whether the user may create users.")
	a.Describe(&u.Replication, "Whether the user may replicate.")
	a.Describe(&u.Settings, "Parameters of PostgreSQL that each new session of the user begins with.")
}

// Annotate describes d.
func (d *Database) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresDatabase")
	a.Describe(&d, "A database of a PostgreSQL cluster, with its extensions. It is deleted only with `allowDataLoss`. One that already exists with other values is not overwritten, but can be imported by its name.")
}

// Annotate describes d.
func (d *DatabaseArgs) Annotate(a infer.Annotator) {
	a.Describe(&d.Connection, manager)
	a.Describe(&d.Name, "Name of the database: one line of at most 63 bytes. A change creates a new database and deletes the old one, which `allowDataLoss` must allow. Defaults to the name of the resource.")
	a.Describe(&d.Owner, "User who owns the database, and may create what they like in it. By default the user of the connection.")
	a.Describe(&d.Encoding, "Encoding, as in UTF8. By default that of the template. A change creates the database anew, which `allowDataLoss` must allow.")
	a.Describe(&d.Locale, "Locale by which text is sorted and compared, as in en_US.UTF-8 or C, which all nodes must have. By default that of the template. A change creates the database anew, which `allowDataLoss` must allow.")
	a.Describe(&d.ICULocale, "ICU locale by which text is sorted and compared instead, as in en or de-AT, with PostgreSQL 15 or later. A change creates the database anew, which `allowDataLoss` must allow.")
	a.Describe(&d.Template, "Database that this one is a copy of. By default template1, or with `encoding`, `locale` or `icuLocale` template0. Only used when the database is created.")
	a.Describe(&d.ConnectionLimit, "How many connections to the database there may be at once: `CONNECTION LIMIT`. -1 is no limit.")
	a.SetDefault(&d.ConnectionLimit, unlimited)
	a.Describe(&d.Extensions, "Extensions of the database. Others that it has stay. The nodes must have their packages: `postgres.extensions` of a PostgresCluster. One that is taken out of this list is deleted from the database, unless something there depends on it: then the update fails.")
	a.Describe(&d.AllowDataLoss, "Whether an update may delete the database with its data. Otherwise one that would is refused: for a change in preview, for a database that is taken out of the program in the update. Remove it after the update that needs it.")
	a.SetDefault(&d.AllowDataLoss, false)
}

// Annotate describes d.
func (d *DatabaseState) Annotate(a infer.Annotator) {
	a.Describe(&d.Connection, lastUsed)
	a.Describe(&d.Name, "Name of the database.")
	a.Describe(&d.Owner, "User who owns the database.")
	a.Describe(&d.Encoding, "Encoding of the database.")
	a.Describe(&d.Locale, "Locale of the database.")
	a.Describe(&d.ICULocale, "ICU locale of the database.")
	a.Describe(&d.Template, "Database that this one was a copy of.")
	a.Describe(&d.ConnectionLimit, "How many connections to the database there may be at once.")
	a.Describe(&d.Extensions, "Extensions of the database.")
	a.Describe(&d.AllowDataLoss, "Whether an update may delete the database with its data.")
}

// Annotate describes e.
func (e *Extension) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresExtension")
	a.Describe(&e, "An extension of a database. Those that it needs are created with it.")
	a.Describe(&e.Name, "Name of the extension, as in vector or pg_trgm.")
	a.Describe(&e.Schema, "Schema that it is in, created where there is none of that name. By default the one that the extension names, or else public.")
	a.Describe(&e.Version, "Version of the extension: a change updates it. By default the newest that the nodes have when it is created.")
}
