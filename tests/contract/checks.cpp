#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "lang/text/codes.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "tests/contract/contract.hpp"
#include "tests/support/json.hpp"

namespace credence::contract {

using rt::Fault;
using rt::ModelPtr;
using rt::Result;
using rt::Table;
using rt::TablePtr;

rt::Run fresh_run() {
    rt::Run run;
    run.rng = rt::Rng(7);
    return run;
}

namespace {

constexpr double close = 1e-6;  ///< sums in another order; optimisers that stop by a tolerance

rt::TableView whole(const Table& table) { return {.table = &table, .rows = {}}; }

Result<ModelPtr> trained(const Subject& s, const Table& table, std::span<const double> weights = {}) {
    rt::Run run = fresh_run();
    return rt::train(*s.learner, whole(table), weights, run);
}

/// A fault is one only where it says what and has a code that `help` knows.
void judge_fault(const Fault& fault, const std::string& where, Complaints& out) {
    if (fault.code.empty()) out.push_back(fmt::format("{}: the fault has no code", where));
    if (fault.message.size() < 8) out.push_back(fmt::format("{}: the fault says nothing ('{}')", where, fault.message));
    if (fault.code.text() == "E-INTERNAL") out.push_back(fmt::format("{}: {}", where, fault.message));
}

/// Predictions are labels of the domain and shares of one, or finite numbers.
void judge_outcomes(const rt::Outcomes& outcomes, const std::string& where, Complaints& out) {
    if (const auto* numbers = std::get_if<rt::NumberOutcomes>(&outcomes)) {
        for (const double y : numbers->predicted)
            if (!std::isfinite(y)) {
                out.push_back(fmt::format("{}: predicts {}", where, y));
                return;
            }
        return;
    }
    const auto& labels = std::get<rt::LabelOutcomes>(outcomes);
    const std::size_t k = labels.labels->size();
    for (std::size_t i = 0; i < labels.rows(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) {
            const double p = labels.probabilities[i * k + j];
            if (!(p >= 0 && p <= 1 + 1e-12)) {
                out.push_back(fmt::format("{}: gives a probability of {}", where, p));
                return;
            }
            sum += p;
        }
        if (std::abs(sum - 1) > 1e-9) {
            out.push_back(fmt::format("{}: probabilities sum to {}", where, sum));
            return;
        }
        if (labels.predicted[i] < 0 || labels.predicted[i] >= static_cast<std::int32_t>(k)) {
            out.push_back(fmt::format("{}: predicts label number {}", where, labels.predicted[i]));
            return;
        }
    }
}

/// Trains, predicts the rows of `asked`, and judges what comes. The outcomes where there are any.
std::optional<rt::Outcomes> try_out(const Subject& s, const Table& table, const Table& asked, const std::string& where, Complaints& out) {
    auto model = trained(s, table);
    if (!model) {
        judge_fault(model.fault(), where, out);
        return std::nullopt;
    }
    rt::Run run = fresh_run();
    auto outcomes = rt::evaluate(**model, whole(asked), {}, run);
    if (!outcomes) {
        judge_fault(outcomes.fault(), where, out);
        return std::nullopt;
    }
    judge_outcomes(*outcomes, where, out);
    return *std::move(outcomes);
}

bool same_bits(const Fingerprint& a, const Fingerprint& b) {
    if (a.numbers.size() != b.numbers.size() || a.text != b.text) return false;
    for (std::size_t i = 0; i < a.numbers.size(); ++i)
        if (!(a.numbers[i] == b.numbers[i])) return false;
    return true;
}

/// Why two fingerprints differ by more than rounding; empty where they do not.
std::string apart(const Fingerprint& a, const Fingerprint& b) {
    if (a.predicts != b.predicts) return "one predicts and the other does not: " + (a.predicts ? b.text : a.text);
    if (!a.predicts) return {};  // nothing but what was saved, in which row and column numbers may stand
    if (a.numbers.size() != b.numbers.size()) return "different numbers of predictions";
    for (std::size_t i = 0; i < a.numbers.size(); ++i)
        if (!(std::abs(a.numbers[i] - b.numbers[i]) <= close * (1 + std::abs(a.numbers[i]))))
            return fmt::format("{} against {}", a.numbers[i], b.numbers[i]);
    return {};
}

TablePtr rows_of(const Table& table, const std::vector<std::uint32_t>& rows) { return *rt::take_rows(table, rows); }

std::vector<std::uint32_t> all_rows(const Table& table) {
    std::vector<std::uint32_t> out(table.row_count);
    std::iota(out.begin(), out.end(), 0U);
    return out;
}

/// A copy whose cells can be changed.
template <class F>
Table changed(const Table& table, F change) {
    Table out = table;
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
        auto column = std::make_shared<rt::Column>(*out.columns[c]);
        change(*column, out.target == c);
        out.columns[c] = column;
    }
    return out;
}

void make_missing(rt::Column& column, std::size_t row) {
    if (column.kind == rt::ColumnKind::label)
        column.codes[row] = -1;
    else
        column.values[row] = std::nan("");
}

/// Runs a check on every table the learner learns from.
template <class F>
Complaints on_each(const Subject& s, F check) {
    Complaints out;
    for (const auto& d : data()) {
        auto model = trained(s, *d.table);
        if (!model) {
            judge_fault(model.fault(), d.name, out);
            continue;
        }
        check(d, **model, out);
    }
    return out;
}

/// Trains on another form of the same data and compares predictions of `asked` (the same rows as the first model was asked for).
void compare_with(const Subject& s, const rt::Model& model, const Table& asked, const Table& other, const Table& other_asked,
                  std::span<const double> weights, const std::string& where, Complaints& out) {
    auto again = trained(s, other, weights);
    if (!again) {
        out.push_back(fmt::format("{}: learns no more: {}", where, again.fault().message));
        return;
    }
    const std::string why = apart(fingerprint(model, asked), fingerprint(**again, other_asked));
    if (!why.empty()) out.push_back(fmt::format("{}: {}", where, why));
}

// --- the checks -----------------------------------------------------------------------------------------------------------

Complaints learns_something(const Subject& s) {
    std::string why;
    for (const auto& d : data()) {
        auto model = trained(s, *d.table);
        if (model && (fingerprint(**model, *d.table).predicts || (*model)->save())) return {};
        why += fmt::format("; {}: {}", d.name, model ? "neither predicts nor saves" : model.fault().message);
    }
    return {"learns from none of the tables" + why};
}

Complaints one_row(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) try_out(s, *rows_of(*d.table, {1}), *d.table, d.name, out);
    return out;
}

