#include <cmath>
#include <map>
#include <set>

#include "runtime/data/table_ops.hpp"
#include "tests/unit/runtime/data/table_support.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;

namespace {

const char* const weather = "Sky,Temp,Wind,Play\nsunny,25,weak,no\nrainy,9.5,?,yes\ncloudy,?,strong,yes\nsunny,18,weak,no\n";

TablePtr target(const TablePtr& table, const std::string& name) { return value_of(with_target(*table, name)); }

template <class T>
Fault fault_of(const Result<T>& result) {
    REQUIRE_FALSE(result);
    return result.fault();
}

std::size_t column_count(const TablePtr& table) { return table->columns.size(); }

double number_at(const TablePtr& table, std::string_view column, std::size_t row) {
    return table->columns[*table->find(column)]->values[row];
}

}  // namespace

TEST_CASE("table ops: rows are taken in the given order", "[table_ops]") {
    const auto table = target(csv(weather), "Play");
    const std::vector<std::uint32_t> rows = {3, 1, 1};
    const auto taken = value_of(take_rows(*table, rows));
    CHECK(cells(taken, "Sky") == Strings{"sunny", "rainy", "rainy"});
    CHECK(cells(taken, "Temp") == Strings{"18", "9.5", "9.5"});
    CHECK(domain(taken, "Sky") == Strings{"sunny", "rainy", "cloudy"});  // the domain stays whole
    CHECK(taken->target == 3U);
    CHECK(value_of(take_rows(*table, {}))->rows() == 0);
    const auto none = fault_of(take_rows(*table, std::vector<std::uint32_t>{4}));
    CHECK(none.code.text() == "E-TABLE");
    CHECK(none.message == "there is no row 5");
    CHECK(cells(value_of(head(*table, 2)), "Sky") == Strings{"sunny", "rainy"});
    CHECK(value_of(head(*table, 10))->columns[0] == table->columns[0]);  // shared, not copied
    CHECK(cells(value_of(drop_missing(*table)), "Temp") == Strings{"25", "18"});
}

TEST_CASE("table ops: columns are chosen, dropped, renamed", "[table_ops]") {
    const auto table = target(csv(weather), "Play");
    const auto chosen = value_of(select(*table, Strings{"Play", "Sky"}));
    CHECK(chosen->columns.size() == 2);
    CHECK(chosen->columns[1] == table->columns[0]);
    CHECK(chosen->target == 0U);
    CHECK_FALSE(value_of(select(*table, Strings{"Sky"}))->target);
    CHECK(value_of(select(*table, {}))->rows() == 4);
    const auto rest = value_of(drop(*table, Strings{"Sky", "Wind"}));
    CHECK(rest->columns.size() == 2);
    CHECK(rest->target == 1U);

    const auto renamed = value_of(rename(*table, "Temp", "Temperature"));
    CHECK(cells(renamed, "Temperature") == cells(table, "Temp"));
    CHECK_FALSE(renamed->find("Temp"));
    CHECK(fault_of(rename(*table, "Temp", "Sky")).message == "the table has a column 'Sky' already");

    const auto unknown = fault_of(select(*table, Strings{"Sky", "play"}));
    CHECK(unknown.code.text() == "E-COLUMN");
    CHECK(unknown.message == "the table has no column 'play'");
    CHECK(unknown.label == "its columns are Sky, Temp, Wind, Play");
    CHECK(unknown.hint == "did you mean 'Play'?");
    CHECK(fault_of(select(*table, Strings{"Sky", "Sky"})).message == "column 'Sky' is named twice");
    CHECK(fault_of(with_target(*table, "Ski")).hint == "did you mean 'Sky'?");
    CHECK_FALSE(value_of(with_target(*table, std::nullopt))->target);
}

TEST_CASE("table ops: long lists of columns are cut", "[table_ops]") {
    std::string header = "c1";
    std::string row = "1";
    for (int i = 2; i <= 20; ++i) {
        header += ",c" + std::to_string(i);
        row += ",1";
    }
    const auto fault = fault_of(drop(*csv(header + "\n" + row + "\n"), Strings{"elephant"}));
    CHECK(fault.label == "its columns are c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, … (8 more)");
    CHECK(fault.hint.empty());
}

