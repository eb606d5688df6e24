#include "runtime/latent/hmm_explain.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// Works through a sequence with the model's own numbers: fractions as long as the model's are.
class HmmStory {
public:
    HmmStory(const Hmm& hmm, const Sequence& sequence) : hmm_(hmm), sequence_(sequence), exact_(sequence.size() <= longest_exact) {}

    std::size_t states() const { return hmm_.states->size(); }
    const Label& state(std::size_t s) const { return (*hmm_.states)[s]; }
    Number start(std::size_t s) const { return kept(hmm_.start[s]); }
    Number move(std::size_t from, std::size_t to) const { return kept(hmm_.move[from][to]); }

    bool is_observed(std::size_t t) const { return hmm_.symbols ? sequence_.codes[t] >= 0 : !std::isnan(sequence_.values[t]); }

    DerivationPart observation(std::size_t t) const {
        if (!is_observed(t)) return std::string("?");
        if (hmm_.symbols) return (*hmm_.symbols)[static_cast<std::size_t>(sequence_.codes[t])];
        return std::string(fmt::format("{:.9g}", sequence_.values[t]));
    }
    std::string observation_text(std::size_t t) const {
        if (!is_observed(t)) return "nothing observed";
        if (hmm_.symbols) return (*hmm_.symbols)[static_cast<std::size_t>(sequence_.codes[t])].text();
        return fmt::format("{:.6g}", sequence_.values[t]);
    }

    /// P(observation at t | state), or its density; 1 if nothing was observed.
    Result<Number> emission(std::size_t t, std::size_t s) const {
        if (!is_observed(t)) return Number(1);
        if (hmm_.symbols) return kept(hmm_.emit[s].shares[static_cast<std::size_t>(sequence_.codes[t])]);
        return hmm_.emit[s].density.given->pdf(Number::real(sequence_.values[t]));
    }

    /// "[yes, no]": the observations up to and with step t.
    Parts observations(std::size_t steps) const {
        Parts out{std::string("[")};
        for (std::size_t t = 0; t < steps; ++t) {
            if (t > 0) out.emplace_back(std::string(", "));
            out.push_back(observation(t));
        }
        out.emplace_back(std::string("]"));
        return out;
    }

    Parts call(const std::string& function, const std::string& name, std::size_t steps) const {
        Parts out{function + "(" + name + ", "};
        append(out, observations(steps));
        out.emplace_back(std::string(")"));
        return out;
    }

private:
    static constexpr std::size_t longest_exact = 60;  // steps: fractions grow with each, and nobody reads those of a long sequence
    Number kept(const Number& n) const { return exact_ ? n : Number::real(n.real()); }

    const Hmm& hmm_;
    const Sequence& sequence_;
    bool exact_;
};

Parts product(const Number& a, const Number& b) {
    Parts out = operand(a);
    out.emplace_back(std::string(" * "));
    append(out, operand(b));
    return out;
}

Parts sum_of(const std::vector<Parts>& terms) { return joined(terms, " + "); }

/// alpha_t(s), a line each.
Result<std::vector<std::vector<Number>>> write_forward(const HmmStory& story, const Sequence& sequence, DerivationWriter& out) {
    const std::size_t k = story.states();
    std::vector<std::vector<Number>> alpha;
    for (std::size_t t = 0; t < sequence.size(); ++t) {
        out.note(fmt::format("step {}: {}", t + 1, story.observation_text(t)));
        std::vector<Number> next;
        for (std::size_t s = 0; s < k; ++s) {
            auto p = TRY(story.emission(t, s));
            out.formula(fmt::format("alpha_{}({})", t + 1, story.state(s).text()));
            if (t == 0) {
                next.push_back(story.start(s) * p);
                out.begin(product(story.start(s), p));
            } else {
                Number sum = 0;
                std::vector<Parts> terms;
                for (std::size_t r = 0; r < k; ++r) {
                    terms.push_back(product(alpha.back()[r], story.move(r, s)));
                    sum += alpha.back()[r] * story.move(r, s);
                }
                Parts all = operand(p);
                all.emplace_back(std::string(" * ("));
                append(all, sum_of(terms));
                all.emplace_back(std::string(")"));
                out.begin(std::move(all));
                next.push_back(p * sum);
            }
            out.result(next.back());
        }
        alpha.push_back(std::move(next));
    }
    return alpha;
}

