// An application in Go, with pgx: it says as whom, and to which database, it is connected.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
)

func main() {
	if err := ask(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var answer string
	if err := conn.QueryRow(ctx, "SELECT concat_ws(' ', current_user, current_database(), pg_is_in_recovery())").Scan(&answer); err != nil {
		return err
	}
	fmt.Println(answer)
	return nil
}
