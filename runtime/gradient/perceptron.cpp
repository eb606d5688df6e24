// The perceptron training rule: for each row whose output o differs from its target t (both −1 or +1), w += rate·(t − o)·x.
// Rosenblatt 1958; it ends after finitely many updates if and only if a line separates the labels (Novikoff 1962).

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/text.hpp"
#include "runtime/gradient/linear.hpp"

namespace credence::rt {

namespace {

/// Up to here a training is done in fractions: a sum that is 0 on paper is then 0, and the output −1 as defined.
constexpr std::size_t most_exact_products = 5'000'000;

template <class T>
struct Problem {
    std::vector<T> x;  ///< rows × (1 + terms), a 1 first
    std::vector<int> sign;
    std::vector<T> weight;
    std::size_t width = 0;
};

template <class T>
T converted(const Number& n) {
    if constexpr (std::is_same_v<T, double>)
        return n.real();
    else
        return n.exact();
}

template <class T>
int sign_of(const T& s) {
    if constexpr (std::is_same_v<T, double>)
        return s > 0 ? 1 : -1;
    else
        return s.sign() > 0 ? 1 : -1;
}

template <class T>
Number number_of(const T& x) {
    if constexpr (std::is_same_v<T, double>)
        return Number::real(x);
    else
        return Number(x);
}

struct Outcome {
    std::vector<Number> weights;
    std::vector<double> history;  ///< wrong rows (by weight) met in each epoch
    std::size_t epochs = 0;
    bool converged = false;
};

constexpr std::size_t updates_told = 1000;  // and the rest of the epoch they end in

template <class T>
void tell(DerivationWriter& out, const Problem<T>& p, std::size_t i, const std::vector<T>& w, const T& s, const T& rate) {
    const auto number = [](const T& v) { return number_of(v); };
    std::string cells;
    for (std::size_t k = 1; k < p.width; ++k) cells += (k > 1 ? ", " : "") + short_number(number(p.x[i * p.width + k]));
    out.heading(fmt::format("Row {}, <{}>:", i + 1, cells));
    Parts sum{number(w[0])};
    for (std::size_t k = 1; k < p.width; ++k) append(sum, {" + ", number(w[k]), " * ", number(p.x[i * p.width + k])});
    out.begin(sum);
    out.result(number(s));
    const int t = p.sign[i];
    out.note(fmt::format(
        "The output is {}, the target {}: each weight changes by {} * ({} - {}) * x{}.", -t, t, short_number(number(rate)), t,
        t > 0 ? "(-1)" : "1",
        number(p.weight[i]) == Number(1) ? "" : fmt::format(" * {}, the weight of the row", short_number(number(p.weight[i])))));
}

template <class T>
Result<Outcome> run_rule(const Problem<T>& p, std::vector<T> w, const T& rate, std::size_t epochs, Steps steps, double tolerance,
                         const Run& run, std::span<const DesignTerm> terms, DerivationWriter* told) {
    Outcome out;
    std::size_t updates = 0;
    double total = 0;
    for (const auto& weight : p.weight) total += number_of(weight).real();
    std::vector<T> change(p.width);
    std::size_t told_updates = 0;
    const T two = converted<T>(Number(2));
    const auto weights = [&] {
        std::vector<Number> numbers;
        for (const auto& v : w) numbers.push_back(number_of(v));
        return numbers;
    };
    Progress progress(run, "perceptron", epochs, "epochs", p.sign.size() * p.width);
    for (; out.epochs < epochs && !out.converged; ++out.epochs) {
        if (run.stopped()) return stopped_fault();
        progress.reach(out.epochs);
        double wrong = 0;
        const std::size_t before = updates;
        for (auto& c : change) c = T();
        std::vector<Parts> parts;  // of the changes in a batch that is shown
        for (std::size_t k = 0; told && k < p.width; ++k) parts.push_back({number_of(w[k])});
        for (std::size_t i = 0; i < p.sign.size(); ++i) {
            T s = T();
            for (std::size_t k = 0; k < p.width; ++k) s += w[k] * p.x[i * p.width + k];
            if (sign_of(s) == p.sign[i]) continue;
            wrong += number_of(p.weight[i]).real();
            ++updates;
            const bool tells = told && before < updates_told;
            if (tells && updates == before + 1)
                told->heading(fmt::format("Epoch {}, from {}:", out.epochs + 1, weights_text(weights(), terms)));
            if (tells) tell(*told, p, i, w, s, rate);
            T step = rate * two * p.weight[i];
            if (p.sign[i] < 0) step = T() - step;
            auto& to = steps == Steps::batch ? change : w;
            for (std::size_t k = 0; k < p.width; ++k) to[k] += step * p.x[i * p.width + k];
            if (tells && steps == Steps::batch)
                for (std::size_t k = 0; k < p.width; ++k) append(parts[k], {" + ", number_of(T(step * p.x[i * p.width + k]))});
            if (tells && steps == Steps::stochastic) told->note(fmt::format("Now {}.", weights_text(weights(), terms)));
        }
        if (steps == Steps::batch && updates > before) {
            for (std::size_t k = 0; k < p.width; ++k) w[k] += change[k];
            if (told && before < updates_told) {
                told->heading("All changes together, for each weight:");
                for (std::size_t k = 0; k < p.width; ++k) {
                    told->note(fmt::format("{}:", k == 0 ? "intercept" : terms[k - 1].name));
                    told->begin(parts[k]);
                    told->result(number_of(w[k]));
                }
            }
        }
        if (before < updates_told) told_updates = updates;
        out.history.push_back(wrong);
        out.converged = wrong <= tolerance * total;
    }
    if (told && updates > told_updates) told->note(fmt::format("… and {} more updates.", updates - told_updates));
    out.weights = weights();
    return out;
}

/// Rows (by weight) on the wrong side of weights for the matrix, the intercept first.
double rows_wrong(const Matrix& x, const TrainingRows& data, std::span<const double> w) {
    double out = 0;
    for (std::size_t i = 0; i < x.rows; ++i) {
        const bool positive = w[0] + dot(w.data() + 1, x.row(i).data(), x.columns) > 0;
        if (positive != (data.codes[i] == 1)) out += data.weights[i];
    }
    return out;
}

struct Best {
    std::vector<double> weights;  ///< in the units of the table
    double wrong = 0;
    std::size_t epochs = 0;
};

/// For labels that no line separates: the rule on standardised columns, after each epoch of which its weights and their mean over all
/// steps so far (Freund & Schapire 1999) are tried on all rows; the best of them are kept (the pocket, Gallant 1990). It ends after so
/// many epochs without a better one.
Result<Best> best_weights(const TrainingRows& data, const Run& run) {
    constexpr std::size_t patience = 50;
    constexpr std::size_t most_epochs = 500;
    const Standard by = standard_of(data.x, data.weights);
    const Matrix x = standardised(data.x, by);
    std::vector<double> w(x.columns + 1, 0.0);
    std::vector<double> sum(w);
    std::vector<double> mean(w);
    Best out{.weights = in_units(w, by), .wrong = rows_wrong(x, data, w)};
    double steps = 0;
    const auto keep = [&](std::span<const double> now) {
        const double wrong = rows_wrong(x, data, now);
        if (!(wrong < out.wrong)) return false;
        out.wrong = wrong;
        out.weights = in_units(now, by);
        return true;
    };
    for (std::size_t unchanged = 0; out.epochs < most_epochs && unchanged < patience && out.wrong > 0; ++out.epochs) {
        if (run.stopped()) return stopped_fault();
        for (std::size_t i = 0; i < x.rows; ++i) {
            const double sign = data.codes[i] == 1 ? 1 : -1;
            const bool positive = w[0] + dot(w.data() + 1, x.row(i).data(), x.columns) > 0;
            if (positive != (sign > 0)) {
                const double step = sign * data.weights[i];
                w[0] += step;
                add_scaled(w.data() + 1, step, x.row(i).data(), x.columns);
            }
            add_scaled(sum.data(), data.weights[i], w.data(), w.size());
            steps += data.weights[i];
        }
        for (std::size_t k = 0; k < w.size(); ++k) mean[k] = sum[k] / steps;
        const bool by_last = keep(w);
        const bool by_mean = keep(mean);
        unchanged = by_last || by_mean ? 0 : unchanged + 1;
    }
    return out;
}

class Perceptron final : public Learner {
public:
    explicit Perceptron(LinearOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "perceptron"; }
    TargetKind target() const override { return TargetKind::label; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(prepared(rows, weights, run));
        auto done = TRY(trained(data, run, nullptr));
        LinearFit fit{{std::move(done.weights)}, 0, std::move(done.history)};
        auto wrong = TRY(count_wrong(data, rows, fit, run));
        if (!done.converged && wrong > 0) {
            const std::size_t met = wrong;
            if (keeps_best()) {
                const Best best = TRY(best_weights(data, run));
                LinearFit other{{as_numbers(best.weights)}, 0, fit.history};
                const std::size_t left = TRY(count_wrong(data, rows, other, run));
                if (other.loss < fit.loss) {
                    fit = std::move(other);
                    wrong = left;
                }
            }
            if (run.note)
                run.note(fmt::format(
                    "the perceptron did not separate the labels in {}: {} of {} rows are still misclassified; perhaps no "
                    "line separates them{}",
                    counted(done.epochs, "epoch"), met, data.size(),
                    wrong < met
                        ? fmt::format(", and the weights kept are the best that were found: they misclassify {}", counted(wrong, "row"))
                        : ""));
        }
        return ModelPtr(
            std::make_shared<const LinearClassifier>(LinearClassifier::Kind::perceptron, data.schema, data.size(), std::move(fit)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        auto data = TRY(prepared(rows, weights, run));
        DerivationWriter out;
        out.formula("o = 1 where intercept + the sum of w * x > 0, else -1;  w changes by rate * (t - o) * x");
        out.note(fmt::format("The target t is 1 for {}, -1 for {}.", (*data.schema.target.domain)[1].text(),
                             (*data.schema.target.domain)[0].text()));
        auto done = TRY(trained(data, run, &out));
        const std::string end = weights_text(done.weights, data.terms);
        const auto& kept = dynamic_cast<const LinearClassifier&>(fitted).fit();
        if (!done.converged && kept.units[0] != done.weights)
            out.note(fmt::format("After {} rows are still wrong. The weights kept are the best of the rule on standardised columns: {}.",
                                 counted(done.epochs, "epoch"), weights_text(kept.units[0], data.terms)));
        else if (done.converged)
            out.note(fmt::format("Epoch {} {}: {}.", done.epochs, done.history.back() == 0 ? "changes nothing" : "meets few enough", end));
        else if (kept.loss == 0)
            out.note(fmt::format("After {} no row is wrong: {}.", counted(done.epochs, "epoch"), end));
        else
            out.note(fmt::format("After {} rows are still wrong: {}.", counted(done.epochs, "epoch"), end));
        return std::move(out).take();
    }

private:
    /// If no option of the steps was given, what matters is a good boundary, not the steps.
    bool keeps_best() const { return !options_.epochs && !options_.steps && !options_.tolerance; }

    /// The rows that the weights misclassify; their weight becomes the loss of the fit.
    static Result<std::size_t> count_wrong(const TrainingRows& data, const TableView& rows, LinearFit& fit, Run& run) {
        const LinearClassifier model(LinearClassifier::Kind::perceptron, data.schema, data.size(), fit);
        std::vector<std::int32_t> codes(data.size());
        Table aligned;
        aligned.columns = data.features;
        aligned.row_count = rows.table->row_count;
        TRY(model.classify({.table = &aligned, .rows = data.from, .all = false}, codes, run));
        std::size_t wrong = 0;
        fit.loss = 0;
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (codes[i] != data.codes[i]) {
                fit.loss += data.weights[i];
                ++wrong;
            }
        return wrong;
    }

    Result<TrainingRows> prepared(const TableView& rows, std::span<const double> weights, Run& run) const {
        auto data = TRY(labelled_rows(rows, weights, name(), run, options_.scale));
        if (data.labels() > 2)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("a perceptron separates two labels, and {} has {}", data.schema.target.name, data.labels()),
                         .hint = "logistic(), neural() and svm() take several"};
        return data;
    }

    Result<Outcome> trained(const TrainingRows& data, const Run& run, DerivationWriter* told) const {
        const std::size_t epochs = options_.epochs.value_or(1000);
        const Number rate = options_.rate.value_or(Number(Rational(1, 10)));
        auto start = TRY(starting_weights(options_.start, data.terms));
        bool exact = !options_.scale && rate.is_exact() && run.numbers != NumberMode::real &&
                     data.size() * (data.terms.size() + 1) <= most_exact_products / std::max<std::size_t>(epochs, 1);
        for (const auto& w : start) exact = exact && w.is_exact();
        for (const auto& column : data.features) exact = exact && !column->real;
        return exact ? ruled<Rational>(data, start, rate, epochs, run, told) : ruled<double>(data, start, rate, epochs, run, told);
    }

    template <class T>
    Result<Outcome> ruled(const TrainingRows& data, std::span<const Number> start, const Number& rate, std::size_t epochs, const Run& run,
                          DerivationWriter* told) const {
        Problem<T> p;
        p.width = data.terms.size() + 1;
        for (std::size_t i = 0; i < data.size(); ++i) {
            p.x.push_back(converted<T>(Number(1)));
            for (std::size_t t = 0; t < data.terms.size(); ++t)
                p.x.push_back(data.terms[t].label < 0 ? converted<T>(data.features[data.terms[t].column]->number(data.from[i]))
                                                      : converted<T>(Number(static_cast<int>(data.x(i, t)))));
            p.sign.push_back(data.codes[i] == 1 ? 1 : -1);
            if constexpr (std::is_same_v<T, double>)
                p.weight.push_back(data.weights[i]);
            else
                p.weight.push_back(Rational::from_decimal(data.weights[i]));
        }
        std::vector<T> w;
        for (const auto& s : start) w.push_back(converted<T>(s));
        return run_rule<T>(p, std::move(w), converted<T>(rate), epochs, options_.steps.value_or(Steps::stochastic),
                           options_.tolerance.value_or(0.0), run, data.terms, told);
    }

    LinearOptions options_;
};

}  // namespace

LearnerPtr make_perceptron(LinearOptions options) { return std::make_shared<const Perceptron>(std::move(options)); }

}  // namespace credence::rt