/// beta_t(s) from the last step but one back, a line each; those of the last step are 1.
Result<std::vector<std::vector<Number>>> write_backward(const HmmStory& story, const Sequence& sequence, DerivationWriter& out) {
    const std::size_t k = story.states();
    std::vector<std::vector<Number>> beta(sequence.size(), std::vector<Number>(k, Number(1)));
    for (std::size_t t = sequence.size(); t-- > 1;) {
        out.note(fmt::format("back from step {}: {}", t + 1, story.observation_text(t)));
        for (std::size_t s = 0; s < k; ++s) {
            Number sum = 0;
            std::vector<Parts> terms;
            for (std::size_t r = 0; r < k; ++r) {
                auto p = TRY(story.emission(t, r));
                Parts term = product(story.move(s, r), p);
                term.emplace_back(std::string(" * "));
                append(term, operand(beta[t][r]));
                terms.push_back(std::move(term));
                sum += story.move(s, r) * p * beta[t][r];
            }
            out.formula(fmt::format("beta_{}({})", t, story.state(s).text()));
            out.begin(sum_of(terms));
            out.result(sum);
            beta[t - 1][s] = sum;
        }
    }
    return beta;
}

/// One state's term over the sum of all.
void write_share(const HmmStory& story, Parts asked, std::size_t t, std::size_t s, const std::vector<Parts>& terms, DerivationWriter& out) {
    append(asked, {fmt::format("[{}][", t + 1), story.state(s), std::string("]")});
    out.begin(std::move(asked));
    Parts share = terms[s];
    share.emplace_back(std::string(" / ("));
    append(share, sum_of(terms));
    share.emplace_back(std::string(")"));
    out.step(std::move(share));
}

}  // namespace

Result<Derivation> explain_hmm_filter(const Hmm& hmm, const std::string& name, const Sequence& sequence, Run& run) {
    TRY(hmm_filter(hmm, sequence, run));  // impossible observations are reported there
    const HmmStory story(hmm, sequence);
    const std::size_t k = story.states();
    DerivationWriter out;
    out.formula("P(s_t | o_1 … o_t) = P(o_t | s_t) * P(s_t | o_1 … o_(t-1)) / the sum over all states");
    out.formula("P(s_t | o_1 … o_(t-1)) = sum over r of P(r | o_1 … o_(t-1)) * P(r moves to s_t)");
    std::vector<Number> now;
    for (std::size_t s = 0; s < k; ++s) now.push_back(story.start(s));
    for (std::size_t t = 0; t < sequence.size(); ++t) {
        out.note(fmt::format("step {}: {}", t + 1, story.observation_text(t)));
        if (t > 0) {
            std::vector<Number> before(k, Number(0));
            for (std::size_t s = 0; s < k; ++s) {
                std::vector<Parts> terms;
                for (std::size_t r = 0; r < k; ++r) {
                    terms.push_back(product(now[r], story.move(r, s)));
                    before[s] += now[r] * story.move(r, s);
                }
                out.formula(fmt::format("P(s_{} = {} | o_1{})", t + 1, story.state(s).text(), t > 1 ? fmt::format(" … o_{}", t) : ""));
                Parts asked = story.call("ahead", name, t);
                append(asked, {std::string("["), story.state(s), std::string("]")});
                out.begin(std::move(asked));
                out.step(sum_of(terms));
                out.result(before[s]);
            }
            now = std::move(before);
        }
        if (!story.is_observed(t)) continue;
        std::vector<Number> weights;
        std::vector<Parts> terms;
        Number total = 0;
        for (std::size_t s = 0; s < k; ++s) {
            auto p = TRY(story.emission(t, s));
            terms.push_back(product(p, now[s]));
            weights.push_back(p * now[s]);
            total += weights.back();
        }
        for (std::size_t s = 0; s < k; ++s) {
            out.formula(fmt::format("P(s_{} = {} | o_1{})", t + 1, story.state(s).text(), t > 0 ? fmt::format(" … o_{}", t + 1) : ""));
            write_share(story, story.call("filter", name, t + 1), t, s, terms, out);
            now[s] = weights[s] / total;
            out.result(now[s]);
        }
    }
    return std::move(out).take();
}

