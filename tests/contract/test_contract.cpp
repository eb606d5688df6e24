// Every learner of the registry keeps the contract; deliberately broken ones are found out.

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "runtime/data/table_ops.hpp"
#include "runtime/prob/learning/learner_info.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/models/saved.hpp"
#include "stdlib/learning/learner.hpp"
#include "tests/contract/contract.hpp"
#include "tests/support/session.hpp"

using namespace credence;
using contract::Complaints;
using contract::Subject;

namespace {

std::vector<const lang::Builtin*> learners() {
    std::vector<const lang::Builtin*> out;
    for (const auto& [name, overloads] : test::registry().builtins())
        for (const auto& form : overloads.forms)
            if (form.learner) out.push_back(&form);
    return out;
}

Complaints run_check(const contract::Check& check, const Subject& subject) {
    if (contract::exempt(subject.name, check.name)) return {};
    return check.run(subject);
}

}  // namespace

TEST_CASE("every learner keeps the contract") {
    for (const auto* builtin : learners()) {
        auto made = contract::made(test::registry(), contract::call_text(*builtin));
        INFO(builtin->name);
        if (!made) FAIL_CHECK(builtin->name << " cannot be made: " << made.fault().message);
        if (!made) continue;
        const Subject subject{builtin->name, *made, &test::registry().loaders()};
        for (const auto& check : contract::checks())
            for (const auto& complaint : run_check(check, subject)) FAIL_CHECK(builtin->name << ", " << check.name << ": " << complaint);
    }
}

TEST_CASE("every learner lists its parameters, and each of them makes a difference") {
    for (const auto* builtin : learners()) {
        for (const auto& c : contract::unknown_parameter(test::registry(), *builtin)) FAIL_CHECK(builtin->name << ": " << c);
        for (const auto& c : contract::idle_parameters(test::registry(), *builtin)) FAIL_CHECK(builtin->name << ", parameter " << c);
    }
}

TEST_CASE("every exemption has its reason, and is of a learner that there is") {
    for (const auto& e : contract::exemptions()) {
        INFO(e.learner << ": " << e.check);
        CHECK(e.why.size() > 10);
        CHECK(test::registry().find(e.learner) != nullptr);
    }
}

// --- broken learners ---------------------------------------------------------------------------------------------------------

namespace {

/// What is wrong with it.
enum class Flaw {
    none,
    forgets_weights,
    minds_the_order,
    minds_the_columns,
    minds_the_names,
    sums_to_more,
    not_a_number,
    changes_its_input,
    draws_anew,
    forgets_when_saved,
    says_nothing,
    ignores_the_view,
    nameless_code,
    one_class_is_another,
    looks_at_its_neighbours,
    learns_nothing,
    breaks_on_one_row,
    breaks_on_one_column,
    breaks_on_constants,
    breaks_on_holes,
    breaks_on_strangers,
    breaks_at_scale
};

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Shares of the labels, spoilt.
class FlawedModel final : public rt::Classifier {
public:
    FlawedModel(rt::Schema schema, std::vector<double> shares, Flaw flaw)
        : Classifier(std::move(schema), 1), shares_(std::move(shares)), flaw_(flaw) {}
    std::string_view kind() const override { return "flawed"; }
    bool takes_missing() const override { return true; }
    rt::Status probabilities(const rt::TableView& rows, std::span<double> out, rt::Run&) const override {
        const std::size_t labels = shares_.size();
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t k = 0; k < labels; ++k) {
                double& p = out[i * labels + k];
                p = shares_[k];
                if (flaw_ == Flaw::sums_to_more) p *= 1.01;
                if (flaw_ == Flaw::not_a_number) p = nan_value;
                if (flaw_ == Flaw::looks_at_its_neighbours) p = 1.0 / static_cast<double>(labels);
                if (flaw_ == Flaw::breaks_on_holes || flaw_ == Flaw::breaks_on_strangers)
                    for (const auto& column : rows.table->columns)
                        if (column->is_missing(rows.row(i))) p = nan_value;
            }
        if (flaw_ == Flaw::looks_at_its_neighbours && rows.size() > 1 && labels > 1)
            for (std::size_t i = 0; i < rows.size(); ++i) {
                out[i * labels] += 0.1;
                out[i * labels + 1] -= 0.1;
            }
        return rt::Done{};
    }
    rt::Result<rt::Json> save() const override {
        return rt::Json{{"schema", rt::saved(schema_)}, {"shares", rt::saved(std::span<const double>(shares_))}};
    }

private:
    std::vector<double> shares_;
    Flaw flaw_;
};