TEST_CASE("table ops: columns are added and replaced", "[table_ops]") {
    const auto table = csv("a\n1\n2\n");
    const auto other = csv("a,b\nx,5\ny,6\n");
    const auto both = value_of(with_column(*table, other->columns[1]));
    CHECK(cells(both, "b") == Strings{"5", "6"});
    CHECK(both->columns[0] == table->columns[0]);
    CHECK(fault_of(with_column(*table, other->columns[0])).message == "the table has a column 'a' already");
    CHECK(cells(value_of(with_column(*table, other->columns[0], IfThere::replace)), "a") == Strings{"x", "y"});
    CHECK(fault_of(with_column(*table, csv("c\n1\n")->columns[0])).message == "column 'c' is 1 long, the table has 2 rows");
}

TEST_CASE("table ops: sorting is stable and puts missing cells last", "[table_ops]") {
    const auto table = csv("k,n\nb,10\n?,1\na,9\n10,?\nb,2\n9,9.5\na,10\n");
    const std::vector<SortKey> by_k = {{"k", false}};
    CHECK(cells(value_of(sort_by(*table, by_k)), "k") == Strings{"9", "10", "a", "a", "b", "b", "∅"});
    CHECK(cells(value_of(sort_by(*table, by_k)), "n") == Strings{"9.5", "∅", "9", "10", "10", "2", "1"});
    const std::vector<SortKey> k_down = {{"k", true}};
    CHECK(cells(value_of(sort_by(*table, k_down)), "k") == Strings{"b", "b", "a", "a", "10", "9", "∅"});
    CHECK(cells(value_of(sort_by(*table, k_down)), "n") == Strings{"10", "2", "9", "10", "∅", "9.5", "1"});
    const std::vector<SortKey> n_down_k = {{"n", true}, {"k", false}};
    CHECK(cells(value_of(sort_by(*table, n_down_k)), "k") == Strings{"a", "b", "9", "a", "b", "∅", "10"});
    const std::vector<SortKey> unknown = {{"m", false}};
    CHECK(fault_of(sort_by(*table, unknown)).code.text() == "E-COLUMN");
    // fractions that share a double are still in order
    const auto close = csv("x\n0.12345678901234567892\n0.12345678901234567891\n");
    CHECK(value_of(sort_by(*close, std::vector<SortKey>{{"x", false}}))->columns[0]->exact[0] == close->columns[0]->exact[1]);
}

TEST_CASE("table ops: concat merges domains and keeps the target", "[table_ops]") {
    const auto a = target(csv("x,c\n1,red\n2,blue\n"), "c");
    const auto b = csv("c,x\ngreen,3\nred,?\n");
    const auto both = value_of(concat(*a, *b));
    CHECK(cells(both, "x") == Strings{"1", "2", "3", "∅"});
    CHECK(cells(both, "c") == Strings{"red", "blue", "green", "red"});
    CHECK(domain(both, "c") == Strings{"red", "blue", "green"});
    CHECK(both->target == 1U);
    CHECK(value_of(concat(*b, *a))->target == 0U);  // b has none of its own

    CHECK(fault_of(concat(*a, *csv("x\n1\n"))).message == "the second table has no column 'c'");
    CHECK(fault_of(concat(*csv("x\n1\n"), *a)).message == "the first table has no column 'c'");
    CHECK(kind(value_of(concat(*csv("x\n?\n"), *csv("x\n1\n"))), "x") == ColumnKind::numeric);
    const auto mixed = value_of(concat(*csv("x\n2\n1\n"), *csv("x\nmany\n1\n")));
    CHECK(kind(mixed, "x") == ColumnKind::label);
    CHECK(cells(mixed, "x") == Strings{"2", "1", "many", "1"});
    const auto exact = value_of(concat(*csv("x\n0.1\n?\n"), *csv("x\n0.12345678901234567891\n")));
    REQUIRE(exact->columns[0]->exact.size() == 3);
    CHECK(exact->columns[0]->number(0) == Number(Rational(1, 10)));
}

