#include "runtime/prob/factors/factor.hpp"

#include <catch2/catch.hpp>

using namespace credence::rt;

namespace {

Variable variable(std::string name, std::vector<std::string> labels) {
    std::vector<Label> out;
    for (const auto& text : labels) out.push_back(Label::of_text(text));
    return {.name = std::move(name), .domain = make_domain(std::move(out))};
}

Result<Number> times(const Number& a, const Number& b) { return a * b; }

const Variable disease = variable("D", {"sick", "well"});
const Variable test = variable("T", {"pos", "neg"});

}  // namespace

TEST_CASE("combine aligns by name and label and broadcasts") {
    const Factor likelihood({disease, test}, Factor::Exact{Rational(98, 100), Rational(2, 100), Rational(3, 100), Rational(97, 100)});
    const Factor prior({variable("D", {"well", "sick"})}, Factor::Exact{Rational(992, 1000), Rational(8, 1000)});
    const auto joint = combine(likelihood, prior, times);
    REQUIRE(joint);
    REQUIRE(joint->variables().size() == 2);
    CHECK(joint->at(0) == Number(Rational(98 * 8, 100000)));
    CHECK(joint->at(3) == Number(Rational(97 * 992, 100000)));
    CHECK(sum(*joint) == Number(1));
    const auto other_way = combine(prior, likelihood, times);
    REQUIRE(other_way);
    CHECK(other_way->variables()[0].name == "D");
    CHECK((*other_way->variables()[0].domain)[0].text() == "well");
    CHECK(equal(*joint, *other_way));

    const Factor posterior_at_pos =
        fix_leading(reorder(*joint, std::vector<std::size_t>{1, 0}), std::vector{Label::of_text("pos")}).operator*();
    const auto posterior = normalize(posterior_at_pos);
    REQUIRE(posterior);
    CHECK(posterior->at(0) == Number(Rational(49, 235)));  // Mitchell's cancer example, unrounded
}

TEST_CASE("combine refuses different labels and passes on failures") {
    const Factor a({disease}, Factor::Exact{1, 2});
    const Factor b({variable("D", {"sick", "dead"})}, Factor::Exact{1, 2});
    CHECK(combine(a, b, times).fault().code.text() == "E-LABEL");
    const Factor c({variable("D", {"sick"})}, Factor::Exact{1});
    CHECK(combine(a, c, times).fault().code.text() == "E-LABEL");
    CHECK(combine(c, a, times).fault().code.text() == "E-LABEL");
    const auto failing =
        combine(a, a, [](const Number&, const Number&) -> Result<Number> { return Fault{.code = "E-ARITHMETIC", .message = "x"}; });
    CHECK(failing.fault().code.text() == "E-ARITHMETIC");
}

TEST_CASE("one real entry makes the factor real") {
    const std::vector<Number> numbers{Number(Rational(1, 2)), Number::real(0.5)};
    const Factor f = Factor::of_numbers({disease}, numbers);
    CHECK_FALSE(f.is_exact());
    CHECK(f.doubles() == std::vector<double>{0.5, 0.5});
    CHECK(equal(f, Factor({disease}, Factor::Exact{Rational(1, 2), Rational(1, 2)})));
}

TEST_CASE("sums, maxima and orders") {
    const Factor f({disease, test}, Factor::Exact{1, 2, 3, 4});
    CHECK(sum_out(f, 0).exact() == Factor::Exact{4, 6});
    CHECK(sum_out(f, 1).exact() == Factor::Exact{3, 7});
    CHECK(max_out(f, 0).exact() == Factor::Exact{3, 4});
    CHECK(max_entry(f) == Number(4));
    CHECK(min_entry(f) == Number(1));
    CHECK(reorder(f, std::vector<std::size_t>{1, 0}).exact() == Factor::Exact{1, 3, 2, 4});
    CHECK(f.labels(2)[0].text() == "well");
    CHECK(f.labels(2)[1].text() == "pos");
    const auto fixed = fix_leading(f, std::vector{Label::of_text("well"), Label::of_text("pos")});
    REQUIRE(fixed);
    CHECK(fixed->variables().empty());
    CHECK(fixed->at(0) == Number(3));
    CHECK(fix_leading(f, std::vector{Label::of_text("ill")}).fault().code.text() == "E-LABEL");
}

TEST_CASE("ties are all named, the first is the winner") {
    const Factor f({disease, test}, Factor::Exact{1, 3, 3, 1});
    CHECK(argmax(f).entry == 1);
    CHECK(argmax(f).ties == std::vector<std::size_t>{1, 2});
    CHECK(argmin(f).ties == std::vector<std::size_t>{0, 3});
}

TEST_CASE("normalize says why it cannot") {
    CHECK(normalize(Factor({disease}, Factor::Exact{0, 0})).fault().code.text() == "E-NORMALIZE");
    CHECK(normalize(Factor({disease}, Factor::Exact{2, -1})).fault().code.text() == "E-NORMALIZE");
    CHECK(normalize(Factor({disease}, Factor::Real{1.0, std::nan("")})).fault().code.text() == "E-NORMALIZE");
    const auto tiny = normalize(Factor({disease}, Factor::Real{3e-320, 1e-320}));
    REQUIRE(tiny);
    CHECK(tiny->real()[0] == Approx(0.75).epsilon(1e-3));
}