Result<Derivation> explain_hmm_likelihood(const Hmm& hmm, const std::string& name, const Sequence& sequence) {
    const HmmStory story(hmm, sequence);
    DerivationWriter out;
    out.formula("alpha_1(s) = P(s) * P(o_1 | s)");
    out.formula("alpha_t(s) = P(o_t | s) * sum over r of alpha_(t-1)(r) * P(r moves to s)");
    out.formula("P(o_1 … o_n) = sum over s of alpha_n(s)");
    const auto forward = TRY(write_forward(story, sequence, out));
    const auto alpha = forward.empty() ? std::vector<Number>() : forward.back();
    Number total = alpha.empty() ? Number(1) : Number(0);
    std::vector<Parts> terms;
    for (const auto& a : alpha) {
        total += a;
        terms.push_back(operand(a));
    }
    out.formula("P(o_1 … o_n)");
    out.begin(story.call("likelihood", name, sequence.size()));
    if (!terms.empty()) out.step(sum_of(terms));
    out.result(total);
    return std::move(out).take();
}

Result<Derivation> explain_hmm_smooth(const Hmm& hmm, const std::string& name, const Sequence& sequence, Run& run) {
    TRY(hmm_smooth(hmm, sequence, run));  // impossible observations are reported there
    const HmmStory story(hmm, sequence);
    DerivationWriter out;
    out.formula("P(s_t | o_1 … o_n) = alpha_t(s) * beta_t(s) / the sum over all states");
    out.formula("alpha_t(s) = P(o_t | s) * sum over r of alpha_(t-1)(r) * P(r moves to s); alpha_1(s) = P(s) * P(o_1 | s)");
    out.formula("beta_t(s) = sum over r of P(s moves to r) * P(o_(t+1) | r) * beta_(t+1)(r); beta_n(s) = 1");
    const auto alpha = TRY(write_forward(story, sequence, out));
    const auto beta = TRY(write_backward(story, sequence, out));
    for (std::size_t t = 0; t < sequence.size(); ++t) {
        std::vector<Parts> terms;
        Number total = 0;
        for (std::size_t s = 0; s < story.states(); ++s) {
            terms.push_back(product(alpha[t][s], beta[t][s]));
            total += alpha[t][s] * beta[t][s];
        }
        for (std::size_t s = 0; s < story.states(); ++s) {
            out.formula(fmt::format("P(s_{} = {} | o_1 … o_n)", t + 1, story.state(s).text()));
            write_share(story, story.call("smooth", name, sequence.size()), t, s, terms, out);
            out.result(alpha[t][s] * beta[t][s] / total);
        }
    }
    return std::move(out).take();
}

Result<Derivation> explain_hmm_viterbi(const Hmm& hmm, const Sequence& sequence, Run& run) {
    const auto path = TRY(hmm_viterbi(hmm, sequence, run));
    const HmmStory story(hmm, sequence);
    const std::size_t k = story.states();
    DerivationWriter out;
    out.formula("v_1(s) = P(s) * P(o_1 | s)");
    out.formula("v_t(s) = P(o_t | s) * the largest v_(t-1)(r) * P(r moves to s)");
    std::vector<Number> v;
    for (std::size_t t = 0; t < sequence.size(); ++t) {
        out.note(fmt::format("step {}: {}", t + 1, story.observation_text(t)));
        std::vector<Number> next;
        for (std::size_t s = 0; s < k; ++s) {
            auto p = TRY(story.emission(t, s));
            if (t == 0) {
                out.formula(fmt::format("v_1({})", story.state(s).text()));
                out.begin(product(story.start(s), p));
                next.push_back(story.start(s) * p);
            } else {
                std::size_t best = 0;
                std::vector<Parts> ways;
                for (std::size_t r = 0; r < k; ++r) {
                    ways.push_back(product(v[r], story.move(r, s)));
                    if (v[best] * story.move(best, s) < v[r] * story.move(r, s)) best = r;
                }
                out.formula(fmt::format("v_{}({}), best from {}", t + 1, story.state(s).text(), story.state(best).text()));
                Parts all = operand(p);
                all.emplace_back(std::string(" * max(["));
                append(all, joined(ways, ", "));
                all.emplace_back(std::string("])"));
                out.begin(std::move(all));
                next.push_back(p * (v[best] * story.move(best, s)));
            }
            out.result(next.back());
        }
        v = std::move(next);
    }
    std::string way;
    for (const auto s : path.states) way += (way.empty() ? "" : " -> ") + story.state(static_cast<std::size_t>(s)).text();
    out.note(fmt::format("from the largest at the end back: {}", way.empty() ? "nothing was observed" : way));
    return std::move(out).take();
}

}  // namespace credence::rt
