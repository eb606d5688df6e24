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
    switch (kind) {
        case Tok::name:
        case Tok::quoted_name:
        case Tok::number:
        case Tok::bad_number:
        case Tok::text:
        case Tok::text_close:
        case Tok::hole:
        case Tok::nothing:
        case Tok::plus_label:
        case Tok::minus_label:
        case Tok::true_:
        case Tok::false_:
        case Tok::right_paren:
        case Tok::right_bracket:
        case Tok::right_brace:
        case Tok::right_angle:
            return true;
        default:
            return is_contextual(kind);
    }
}

bool continues_line(Tok kind) {
    switch (kind) {
        case Tok::plus:
        case Tok::minus:
        case Tok::star:
        case Tok::slash:
        case Tok::caret:
        case Tok::dots:
        case Tok::mod:
        case Tok::equal_equal:
        case Tok::not_equal:
        case Tok::less:
        case Tok::less_equal:
        case Tok::greater:
        case Tok::greater_equal:
        case Tok::in:
        case Tok::and_:
        case Tok::or_:
        case Tok::pipe:
        case Tok::comma:
        case Tok::equal:
        case Tok::colon:
        case Tok::arrow:
        case Tok::tilde:
        case Tok::bar:
        case Tok::then:
        case Tok::else_:
            return true;
        default:
            return false;
    }
}

}  // namespace credence::lang
