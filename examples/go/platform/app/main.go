// The database of an application, its users, and how it connects.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	postgres, err := pulumi.NewStackReference(ctx, "postgres", &pulumi.StackReferenceArgs{
		Name: pulumi.String(settings.Require("postgresStack")),
	})
	if err != nil {
		return err
	}
	text := func(output string) pulumi.StringOutput { return postgres.GetStringOutput(pulumi.String(output)) }
	superuser := quorum.PostgresConnectionArgs{
		Endpoints:  endpoints(postgres, "primary"),
		CaCert:     text("caCert"),
		ClientCert: text("clientCert"),
		ClientKey:  text("clientKey"),
		Password:   text("superuserPassword"),
	}

	// Who owns the database: the application.
	app, err := quorum.NewPostgresUser(ctx, "app", &quorum.PostgresUserArgs{
		Connection: superuser,
		Password:   settings.RequireSecret("appPassword"),
	})
	if err != nil {
		return err
	}
	database, err := quorum.NewPostgresDatabase(ctx, "database", &quorum.PostgresDatabaseArgs{
		Connection: superuser,
		Name:       pulumi.String("shop"),
		Owner:      app.Name,
		Extensions: quorum.PostgresExtensionArray{quorum.PostgresExtensionArgs{Name: pulumi.String("pg_trgm")}},
	})
	if err != nil {
		return err
	}

	// Who only reads: all tables, and those to come.
	reports, err := quorum.NewPostgresUser(ctx, "reports", &quorum.PostgresUserArgs{
		Connection:      superuser,
		Password:        settings.RequireSecret("reportsPassword"),
		ConnectionLimit: pulumi.Int(10),
	})
	if err != nil {
		return err
	}
	if _, err = quorum.NewPostgresGrant(ctx, "reports-read", &quorum.PostgresGrantArgs{
		Connection: superuser,
		Database:   database.Name,
		Role:       reports.Name,
		Access:     quorum.GrantAccessReadOnly,
	}); err != nil {
		return err
	}

	// How they connect: SslRootCert is where they have the output caCert. Passwords are given apart.
	shop := quorum.GetPostgresConnectionOutputArgs{
		Endpoints:          endpoints(postgres, "primary"),
		TargetSessionAttrs: quorum.TargetSessionAttrsReadWrite,
		Database:           database.Name,
		User:               app.Name,
		SslRootCert:        pulumi.String("postgres-ca.crt"),
	}
	ctx.Export("writer", quorum.GetPostgresConnectionOutput(ctx, shop))
	shop.Endpoints = endpoints(postgres, "poolerPrimary")
	ctx.Export("pooled", quorum.GetPostgresConnectionOutput(ctx, shop))
	shop.Endpoints, shop.User, shop.TargetSessionAttrs = endpoints(postgres, "replicas"), reports.Name, nil
	ctx.Export("reader", quorum.GetPostgresConnectionOutput(ctx, shop))
	ctx.Export("caCert", text("caCert"))
	return nil
}

// endpoints is the output of that name, a list.
func endpoints(postgres *pulumi.StackReference, output string) pulumi.StringArrayOutput {
	return postgres.GetOutput(pulumi.String(output)).ApplyT(func(list any) (all []string) {
		for _, endpoint := range list.([]any) {
			all = append(all, endpoint.(string))
		}
		return all
	}).(pulumi.StringArrayOutput)
}