TEST_CASE("table ops: join pairs equal cells", "[table_ops]") {
    const auto people = csv("name,city\nann,1\nbob,2\ncid,?\ndan,1\neve,9\n");
    const auto cities = csv("city,town,size\n2,York,5\n1.0,Rome,7\n1,Roma,8\n?,Nowhere,0\n");
    const auto joined = value_of(join(*people, *cities, Strings{"city"}));
    CHECK(column_count(joined) == 4);
    CHECK(cells(joined, "name") == Strings{"ann", "ann", "bob", "dan", "dan"});
    CHECK(cells(joined, "town") == Strings{"Rome", "Roma", "York", "Rome", "Roma"});
    CHECK(cells(joined, "size") == Strings{"7", "8", "5", "7", "8"});
    // a column of labels meets one of numbers
    CHECK(cells(value_of(join(*csv("k,a\n1,x\nw,y\n"), *csv("k,b\n1,z\n"), Strings{"k"})), "a") == Strings{"x"});
    // two columns
    const auto two = value_of(join(*csv("a,b,c\n1,x,p\n1,y,q\n2,x,r\n"), *csv("b,a,d\ny,1,D1\nx,2,D2\n"), Strings{"a", "b"}));
    CHECK(cells(two, "c") == Strings{"q", "r"});
    CHECK(cells(two, "d") == Strings{"D1", "D2"});

    CHECK(fault_of(join(*people, *csv("city,name\n1,x\n"), Strings{"city"})).message == "both tables have a column 'name'");
    CHECK(fault_of(join(*people, *cities, Strings{"town"})).message == "the first table has no column 'town'");
    CHECK(fault_of(join(*people, *cities, {})).code.text() == "E-TABLE");
}

TEST_CASE("table ops: join agrees with a double loop", "[table_ops][property]") {
    std::string left = "k,l,i\n";
    std::string right = "k,l,j\n";
    std::uint32_t state = 7;
    const auto next = [&state](std::uint32_t n) {
        state = state * 1664525U + 1013904223U;
        return (state >> 16U) % n;
    };
    for (int i = 0; i < 60; ++i)
        left += (next(9) == 0 ? "?" : std::to_string(next(6))) + ",l" + std::to_string(next(3)) + "," + std::to_string(i) + "\n";
    for (int i = 0; i < 40; ++i)
        right += (next(9) == 0 ? "?" : std::to_string(next(6))) + ",l" + std::to_string(next(4)) + "," + std::to_string(i) + "\n";
    const auto a = csv(left);
    const auto b = csv(right);
    const auto ak = cells(a, "k"), al = cells(a, "l"), bk = cells(b, "k"), bl = cells(b, "l");
    std::vector<std::pair<double, double>> expected;
    for (std::size_t i = 0; i < 60; ++i)
        for (std::size_t j = 0; j < 40; ++j)
            if (ak[i] != "∅" && ak[i] == bk[j] && al[i] == bl[j]) expected.emplace_back(i, j);
    const auto joined = value_of(join(*a, *b, Strings{"k", "l"}));
    std::vector<std::pair<double, double>> found;
    for (std::size_t row = 0; row < joined->rows(); ++row) found.emplace_back(number_at(joined, "i", row), number_at(joined, "j", row));
    CHECK(expected.size() > 20);
    CHECK(found == expected);
}

TEST_CASE("table ops: groups come in order of first appearance", "[table_ops]") {
    const auto table = csv("a,b\nx,1\ny,1\nx,?\nx,1.0\n?,1\nx,?\n");
    const auto groups = value_of(group_rows(*table, Strings{"a", "b"}));
    REQUIRE(groups.size() == 4);
    CHECK(groups[0].rows == std::vector<std::uint32_t>{0, 3});
    CHECK(groups[1].rows == std::vector<std::uint32_t>{1});
    CHECK(groups[2].rows == std::vector<std::uint32_t>{2, 5});
    CHECK(groups[3].rows == std::vector<std::uint32_t>{4});
    CHECK(groups[0].key[0]->text() == "x");
    CHECK(groups[0].key[1]->text() == "1");
    CHECK_FALSE(groups[2].key[1]);
    CHECK_FALSE(groups[3].key[0]);
    CHECK(value_of(group_rows(*table, {})).size() == 1);
    CHECK(fault_of(group_rows(*table, Strings{"c"})).code.text() == "E-COLUMN");
}

