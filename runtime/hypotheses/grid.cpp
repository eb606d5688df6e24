#include "runtime/hypotheses/grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t block = 512;  // hypotheses at a time: a few columns of them stay in the nearest cache
using Column = std::vector<double>;

Term times(Term a, Term b) { return make_term(TermOp::multiply, {std::move(a), std::move(b)}); }
Term plus(Term a, Term b) { return make_term(TermOp::add, {std::move(a), std::move(b)}); }
Term minus(Term a, Term b) { return make_term(TermOp::subtract, {std::move(a), std::move(b)}); }
Term log_of(Term a) { return make_term(TermOp::ln, {std::move(a)}); }
Term real_term(double x) { return constant_term(Number::real(x)); }

/// ln of the probability of each label; NaN where the numbers are not probabilities, or one of them is 0.
std::vector<Term> log_label_terms(std::vector<Term> p) {
    Term sum = constant_term(0);
    Term logs = constant_term(0);
    for (const auto& one : p) {
        sum = plus(sum, one);
        logs = plus(logs, log_of(one));
    }
    const Term off = make_term(TermOp::abs, {minus(sum, constant_term(1))});
    const Term fine = make_term(TermOp::less, {off, real_term(1e-9)});
    const Term valid = make_term(TermOp::choose, {fine, times(real_term(0), logs), real_term(std::nan(""))});
    std::vector<Term> out;
    for (const auto& one : p) out.push_back(plus(log_of(one), valid));
    return out;
}

/// Comparisons of computed doubles could turn out otherwise than those of the fractions they stand for.
bool compares_values_only(const Term& term) {
    if (term->op == TermOp::less || term->op == TermOp::less_equal || term->op == TermOp::equal)
        return std::all_of(term->parts.begin(), term->parts.end(), [](const Term& p) { return p->parts.empty(); });
    return std::all_of(term->parts.begin(), term->parts.end(), compares_values_only);
}

/// One operation after the other, each over a block. Variables: parameters, inputs, and the value of the outcome last.
class GridTape {
public:
    explicit GridTape(const HypothesisSpace& space) : space_(space), inputs_from_(space.parameters.size()) {}

    /// The register of a term; nothing if a label would have to be a number.
    std::optional<std::size_t> compile(const Term& term) {
        if (const auto known = registers_.find(term.get()); known != registers_.end()) return known->second;
        std::optional<std::size_t> out;
        if (term->parts.empty()) {
            out = leaf(*term);
        } else {
            Step step{term->op, {0, 0, 0}, 0};
            bool varies = false;
            for (std::size_t i = 0; i < term->parts.size(); ++i) {
                const auto part = compile(term->parts[i]);
                if (!part) return std::nullopt;
                step.from[i] = *part;
                varies = varies || by_row_[*part];
            }
            out = step.to = add_register(varies);
            (varies ? row_steps_ : block_steps_).push_back(step);
        }
        if (out) registers_.emplace(term.get(), *out);
        kept_.push_back(term);  // its address is a key
        return out;
    }

    void begin_block(std::size_t first) {
        for (const auto& leaf : parameter_leaves_) {
            double* out = column(leaf.at);
            std::size_t value = first / leaf.stride % leaf.values.size();
            std::size_t left = leaf.stride - first % leaf.stride;  // hypotheses with this value
            for (std::size_t i = 0; i < block; left = leaf.stride) {
                const std::size_t run = std::min(left, block - i);
                std::fill_n(out + i, run, leaf.values[value]);
                i += run;
                value = value + 1 == leaf.values.size() ? 0 : value + 1;
            }
        }
        for (const auto& step : block_steps_) run(step);
    }
    /// False where an input has no number and one is needed.
    bool begin_row(std::span<const Label> inputs, const Label& value) {
        for (const auto& leaf : row_leaves_) {
            const std::size_t i = leaf.variable - inputs_from_;
            const Label& label = i < inputs.size() ? inputs[i] : value;
            if (!leaf.is && !label.number()) return false;
            const double x = leaf.is ? (label == *leaf.is ? 1 : 0) : label.number()->real();
            std::fill_n(column(leaf.at), block, x);
        }
        for (const auto& step : row_steps_) run(step);
        return true;
    }
    const double* at(std::size_t place) const { return columns_.data() + place * block; }

private:
    struct Step {
        TermOp op{};
        std::size_t from[3];
        std::size_t to = 0;
    };
    struct ParameterLeaf {
        std::vector<double> values;
        std::size_t stride = 1;
        std::size_t at = 0;
    };
    struct RowLeaf {
        std::size_t variable = 0;
        std::optional<Label> is;
        std::size_t at = 0;
    };

    double* column(std::size_t place) { return columns_.data() + place * block; }
    std::size_t add_register(bool by_row) {
        by_row_.push_back(by_row);
        columns_.resize(by_row_.size() * block);
        return by_row_.size() - 1;
    }

    std::optional<std::size_t> leaf(const TermNode& term) {
        if (term.op == TermOp::constant) {
            const auto at = add_register(false);
            std::fill_n(column(at), block, term.value.real());
            return at;
        }
        if (term.op != TermOp::variable && term.op != TermOp::is) return std::nullopt;
        const std::size_t v = index(term.variable);
        if (v >= inputs_from_) {
            row_leaves_.push_back({v, term.op == TermOp::is ? std::optional(term.label) : std::nullopt, add_register(true)});
            return row_leaves_.back().at;
        }
        ParameterLeaf out;
        for (const auto& label : space_.parameters[v].domain->labels()) {
            if (term.op == TermOp::variable && !label.number()) return std::nullopt;
            out.values.push_back(term.op == TermOp::is ? (label == term.label ? 1 : 0) : label.number()->real());
        }
        for (std::size_t k = v + 1; k < inputs_from_; ++k) out.stride *= space_.parameters[k].size();
        out.at = add_register(false);
        parameter_leaves_.push_back(std::move(out));
        return parameter_leaves_.back().at;
    }

