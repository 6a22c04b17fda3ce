// An application in JavaScript, with node-postgres: it says as whom, and to which database, it is connected.
const { Client } = require("pg");

async function main() {
    const client = new Client(process.env.DATABASE_URL); // of one endpoint
    await client.connect();
    const { rows } = await client.query("SELECT concat_ws(' ', current_user, current_database(), pg_is_in_recovery()) AS answer");
    console.log(rows[0].answer);
    await client.end();
}

main().catch(e => {
    console.error(e);
    process.exit(1);
});
