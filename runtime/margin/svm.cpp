#include "runtime/margin/svm.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/parallel.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

void MarginModel::prepare() {
    points = Points(vectors);
    if (kernel.kind != Kernel::Kind::linear) return;
    for (auto& machine : machines) {
        machine.w.assign(terms.size(), 0.0);
        for (std::size_t k = 0; k < machine.support.size(); ++k)
            add_scaled(machine.w.data(), machine.coefficients[k], vectors.row(machine.support[k]).data(), terms.size());
    }
}

Result<Matrix> MarginModel::decisions(const TableView& rows, Run& run) const {
    const Matrix x = numbers_of(rows, terms);
    Matrix out(x.rows, machines.size());
    if (kernel.kind == Kernel::Kind::linear) {
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t m = 0; m < machines.size(); ++m)
                out(i, m) = dot(machines[m].w.data(), x.row(i).data(), x.columns) + machines[m].bias;
        return out;
    }
    const auto weigh = [&](std::size_t i, const std::vector<double>& values) {
        for (std::size_t m = 0; m < machines.size(); ++m) {
            const Machine& machine = machines[m];
            double sum = machine.bias;
            for (std::size_t k = 0; k < machine.support.size(); ++k) sum += machine.coefficients[k] * values[machine.support[k]];
            out(i, m) = sum;
        }
    };
    if (kernel.kind == Kernel::Kind::custom) {
        std::vector<double> values(vectors.rows);
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t k = 0; k < vectors.rows; ++k) { values[k] = TRY(kernel.at(vectors.row(k), x.row(i))); }
            weigh(i, values);
        }
        return out;
    }
    parallel_chunks(x.rows, 64, run.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> values(vectors.rows);
        for (std::size_t i = begin; i < end; ++i) {
            points.row(kernel, x.row(i), 0, vectors.rows, values.data());
            weigh(i, values);
        }
    });
    return out;
}

double MarginModel::margin(const Machine& machine) const {
    if (!machine.w.empty()) return 2 / std::sqrt(dot(machine.w.data(), machine.w.data(), machine.w.size()));
    double squared = 0;
    for (std::size_t a = 0; a < machine.support.size(); ++a)
        for (std::size_t b = 0; b < machine.support.size(); ++b) {
            const auto value = kernel.at(vectors.row(machine.support[a]), vectors.row(machine.support[b]));
            if (!value) return std::nan("");
            squared += machine.coefficients[a] * machine.coefficients[b] * *value;
        }
    return 2 / std::sqrt(squared);
}

// --- classification ---------------------------------------------------------------------------------------------------

namespace {

constexpr double zero_decision = 1e-9;  ///< what the optimiser's tolerance cannot distinguish from 0; a row on the boundary is positive

/// The label each row's votes (or largest decision) go to.
void choose_labels(const MarginModel& model, const Matrix& decisions, std::size_t labels, std::span<std::int32_t> out) {
    std::vector<double> score(labels);
    for (std::size_t i = 0; i < decisions.rows; ++i) {
        std::fill(score.begin(), score.end(), model.multiclass == Multiclass::one_vs_one ? 0.0 : -1e300);
        for (std::size_t m = 0; m < model.machines.size(); ++m) {
            const Machine& machine = model.machines[m];
            const double d = decisions(i, m);
            if (!machine.negative)
                score[machine.positive] = d;
            else
                score[d >= -zero_decision ? machine.positive : *machine.negative] += model.machines.size() == 1 ? 2e300 : 1.0;
        }
        out[i] = static_cast<std::int32_t>(std::max_element(score.begin(), score.end()) - score.begin());
    }
}

void calibrate(const MarginModel& model, std::span<const double> decisions, std::span<double> out) {
    const std::size_t labels = out.size();
    if (model.machines.size() == 1) {
        const double p = model.machines[0].platt.at(decisions[0]);
        std::fill(out.begin(), out.end(), 0.0);
        out[model.machines[0].positive] = p;
        out[*model.machines[0].negative] = 1 - p;
        return;
    }
    if (model.multiclass == Multiclass::one_vs_rest) {
        double total = 0;
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t m = 0; m < model.machines.size(); ++m)
            total += out[model.machines[m].positive] = std::max(1e-7, model.machines[m].platt.at(decisions[m]));
        for (double& p : out) p /= total;
        return;
    }
    std::vector<double> pairwise(labels * labels, 0.5);
    for (std::size_t m = 0; m < model.machines.size(); ++m) {
        const Machine& machine = model.machines[m];
        const double p = std::clamp(machine.platt.at(decisions[m]), 1e-7, 1 - 1e-7);
        pairwise[machine.positive * labels + *machine.negative] = p;
        pairwise[*machine.negative * labels + machine.positive] = 1 - p;
    }
    const auto p = couple(pairwise, labels);
    std::copy(p.begin(), p.end(), out.begin());
}

}  // namespace

