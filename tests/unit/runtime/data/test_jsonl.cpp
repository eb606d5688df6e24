#include "runtime/data/jsonl.hpp"
#include "tests/unit/runtime/data/table_support.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;

namespace {

Fault jsonl_fault(std::string_view text, const JsonlOptions& options = {}) {
    const auto table = read_jsonl(text, options);
    REQUIRE_FALSE(table);
    return table.fault();
}

}  // namespace

TEST_CASE("jsonl: the columns are the union of the keys", "[jsonl]") {
    const auto table = value_of(read_jsonl(
        "{\"x\": 1, \"c\": \"red\"}\r\n\n  {\"c\": null, \"x\": 0.10, \"ok\": true}\n{\"late\": \"12\", \"c\": \"a\\u00e9\\n\\\"\"}"));
    CHECK(table->rows() == 3);
    REQUIRE(table->columns.size() == 4);
    CHECK(table->columns[2]->name == "ok");
    CHECK(cells(table, "x") == Strings{"1", "0.1", "∅"});
    CHECK(kind(table, "x") == ColumnKind::numeric);
    CHECK(cells(table, "c") == Strings{"red", "∅", "aé\n\""});
    CHECK(cells(table, "ok") == Strings{"∅", "true", "∅"});
    CHECK(cells(table, "late") == Strings{"∅", "∅", "12"});
    CHECK(kind(table, "late") == ColumnKind::numeric);
}

TEST_CASE("jsonl: numbers keep their digits", "[jsonl]") {
    const auto table = value_of(
        read_jsonl("{\"x\": 0.12345678901234567891}\n{\"x\": -9223372036854775808}\n{\"x\": 18446744073709551615}\n{\"x\": 1e-3}\n"));
    const auto& x = *table->columns[0];
    CHECK(x.number(0) == Number(*Rational::parse("0.12345678901234567891")));
    CHECK(x.number(1) == Number(*Rational::parse("-9223372036854775808")));
    CHECK(x.number(2) == Number(*Rational::parse("18446744073709551615")));
    CHECK(x.number(3) == Number(Rational(1, 1000)));
}

TEST_CASE("jsonl: kinds can be given", "[jsonl]") {
    const auto table = value_of(read_jsonl("{\"d\": 3}\n{\"d\": 1}\n", {.types = {{"d", ColumnKind::label}}}));
    CHECK(domain(table, "d") == Strings{"3", "1"});
    CHECK(jsonl_fault("{\"day\": 3}\n", {.types = {{"Day", ColumnKind::label}}}).hint == "did you mean 'day'?");
    CHECK(jsonl_fault("{\"d\": \"x\"}\n", {.types = {{"d", ColumnKind::numeric}}}).message == "'x' in column 'd' is not a number");
}

TEST_CASE("jsonl: errors name the line", "[jsonl]") {
    const auto nested = jsonl_fault("{\"a\": 1}\n\n{\"a\": {\"b\": 1}}\n");
    CHECK(nested.code.text() == "E-TABLE");
    CHECK(nested.message == "row 2 (line 3) has an object inside 'a'");
    CHECK(jsonl_fault("{\"a\": [1]}\n").message == "row 1 (line 1) has a list inside 'a'");
    CHECK(jsonl_fault("[1, 2]\n").message == "row 1 (line 1) is a list, not an object");
    CHECK(jsonl_fault("12\n").message == "row 1 (line 1) is a single value, not an object");
    CHECK(jsonl_fault("{\"a\": 1} x\n").message == "row 1 (line 1) is not valid JSON at character 10");
    CHECK(jsonl_fault("{\"a\": \n").message.find("row 1 (line 1) is not valid JSON") == 0);
    const std::string beyond = "row 2 (line 2) has a number in 'b' that is beyond the range of numbers in a table, about 1.8e308";
    CHECK(jsonl_fault("{\"a\": 1e308}\n{\"a\": 1, \"b\": 1e309}\n").message == beyond);
    CHECK(jsonl_fault("{\"a\": 1}\n{\"b\": " + std::string(400, '9') + "}\n").message == beyond);
    CHECK(jsonl_fault("{\"a\": 1, \"a\": 2}\n").message == "row 1 (line 1) has the key 'a' twice");
    CHECK(jsonl_fault("{\"\": 1}\n").message == "row 1 (line 1) has a key without a name");
    CHECK(jsonl_fault("\n").message == "the table is empty");
    CHECK(jsonl_fault("{\"a\": \"\xFF\"}\n").code.text() == "E-TEXT");
    CHECK(load_jsonl("/no/such/file.jsonl").fault().code.text() == "E-FILE");
}
