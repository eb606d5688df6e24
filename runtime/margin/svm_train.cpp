// Training of support vector machines: which rows meet in which machine, and what is kept of them. The solver is our own: with rows of
// points stored feature by feature and four exponentials at a time it takes a fraction of libsvm's time (tests/bench/svm.py).

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/margin/margin_notes.hpp"
#include "runtime/margin/smo.hpp"
#include "runtime/margin/svm.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_custom_rows = 3000;  // a kernel of the script is asked for every pair of rows

/// A machine to train: rows of the training set with their signs.
struct MachinePlan {
    std::size_t positive = 0;
    std::optional<std::size_t> negative;
    std::vector<std::uint32_t> rows;
    std::vector<signed char> signs;
    std::vector<double> most;
};

struct Trained {
    MarginSolution solution;
    PlattSigmoid platt;
};

class MarginTraining {
public:
    MarginTraining(const SvmOptions& options, const TrainingRows& data, Run& run)
        : options_(options), data_(data), run_(run), kernel_(options.kernel) {}

    Status prepare() {
        if (kernel_.kind == Kernel::Kind::rbf && kernel_.sigma == 0) {
            const Standard by = standard_of(data_.x, data_.weights);
            double variance = 0;
            for (const double s : by.spread) variance += s * s;
            kernel_.sigma = variance > 0 ? std::sqrt(variance / 2) : 1;
        }
        smo_.tolerance = options_.tolerance.value_or(data_.size() <= 1000 ? 1e-8 : 1e-3);
        if (kernel_.kind != Kernel::Kind::custom) return Done{};
        if (data_.size() > most_custom_rows)
            return Fault{.code = "E-COST",
                         .message = fmt::format("a kernel of the script is called for each pair of {} rows", data_.size()),
                         .hint = "linear(), polynomial(d), rbf(sigma) and sigmoid(b0, b1) take any number of rows"};
        gram_ = Matrix(data_.size(), data_.size());
        for (std::size_t i = 0; i < data_.size(); ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                auto value = TRY(kernel_.at(data_.x.row(i), data_.x.row(j)));
                gram_(i, j) = gram_(j, i) = value;
            }
        return check_symmetry();
    }

    const Kernel& kernel() const { return kernel_; }

    Result<MarginSolution> classify(const MachinePlan& plan, unsigned threads) const {
        MarginProblem p;
        p.rows = &data_.x;
        p.points = plan.rows;
        p.sign = plan.signs;
        p.linear.assign(plan.rows.size(), -1.0);
        p.most = plan.most;
        return solved(p, threads);
    }

    Result<MarginSolution> regress() const {
        MarginProblem p;
        p.rows = &data_.x;
        p.points.resize(data_.size());
        std::iota(p.points.begin(), p.points.end(), 0U);
        for (int side = 0; side < 2; ++side)
            for (std::size_t i = 0; i < data_.size(); ++i) {
                p.sign.push_back(side == 0 ? 1 : -1);
                p.linear.push_back(options_.epsilon + (side == 0 ? -data_.values[i] : data_.values[i]));
                p.most.push_back(options_.c * data_.weights[i]);
            }
        return solved(p, run_.threads);
    }

    /// Decision values of rows that a machine did not see, five times over.
    Result<PlattSigmoid> calibrated(const MachinePlan& plan, Rng rng) const {
        const std::size_t n = plan.rows.size();
        const std::size_t folds = std::min<std::size_t>(5, n);
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0U);
        for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
        std::vector<double> decisions(n);
        for (std::size_t f = 0; f < folds; ++f) {
            MachinePlan rest;
            std::vector<std::uint32_t> held;
            bool plus = false;
            bool minus = false;
            for (std::size_t k = 0; k < n; ++k) {
                const auto i = order[k];
                if (k % folds == f) {
                    held.push_back(i);
                    continue;
                }
                rest.rows.push_back(plan.rows[i]);
                rest.signs.push_back(plan.signs[i]);
                rest.most.push_back(plan.most[i]);
                (plan.signs[i] > 0 ? plus : minus) = true;
            }
            if (!plus || !minus) {
                for (const auto i : held) decisions[i] = plus ? 1 : -1;
                continue;
            }
            auto solution = TRY(classify(rest, 1));
            for (const auto i : held) decisions[i] = decision(rest, solution, plan.rows[i]);
        }
        return fit_platt(decisions, plan.signs);
    }

    SmoOptions& smo() { return smo_; }

