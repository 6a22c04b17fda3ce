"""The database of an application, its users, and how it connects."""

import pulumi
import pulumi_quorum as quorum

settings = pulumi.Config()
postgres = pulumi.StackReference("postgres", stack_name=settings.require("postgresStack"))
superuser = quorum.PostgresConnectionArgs(
    endpoints=postgres.require_output("primary"),
    ca_cert=postgres.require_output("caCert"),
    client_cert=postgres.require_output("clientCert"),
    client_key=postgres.require_output("clientKey"),
    password=postgres.require_output("superuserPassword"),
)

# Who owns the database: the application.
app = quorum.PostgresUser(
    "app", connection=superuser, password=settings.require_secret("appPassword")
)
database = quorum.PostgresDatabase(
    "database",
    connection=superuser,
    name="shop",
    owner=app.name,
    extensions=[quorum.PostgresExtensionArgs(name="pg_trgm")],
)

# Who only reads: all tables, and those to come.
reports = quorum.PostgresUser(
    "reports",
    connection=superuser,
    password=settings.require_secret("reportsPassword"),
    connection_limit=10,
)
quorum.PostgresGrant(
    "reports-read",
    connection=superuser,
    database=database.name,
    role=reports.name,
    access=quorum.GrantAccess.READ_ONLY,
)

# How they connect: ssl_root_cert is where they have the output caCert. Passwords are
# given apart.
writer = quorum.get_postgres_connection_output(
    endpoints=postgres.require_output("primary"),
    target_session_attrs=quorum.TargetSessionAttrs.READ_WRITE,
    database=database.name,
    user=app.name,
    ssl_root_cert="postgres-ca.crt",
)
pooled = quorum.get_postgres_connection_output(
    endpoints=postgres.require_output("poolerPrimary"),
    target_session_attrs=quorum.TargetSessionAttrs.READ_WRITE,
    database=database.name,
    user=app.name,
    ssl_root_cert="postgres-ca.crt",
)
reader = quorum.get_postgres_connection_output(
    endpoints=postgres.require_output("replicas"),
    database=database.name,
    user=reports.name,
    ssl_root_cert="postgres-ca.crt",
)
for name, connection in {"writer": writer, "pooled": pooled, "reader": reader}.items():
    pulumi.export(
        name,
        {
            "uri": connection.uri,
            "conninfo": connection.conninfo,
            "jdbcUrl": connection.jdbc_url,
        },
    )
pulumi.export("caCert", postgres.require_output("caCert"))
