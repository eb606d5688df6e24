#include "runtime/data/stack.hpp"

#include "table_support.hpp"
#include "tests/support/folder.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;
using credence::test::TemporaryFolder;

TEST_CASE("a pattern means the files that match it, sorted", "[files]") {
    const TemporaryFolder folder("patterns");
    for (const auto* name : {"p/b.csv", "p/a.csv", "p/a.txt", "p/.hidden.csv", "q/c.csv", "q/sub.csv/x", "r[1].csv"})
        folder.write(name, "x\n1\n");
    const std::string root = folder.at("");
    const auto found = [&](const std::string& pattern) {
        const auto paths = matching_paths(pattern, [&](const std::string& path) { return inside(root, root, path); });
        return paths ? *paths : Strings{paths.fault().message};
    };
    CHECK(found("p/*.csv") == Strings{"p/a.csv", "p/b.csv"});
    CHECK(found("?/*.csv") == Strings{"p/a.csv", "p/b.csv", "q/c.csv"});
    CHECK(found("p/[b-z].*") == Strings{"p/b.csv"});
    CHECK(found("*/c.csv") == Strings{"q/c.csv"});
    CHECK(found("p/*.tsv") == Strings{"no file matches 'p/*.tsv'"});
    CHECK(found("none/*.csv") == Strings{"no file matches 'none/*.csv'"});
    CHECK(found("../*/p/a.csv").front().find("outside") != std::string::npos);
}

TEST_CASE("tables are stacked with the columns of the first, and labels merged", "[tables]") {
    const std::vector<TablePtr> tables{csv("x,y\n1,a\n2,b\n"), csv("y,x\nc,3\na,?\n"), csv("x,y\n,\n")};
    REQUIRE(check_same_columns(tables, Strings{"1", "2", "3"}));
    CHECK(mixed_columns(tables).empty());
    const auto all = stacked(tables);
    CHECK(all->rows() == 5);
    CHECK(cells(all, "x") == Strings{"1", "2", "3", "∅", "∅"});
    CHECK(cells(all, "y") == Strings{"a", "b", "c", "a", "∅"});
    CHECK(domain(all, "y") == Strings{"a", "b", "c"});
    CHECK(mixed_columns(std::vector{csv("x\n1\n"), csv("x\none\n")}) == Strings{"x"});
    const auto differs = [](const char* a, const char* b) {
        return check_same_columns(std::vector{csv(a), csv(b)}, Strings{"a.csv", "b.csv"}).fault().message;
    };
    CHECK(differs("x,y\n1,2\n", "x\n1\n") == "'b.csv' has no column 'y', which 'a.csv' has");
    CHECK(differs("x\n1\n", "x,y\n1,2\n") == "'b.csv' has a column 'y', which 'a.csv' has not");
}