Status SvmClassifier::classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const {
    auto decisions = TRY(margin_.decisions(rows, run));
    choose_labels(margin_, decisions, schema_.target.domain->size(), out);
    return Done{};
}

Status SvmClassifier::probabilities(const TableView& rows, std::span<double> out, Run& run) const {
    auto decisions = TRY(margin_.decisions(rows, run));
    const std::size_t labels = schema_.target.domain->size();
    if (margin_.probability) {
        for (std::size_t i = 0; i < decisions.rows; ++i) calibrate(margin_, decisions.row(i), out.subspan(i * labels, labels));
        return Done{};
    }
    std::vector<std::int32_t> codes(decisions.rows);
    choose_labels(margin_, decisions, labels, codes);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = 0; i < codes.size(); ++i) out[i * labels + static_cast<std::size_t>(codes[i])] = 1;
    return Done{};
}

Result<Answer> SvmClassifier::ask(const Query& query, Run& run) const {
    if (!margin_.probability && query.goal == Goal::probability)
        return Fault{.code = "E-QUERY",
                     .message = "this svm predicts labels, not probabilities",
                     .origin = query.origin,
                     .hint = "train svm(…, probability: true); predict(model, …) gives the label"};
    return Classifier::ask(query, run);
}

std::string SvmClassifier::machine_name(std::size_t m) const {
    const Domain& labels = *schema_.target.domain;
    const Machine& machine = margin_.machines[m];
    return fmt::format("{} against {}", labels[machine.positive].text(), machine.negative ? labels[*machine.negative].text() : "the rest");
}

Result<Derivation> SvmClassifier::explain_prediction(const TableView& rows, Run& run) const {
    auto told = told_decisions(rows, run);
    if (!told) return told;
    std::vector<std::int32_t> code(1);
    TRY(classify(rows, code, run));
    const std::string how = margin_.machines.size() == 1                   ? "The sign decides"
                            : margin_.multiclass == Multiclass::one_vs_one ? "Most votes"
                                                                           : "The largest decision";
    told->push_back(
        {DerivationLine::Kind::note, {fmt::format("{}: {}.", how, (*schema_.target.domain)[static_cast<std::size_t>(code[0])].text())}});
    return told;
}

// --- regression -------------------------------------------------------------------------------------------------------

Status SvmRegressor::predict(const TableView& rows, std::span<double> out, Run& run) const {
    auto decisions = TRY(margin_.decisions(rows, run));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = decisions(i, 0);
    return Done{};
}

// --- traces -----------------------------------------------------------------------------------------------------------

Result<Derivation> MarginPart::told_decisions(const TableView& rows, Run& run) const {
    auto decisions = TRY(margin_.decisions(rows, run));
    const Matrix x = numbers_of(rows, margin_.terms);
    DerivationWriter out;
    const bool linear = margin_.kernel.kind == Kernel::Kind::linear;
    out.formula(linear ? "d = b + the sum of w * x"
                       : fmt::format("d = b + the sum of (sign * α) * K(support vector, x),  K = {}", margin_.kernel.text()));
    for (std::size_t m = 0; m < margin_.machines.size(); ++m) {
        const Machine& machine = margin_.machines[m];
        out.note(machine_name(m) + ":");
        const std::size_t terms = linear ? machine.w.size() : machine.support.size();
        if (terms > longest_sum) {
            out.note(fmt::format("d = {:.6g} ({} terms)", decisions(0, m), terms));
            continue;
        }
        Parts sum{Number::real(machine.bias)};
        for (std::size_t k = 0; k < terms; ++k) {
            if (linear) {
                append(sum, {" + ", Number::real(machine.w[k]), " * ", Number::real(x(0, k))});
                continue;
            }
            auto value = TRY(margin_.kernel.at(margin_.vectors.row(machine.support[k]), x.row(0)));
            append(sum, {" + ", Number::real(machine.coefficients[k]), " * ", Number::real(value)});
        }
        out.begin(sum);
        out.result(Number::real(decisions(0, m)));
    }
    return std::move(out).take();
}

// --- saving -----------------------------------------------------------------------------------------------------------

