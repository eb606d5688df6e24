#include "runtime/judge/evaluate.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/judge/open_question.hpp"
#include "runtime/prob/models/answers.hpp"

namespace credence::rt {

namespace {

/// The rows that are judged, with the column they are judged by.
struct Judged {
    const Column* target = nullptr;
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
};

Result<Judged> rows_to_judge(const TableView& in, const std::string& target, std::span<const double> weights, Run& run) {
    Judged out;
    out.target = in.table->columns[*in.table->find(target)].get();
    std::size_t without = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!weights.empty() && weights[i] == 0) continue;
        if (out.target->is_missing(in.row(i))) {
            ++without;
            continue;
        }
        out.rows.push_back(static_cast<std::uint32_t>(in.row(i)));
        if (!weights.empty()) out.weights.push_back(weights[i]);
    }
    if (without > 0 && run.note)
        run.note(fmt::format("{} without a value of {} {} not evaluated", counted(without, "row"), target, without == 1 ? "is" : "are"));
    if (out.rows.empty())
        return Fault{.code = "E-EMPTY", .message = fmt::format("there are no rows with a value of {} to evaluate", target)};
    return out;
}

/// The model's labels, then those that only the rows have; the actual labels in its codes.
void code_actual(const Judged& judged, const Domain& known, LabelOutcomes& out) {
    std::vector<Label> labels = known.labels();
    std::map<std::string, std::int32_t> strange;
    for (const auto row : judged.rows) {
        const Label actual = judged.target->label(row);
        if (const auto found = known.find(actual)) {
            out.actual.push_back(static_cast<std::int32_t>(*found));
            continue;
        }
        const auto [at, added] = strange.emplace(actual.text(), static_cast<std::int32_t>(labels.size()));
        if (added) labels.push_back(actual);
        out.actual.push_back(at->second);
    }
    out.labels = make_domain(std::move(labels));
    out.weights = judged.weights;
}

/// Rows × k as rows × more, the new columns 0.
std::vector<double> widened(std::vector<double> p, std::size_t rows, std::size_t from, std::size_t to) {
    if (from == to) return p;
    std::vector<double> out(rows * to, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(i * from), from, out.begin() + static_cast<std::ptrdiff_t>(i * to));
    return out;
}

Status numbers_of(const Judged& judged, NumberOutcomes& out) {
    if (judged.target->kind == ColumnKind::label)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("the model predicts {} as a number, and the rows have labels there", judged.target->name)};
    for (const auto row : judged.rows) out.actual.push_back(judged.target->values[row]);
    out.weights = judged.weights;
    return Done{};
}

Result<Outcomes> evaluate_predictor(const Predictor& model, const TableView& in, const Judged& judged, Run& run) {
    std::size_t unseen = 0;
    auto aligned = TRY(align(model.schema(), *in.table, &unseen));
    if (unseen > 0 && run.note && !model.judges_unseen() && in.size() == in.table->rows())
        run.note(fmt::format("{} cell{} not seen in training, and {} treated as missing", unseen,
                             unseen == 1 ? " has a label" : "s have labels", unseen == 1 ? "is" : "are"));
    const TableView rows{.table = &aligned, .rows = judged.rows, .all = false};
    Status cells = model.check_cells(rows);
    if (cells) cells = model.check_given(rows, features_in(model.schema(), *in.table));
    if (!cells) return std::move(cells).fault();
    const std::size_t n = judged.rows.size();
    if (const auto* classifier = dynamic_cast<const Classifier*>(&model)) {
        const Domain& known = *model.schema().target.domain;
        LabelOutcomes out;
        out.only_labels = !classifier->gives_probabilities();
        code_actual(judged, known, out);
        out.predicted.resize(n);
        out.probabilities.resize(n * known.size());
        TRY(answers_of(*classifier, rows, out.predicted, out.probabilities, run));
        out.probabilities = widened(std::move(out.probabilities), n, known.size(), out.labels->size());
        return Outcomes(std::move(out));
    }
    NumberOutcomes out;
    TRY(numbers_of(judged, out));
    out.predicted.resize(n);
    TRY(dynamic_cast<const Regressor&>(model).predict(rows, out.predicted, run));
    return Outcomes(std::move(out));
}

