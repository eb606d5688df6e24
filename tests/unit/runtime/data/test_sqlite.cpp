#include <sqlite3.h>

#include <thread>

#include "runtime/data/database.hpp"
#include "table_support.hpp"
#include "tests/support/folder.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;
using credence::test::TemporaryFolder;

namespace {

/// Databases made and read by SQLite itself, without anything of ours.
class Connection {
public:
    explicit Connection(const std::string& path) { REQUIRE(sqlite3_open(path.c_str(), &connection_) == SQLITE_OK); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { sqlite3_close(connection_); }
    void run(const std::string& sql) {
        INFO(sql);
        REQUIRE(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    }
    std::string text(const std::string& sql) {
        std::string out;
        const auto add = [](void* to, int n, char** cells, char**) {
            for (int i = 0; i < n; ++i) *static_cast<std::string*>(to) += std::string(i > 0 ? "|" : "") + (cells[i] ? cells[i] : "null");
            *static_cast<std::string*>(to) += ";";
            return 0;
        };
        REQUIRE(sqlite3_exec(connection_, sql.c_str(), add, &out, nullptr) == SQLITE_OK);
        return out;
    }

private:
    sqlite3* connection_ = nullptr;
};

std::string shop(const TemporaryFolder& folder) {
    const std::string path = folder.at("shop.db");
    Connection made(path);
    made.run("create table orders (id integer, price real, colour text, note)");
    made.run(
        "insert into orders values (1, 2.5, 'red', null), (2, null, 'blue', 7), (9007199254740993, 0.1, 'red', 'late'), (4, 3, '01', "
        "null)");
    made.run("create view cheap as select * from orders where price < 1");
    return path;
}

Fault fault_of(const std::string& path, const DatabaseQuery& query) {
    const auto table = load_sqlite(path, query);
    REQUIRE_FALSE(table);
    return table.fault();
}

}  // namespace

TEST_CASE("a table of a database has the types of its values", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const auto orders = value_of(load_sqlite(shop(folder), {.table = "Orders"}));
    CHECK(orders->rows() == 4);
    CHECK(kind(orders, "id") == ColumnKind::numeric);
    CHECK(cells(orders, "id") == Strings{"1", "2", "9007199254740993", "4"});
    CHECK(cells(orders, "price") == Strings{"2.5", "∅", "0.1", "3"});
    CHECK(kind(orders, "colour") == ColumnKind::label);
    CHECK(cells(orders, "colour") == Strings{"red", "blue", "red", "01"});
    CHECK(kind(orders, "note") == ColumnKind::label);
    CHECK(cells(orders, "note") == Strings{"∅", "7", "late", "∅"});
    CHECK(value_of(load_sqlite(folder.at("shop.db"), {.table = "cheap"}))->rows() == 1);
    const auto typed = value_of(load_sqlite(folder.at("shop.db"), {.table = "orders", .types = {{"id", ColumnKind::label}}}));
    CHECK(kind(typed, "id") == ColumnKind::label);
    CHECK(cells(typed, "id") == Strings{"1", "2", "9007199254740993", "4"});
}

TEST_CASE("the values of a query are bound, not pasted", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const std::string path = shop(folder);
    const auto some =
        value_of(load_sqlite(path, {.query = "select id from orders where colour = ? and price > ?", .parameters = {"red", 1.5}}));
    CHECK(cells(some, "id") == Strings{"1"});
    const std::string evil = "red' or 1=1; drop table orders; --";
    CHECK(value_of(load_sqlite(path, {.query = "select id from orders where colour = ?", .parameters = {evil}}))->rows() == 0);
    CHECK(cells(value_of(load_sqlite(path, {.query = "select ? as x, ? as y", .parameters = {std::int64_t{5}, {}}})), "y") == Strings{"∅"});
    CHECK(fault_of(path, {.query = "select ? as x"}).message == "the query has 1 parameter, and 0 values are given");
}

TEST_CASE("a query that is wrong says where", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const std::string path = shop(folder);
    const auto wrong = fault_of(path, {.query = "select prize from orders"});
    CHECK(wrong.code.text() == "E-PARAMETER");
    CHECK(wrong.message == "the query is wrong: no such column: prize");
#if SQLITE_VERSION_NUMBER >= 3038000
    CHECK(wrong.label == "at character 8 of the query: select «prize» from orders");
    CHECK(query_excerpt("select 'ä', x", 12) == "at character 12 of the query: select 'ä',« »x");
#endif
    CHECK(fault_of(path, {.query = "select * from order_"}).hint == "its tables are cheap, orders");
    CHECK(fault_of(path, {.table = "order"}).hint == "did you mean 'orders'?");
    CHECK(fault_of(path, {.query = "select 1 as x; select 2 as x"}).message == "a query is one statement");
    CHECK(fault_of(path, {.query = " -- nothing"}).message == "the query is empty");
    CHECK(fault_of(path, {.query = "select 1 as x, 2 as x"}).message == path + ": two columns are named 'x'");
    CHECK(fault_of(path, {.query = "select x'00' as b"}).message == path + ": row 1 has binary data in column 'b'");
    CHECK(fault_of(path, {}).message == "'" + path + "' has several tables");
}

TEST_CASE("a query changes nothing and opens no other file", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const std::string path = shop(folder);
    const std::string before = folder.read("shop.db");
    for (const std::string& query : {std::string("delete from orders"), std::string("insert into orders values (1, 1, 'a', 1) returning id"),
                                    std::string("drop table orders"), std::string("pragma journal_mode = wal"),
                                    "attach '" + folder.at("other.db") + "' as other", "vacuum into '" + folder.at("copy.db") + "'"}) {
        INFO(query);
        CHECK(fault_of(path, {.query = query}).message == "a query only reads its database: it begins with select, with or values");
    }
    CHECK(folder.read("shop.db") == before);
    CHECK_FALSE(std::filesystem::exists(folder.at("other.db")));
    CHECK_FALSE(std::filesystem::exists(folder.at("copy.db")));
}

TEST_CASE("a database is opened in its folder, not by its name", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    shop(folder);
    const auto root = folder.at("root");
    std::filesystem::create_directories(root);
    std::filesystem::copy_file(folder.at("shop.db"), root + "/in.db");
    std::filesystem::create_symlink(folder.at("shop.db"), root + "/link.db");
    CHECK(value_of(load_sqlite({root + "/in.db", root}, {.table = "orders"}))->rows() == 4);
    CHECK_FALSE(load_sqlite({root + "/link.db", root}, {.table = "orders"}));
    CHECK_FALSE(load_sqlite({root + "/../shop.db", root}, {.table = "orders"}));
    const auto table = csv("a\n1\n");
    CHECK(save_sqlite(*table, {root + "/new.db", root}, "t", nullptr));
    CHECK(Connection(root + "/new.db").text("select * from t") == "1;");
    CHECK_FALSE(save_sqlite(*table, {root + "/link.db", root}, "t", nullptr));
    // Where the files beside it are links, they are not followed either.
    std::filesystem::create_symlink(folder.at("escaped"), root + "/in.db-journal");
    CHECK_FALSE(save_sqlite(*table, {root + "/in.db", root}, "t", nullptr));
    CHECK_FALSE(std::filesystem::exists(folder.at("escaped")));
}

TEST_CASE("a file that another program writes is read as it was last whole", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const std::string path = shop(folder);
    for (const std::string mode : {"delete", "wal"}) {
        INFO(mode);
        Connection writer(path);
        writer.run("pragma journal_mode = " + mode);
        writer.run("begin immediate");
        writer.run("insert into orders values (5, 5, 'new', null)");
        CHECK(value_of(load_sqlite(path, {.query = "select count(*) as n from orders where colour <> 'new'"}))->rows() == 1);
        CHECK(cells(value_of(load_sqlite(path, {.query = "select count(*) as n from orders"})), "n") == Strings{"4"});
        writer.run("rollback");
    }
    Connection writer(path);
    writer.run("pragma journal_mode = delete");
    writer.run("begin exclusive");
    std::thread other([&writer] {
        sqlite3_sleep(100);
        writer.run("commit");
    });
    CHECK(load_sqlite(path, {.table = "orders"}));  // it waits
    other.join();
}

TEST_CASE("a table is stored in one transaction, and what else is there stays", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const std::string path = shop(folder);
    const auto table = csv("n,x,who\n1,0.5,ann\n2,?,\"b \"\"o\"\"b\"\n3,1e300,?\n");
    REQUIRE(save_sqlite(*table, path, "scored rows", nullptr));
    Connection made(path);
    CHECK(made.text("select * from \"scored rows\"") == "1|0.5|ann;2|null|b \"o\"b;3|1.0e+300|null;");
    CHECK(made.text("select typeof(n), typeof(x), typeof(who) from \"scored rows\" limit 1") == "integer|real|text;");
    CHECK(made.text("select count(*) from orders") == "4;");
    CHECK(same(*value_of(load_sqlite(path, {.table = "scored rows"})), *table));
    REQUIRE(save_sqlite(*csv("a\n1\n"), path, "scored rows", nullptr));
    CHECK(made.text("select * from \"scored rows\"") == "1;");
    const auto refused = save_sqlite(*csv("a,A\n1,2\n"), path, "scored rows", nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().message == "cannot write '" + path + "': duplicate column name: A");
    CHECK(made.text("select * from \"scored rows\"") == "1;");
    CHECK_FALSE(save_sqlite(*csv("a,A\n1,2\n"), folder.at("new.db"), "t", nullptr));
    CHECK_FALSE(std::filesystem::exists(folder.at("new.db")));
}

TEST_CASE("what is not a database is refused", "[sqlite]") {
    const TemporaryFolder folder("sqlite");
    const auto text = folder.write("text.db", std::string(2000, 'x'));
    CHECK(fault_of(text, {.table = "t"}).message == "'" + text + "' is not an SQLite database");
    CHECK_FALSE(save_sqlite(*csv("a\n1\n"), text, "t", nullptr));
    CHECK(folder.read("text.db") == std::string(2000, 'x'));
    CHECK(fault_of(folder.at("none.db"), {.table = "t"}).code.text() == "E-FILE");
    CHECK_FALSE(std::filesystem::exists(folder.at("none.db")));
    const auto whole = shop(folder);
    folder.write("cut.db", folder.read("shop.db").substr(0, 5000));
    CHECK(fault_of(folder.at("cut.db"), {.table = "orders"}).code.text() == "E-FILE");
}
