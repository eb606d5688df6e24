#include <cmath>

#include "tests/unit/runtime/data/table_support.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;

namespace {

ColumnPtr build(const std::vector<std::optional<Label>>& cells, std::optional<ColumnKind> force = std::nullopt) {
    ColumnBuilder builder("c");
    for (const auto& cell : cells) {
        if (cell)
            builder.add(*cell);
        else
            builder.add_missing();
    }
    return value_of(std::move(builder).finish(force));
}

Label text(std::string_view t) { return Label::of_text(t); }

}  // namespace

TEST_CASE("table: a column of numbers is numeric, one word makes it labels", "[table]") {
    CHECK(build({text("1"), text("2.5")})->kind == ColumnKind::numeric);
    const auto mixed = build({text("1"), text("many"), text("1.0")});
    CHECK(mixed->kind == ColumnKind::label);
    CHECK(mixed->codes == std::vector<std::int32_t>{0, 1, 0});  // 1 and 1.0 are one label
    CHECK(mixed->domain->size() == 2);
}

TEST_CASE("table: labels keep the order of first appearance", "[table]") {
    const auto column = build({text("b"), std::nullopt, text("a"), text("b")});
    CHECK(column->codes == std::vector<std::int32_t>{0, -1, 1, 0});
    CHECK((*column->domain)[0].text() == "b");
    CHECK(column->missing_count() == 1);
    CHECK(column->is_missing(1));
    CHECK_FALSE(column->is_missing(0));
    CHECK(column->label(2).text() == "a");
}

TEST_CASE("table: a column without any cell is a label column with an empty domain", "[table]") {
    const auto nothing = build({std::nullopt, std::nullopt});
    CHECK(nothing->kind == ColumnKind::label);
    CHECK(nothing->domain->size() == 0);
    CHECK(nothing->rows() == 2);
    CHECK(build({})->kind == ColumnKind::label);
    CHECK(build({std::nullopt}, ColumnKind::numeric)->kind == ColumnKind::numeric);
}

TEST_CASE("table: numeric cells are exact decimals, and fractions are kept only where decimals fail", "[table]") {
    const auto decimals = build({text("0.1"), std::nullopt, text("-3")});
    CHECK(decimals->exact.empty());
    CHECK(decimals->number(0) == Number(Rational(1, 10)));
    CHECK(std::isnan(decimals->values[1]));
    CHECK(decimals->label(2).text() == "-3");
    CHECK_FALSE(decimals->real);

    const auto thirds = build({Label::of_number(Rational(1, 3)), text("0.5"), std::nullopt});
    REQUIRE(thirds->exact.size() == 3);
    CHECK(thirds->number(0) == Number(Rational(1, 3)));
    CHECK(thirds->number(1) == Number(Rational(1, 2)));

    ColumnBuilder huge("x");
    huge.add(text("1"));
    huge.add(text("1e400"));
    const auto refused = std::move(huge).finish();
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().message.find("row 2 of column 'x'") == 0);
}

TEST_CASE("table: one real cell makes the column real", "[table]") {
    const auto column = build({Label::of_number(Number::real(0.1)), Label::of_number(Rational(1, 3))});
    CHECK(column->real);
    CHECK(column->exact.empty());
    CHECK_FALSE(column->number(1).is_exact());
}

TEST_CASE("table: a forced kind is kept or refused", "[table]") {
    const auto digits = build({text("7"), text("3"), text("7")}, ColumnKind::label);
    CHECK(digits->kind == ColumnKind::label);
    CHECK(digits->codes == std::vector<std::int32_t>{0, 1, 0});
    ColumnBuilder words("size");
    words.add(text("big"));
    const auto refused = std::move(words).finish(ColumnKind::numeric);
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().code.text() == "E-TABLE");
    CHECK(refused.fault().message == "'big' in column 'size' is not a number");
}