rt::Result<rt::ModelPtr> load_flawed(const rt::Json& json, Flaw flaw) {
    auto schema = rt::read_schema(json, "schema");
    if (!schema) return std::move(schema).fault();
    auto shares = rt::read_reals(json, "shares");
    if (!shares) return std::move(shares).fault();
    if (flaw == Flaw::forgets_when_saved) shares->assign(shares->size(), 1.0 / static_cast<double>(shares->size()));
    return rt::ModelPtr(std::make_shared<const FlawedModel>(*std::move(schema), *std::move(shares), flaw));
}

class FlawedLearner final : public rt::Learner {
public:
    explicit FlawedLearner(Flaw flaw) : flaw_(flaw) {}
    std::string_view name() const override { return "flawed"; }
    rt::TargetKind target() const override { return rt::TargetKind::label; }
    rt::Result<rt::ModelPtr> fit(const rt::TableView& rows, std::span<const double> weights, rt::Run&) const override {
        const rt::Table& table = *rows.table;
        if (flaw_ == Flaw::learns_nothing) return rt::Fault{.code = "E-TRAIN", .message = "this learner learns nothing"};
        if (flaw_ == Flaw::says_nothing && rows.size() == 1) return rt::Fault{.code = "E-TRAIN", .message = "no"};
        if (flaw_ == Flaw::nameless_code && rows.size() == 1) return rt::Fault{.code = {}, .message = "something went wrong"};
        if (!table.target) return rt::Fault{.code = "E-TRAIN", .message = "there is no target column"};
        const rt::Column& target = *table.columns[*table.target];
        if (target.kind != rt::ColumnKind::label) return rt::Fault{.code = "E-TYPE", .message = "the target has numbers"};
        const std::size_t labels = target.domain->size();
        std::vector<double> shares(labels, 0);
        double total = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            double w = weights.empty() || flaw_ == Flaw::forgets_weights ? 1.0 : weights[i];
            if (flaw_ == Flaw::minds_the_order) w *= static_cast<double>(i + 1);
            const auto code = std::max(0, target.codes[flaw_ == Flaw::ignores_the_view ? i : rows.row(i)]);
            shares[static_cast<std::size_t>(code)] += w;
            total += w;
        }
        for (double& p : shares) p /= total;
        const auto toward_first = [&](bool yes) {
            for (double& p : shares) p = yes ? p * 0.5 : p;
            if (yes) shares[0] += 0.5;
        };
        toward_first(flaw_ == Flaw::minds_the_columns && table.columns[0]->name < table.columns.back()->name);
        toward_first(flaw_ == Flaw::minds_the_names && (*target.domain)[0].text().size() > 4);
        if (flaw_ == Flaw::draws_anew) toward_first(++calls_ % 2 == 0);
        if (flaw_ == Flaw::one_class_is_another && *std::max_element(shares.begin(), shares.end()) == 1)
            std::rotate(shares.begin(), shares.begin() + 1, shares.end());
        const bool constant = std::any_of(table.columns.begin(), table.columns.end(), [](const auto& c) { return c->name == "five"; });
        double largest = 0;
        for (const auto& c : table.columns)
            for (const double x : c->values) largest = std::max(largest, std::abs(x));
        if ((flaw_ == Flaw::breaks_on_one_row && rows.size() == 1) || (flaw_ == Flaw::breaks_on_one_column && table.columns.size() <= 2) ||
            (flaw_ == Flaw::breaks_on_constants && constant) || (flaw_ == Flaw::breaks_at_scale && largest > 1e50))
            shares.assign(labels, nan_value);
        if (flaw_ == Flaw::changes_its_input) const_cast<rt::Column&>(target).codes.back() = 0;
        return rt::ModelPtr(std::make_shared<const FlawedModel>(rt::schema_of(table), std::move(shares), flaw_));
    }

