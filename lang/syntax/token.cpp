#include "lang/syntax/token.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace credence::lang {

namespace {

// clang-format off
constexpr std::array<std::pair<std::string_view, Tok>, 49> words = {{  // sorted, for the binary search
    {"and", Tok::and_}, {"argmax", Tok::argmax}, {"argmin", Tok::argmin}, {"as", Tok::as}, {"by", Tok::by}, {"case", Tok::case_},
    {"cases", Tok::cases}, {"do", Tok::do_}, {"else", Tok::else_}, {"emit", Tok::emit}, {"error", Tok::error}, {"expect", Tok::expect},
    {"explain", Tok::explain}, {"false", Tok::false_}, {"fn", Tok::fn}, {"for", Tok::for_}, {"from", Tok::from},
    {"function", Tok::function}, {"given", Tok::given}, {"grammar", Tok::grammar}, {"graph", Tok::graph}, {"hmm", Tok::hmm},
    {"hypotheses", Tok::hypotheses}, {"if", Tok::if_}, {"import", Tok::import}, {"in", Tok::in}, {"let", Tok::let},
    {"likelihood", Tok::likelihood}, {"mixture", Tok::mixture}, {"mod", Tok::mod}, {"move", Tok::move}, {"net", Tok::net},
    {"next", Tok::next}, {"not", Tok::not_}, {"on", Tok::on}, {"or", Tok::or_}, {"prior", Tok::prior}, {"sample", Tok::sample},
    {"set", Tok::set}, {"start", Tok::start}, {"states", Tok::states}, {"step", Tok::step}, {"structure", Tok::structure},
    {"table", Tok::table}, {"then", Tok::then}, {"train", Tok::train}, {"true", Tok::true_}, {"where", Tok::where},
    {"within", Tok::within},
}};
// clang-format on

static_assert(std::is_sorted(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));

}  // namespace

Tok word_kind(std::string_view word) {
    const auto found =
        std::lower_bound(words.begin(), words.end(), word, [](const auto& entry, std::string_view w) { return entry.first < w; });
    return found != words.end() && found->first == word ? found->second : Tok::name;
}

std::vector<std::string_view> reserved_words() {
    std::vector<std::string_view> out;
    for (const auto& [word, kind] : words)
        if (is_reserved(kind)) out.push_back(word);
    return out;
}

bool ends_operand(Tok kind) {
    constexpr Tok operands[] = {Tok::name,        Tok::quoted_name,   Tok::number,      Tok::bad_number,  Tok::text,  Tok::text_close,
                                Tok::hole,        Tok::nothing,       Tok::plus_label,  Tok::minus_label, Tok::true_, Tok::false_,
                                Tok::right_paren, Tok::right_bracket, Tok::right_brace, Tok::right_angle};
    return is_contextual(kind) || std::find(std::begin(operands), std::end(operands), kind) != std::end(operands);
}

bool continues_line(Tok kind) {
    constexpr Tok open_ended[] = {
        Tok::plus,  Tok::minus,      Tok::star,    Tok::slash,         Tok::caret, Tok::dots, Tok::mod,  Tok::equal_equal, Tok::not_equal,
        Tok::less,  Tok::less_equal, Tok::greater, Tok::greater_equal, Tok::in,    Tok::and_, Tok::or_,  Tok::pipe,        Tok::comma,
        Tok::equal, Tok::colon,      Tok::arrow,   Tok::tilde,         Tok::bar,   Tok::then, Tok::else_};
    return std::find(std::begin(open_ended), std::end(open_ended), kind) != std::end(open_ended);
}

}  // namespace credence::lang