private:
    /// A kernel of the script is asked for few pairs the other way round as well: neighbours in the table, and the first row's.
    Status check_symmetry() const {
        for (std::size_t i = 1; i < data_.size(); ++i)
            for (const std::size_t j : {std::size_t{0}, i - 1}) {
                const double there = gram_(i, j);
                const double back = TRY(kernel_.at(data_.x.row(j), data_.x.row(i)));
                if (std::abs(there - back) > 1e-9 * std::max({1.0, std::abs(there), std::abs(back)}))
                    return Fault{
                        .code = "E-PARAMETER",
                        .message = fmt::format("the kernel is not symmetric: it is {:.6g} for rows {} and {}, and {:.6g} for "
                                               "rows {} and {}",
                                               there, data_.from[i] + 1, data_.from[j] + 1, back, data_.from[j] + 1, data_.from[i] + 1),
                        .hint = "a kernel gives the same number for (x, y) and (y, x), as x * y does"};
            }
        return Done{};
    }
    Result<MarginSolution> solved(MarginProblem& p, unsigned threads) const {
        p.kernel = &kernel_;
        if (kernel_.kind == Kernel::Kind::custom) p.gram = &gram_;
        SmoOptions options = smo_;
        options.threads = threads;
        return solve_margin(p, options, run_);
    }
    double decision(const MachinePlan& plan, const MarginSolution& s, std::uint32_t row) const {
        double out = s.bias;
        for (std::size_t k = 0; k < plan.rows.size(); ++k) {
            if (s.alpha[k] == 0) continue;
            const double value =
                kernel_.kind == Kernel::Kind::custom ? gram_(plan.rows[k], row) : *kernel_.at(data_.x.row(plan.rows[k]), data_.x.row(row));
            out += plan.signs[k] * s.alpha[k] * value;
        }
        return out;
    }

    const SvmOptions& options_;
    const TrainingRows& data_;
    Run& run_;
    Kernel kernel_;
    Matrix gram_;
    SmoOptions smo_;
};

Result<std::vector<MachinePlan>> plans_of(const SvmOptions& options, const TrainingRows& data) {
    const Domain& labels = *data.schema.target.domain;
    std::vector<double> label_weight(labels.size(), 1.0);
    for (const auto& [name, weight] : options.class_weights) {
        const auto found = labels.find(Label::of_text(name));
        if (!found) return Fault{.code = "E-LABEL", .message = fmt::format("{} has no value '{}' to weigh", data.schema.target.name, name)};
        label_weight[*found] = weight;
    }
    std::vector<std::vector<std::uint32_t>> by_label(labels.size());
    for (std::size_t i = 0; i < data.size(); ++i)
        by_label[static_cast<std::size_t>(data.codes[i])].push_back(static_cast<std::uint32_t>(i));
    std::vector<std::size_t> present;
    for (std::size_t k = 0; k < labels.size(); ++k)
        if (!by_label[k].empty()) present.push_back(k);
    if (present.size() < 2)
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("svm needs at least two labels, and all rows have {} = {}", data.schema.target.name,
                                            labels[present[0]].text())};
    std::vector<MachinePlan> out;
    const auto add = [&](MachinePlan& plan, std::size_t label, signed char sign) {
        for (const auto i : by_label[label]) {
            plan.rows.push_back(i);
            plan.signs.push_back(sign);
            plan.most.push_back(options.c * label_weight[label] * data.weights[i]);
        }
    };
    if (options.multiclass == Multiclass::one_vs_one || present.size() == 2) {
        for (std::size_t a = 0; a < present.size(); ++a)
            for (std::size_t b = a + 1; b < present.size(); ++b) {
                MachinePlan plan{present[b], present[a], {}, {}, {}};
                add(plan, present[a], -1);
                add(plan, present[b], 1);
                out.push_back(std::move(plan));
            }
        return out;
    }
    for (const std::size_t k : present) {
        MachinePlan plan{k, std::nullopt, {}, {}, {}};
        for (const std::size_t other : present) add(plan, other, other == k ? 1 : -1);
        out.push_back(std::move(plan));
    }
    return out;
}