private:
    Flaw flaw_;
    mutable int calls_ = 0;
};

}  // namespace

TEST_CASE("the contract finds out broken learners") {
    // Each flaw with the check that is there to find it. (That empty data is refused is the work of `train`, before any learner is asked.)
    const std::vector<std::pair<Flaw, std::string>> flaws = {{Flaw::learns_nothing, "learns something"},
                                                             {Flaw::breaks_on_one_row, "one row"},
                                                             {Flaw::says_nothing, "one row"},
                                                             {Flaw::nameless_code, "one row"},
                                                             {Flaw::one_class_is_another, "one class"},
                                                             {Flaw::breaks_on_one_column, "one column"},
                                                             {Flaw::breaks_on_constants, "constant columns"},
                                                             {Flaw::ignores_the_view, "missing targets"},
                                                             {Flaw::breaks_on_holes, "missing cells"},
                                                             {Flaw::breaks_on_strangers, "unseen labels"},
                                                             {Flaw::breaks_at_scale, "scales"},
                                                             {Flaw::forgets_weights, "duplicates are weights"},
                                                             {Flaw::minds_the_order, "order of rows"},
                                                             {Flaw::minds_the_columns, "order of columns"},
                                                             {Flaw::minds_the_names, "renamed labels"},
                                                             {Flaw::draws_anew, "refit"},
                                                             {Flaw::sums_to_more, "probabilities"},
                                                             {Flaw::not_a_number, "probabilities"},
                                                             {Flaw::looks_at_its_neighbours, "each row by itself"},
                                                             {Flaw::changes_its_input, "input unchanged"},
                                                             {Flaw::forgets_when_saved, "saved and loaded"}};
    const auto subject_of = [](Flaw flaw, std::map<std::string, lang::ModelLoader, std::less<>>& loaders) {
        loaders["flawed"] = [flaw](const rt::Json& json) { return load_flawed(json, flaw); };
        return Subject{"flawed", std::make_shared<const FlawedLearner>(flaw), &loaders};
    };
    std::map<std::string, lang::ModelLoader, std::less<>> loaders;
    const Subject sound = subject_of(Flaw::none, loaders);
    for (const auto& check : contract::checks()) {
        INFO(check.name);
        CHECK(check.run(sound).empty());
    }
    for (const auto& [flaw, name] : flaws) {
        const Subject subject = subject_of(flaw, loaders);
        for (const auto& check : contract::checks())
            if (check.name == name) {
                INFO(name << " misses flaw number " << static_cast<int>(flaw));
                CHECK_FALSE(check.run(subject).empty());
            }
    }
}

TEST_CASE("the contract finds out a parameter that changes nothing") {
    using namespace lang;
    Registry registry = std_::make_registry();
    registry.add_learner(bind(
        {"test", "idle", {{"k", "3"}, {"mode", "a", {"a", "b"}}}, "", ""},
        +[](CallContext&, std::optional<Count>, std::optional<Choice>) -> rt::Result<Value> {
            return std_::learner_value(*rt::baseline_learner.make({}));
        }));
    const Builtin& idle = registry.find("idle")->forms[0];
    const Complaints complaints = contract::idle_parameters(registry, idle);
    CHECK(complaints.size() == 2);
    CHECK(contract::unknown_parameter(registry, idle).empty());
}