TEST_CASE("table ops: equal widths", "[table_ops]") {
    const auto table = csv("x,y\n0,a\n1,b\n2.5,c\n3,d\n?,e\n6,f\n10,g\n");
    const auto binned = value_of(discretize(*table, "x", 4, Binning::width));  // cuts at 2.5, 5, 7.5
    CHECK(domain(binned, "x") == Strings{"<= 2.5", "2.5 .. 5", "5 .. 7.5", "> 7.5"});
    CHECK(cells(binned, "x") == Strings{"<= 2.5", "<= 2.5", "<= 2.5", "2.5 .. 5", "∅", "5 .. 7.5", "> 7.5"});
    CHECK(binned->columns[1] == table->columns[1]);
    const auto thirds = value_of(discretize(*table, "x", 3, Binning::width));
    CHECK(domain(thirds, "x") == Strings{"<= 3.33333", "3.33333 .. 6.66667", "> 6.66667"});
    // 0.1 + 2·0.1 is 0.3 here, which doubles miss: the number on the cut falls into the lower bin
    CHECK(cells(value_of(discretize(*csv("x\n0.1\n0.3\n0.4\n"), "x", 3, Binning::width)), "x") == Strings{"<= 0.2", "0.2 .. 0.3", "> 0.3"});
}

TEST_CASE("table ops: equal frequencies", "[table_ops]") {
    const auto table = csv("x\n9\n1\n2\n3\n4\n5\n6\n?\n7\n8\n");
    const auto binned = value_of(discretize(*table, "x", 3, Binning::frequency));
    CHECK(domain(binned, "x") == Strings{"<= 3.5", "3.5 .. 6.5", "> 6.5"});
    CHECK(cells(binned, "x") ==
          Strings{"> 6.5", "<= 3.5", "<= 3.5", "<= 3.5", "3.5 .. 6.5", "3.5 .. 6.5", "3.5 .. 6.5", "∅", "> 6.5", "> 6.5"});
    // equal numbers are never parted, so two bins are left of four
    CHECK(domain(value_of(discretize(*csv("x\n1\n1\n1\n1\n1\n1\n2\n2\n"), "x", 4, Binning::frequency)), "x") == Strings{"<= 1.5", "> 1.5"});
}

TEST_CASE("table ops: given cut points", "[table_ops]") {
    const auto table = csv("x,l\n1,a\n2.5,b\n3,c\n4,d\n");
    const std::vector<Number> cuts = {Rational(5, 2), Rational(7, 2)};
    const auto binned = value_of(discretize(*table, "x", cuts));
    CHECK(cells(binned, "x") == Strings{"<= 2.5", "<= 2.5", "2.5 .. 3.5", "> 3.5"});
    const std::vector<Number> close = {Rational(1000001, 1000000), *Rational::parse("1.0000011")};
    CHECK(domain(value_of(discretize(*table, "x", close)), "x") == Strings{"<= 1.000001", "1.000001 .. 1.0000011", "> 1.0000011"});
    CHECK(fault_of(discretize(*table, "x", std::vector<Number>{3, 2})).hint == "cut points ascend");
    CHECK(fault_of(discretize(*table, "x", std::span<const Number>{})).code.text() == "E-TABLE");
    CHECK(fault_of(discretize(*table, "l", cuts)).message == "column 'l' holds labels; only numbers can be cut into bins");
    CHECK(fault_of(discretize(*table, "x", 1, Binning::width)).message == "column 'x' needs at least 2 bins");
    CHECK(fault_of(discretize(*csv("x\n3\n3\n"), "x", 2, Binning::width)).message ==
          "column 'x' has one value only, 3: there is nothing to cut");
}

TEST_CASE("table ops: standard scaling", "[table_ops]") {
    // mean 5, sum of squares 32 over 8 numbers
    const auto table = csv("x,c,l\n2,7,a\n4,7,b\n4,7,a\n4,7,b\n5,7,a\n5,7,b\n7,7,a\n9,7,b\n");
    const auto scaled = value_of(scale(*table, {}, Scaling::standard));
    REQUIRE(scaled.scales.size() == 2);
    CHECK(scaled.scales[0].centre == Number(5));
    CHECK(scaled.scales[0].spread.real() == Approx(std::sqrt(32.0 / 7)).epsilon(1e-15));
    CHECK(number_at(scaled.table, "x", 7) == Approx(4 / std::sqrt(32.0 / 7)).epsilon(1e-15));
    CHECK(number_at(scaled.table, "c", 3) == 0);
    CHECK(scaled.table->columns[2] == table->columns[2]);
    CHECK(fault_of(scale(*table, Strings{"l"}, Scaling::standard)).message == "column 'l' holds labels; only numbers can be scaled");
}