/// Rows with a multiplier that is not 0, their part of the table, and the machines that refer to them.
struct Supports {
    std::vector<std::uint32_t> rows;  ///< of the training set, ascending
    std::vector<double> alpha;        ///< the largest of any machine

    explicit Supports(std::size_t n) : largest_(n, 0.0) {}
    void see(std::uint32_t row, double alpha_of) { largest_[row] = std::max(largest_[row], std::abs(alpha_of)); }
    void finish() {
        position_.assign(largest_.size(), 0);
        for (std::size_t i = 0; i < largest_.size(); ++i)
            if (largest_[i] > 0) {
                position_[i] = static_cast<std::uint32_t>(rows.size());
                rows.push_back(static_cast<std::uint32_t>(i));
                alpha.push_back(largest_[i]);
            }
    }
    std::uint32_t position(std::uint32_t row) const { return position_[row]; }

private:
    std::vector<double> largest_;
    std::vector<std::uint32_t> position_;
};

Result<TablePtr> support_table(const TableView& rows, const TrainingRows& data, const Supports& supports) {
    std::vector<std::uint32_t> from;
    for (const auto i : supports.rows) from.push_back(data.from[i]);
    auto table = take_rows(*rows.table, from);
    if (!table) return table;
    auto alpha = std::make_shared<Column>();
    alpha->name = "alpha";
    while ((*table)->find(alpha->name)) alpha->name += "_";
    alpha->kind = ColumnKind::numeric;
    alpha->values = supports.alpha;
    alpha->real = true;
    return with_column(**table, alpha);
}

Result<MarginModel> kept(const TableView& rows, const TrainingRows& data, const MarginTraining& training, const SvmOptions& options,
                         std::vector<Machine> machines, std::vector<std::vector<std::pair<std::uint32_t, double>>> coefficients) {
    if (!std::all_of(machines.begin(), machines.end(),
                     [](const Machine& m) { return std::isfinite(m.bias) && std::isfinite(m.objective); }))
        return Fault{.code = "E-RANGE",
                     .message = "the products of these rows are too large for a number",
                     .hint = "scale(t) brings the columns to a common size; a target is divided by a power of ten"};
    Supports supports(data.size());
    for (const auto& machine : coefficients)
        for (const auto& [row, c] : machine) supports.see(row, c);
    supports.finish();
    MarginModel out;
    out.kernel = training.kernel();
    out.terms = data.terms;
    out.probability = options.probability;
    out.multiclass = options.multiclass;
    out.vectors = Matrix(supports.rows.size(), data.terms.size());
    for (std::size_t k = 0; k < supports.rows.size(); ++k)
        std::copy(data.x.row(supports.rows[k]).begin(), data.x.row(supports.rows[k]).end(), out.vectors.row(k).begin());
    for (std::size_t m = 0; m < machines.size(); ++m)
        for (const auto& [row, c] : coefficients[m]) {
            machines[m].support.push_back(supports.position(row));
            machines[m].coefficients.push_back(c);
        }
    out.machines = std::move(machines);
    out.support = TRY(support_table(rows, data, supports));
    out.prepare();
    return out;
}

