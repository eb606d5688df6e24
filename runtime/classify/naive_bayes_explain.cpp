// The derivation of a prediction as a textbook prints it: counts, product, share.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/classify/naive_bayes.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t classes_shown = 6;

/// A number of the language: a fraction in parentheses.
std::string written(const Number& n) {
    if (!n.is_exact()) return fmt::format("{:.9g}", n.real());
    return n.exact().is_integer() ? n.exact().text() : "(" + n.exact().text() + ")";
}

std::string event_of(const std::string& name, const Label& label) { return name + " = " + label.text(); }

/// (n + m * p) / (below + m), in numbers.
std::string estimate_text(const Number& n, const Number& below, const Number& m, const Number& p) {
    if (!m.is_zero()) return fmt::format("({} + {} * {})/({} + {})", written(n), written(m), written(p), written(below), written(m));
    return below.is_zero() ? written(p) : fmt::format("{}/{}", written(n), written(below));
}

/// Each weight over their sum.
void write_shares(DerivationWriter& out, const Domain& classes, const std::string& target, const std::vector<Number>& weights,
                  const std::vector<std::size_t>& order) {
    Number sum = 0;
    for (const auto& w : weights) sum += w;
    for (const auto c : order) {
        out.formula(fmt::format("P({} | x)", event_of(target, classes[c])));
        if (weights.size() <= longest_sum) {
            Parts below;
            for (std::size_t k = 0; k < weights.size(); ++k) {
                if (k > 0) below.emplace_back(std::string(" + "));
                below.emplace_back(weights[k]);
            }
            Parts line{std::string("("), weights[c], std::string(") / (")};
            append(line, below);
            line.emplace_back(std::string(")"));
            out.begin(std::move(line));
        } else {
            out.begin(quotient(weights[c], sum));
        }
        out.result(weights[c] / sum);
    }
}

}  // namespace

Result<Derivation> NaiveBayesModel::explain_prediction(const TableView& rows, Run&) const {
    const std::size_t row = rows.row(0);
    const std::size_t labels = counts_.classes.size();
    const std::string& target = schema_.target.name;
    DerivationWriter out;
    out.formula(fmt::format("P({} = c | x) = P({} = c) * product of P(x_i | {} = c) / the sum over all c", target, target, target));
    if (!settings_.m.is_zero())
        out.note(fmt::format("P(v | c) is the m-estimate (n_v + m * p) / (n + m) with m = {}.", written(settings_.m)));

    Number total = 0;
    for (const auto& n : counts_.classes) total += n;
    std::vector<Number> weights;
    std::vector<std::string> names(labels);
    std::vector<std::string> factors(labels);
    for (std::size_t c = 0; c < labels; ++c) {
        const std::string given = " | " + event_of(target, (*schema_.target.domain)[c]);
        names[c] = fmt::format("P({})", event_of(target, (*schema_.target.domain)[c]));
        factors[c] = written(counts_.classes[c]) + "/" + written(total);
        Number weight = prior(c);
        for (std::size_t f = 0; f < schema_.features.size(); ++f) {
            const Column& column = *rows.table->columns[f];
            if (column.is_missing(row)) continue;
            const std::string& name = schema_.features[f].name;
            const FeatureCounts& counts = counts_.features[f];
            if (counts.is_normal()) {
                auto d = normal(f, c);
                if (!d) continue;
                const double x = column.values[row];
                names[c] += fmt::format(" * f({} = {:.6g}{})", name, x, given);
                factors[c] += fmt::format(" * pdf(normal({:.9g}, {:.9g}), {:.9g})", counts.spreads[c].mean, sd(f, c), x);
                auto density = TRY((*d)->pdf(Number::real(x)));
                weight *= density;
                continue;
            }
            const std::size_t v =
                column.kind == ColumnKind::numeric ? bin_of(column.values[row], counts.cuts) : static_cast<std::size_t>(column.codes[row]);
            names[c] += fmt::format(" * P({}{})", event_of(name, (*counts.values)[v]), given);
            const Number& n = counts.cells[c * counts.values->size() + v];
            const Number below = cell_total(f, c);
            factors[c] += " * " + estimate_text(n, below, settings_.m, p_[f][v]);
            weight *= conditional(f, c, v);
        }
        weights.push_back(weight);
    }
    std::vector<std::size_t> order(labels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (labels > classes_shown) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[b] < weights[a]; });
        order.resize(classes_shown);
        out.note(fmt::format("The {} most probable of {} classes:", classes_shown, labels));
    }
    Number sum = 0;
    for (const auto& w : weights) sum += w;
    for (const auto c : order) {
        out.formula(names[c]);
        out.begin({factors[c]});
        out.result(weights[c]);
    }
    if (sum.is_zero()) {
        out.note(fmt::format("Every class is impossible, so the most frequent {} is predicted. With m: 1 nothing is impossible.", target));
        return std::move(out).take();
    }
    write_shares(out, *schema_.target.domain, target, weights, order);
    return std::move(out).take();
}

/// P(target | cells) is a prediction; anything else is a query on the net of labels.
Result<Derivation> NaiveBayesModel::explain(const Query& query, const Answer& answer, Run& run) const {
    const bool prediction = query.targets.events.empty() && query.targets.free.size() == 1 &&
                            index(query.targets.free[0]) == schema_.features.size() && query.given.free.empty();
    if (prediction)
        if (auto row = row_of_evidence(query)) return explain_prediction({.table = &*row, .rows = {}}, run);
    if (std::holds_alternative<DistributionPtr>(answer.value)) {
        DerivationWriter out;
        out.note("The normal distributions of the classes, weighted by P(class | evidence).");
        return std::move(out).take();
    }
    const auto discrete = without_numbers(query);
    if (discrete) return net_->explain(*discrete, answer, run);
    DerivationWriter out;
    out.note("What the normal distribution of each class gives the event, weighted by P(class | evidence).");
    if (const auto* number = std::get_if<Number>(&answer.value)) out.calculation(query_text(query, variables()), {}, *number);
    return std::move(out).take();
}

}  // namespace credence::rt