Result<Json> MarginPart::saved_margin() const {
    if (margin_.kernel.kind == Kernel::Kind::custom)
        return Fault{.code = "E-FILE",
                     .message = "a machine whose kernel is a function of the script cannot be saved",
                     .hint = "linear(), polynomial(d), rbf(sigma) and sigmoid(b0, b1) can"};
    Json machines = Json::array();
    for (const auto& m : margin_.machines) {
        Json item{{"positive", m.positive}};
        if (m.negative) item.set("negative", *m.negative);
        std::vector<double> support(m.support.begin(), m.support.end());
        item.set("support", saved(std::span<const double>(support)));
        item.set("coefficients", saved(std::span<const double>(m.coefficients)));
        item.set("bias", m.bias);
        item.set("objective", m.objective);
        item.set("kkt", m.kkt);
        item.set("slope", m.platt.slope);
        item.set("offset", m.platt.offset);
        machines.push_back(std::move(item));
    }
    const Kernel& k = margin_.kernel;
    return Json{{"kernel", static_cast<int>(k.kind)},
                {"degree", k.degree},
                {"sigma", k.sigma},
                {"b0", k.b0},
                {"b1", k.b1},
                {"probability", margin_.probability ? 1 : 0},
                {"rest", margin_.multiclass == Multiclass::one_vs_rest ? 1 : 0},
                {"vectors", saved(margin_.vectors)},
                {"support", saved(*margin_.support)},
                {"machines", std::move(machines)}};
}

Result<Json> SvmClassifier::save() const {
    auto margin = saved_margin();
    if (!margin) return margin;
    return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"margin", *std::move(margin)}};
}

Result<Json> SvmRegressor::save() const {
    auto margin = saved_margin();
    if (!margin) return margin;
    return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"margin", *std::move(margin)}};
}

namespace {

Result<Machine> read_machine(const Json& json, std::size_t vectors, std::size_t labels) {
    Machine m;
    m.positive = TRY(read_count(json, "positive"));
    if (json.contains("negative")) { m.negative = TRY(read_count(json, "negative")); }
    if (m.positive >= labels || m.negative.value_or(0) >= labels) return damaged("a machine names a label that is not there");
    auto support = TRY(read_reals(json, "support"));
    for (const double s : support) {
        if (!(s >= 0) || s >= static_cast<double>(vectors)) return damaged("a machine names a support vector that is not there");
        m.support.push_back(static_cast<std::uint32_t>(s));
    }
    auto coefficients = TRY(read_reals(json, "coefficients"));
    if (coefficients.size() != m.support.size()) return damaged("there is not one coefficient for each support vector");
    m.coefficients = std::move(coefficients);
    for (const auto& [key, to] : {std::pair{"bias", &m.bias},
                                  {"objective", &m.objective},
                                  {"kkt", &m.kkt},
                                  {"slope", &m.platt.slope},
                                  {"offset", &m.platt.offset}}) {
        auto value = TRY(read_real(json, key));
        *to = value;
    }
    return m;
}

Result<MarginModel> read_margin(const Json& json, const Schema& schema) {
    MarginModel out;
    auto kind = TRY(read_count(json, "kernel"));
    if (kind > static_cast<std::size_t>(Kernel::Kind::sigmoid)) return damaged("the kernel is not known");
    out.kernel.kind = static_cast<Kernel::Kind>(kind);
    for (const auto& [key, to] :
         {std::pair{"degree", &out.kernel.degree}, {"sigma", &out.kernel.sigma}, {"b0", &out.kernel.b0}, {"b1", &out.kernel.b1}}) {
        auto value = TRY(read_real(json, key));
        *to = value;
    }
    auto probability = TRY(read_count(json, "probability"));
    out.probability = probability == 1;
    auto rest = TRY(read_count(json, "rest"));
    out.multiclass = rest == 1 ? Multiclass::one_vs_rest : Multiclass::one_vs_one;
    out.vectors = TRY(read_matrix(json, "vectors"));
    out.terms = terms_of(schema, Coding::full);
    if (out.vectors.columns != out.terms.size()) return damaged("the support vectors do not fit the columns");
    out.support = TRY(read_table(json, "support"));
    auto machines = TRY(read_member(json, "machines"));
    const std::size_t labels = schema.target.kind == ColumnKind::label ? schema.target.domain->size() : 1;
    for (const auto& item : *machines) {
        auto machine = TRY(read_machine(item, out.vectors.rows, labels));
        out.machines.push_back(std::move(machine));
    }
    if (out.machines.empty()) return damaged("there are no machines");
    out.prepare();
    return out;
}

}  // namespace

Result<ModelPtr> load_svm(std::string_view kind, const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto part = TRY(read_member(json, "margin"));
    auto margin = TRY(read_margin(*part, schema));
    if ((schema.target.kind == ColumnKind::label) != (kind == "svm")) return damaged("the target is of another kind");
    if (kind == "svm") return ModelPtr(std::make_shared<const SvmClassifier>(std::move(schema), rows, std::move(margin)));
    return ModelPtr(std::make_shared<const SvmRegressor>(std::move(schema), rows, std::move(margin)));
}

}  // namespace credence::rt