Complaints one_class(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        const rt::Column& target = *d.table->columns[*d.table->target];
        if (target.kind != rt::ColumnKind::label) continue;
        for (std::int32_t code = 0; code < 2; ++code) {
            std::vector<std::uint32_t> rows;
            for (const auto r : all_rows(*d.table))
                if (target.codes[r] == code) rows.push_back(r);
            const auto outcomes = try_out(s, *rows_of(*d.table, rows), *d.table, d.name, out);
            const auto* labels = outcomes ? std::get_if<rt::LabelOutcomes>(&*outcomes) : nullptr;
            if (labels && std::any_of(labels->predicted.begin(), labels->predicted.end(), [&](std::int32_t p) { return p != code; }))
                out.push_back(fmt::format("{}: saw one label only and predicts another", d.name));
        }
    }
    return out;
}

Complaints one_column(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        const std::string target = d.table->columns[*d.table->target]->name;
        for (const auto& column : d.table->columns) {
            if (column->name == target) continue;
            const std::string names[] = {column->name, target};
            auto narrow = rt::select(*d.table, names);
            try_out(s, **narrow, **narrow, d.name + "." + column->name, out);
        }
        const std::string names[] = {target};
        auto bare = rt::select(*d.table, names);
        try_out(s, **bare, **bare, d.name + " without features", out);
    }
    return out;
}