    template <class F>
    void each(const Step& s, F f) {
        const double* a = column(s.from[0]);
        const double* b = column(s.from[1]);
        double* out = column(s.to);
        for (std::size_t i = 0; i < block; ++i) out[i] = f(a[i], b[i]);
    }

    void run(const Step& s) {
        if (s.op == TermOp::choose) {
            const double* yes = column(s.from[1]);
            const double* no = column(s.from[2]);
            const double* condition = column(s.from[0]);
            double* out = column(s.to);
            for (std::size_t i = 0; i < block; ++i) out[i] = condition[i] != 0 ? yes[i] : no[i];
            return;
        }
        switch (s.op) {
#define TERM_OP(op, name, arity, form, symbol, binding, truth, neutral, commutes, value, first, second, exact) \
    case TermOp::op:                                                                                           \
        return each(s, []([[maybe_unused]] double a, [[maybe_unused]] double b) -> double { return value; });
#include "runtime/prob/terms/term_ops.def"
        }
    }

    const HypothesisSpace& space_;
    std::size_t inputs_from_;
    std::map<const TermNode*, std::size_t> registers_;
    std::vector<Term> kept_;
    std::vector<bool> by_row_;     // by register: changes with inputs or the value
    std::vector<double> columns_;  // by register, `block` numbers each
    std::vector<ParameterLeaf> parameter_leaves_;
    std::vector<RowLeaf> row_leaves_;
    std::vector<Step> block_steps_;
    std::vector<Step> row_steps_;
};

/// Which values of the outcome a density by terms is right for.
bool in_support(Family family, const Label& value) { return value.number() && family->covers(value.number()->real()); }

/// count · ln f(x) at each hypothesis of a block; NaN where the parameters are impossible.
void add_densities(Family family, double x, double count, const GridTape& tape, std::span<const std::size_t> places,
                   std::vector<double>& sum) {
    double parameters[most_parameters] = {};
    for (std::size_t i = 0; i < block; ++i) {
        for (std::size_t k = 0; k < places.size(); ++k) parameters[k] = tape.at(places[k])[i];
        sum[i] += count * family->log_density(x, parameters).value;
    }
}

}  // namespace

std::optional<std::vector<double>> grid_log_likelihoods(const HypothesisSpace& space, std::span<const ObservationGroup> groups) {
    if (!space.terms) return std::nullopt;
    const OutcomeTerms& terms = *space.terms;
    if (!std::all_of(terms.parameters.begin(), terms.parameters.end(), compares_values_only)) return std::nullopt;
    const auto y = variable_term(static_cast<VarId>(space.parameters.size() + space.inputs.size()));
    std::vector<Term> outputs;
    std::vector<Label> labels = terms.labels;
    const bool by_label = terms.family == Family::bernoulli || terms.family == Family::categorical;
    if (by_label) {
        auto shares = terms.parameters;
        if (terms.family == Family::bernoulli) {
            shares.push_back(minus(constant_term(1), shares[0]));
            labels = boolean_domain()->labels();
        }
        outputs = log_label_terms(std::move(shares));
    } else {
        if (!terms.family->log_density) return std::nullopt;
        if (terms.family->log_density_term)
            outputs.push_back(terms.family->log_density_term(terms.parameters, y));
        else
            outputs = terms.parameters;  // the density itself is asked point by point, without a distribution for each
    }
    const bool by_points = !by_label && !terms.family->log_density_term;
    if (by_points && outputs.size() > most_parameters) return std::nullopt;
    GridTape tape(space);
    std::vector<std::size_t> places;
    for (const auto& output : outputs) {
        const auto at = tape.compile(output);
        if (!at) return std::nullopt;
        places.push_back(*at);
    }
    std::vector<std::size_t> output_of;  // by group
    for (const auto& group : groups) {
        if (!by_label) {
            if (!in_support(terms.family, group.value)) return std::nullopt;
            output_of.push_back(places[0]);
            continue;
        }
        const auto at = std::find(labels.begin(), labels.end(), group.value);
        if (at == labels.end()) return std::nullopt;
        output_of.push_back(places[static_cast<std::size_t>(at - labels.begin())]);
    }
    const std::size_t n = space.prior.size();
    std::vector<double> out(n);
    std::vector<double> sum(block);
    for (std::size_t first = 0; first < n; first += block) {
        tape.begin_block(first);
        std::fill(sum.begin(), sum.end(), 0.0);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (!tape.begin_row(groups[g].inputs, groups[g].value)) return std::nullopt;
            const auto count = static_cast<double>(groups[g].count);
            if (by_points) {
                add_densities(terms.family, groups[g].value.number()->real(), count, tape, places, sum);
                continue;
            }
            const double* logs = tape.at(output_of[g]);
            for (std::size_t i = 0; i < block; ++i) sum[i] += count * logs[i];
        }
        std::copy_n(sum.begin(), std::min(block, n - first), out.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return out;
}

}  // namespace credence::rt