Result<Outcomes> evaluate_open(const Model& model, const TableView& in, const Judged& judged, Run& run) {
    const OpenQuestion question = question_of(model, *in.table, judged.target->name);
    const DomainPtr known = model.variables()[index(question.target)].variable.domain;
    std::size_t impossible = 0;
    if (!known) {
        NumberOutcomes out;
        TRY(numbers_of(judged, out));
        for (const auto row : judged.rows) {
            auto answer = TRY(question.answer(row, impossible, run));
            const auto* d = std::get_if<DistributionPtr>(&answer.value);
            if (!d) return Fault{.code = "E-TYPE", .message = fmt::format("the model gives no number for {}", judged.target->name)};
            auto mean = TRY((*d)->mean());
            out.predicted.push_back(std::get<Number>(mean).real());
        }
        note_impossible(impossible, judged.target->name, run);
        return Outcomes(std::move(out));
    }
    LabelOutcomes out;
    code_actual(judged, *known, out);
    std::vector<double> probabilities;
    for (const auto row : judged.rows) {
        auto answer = TRY(question.answer(row, impossible, run));
        const auto* f = std::get_if<Factor>(&answer.value);
        if (!f) return Fault{.code = "E-TYPE", .message = fmt::format("the model gives no probabilities of {}", judged.target->name)};
        const auto shares = f->doubles();
        probabilities.insert(probabilities.end(), shares.begin(), shares.end());
        out.predicted.push_back(static_cast<std::int32_t>(argmax(*f).entry));
    }
    note_impossible(impossible, judged.target->name, run);
    out.probabilities = widened(std::move(probabilities), judged.rows.size(), known->size(), out.labels->size());
    return Outcomes(std::move(out));
}

}  // namespace

Result<std::string> judged_target(const Model& model, const Table& table) {
    if (const Predictor* predictor = model.predictor()) {
        const std::string& name = predictor->schema().target.name;
        if (table.find(name)) return name;
        return Fault{.code = "E-COLUMN",
                     .message = fmt::format("the model predicts {}, but the rows have no such column to compare with", name),
                     .hint = fmt::format("evaluate it on a table that has {}", name)};
    }
    if (!table.target) {
        const std::string last = table.columns.empty() ? "Column" : table.columns.back()->name;
        return Fault{
            .code = "E-TRAIN",
            .message = fmt::format("a {} predicts any of its variables, but this table has no target that names one", model.kind()),
            .hint = fmt::format("with_target(t, {}), load(…, target: {}), or `->` before it in a table block", last, last)};
    }
    const std::string& name = table.columns[*table.target]->name;
    std::vector<std::string> names;
    for (const auto& v : model.variables()) {
        if (v.next) continue;
        if (v.variable.name == name) return name;
        names.push_back(v.variable.name);
    }
    Fault fault{.code = "E-VARIABLE",
                .message = fmt::format("the target {} is not a variable of the model", name),
                .label = fmt::format("its variables are {}", joined(names, ", "))};
    if (const auto near = nearest(name, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
    return fault;
}

Result<Outcomes> evaluate(const Model& model, const TableView& rows, std::span<const double> weights, Run& run) {
    auto target = TRY(judged_target(model, *rows.table));
    auto judged = TRY(rows_to_judge(rows, target, weights, run));
    if (const Predictor* predictor = model.predictor()) return evaluate_predictor(*predictor, rows, judged, run);
    return evaluate_open(model, rows, judged, run);
}

Number score_of(const Outcomes& outcomes) {
    if (const auto* labels = std::get_if<LabelOutcomes>(&outcomes)) return accuracy_of(*labels);
    return Number::real(rmse_of(std::get<NumberOutcomes>(outcomes)));
}

std::string_view score_name(const Outcomes& outcomes) { return std::holds_alternative<LabelOutcomes>(outcomes) ? "accuracy" : "rmse"; }

Result<Ranking> ranking_of(const Outcomes& outcomes, const std::optional<Label>& positive) {
    const auto* labels = std::get_if<LabelOutcomes>(&outcomes);
    if (!labels)
        return Fault{.code = "E-TYPE", .message = "rows are ranked by the probability of a label, and this model predicts a number"};
    const Domain& domain = *labels->labels;
    std::vector<std::string> names;
    for (const auto& l : domain.labels()) names.push_back(l.text());
    std::size_t chosen = domain.size() - 1;
    if (positive) {
        const auto found = domain.find(*positive);
        if (!found) {
            Fault fault{.code = "E-LABEL",
                        .message = fmt::format("no row and no model has the label '{}'", positive->text()),
                        .label = fmt::format("the labels are {}", joined(names, ", "))};
            if (const auto near = nearest(positive->text(), names)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
        chosen = *found;
    } else if (domain.size() > 2) {
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("which of the {} labels is the positive one?", domain.size()),
                     .hint = fmt::format("positive: {}; the labels are {}", names.back(), joined(names, ", "))};
    }
    Ranking out;
    out.weights = labels->weights;
    for (std::size_t i = 0; i < labels->rows(); ++i) {
        out.scores.push_back(labels->probabilities[i * domain.size() + chosen]);
        out.positive.push_back(labels->actual[i] == static_cast<std::int32_t>(chosen));
    }
    const auto positives = std::count(out.positive.begin(), out.positive.end(), 1);
    if (positives == 0 || positives == static_cast<std::ptrdiff_t>(out.positive.size()))
        return Fault{.code = "E-EMPTY",
                     .message = fmt::format("{} row has the label {}, so the labels cannot be compared", positives == 0 ? "no" : "every",
                                            names[chosen])};
    return out;
}

}  // namespace credence::rt