Complaints constant_columns(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        Table wide = *d.table;
        rt::ColumnBuilder five("five");
        rt::ColumnBuilder same("same");
        for (std::size_t r = 0; r < wide.row_count; ++r) {
            five.add(rt::Label::of_text("5"));
            same.add(rt::Label::of_text("same"));
        }
        wide.columns.push_back(*std::move(five).finish());
        wide.columns.push_back(*std::move(same).finish());
        try_out(s, wide, wide, d.name, out);
        const Table flat = changed(*d.table, [](rt::Column& c, bool target) {
            if (c.kind == rt::ColumnKind::numeric && !target) std::fill(c.values.begin(), c.values.end(), 3.0);
        });
        try_out(s, flat, flat, d.name + " with flat numbers", out);
    }
    return out;
}

Complaints no_rows(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        auto model = trained(s, *rows_of(*d.table, {}));
        if (model)
            out.push_back(d.name + ": learns from no rows");
        else
            judge_fault(model.fault(), d.name, out);
    }
    return out;
}

Complaints missing_targets(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        Table without = *d.table;
        without.target.reset();
        auto blind = trained(s, without);
        if (!blind)
            judge_fault(blind.fault(), d.name, out);
        else if (s.learner->target() != rt::TargetKind::none)
            out.push_back(d.name + ": learns a target that is not there");
    }
    if (s.learner->target() == rt::TargetKind::none) return out;
    const Complaints more = on_each(s, [&](const Data& d, const rt::Model&, Complaints& complaints) {
        const Table holed = changed(*d.table, [](rt::Column& c, bool target) {
            if (target) make_missing(c, 2);
        });
        auto rows = all_rows(*d.table);
        rows.erase(rows.begin() + 2);
        auto again = trained(s, holed);
        // The row may be left out of the table or of the view: what a learner takes from whole columns, such as the numbers of a target
        // that it takes as labels, is that of one of the two.
        rt::Run run = fresh_run();
        auto shorter = trained(s, *rows_of(*d.table, rows));
        auto viewed = rt::train(*s.learner, {.table = d.table.get(), .rows = rows, .all = false}, {}, run);
        if (!again || !shorter || !viewed) {
            for (const auto* failed : {&again, &shorter, &viewed})
                if (!*failed) judge_fault(failed->fault(), d.name, complaints);
            return;
        }
        const Fingerprint print = fingerprint(**again, *d.table);
        const std::string why = apart(fingerprint(**shorter, *d.table), print);
        if (!why.empty() && !apart(fingerprint(**viewed, *d.table), print).empty())
            complaints.push_back(fmt::format("{}: {}", d.name, why));
    });
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

Complaints missing_cells(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        std::size_t nth = 0;
        const Table holed = changed(*d.table, [&](rt::Column& c, bool target) {
            if (!target) make_missing(c, nth++ % c.rows());
        });
        try_out(s, holed, *d.table, d.name + ", learning", out);
        try_out(s, *d.table, holed, d.name + ", predicting", out);
        const Table blank = changed(*d.table, [](rt::Column& c, bool target) {
            for (std::size_t r = 0; r < c.rows() && !target; ++r) make_missing(c, r);
        });
        try_out(s, blank, blank, d.name + " with nothing there", out);
    }
    return out;
}

Complaints unseen_labels(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        const Table strange = changed(*d.table, [](rt::Column& c, bool) {
            if (c.kind != rt::ColumnKind::label) return;
            auto labels = c.domain->labels();
            labels.insert(labels.begin(), rt::Label::of_text("never seen"));
            c.domain = rt::make_domain(std::move(labels));
            for (auto& code : c.codes) code = code < 0 ? code : code + 1;
            c.codes[0] = 0;
        });
        try_out(s, *d.table, strange, d.name, out);
        try_out(s, strange, strange, d.name + ", learning", out);
    }
    return out;
}