/// Before the work begins: where one column drowns the others, the solver takes long and may not end.
void note_sizes(const Run& run, const TrainingRows& data, bool scaled) {
    constexpr std::size_t many_rows = 500;
    constexpr double uneven = 1000;
    if (scaled || !run.note || data.size() < many_rows) return;
    const Standard by = standard_of(data.x, data.weights);
    const auto [least, most] = std::minmax_element(by.spread.begin(), by.spread.end());
    if (least == by.spread.end() || !(*least > 0) || *most < uneven * *least) return;
    const auto name = [&](auto at) { return data.terms[static_cast<std::size_t>(at - by.spread.begin())].name; };
    run.note(
        fmt::format("the spread of {} is {:.3g}, that of {} is {:.3g}: training may take long, and the first one decides nearly alone; "
                    "scale: standard brings the columns to a common size",
                    name(most), *most, name(least), *least));
}

void note_unfinished(const Run& run, bool converged, double gap, bool scaled) {
    if (!converged && run.note)
        run.note(fmt::format("the solver was stopped before its tolerance: the conditions of optimality (KKT) are violated by {:.3g}{}",
                             gap, scaled ? "" : "; scale: standard brings the columns to a common size, which helps"));
}

/// w, b and the margin of a small machine, number by number.
Derivation told(const MarginPart& part, const Model& model) {
    DerivationWriter out;
    const MarginModel& m = part.margin_model();
    const bool regression = model.kind() == "svr";
    out.formula(regression
                    ? "minimise 1/2 * |w|^2 + C * the sum of what lies outside the tube of half-width epsilon"
                    : "minimise 1/2 * |w|^2 + C * the sum of max(0, 1 - sign * d);  d = b + the sum of (sign * α) * K(support vector, x)");
    out.note(fmt::format("K = {}; {} support vectors.", m.kernel.text(), m.vectors.rows));
    for (std::size_t k = 0; k < m.machines.size() && k < cases_shown; ++k) {
        const Machine& machine = m.machines[k];
        out.note(fmt::format("{}: {} support vectors, b = {:.6g}, dual = {:.6g}, largest violation of the KKT conditions {:.3g}.",
                             part.machine_name(k), machine.support.size(), machine.bias, machine.objective, machine.kkt));
        if (machine.support.size() > longest_sum) continue;
        for (std::size_t s = 0; s < machine.support.size(); ++s) {
            std::string cells;
            for (const double v : m.vectors.row(machine.support[s])) cells += fmt::format("{}{:.6g}", cells.empty() ? "" : ", ", v);
            out.note(fmt::format("<{}>: {} = {:.6g}", cells, regression ? "α - α*" : "sign * α", machine.coefficients[s]));
        }
        for (std::size_t t = 0; t < machine.w.size() && t < longest_sum; ++t) {
            out.note(fmt::format("w of {}:", m.terms[t].name));
            Parts sum;
            for (std::size_t s = 0; s < machine.support.size(); ++s)
                append(sum,
                       {s == 0 ? "" : " + ", Number::real(machine.coefficients[s]), " * ", Number::real(m.vectors(machine.support[s], t))});
            if (sum.empty()) continue;
            out.begin(sum);
            out.result(Number::real(machine.w[t]));
        }
        if (!regression && !machine.w.empty()) {
            out.note("The margin, 2/|w|:");
            Parts norm{"2 / sqrt("};
            for (std::size_t t = 0; t < machine.w.size(); ++t) append(norm, {t == 0 ? "" : " + ", Number::real(machine.w[t]), "^2"});
            append(norm, {")"});
            if (machine.w.size() <= longest_sum) out.begin(norm);
            if (machine.w.size() <= longest_sum) out.result(Number::real(m.margin(machine)));
        }
    }
    if (m.machines.size() > cases_shown) out.note(fmt::format("… and {} more machines.", m.machines.size() - cases_shown));
    return std::move(out).take();
}