TEST_CASE("table ops: scaling to the range is exact, and is applied to other tables", "[table_ops]") {
    const auto table = target(csv("x,y\n1,5\n2,6\n?,7\n4,9\n"), "y");
    const auto scaled = value_of(scale(*table, {}, Scaling::range));
    CHECK(scaled.scales.size() == 1);  // not the target
    CHECK(cells(scaled.table, "x") == Strings{"0", "1/3", "∅", "1"});
    CHECK(scaled.table->target == 1U);
    CHECK(cells(value_of(rescale(*csv("x\n7\n-0.5\n"), scaled.scales)), "x") == Strings{"2", "-0.5"});
    CHECK(fault_of(rescale(*csv("z\n7\n"), scaled.scales)).code.text() == "E-COLUMN");
}

TEST_CASE("table ops: one-hot encoding", "[table_ops]") {
    const auto table = target(csv("Colour,n,class\nred,1,a\n?,2,b\nblue,3,a\nred,4,b\n"), "class");
    const auto encoded = value_of(encode(*table, {}));
    REQUIRE(column_count(encoded) == 4);
    CHECK(cells(encoded, "Colour=red") == Strings{"1", "∅", "0", "1"});
    CHECK(cells(encoded, "Colour=blue") == Strings{"0", "∅", "1", "0"});
    CHECK(encoded->target == 3U);
    CHECK(encoded->columns[2] == table->columns[1]);
    CHECK(fault_of(encode(*table, Strings{"n"})).message == "column 'n' is numeric already");
    CHECK(fault_of(encode(*csv("a,a=x\nx,1\n"), Strings{"a"})).message == "the table has a column 'a=x' already");
}

TEST_CASE("table ops: describe", "[table_ops]") {
    const auto table = csv("x,l,none\n0.1,b,?\n0.2,a,?\n?,b,?\n0.2,a,?\n");
    const auto summary = value_of(describe(*table));
    CHECK(cells(summary, "name") == Strings{"x", "l", "none"});
    CHECK(cells(summary, "kind") == Strings{"numeric", "label", "label"});
    CHECK(cells(summary, "count") == Strings{"3", "4", "0"});
    CHECK(cells(summary, "missing") == Strings{"1", "0", "4"});
    CHECK(cells(summary, "distinct") == Strings{"2", "2", "0"});
    CHECK(cells(summary, "min") == Strings{"0.1", "∅", "∅"});
    CHECK(number_at(summary, "mean", 0) == Approx(0.5 / 3).epsilon(1e-15));  // a decimal, as a summary is read
    CHECK(number_at(summary, "sd", 0) == Approx(std::sqrt(1.0 / 300)).epsilon(1e-14));
    CHECK(cells(summary, "q25") == Strings{"0.15", "∅", "∅"});  // between 0.1 and 0.2, by hand
    CHECK(cells(summary, "median") == Strings{"0.2", "∅", "∅"});
    CHECK(cells(summary, "max") == Strings{"0.2", "∅", "∅"});
    CHECK(cells(summary, "most_frequent") == Strings{"0.2", "b", "∅"});  // b and a twice each: the first wins
    CHECK(summary->rows() == 3);
    const auto no_numbers = value_of(describe(*csv("l\na\n")));
    CHECK(kind(no_numbers, "mean") == ColumnKind::numeric);
}

TEST_CASE("table ops: describe on many rows agrees with the closed form", "[table_ops]") {
    constexpr int n = 12345;
    std::string text = "x\n";
    for (int i = 1; i <= n; ++i) text += "100000000." + std::string(i % 2 == 0 ? "25" : "75") + "\n";
    const auto summary = value_of(describe(*csv(text)));
    const double ones = (n + 1) / 2;
    const double p = ones / n;  // of the cells that are a half larger
    CHECK(number_at(summary, "mean", 0) == Approx(100000000.25 + p / 2).epsilon(1e-15));
    CHECK(number_at(summary, "sd", 0) == Approx(0.5 * std::sqrt(p * (1 - p) * n / (n - 1))).epsilon(1e-9));
}

TEST_CASE("table ops: numbers as labels, in ascending order", "[table_ops]") {
    const auto labels = value_of(as_labels(*csv("d\n10\n2\n?\n10\n0.5\n"), "d"));
    CHECK(domain(labels, "d") == Strings{"0.5", "2", "10"});
    CHECK(cells(labels, "d") == Strings{"10", "2", "∅", "10", "0.5"});
    const auto words = csv("d\nb\na\n");
    CHECK(value_of(as_labels(*words, "d"))->columns[0] == words->columns[0]);
}

