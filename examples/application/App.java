import java.sql.DriverManager;

/** An application in Java, with JDBC: it says as whom, and to which database, it is connected. */
class App {
    public static void main(String[] arguments) throws Exception {
        try (var connection = DriverManager.getConnection(System.getenv("JDBC_URL"), null, System.getenv("PGPASSWORD"));
             var rows = connection.createStatement().executeQuery(
                 "SELECT concat_ws(' ', current_user, current_database(), pg_is_in_recovery())")) {
            rows.next();
            System.out.println(rows.getString(1));
        }
    }
}