class Svm final : public Learner {
public:
    explicit Svm(SvmOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "svm"; }
    TargetKind target() const override { return TargetKind::label; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        auto data = TRY(training_rows(rows, row_weights, Coding::full, run, options_.scale));
        TRY(check_labels(data, name()));
        note_sizes(run, data, options_.scale.has_value());
        auto plans = TRY(plans_of(options_, data));
        MarginTraining training(options_, data, run);
        TRY(training.prepare());
        const bool several = plans.size() > 1;
        const unsigned outer = several ? run.threads : 1;
        training.smo().cache_bytes /= outer;
        std::vector<std::optional<Result<Trained>>> solved(plans.size());
        parallel_chunks(plans.size(), 1, outer, [&](std::size_t i, std::size_t, std::size_t) {
            auto solution = training.classify(plans[i], several ? 1 : run.threads);
            if (!solution) {
                solved[i] = std::move(solution).fault();
                return;
            }
            Trained t{*std::move(solution), {}};
            if (options_.probability) {
                auto platt = training.calibrated(plans[i], run.rng.child("platt").child(i));
                if (!platt) {
                    solved[i] = std::move(platt).fault();
                    return;
                }
                t.platt = *platt;
            }
            solved[i] = std::move(t);
        });
        std::vector<Machine> machines;
        std::vector<std::vector<std::pair<std::uint32_t, double>>> coefficients;
        bool converged = true;
        double gap = 0;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (!*solved[i]) return std::move(*solved[i]).fault();
            const Trained& t = **solved[i];
            const MachinePlan& plan = plans[i];
            Machine machine;
            machine.positive = plan.positive;
            machine.negative = plan.negative;
            machine.bias = t.solution.bias;
            machine.objective = -t.solution.objective;
            machine.kkt = t.solution.gap;
            machine.platt = t.platt;
            machines.push_back(std::move(machine));
            auto& own = coefficients.emplace_back();
            for (std::size_t k = 0; k < plan.rows.size(); ++k)
                if (t.solution.alpha[k] > 0) own.emplace_back(plan.rows[k], plan.signs[k] * t.solution.alpha[k]);
            converged = converged && t.solution.converged;
            gap = std::max(gap, t.solution.gap);
        }
        note_unfinished(run, converged, gap, options_.scale.has_value());
        auto kept_model = TRY(kept(rows, data, training, options_, std::move(machines), std::move(coefficients)));
        auto model = std::make_shared<const SvmClassifier>(data.schema, data.size(), std::move(kept_model));
        TRY(note_kernel(training.kernel(), data, run));
        TRY(note_hard_margin(*model, rows, options_.c, run));
        return ModelPtr(std::move(model));
    }

    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        return told(dynamic_cast<const MarginPart&>(fitted), fitted);
    }

private:
    SvmOptions options_;
};

class Svr final : public Learner {
public:
    explicit Svr(SvmOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "svr"; }
    TargetKind target() const override { return TargetKind::number; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        auto data = TRY(training_rows(rows, row_weights, Coding::full, run, options_.scale));
        note_sizes(run, data, options_.scale.has_value());
        MarginTraining training(options_, data, run);
        TRY(training.prepare());
        auto solution = TRY(training.regress());
        note_unfinished(run, solution.converged, solution.gap, options_.scale.has_value());
        Machine machine;
        machine.bias = solution.bias;
        machine.objective = -solution.objective;
        machine.kkt = solution.gap;
        std::vector<std::vector<std::pair<std::uint32_t, double>>> coefficients(1);
        for (std::size_t i = 0; i < data.size(); ++i)
            if (const double c = solution.alpha[i] - solution.alpha[i + data.size()]; c != 0)
                coefficients[0].emplace_back(static_cast<std::uint32_t>(i), c);
        auto model = TRY(kept(rows, data, training, options_, {machine}, std::move(coefficients)));
        TRY(note_kernel(training.kernel(), data, run));
        return ModelPtr(std::make_shared<const SvmRegressor>(data.schema, data.size(), std::move(model)));
    }

    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        return told(dynamic_cast<const MarginPart&>(fitted), fitted);
    }

private:
    SvmOptions options_;
};

}  // namespace

LearnerPtr make_svm(SvmOptions options) { return std::make_shared<const Svm>(std::move(options)); }
LearnerPtr make_svr(SvmOptions options) { return std::make_shared<const Svr>(std::move(options)); }

}  // namespace credence::rt