Complaints scales(const Subject& s) {
    Complaints out;
    for (const auto& d : data())
        for (const double factor : {1e100, 1e-100, 1e12, 1e-12}) {
            const Table scaled = changed(*d.table, [&](rt::Column& c, bool) {
                for (double& x : c.values) x *= factor;
                c.exact.clear();
                c.real = true;
            });
            try_out(s, scaled, scaled, fmt::format("{} times {}", d.name, factor), out);
            const Table shifted = changed(*d.table, [&](rt::Column& c, bool target) {
                for (double& x : c.values) x += target ? 0 : 1e9;
            });
            if (factor == 1e12) try_out(s, shifted, shifted, d.name + " plus 1e9", out);
        }
    return out;
}

Complaints duplicates(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model&, Complaints& out) {
        std::vector<std::uint32_t> rows;
        std::vector<double> weights;
        rt::ColumnBuilder counts("how_many");
        for (const auto r : all_rows(*d.table)) {
            const auto times = 1 + (r * 7 + 3) % 3;
            weights.push_back(static_cast<double>(times));
            counts.add(rt::Label::of_number(rt::Number(static_cast<int>(times))));
            rows.insert(rows.end(), times, r);
        }
        auto repeated = trained(s, *rows_of(*d.table, rows));
        if (!repeated) {
            judge_fault(repeated.fault(), d.name, out);
            return;
        }
        compare_with(s, **repeated, *d.table, *d.table, *d.table, weights, d.name + " with weights", out);
        Table counted = *d.table;
        counted.columns.push_back(*std::move(counts).finish());
        const Subject by_column{s.name, rt::weighted_by(s.learner, "how_many"), s.loaders};
        compare_with(by_column, **repeated, *d.table, counted, *d.table, {}, d.name + " with counts", out);
    });
}

Complaints order_of_rows(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model& model, Complaints& out) {
        auto rows = all_rows(*d.table);
        std::reverse(rows.begin(), rows.end());
        std::rotate(rows.begin(), rows.begin() + 2, rows.end());
        compare_with(s, model, *d.table, *rows_of(*d.table, rows), *d.table, {}, d.name, out);
    });
}

Complaints order_of_columns(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model& model, Complaints& out) {
        Table turned = *d.table;
        std::reverse(turned.columns.begin(), turned.columns.end());
        turned.target = turned.columns.size() - 1 - *turned.target;
        compare_with(s, model, *d.table, turned, turned, {}, d.name, out);
    });
}

Complaints renamed_labels(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model& model, Complaints& out) {
        if (d.name == "mail") return;  // words of a text are not names
        const Table renamed = changed(*d.table, [](rt::Column& c, bool) {
            if (c.kind != rt::ColumnKind::label) return;
            std::vector<rt::Label> labels;
            for (const auto& l : c.domain->labels()) labels.push_back(rt::Label::of_text("the " + l.text()));
            c.domain = rt::make_domain(std::move(labels));
        });
        compare_with(s, model, *d.table, renamed, renamed, {}, d.name, out);
    });
}

Complaints refit(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model& model, Complaints& out) {
        auto again = trained(s, *d.table);
        if (!again || !same_bits(fingerprint(model, *d.table), fingerprint(**again, *d.table)))
            out.push_back(d.name + ": a second training gives another model");
        rt::Run run = fresh_run();
        run.threads = 2;
        auto parallel = rt::train(*s.learner, whole(*d.table), {}, run);
        if (!parallel || !same_bits(fingerprint(model, *d.table), fingerprint(**parallel, *d.table)))
            out.push_back(d.name + ": two threads give another model");
    });
}

Complaints probabilities(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) try_out(s, *d.table, *d.table, d.name, out);
    return out;
}

