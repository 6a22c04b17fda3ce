"""An application in Python, with psycopg: it says as whom, and to which database, it is connected."""

import os

import psycopg

with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    answer = connection.execute(
        "SELECT concat_ws(' ', current_user, current_database(), pg_is_in_recovery())"
    ).fetchone()
    print(answer[0])
