package admin

import "github.com/pulumi/pulumi-go-provider/infer"

// Annotate describes g.
func (g *Grant) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresGrant")
	a.Describe(&g, "What a user or role may do with a schema of a database: with all tables and sequences that are in it, and those that are created later. There is one for each user and schema. What others have granted beside it stays. It can be imported by DATABASE/SCHEMA/ROLE.")
}

// Annotate describes g.
func (g *GrantArgs) Annotate(a infer.Annotator) {
	a.Describe(&g.Connection, manager)
	a.Describe(&g.Database, "Name of the database.")
	a.Describe(&g.Schema, "Name of the schema.")
	a.SetDefault(&g.Schema, defaultSchema)
	a.Describe(&g.Role, "Name of the user or role.")
	a.Describe(&g.Access, "The usual privileges. Either this or lists of privileges.")
	a.Describe(&g.DatabasePrivileges, "Privileges on the database: of CONNECT, TEMPORARY and CREATE. Every user has the first two from PostgreSQL's pseudo-role PUBLIC, unless that was revoked.")
	a.Describe(&g.SchemaPrivileges, "Privileges on the schema: of USAGE and CREATE.")
	a.Describe(&g.TablePrivileges, "Privileges on all tables and views in the schema, also later ones: of SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES and TRIGGER.")
	a.Describe(&g.SequencePrivileges, "Privileges on all sequences in the schema, also later ones: of SELECT, USAGE and UPDATE.")
	a.Describe(&g.ObjectOwners, "Users whose later tables and sequences in the schema have the privileges (`ALTER DEFAULT PRIVILEGES`). By default the owner of the database. What other users create has them after `pulumi up --refresh`.")
}

// Annotate describes g.
func (g *GrantState) Annotate(a infer.Annotator) {
	a.Describe(&g.Connection, lastUsed)
	a.Describe(&g.Database, "Name of the database.")
	a.Describe(&g.Schema, "Name of the schema.")
	a.Describe(&g.Role, "Name of the user or role.")
	a.Describe(&g.Access, "The name of the privileges.")
	a.Describe(&g.DatabasePrivileges, "Privileges on the database.")
	a.Describe(&g.SchemaPrivileges, "Privileges on the schema.")
	a.Describe(&g.TablePrivileges, "Privileges on the tables and views in the schema.")
	a.Describe(&g.SequencePrivileges, "Privileges on the sequences in the schema.")
	a.Describe(&g.ObjectOwners, "Users whose later tables and sequences have the privileges.")
}

// Values are the names.
func (GrantAccess) Values() []infer.EnumValue[GrantAccess] {
	return []infer.EnumValue[GrantAccess]{
		{Name: "ReadOnly", Value: ReadOnly, Description: "CONNECT, USAGE of the schema, SELECT on tables and sequences."},
		{Name: "ReadWrite", Value: ReadWrite, Description: "CONNECT and TEMPORARY, USAGE of the schema, SELECT, INSERT, UPDATE and DELETE on tables, SELECT, USAGE and UPDATE on sequences."},
	}
}