Complaints each_row_by_itself(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model& model, Complaints& out) {
        const Fingerprint all = fingerprint(model, *d.table);
        if (!all.predicts) return;
        const std::size_t per_row = all.numbers.size() / d.table->row_count;
        for (const std::uint32_t r : {0U, 3U}) {
            const Fingerprint one = fingerprint(model, *rows_of(*d.table, {r}));
            for (std::size_t j = 0; j < per_row; ++j)
                if (!one.predicts || !(std::abs(one.numbers[j] - all.numbers[r * per_row + j]) <= 1e-9 * (1 + std::abs(one.numbers[j])))) {
                    out.push_back(fmt::format("{}: row {} is predicted otherwise among others", d.name, r + 1));
                    break;
                }
        }
    });
}

Complaints input_unchanged(const Subject& s) {
    Complaints out;
    for (const auto& d : data()) {
        const Table own = changed(*d.table, [](rt::Column&, bool) {});
        auto model = trained(s, own);
        if (model) fingerprint(**model, own);
        for (std::size_t c = 0; c < own.columns.size(); ++c) {
            const auto& before = *d.table->columns[c];
            const auto& after = *own.columns[c];
            if (before.name != after.name || before.codes != after.codes || before.values != after.values || before.exact != after.exact)
                out.push_back(fmt::format("{}: {} was changed", d.name, before.name));
        }
    }
    return out;
}

Complaints saved_and_loaded(const Subject& s) {
    return on_each(s, [&](const Data& d, const rt::Model& model, Complaints& out) {
        auto json = model.save();
        if (!json) {
            judge_fault(json.fault(), d.name, out);
            return;
        }
        const auto loader = s.loaders->find(std::string(model.kind()));
        if (loader == s.loaders->end()) {
            out.push_back(fmt::format("{}: is saved, and nothing loads a {}", d.name, model.kind()));
            return;
        }
        auto loaded = loader->second(*rt::Json::parse(json->dump()));
        if (!loaded)
            out.push_back(fmt::format("{}: cannot be loaded: {}", d.name, loaded.fault().message));
        else if (!same_bits(fingerprint(model, *d.table), fingerprint(**loaded, *d.table)))
            out.push_back(d.name + ": answers otherwise once loaded");
        // A file cut short is a fault, not a crash.
        for (const auto& key : json->keys()) {
            auto damaged = loader->second(test::changed(*json, key));
            if (!damaged) judge_fault(damaged.fault(), d.name + " without " + key, out);
        }
    });
}

}  // namespace

Fingerprint fingerprint(const rt::Model& model, const Table& table) {
    Fingerprint out;
    rt::Run run = fresh_run();
    auto outcomes = rt::evaluate(model, whole(table), {}, run);
    if (outcomes) {
        out.predicts = true;
        if (const auto* numbers = std::get_if<rt::NumberOutcomes>(&*outcomes)) {
            out.numbers = numbers->predicted;
        } else {
            const auto& labels = std::get<rt::LabelOutcomes>(*outcomes);
            const std::size_t k = labels.labels->size();
            for (std::size_t i = 0; i < labels.rows(); ++i) {
                out.numbers.push_back(labels.predicted[i]);
                for (std::size_t j = 0; j < k; ++j) out.numbers.push_back(labels.probabilities[i * k + j]);
            }
        }
    } else {
        out.text = outcomes.fault().message;
    }
    if (auto json = model.save()) out.text += json->dump();
    return out;
}

const std::vector<Check>& checks() {
    static const std::vector<Check> all = {{"learns something", learns_something},
                                           {"one row", one_row},
                                           {"one class", one_class},
                                           {"one column", one_column},
                                           {"constant columns", constant_columns},
                                           {"no rows", no_rows},
                                           {"missing targets", missing_targets},
                                           {"missing cells", missing_cells},
                                           {"unseen labels", unseen_labels},
                                           {"scales", scales},
                                           {"duplicates are weights", duplicates},
                                           {"order of rows", order_of_rows},
                                           {"order of columns", order_of_columns},
                                           {"renamed labels", renamed_labels},
                                           {"refit", refit},
                                           {"probabilities", probabilities},
                                           {"each row by itself", each_row_by_itself},
                                           {"input unchanged", input_unchanged},
                                           {"saved and loaded", saved_and_loaded}};
    return all;
}

}  // namespace credence::contract
