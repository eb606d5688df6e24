#include "runtime/data/arff.hpp"
#include "tests/unit/runtime/data/table_support.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;

namespace {

Fault arff_fault(std::string_view text) {
    const auto table = read_arff(text);
    REQUIRE_FALSE(table);
    return table.fault();
}

}  // namespace

TEST_CASE("arff: a file with everything in it", "[arff]") {
    const auto table =
        value_of(read_arff("% a comment\r\n"
                           "@RELATION 'the weather'\r\n\r\n"
                           "@attribute outlook {sunny, overcast, 'very rainy'}\r\n"
                           "@Attribute \"air temp\" REAL\n"
                           "@ATTRIBUTE n Integer % how many\n"
                           "@attribute note string\n"
                           "@attribute day date \"yyyy-MM-dd\"\n"
                           "@attribute digit {1, 2, 10}\n"
                           "@DATA\n"
                           "% another comment\n"
                           "sunny, 25.5, 3, 'it\\'s, well', 2001-01-02, 10\n"
                           "\n"
                           "'very rainy',?,4,\"?\",?,1\n"
                           "?\t-1e1\t5\tx\t2001-01-03\t1.0"));
    CHECK(table->rows() == 3);
    CHECK(domain(table, "outlook") == Strings{"sunny", "overcast", "very rainy"});
    CHECK(cells(table, "outlook") == Strings{"sunny", "very rainy", "∅"});
    CHECK(kind(table, "air temp") == ColumnKind::numeric);
    CHECK(cells(table, "air temp") == Strings{"25.5", "∅", "-10"});
    CHECK(cells(table, "n") == Strings{"3", "4", "5"});
    CHECK(cells(table, "note") == Strings{"it's, well", "?", "x"});
    CHECK(cells(table, "day") == Strings{"2001-01-02", "∅", "2001-01-03"});
    CHECK(kind(table, "digit") == ColumnKind::label);
    CHECK(domain(table, "digit") == Strings{"1", "2", "10"});
    CHECK(cells(table, "digit") == Strings{"10", "1", "1"});
    CHECK_FALSE(table->target);
}

TEST_CASE("arff: no rows", "[arff]") {
    const auto table = value_of(read_arff("@relation r\n@attribute a {x,y}\n@data\n"));
    CHECK(table->rows() == 0);
    CHECK(domain(table, "a") == Strings{"x", "y"});
}

TEST_CASE("arff: errors name the line", "[arff]") {
    const std::string head = "@relation r\n@attribute a {yes, no}\n@attribute x numeric\n@data\n";
    CHECK(arff_fault(head + "yes,1\n{0 yes, 1 2}\n").message == "line 6: this row is sparse, which is not supported");
    CHECK(arff_fault(head + "yes\n").message == "line 5: the row has 1 cell, there are 2 attributes");
    CHECK(arff_fault(head + "yes,many\n").message == "line 5: 'many' of attribute 'x' is not a number");
    const std::string beyond = "line 6: a number of attribute 'x' is beyond the range of numbers in a table, about 1.8e308";
    CHECK(arff_fault(head + "yes,1e308\nno,-1e309\n").message == beyond);
    CHECK(arff_fault(head + "yes,1\nno," + std::string(400, '9') + "\n").message == beyond);
    const auto unknown = arff_fault(head + "yse,1\n");
    CHECK(unknown.code.text() == "E-TABLE");
    CHECK(unknown.message == "line 5: 'a' has no value 'yse'");
    CHECK(unknown.hint == "did you mean 'yes'?");
    CHECK(arff_fault(head + "yes,,1\n").message == "line 5: a value is missing before ','");
    CHECK(arff_fault(head + "'yes,1\n").message == "line 5: a quote is never closed");
    CHECK(arff_fault("@attribute a {x,y\n").message == "line 1: the values of 'a' are separated by commas and end with }");
    CHECK(arff_fault("@attribute a {x,x}\n").message == "line 1: 'a' lists the value 'x' twice");
    CHECK(arff_fault("@attribute a relational\n").message == "line 1: 'a' has the type 'relational'");
    CHECK(arff_fault("@attribute a real\n@attribute a real\n").message == "line 2: two attributes are named 'a'");
    CHECK(arff_fault("@relation r\n@data\n").message == "line 2: @data comes before any @attribute");
    CHECK(arff_fault("@relation r\n@attribute a real\n").message == "line 2: the file has no @data");
    CHECK(arff_fault("a,b\n1,2\n").message == "line 1: 'a' is not expected here");
    CHECK(arff_fault("").message == "line 1: the file has no @data");
    CHECK(arff_fault("% caf\xE9\n").code.text() == "E-TEXT");
    CHECK(load_arff("/no/such/file.arff").fault().code.text() == "E-FILE");
}