TEST_CASE("table ops: shuffling keeps the rows", "[table_ops]") {
    std::string text = "i\n";
    for (int i = 0; i < 200; ++i) text += std::to_string(i) + "\n";
    const auto table = csv(text);
    Rng rng(5);
    const auto shuffled = value_of(shuffle(*table, rng));
    auto values = shuffled->columns[0]->values;
    CHECK(values != table->columns[0]->values);
    std::sort(values.begin(), values.end());
    CHECK(values == table->columns[0]->values);
    Rng again(5);
    CHECK(same(*shuffled, *value_of(shuffle(*table, again))));

    // all six orders of three rows come about as often: chi-square with 5 degrees of freedom, 99.9 % point 20.52
    const auto three = csv("i\n0\n1\n2\n");
    std::map<std::vector<double>, int> seen;
    for (int i = 0; i < 6000; ++i) ++seen[value_of(shuffle(*three, rng))->columns[0]->values];
    REQUIRE(seen.size() == 6);
    double chi_square = 0;
    for (const auto& [order, count] : seen) chi_square += (count - 1000.0) * (count - 1000.0) / 1000;
    CHECK(chi_square < 20.52);
}

TEST_CASE("table ops: a split puts every row into one table", "[table_ops]") {
    std::string text = "i,class\n";
    for (int i = 0; i < 100; ++i) text += std::to_string(i) + (i % 10 == 0 ? ",rare\n" : i % 10 < 4 ? ",some\n" : ",many\n");
    text += "100,?\n";
    const auto table = target(csv(text), "class");
    Rng rng(1);
    const auto [first, second] = value_of(split(*table, Rational(2, 3), rng));
    CHECK(first->rows() == 67);  // 101 · 2/3 = 67.33
    CHECK(second->rows() == 34);
    std::set<double> all;
    for (const auto& part : {first, second}) all.insert(part->columns[0]->values.begin(), part->columns[0]->values.end());
    CHECK(all.size() == 101);
    CHECK(std::is_sorted(first->columns[0]->values.begin(), first->columns[0]->values.end()));
    std::map<std::string, int> counts;
    for (const auto& cell : cells(first, "class")) ++counts[cell];
    // shares are 20/3, 20, 40 and, for the row without a class, 2/3: rounded down 66, and the one left goes to the first of the two thirds
    CHECK(counts == std::map<std::string, int>{{"rare", 6}, {"some", 20}, {"many", 40}, {"∅", 1}});
    CHECK(first->target == 1U);

    Rng same_seed(1);
    CHECK(same(*first, *value_of(split(*table, Rational(2, 3), same_seed)).first));
    const auto half = value_of(split(*csv("a\n1\n2\n3\n"), Rational(1, 2), rng, Stratified::no));
    CHECK(half.first->rows() == 2);
    CHECK(value_of(split(*table, Rational(0), rng)).first->rows() == 0);
    CHECK(value_of(split(*table, Rational(1), rng)).second->rows() == 0);
    CHECK(fault_of(split(*table, Rational(3, 2), rng)).message == "a share of 3/2 is not between 0 and 1");
}

TEST_CASE("table ops: published figures of the iris data", "[table_ops][data]") {
    const auto folder = data_folder();
    if (!folder) return;
    const auto iris = value_of(load_csv((*folder / "tables/iris.csv").string()));
    const auto summary = value_of(describe(*iris));
    // iris.names of the UCI repository: means 5.84, 3.05 (3.057333 in the corrected data), 3.76, 1.20; sd 0.83, 0.43, 1.76, 0.76
    CHECK(number_at(summary, "mean", 0) == Approx(5.843333).epsilon(1e-6));
    CHECK(number_at(summary, "mean", 1) == Approx(3.05).margin(0.01));
    CHECK(number_at(summary, "sd", 0) == Approx(0.83).margin(0.005));
    CHECK(number_at(summary, "sd", 2) == Approx(1.76).margin(0.006));
    CHECK(number_at(summary, "min", 0) == 4.3);
    CHECK(number_at(summary, "max", 2) == 6.9);
    CHECK(cells(summary, "distinct")[4] == "3");
    // numpy.quantile of the same column: 5.1, 5.8, 6.4; of petal_length 1.6, 4.35, 5.1
    CHECK(number_at(summary, "q25", 0) == 5.1);
    CHECK(number_at(summary, "median", 0) == 5.8);
    CHECK(number_at(summary, "q75", 0) == 6.4);
    CHECK(number_at(summary, "median", 2) == 4.35);
}
