// The database of an application, its users, and how it connects.
import * as pulumi from "@pulumi/pulumi";
import * as quorum from "pulumi-quorum";

export = async () => {
    const settings = new pulumi.Config();
    const postgres = new pulumi.StackReference("postgres", { name: settings.require("postgresStack") });
    const primary = postgres.requireOutput("primary") as pulumi.Output<string[]>;
    const caCert = postgres.requireOutput("caCert") as pulumi.Output<string>;
    const superuser = {
        endpoints: primary,
        caCert,
        clientCert: postgres.requireOutput("clientCert") as pulumi.Output<string>,
        clientKey: postgres.requireOutput("clientKey") as pulumi.Output<string>,
        password: postgres.requireOutput("superuserPassword") as pulumi.Output<string>,
    };

    // Who owns the database: the application.
    const app = new quorum.PostgresUser("app", {
        connection: superuser,
        password: settings.requireSecret("appPassword"),
    });
    const database = new quorum.PostgresDatabase("database", {
        connection: superuser,
        name: "shop",
        owner: app.name,
        extensions: [{ name: "pg_trgm" }],
    });

    // Who only reads: all tables, and those to come.
    const reports = new quorum.PostgresUser("reports", {
        connection: superuser,
        password: settings.requireSecret("reportsPassword"),
        connectionLimit: 10,
    });
    new quorum.PostgresGrant("reports-read", {
        connection: superuser,
        database: database.name,
        role: reports.name,
        access: quorum.GrantAccess.ReadOnly,
    });

    // How they connect: sslRootCert is where they have the output caCert. Passwords are given apart.
    const shop = { database: database.name, user: app.name, sslRootCert: "postgres-ca.crt" };
    const writes = { ...shop, targetSessionAttrs: quorum.TargetSessionAttrs.ReadWrite };
    return {
        writer: quorum.getPostgresConnectionOutput({ ...writes, endpoints: primary }),
        pooled: quorum.getPostgresConnectionOutput({
            ...writes,
            endpoints: postgres.requireOutput("poolerPrimary") as pulumi.Output<string[]>,
        }),
        reader: quorum.getPostgresConnectionOutput({
            ...shop,
            user: reports.name,
            endpoints: postgres.requireOutput("replicas") as pulumi.Output<string[]>,
        }),
        caCert,
    };
};
