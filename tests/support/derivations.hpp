#pragma once
// Evaluates the lines of a derivation as the language would read them.

#include <catch2/catch.hpp>

#include <sstream>

#include "tests/support/nets.hpp"

namespace credence::test {

/// Tokens of a line as the language would lex them: a fraction is n / d without parentheses.
struct Token {
    char op = 0;  // 0: a number
    Number value;
};

inline Number value_of(const Model& model, const ProbabilityTerm& term) {
    Query query;
    for (const auto& [name, label] : term.event) query.targets.events.push_back(is(var(model, name), label.text()));
    for (const auto& [name, label] : term.given) query.given.events.push_back(is(var(model, name), label.text()));
    Run run;
    const auto answer = model.ask(query, run);
    if (!answer) throw std::runtime_error("term is not valid: " + answer.fault().message);
    return number(*answer);
}

inline std::vector<Token> tokens_of(const Model& model, const DerivationLine& line) {
    std::vector<Token> out;
    for (const auto& part : line.parts) {
        if (const auto* text = std::get_if<std::string>(&part)) {
            for (const char c : *text)
                if (c != ' ') out.push_back({c, {}});
        } else if (const auto* term = std::get_if<ProbabilityTerm>(&part)) {
            out.push_back({0, value_of(model, *term)});
        } else if (const auto* n = std::get_if<Number>(&part)) {
            if (n->is_exact() && !n->exact().is_integer()) {
                out.push_back({0, n->exact().numerator()});
                out.push_back({'/', {}});
                out.push_back({0, n->exact().denominator()});
            } else {
                out.push_back({0, *n});
            }
        } else {
            throw std::runtime_error("a label is not a number");
        }
    }
    return out;
}

class LineReader {
public:
    explicit LineReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
    Number read() {
        const Number out = sum();
        if (at_ != tokens_.size()) throw std::runtime_error("rest of line not understood");
        return out;
    }

private:
    bool take(char op) {
        if (at_ < tokens_.size() && tokens_[at_].op == op) return ++at_, true;
        return false;
    }
    Number sum() {
        Number out = product();
        while (take('+')) out = out + product();
        return out;
    }
    Number product() {
        Number out = power();
        while (true) {
            if (take('*'))
                out = out * power();
            else if (take('/'))
                out = out / power();
            else
                return out;
        }
    }
    Number power() {
        const Number base = primary();
        if (!take('^')) return base;
        const Number exponent = power();
        if (base.is_exact()) return base.exact().pow(*exponent.exact().to_int64());
        return Number::real(std::pow(base.real(), exponent.real()));
    }
    Number primary() {
        if (take('(')) {
            const Number out = sum();
            if (!take(')')) throw std::runtime_error("unclosed parenthesis");
            return out;
        }
        if (at_ >= tokens_.size() || tokens_[at_].op != 0) throw std::runtime_error("operand expected");
        return tokens_[at_++].value;
    }
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

inline std::string shown(const Derivation& lines) {
    std::ostringstream out;
    for (const auto& line : lines) {
        out << std::string{"nfbsr"[static_cast<std::size_t>(line.kind)]} << "  ";
        for (const auto& part : line.parts) {
            if (const auto* text = std::get_if<std::string>(&part))
                out << *text;
            else if (const auto* n = std::get_if<Number>(&part))
                out << label_text(*n);
            else if (const auto* term = std::get_if<ProbabilityTerm>(&part)) {
                const auto side = [&](const auto& pairs) {
                    std::string list;
                    for (const auto& [name, label] : pairs) list += (list.empty() ? "" : ", ") + name + " = " + label.text();
                    return list;
                };
                out << "P(" << side(term->event) << (term->given.empty() ? "" : " | " + side(term->given)) << ")";
            }
        }
        out << "\n";
    }
    return out.str();
}

/// Every begin is followed by steps and one result, all of the same value. Returns the results in order.
inline std::vector<Number> check_derivation(const Model& model, const Derivation& lines) {
    std::vector<Number> results;
    std::vector<Number> open;
    INFO(shown(lines));
    for (const auto& line : lines) {
        using Kind = DerivationLine::Kind;
        if (line.kind < Kind::begin) {
            CHECK(open.empty());
            continue;
        }
        if (line.kind == Kind::begin)
            CHECK(open.empty());
        else
            CHECK_FALSE(open.empty());
        Number value;
        REQUIRE_NOTHROW(value = LineReader(tokens_of(model, line)).read());
        open.push_back(value);
        if (line.kind != Kind::result) continue;
        for (const auto& v : open) {
            if (v.is_exact() && value.is_exact())
                CHECK(v == value);
            else
                CHECK(v.real() == Approx(value.real()).epsilon(1e-9).margin(1e-13));
        }
        results.push_back(value);
        open.clear();
    }
    CHECK(open.empty());
    return results;
}

}  // namespace credence::test
