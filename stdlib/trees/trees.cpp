// Decision trees: decision_tree with its presets id3 and c45, their members, and the shortest tree.

#include <cmath>

#include <fmt/format.h>

#include "runtime/classify/tree_model.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "trees";
constexpr const char* kind = "decision_tree";

/// The settings that a name starts from; what is given replaces them.
template <bool c45>
rt::TreeSettings preset() {
    rt::TreeSettings out;
    if (!c45) return out;
    out.criterion = rt::SplitCriterion::gain_ratio;
    out.prune = rt::Pruning::rules;
    out.missing = rt::MissingCells::fractional;
    out.min_rows = 2;
    return out;
}

Fault parameter_fault(CallContext& c, std::size_t i, std::string message, std::string hint = {}) {
    return {.code = "E-PARAMETER", .message = std::move(message), .origin = c.argument(i), .hint = std::move(hint)};
}

/// A number among an alternative's arguments, within bounds.
Result<double> argument_in(CallContext& c, std::size_t i, const Setting& s, std::string_view name, double fallback, double low,
                           double high) {
    if (s.arguments.empty() || !s.arguments[0]) return fallback;
    const auto* n = s.arguments[0]->get<rt::Number>();
    if (!n || !(n->real() >= low && n->real() <= high))
        return parameter_fault(c, i, fmt::format("{} of {} is a number from {} to {}", name, s.name, low, high));
    return n->real();
}

rt::Status set_criterion(CallContext& c, const Setting& s, rt::TreeSettings& out) {
    using K = rt::SplitCriterion;
    out.criterion = s.name == "gain" ? K::gain : s.name == "gain_ratio" ? K::gain_ratio : s.name == "gini" ? K::gini : K::cost_square;
    if (s.name != "cost_gain" || !s.arguments[0]) return rt::Done{};
    auto w = TRY(argument_in(c, 0, s, "w", 0.5, 0, 1));
    out.criterion = K::cost_power;
    out.cost_exponent = w;
    return rt::Done{};
}

/// A weight as a number: whole ones are exact.
Value weight_value(double x) { return Value(x == std::floor(x) ? rt::Number(rt::Rational::from_decimal(x)) : rt::Number::real(x)); }

/// A code of the script: bits by a record of the tree's figures.
Result<rt::TreeCodes::Code> code_of(CallContext& c, const Value& value, std::string_view name, rt::Origin origin) {
    if (!value.is<FunctionPtr>())
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} is a function from a record of the tree's figures to bits, not {}", name, value.kind()),
                     .origin = origin};
    return rt::TreeCodes::Code([call = c.kept(value), name, origin](const rt::TreeFigures& f) -> Result<double> {
        Record figures;
        figures.entries = {{"tests", weight_value(f.tests)},     {"leaves", weight_value(f.leaves)}, {"depth", weight_value(f.depth)},
                           {"columns", weight_value(f.columns)}, {"labels", weight_value(f.labels)}, {"rows", weight_value(f.rows)},
                           {"errors", weight_value(f.errors)}};
        const Value argument = Value::record(std::move(figures));
        const Value bits = TRY(call(std::span(&argument, 1)));
        if (const auto* n = bits.get<rt::Number>()) return n->real();
        return Fault{.code = "E-TYPE", .message = fmt::format("{} gives a number of bits, not {}", name, bits.kind()), .origin = origin};
    });
}

rt::Status set_pruning(CallContext& c, const Setting& s, rt::TreeSettings& out) {
    using K = rt::Pruning;
    out.prune = s.name == "none"            ? K::none
                : s.name == "significance"  ? K::significance
                : s.name == "reduced_error" ? K::reduced_error
                : s.name == "rules"         ? K::rules
                                            : K::mdl;
    if (out.prune == K::mdl) {
        if (s.arguments.size() > 0 && s.arguments[0]) out.codes.tree = TRY(code_of(c, *s.arguments[0], "C1", c.argument(3)));
        if (s.arguments.size() > 1 && s.arguments[1]) out.codes.exceptions = TRY(code_of(c, *s.arguments[1], "C2", c.argument(3)));
        return rt::Done{};
    }
    if (out.prune != K::significance) return rt::Done{};
    out.significance = TRY(argument_in(c, 3, s, "p", 0.05, 0, 1));
    return rt::Done{};
}

rt::Status set_costs(CallContext& c, const Record& costs, rt::TreeSettings& out) {
    for (const auto& [name, value] : costs.entries) {
        const auto* n = value.get<rt::Number>();
        if (!n || n->sign() <= 0 || !std::isfinite(n->real()))
            return parameter_fault(c, 6, fmt::format("the cost of {} is {}: costs are numbers above 0", name, show_inline(value, {})));
        out.costs.emplace_back(name, n->real());
    }
    return rt::Done{};
}

template <bool c45>
Result<Value> make_tree(CallContext& c, std::optional<Setting> criterion, std::optional<Count> max_depth, std::optional<Positive> min_rows,
                        std::optional<Setting> prune, std::optional<Setting> validation, std::optional<Choice> missing,
                        std::optional<RecordPtr> costs, std::optional<Choice> splits) {
    rt::TreeSettings out = preset<c45>();
    if (criterion) TRY(set_criterion(c, *criterion, out));
    if (prune) TRY(set_pruning(c, *prune, out));
    if (max_depth) out.max_depth = max_depth->value;
    if (min_rows) out.min_rows = min_rows->value.real();
    if (missing)
        out.missing = missing->text == "common"         ? rt::MissingCells::common
                      : missing->text == "class_common" ? rt::MissingCells::class_common
                                                        : rt::MissingCells::fractional;
    if (splits) out.splits = splits->text == "binary" ? rt::LabelSplits::binary : rt::LabelSplits::multiway;
    const bool costly = out.criterion == rt::SplitCriterion::cost_square || out.criterion == rt::SplitCriterion::cost_power;
    if (costs) {
        if (!costly)
            return parameter_fault(c, 6, "costs are used only with criterion: cost_gain",
                                   "cost_gain divides Gain² by the cost; cost_gain(w) is (2^Gain − 1)/(Cost + 1)^w");
        TRY(set_costs(c, **costs, out));
    } else if (costly) {
        return parameter_fault(c, 0, "cost_gain needs the columns' costs", "costs: {Blood: 10, Temperature: 1}; those not named cost 1");
    }
    const bool reduced = out.prune == rt::Pruning::reduced_error;
    if (validation) {
        if (!reduced && out.prune != rt::Pruning::rules)
            return parameter_fault(c, 4, "rows are held out only for prune: reduced_error and prune: rules");
        const auto* share = validation->value->get<rt::Number>();
        if (const auto* rows = validation->value->get<rt::TablePtr>())
            out.validation_rows = *rows;
        else if (!share || !(*share > rt::Number(0) && *share < rt::Number(1)))
            return parameter_fault(c, 4, "validation is a share between 0 and 1, or a table of rows to prune by");
        else
            out.validation = share->is_exact() ? share->exact() : rt::Rational::from_decimal(share->real());
    } else if (reduced) {
        out.validation = rt::Rational(1, 3);
    }
    return learner_value(rt::make_decision_tree(std::move(out)));
}

std::vector<ParameterDoc> tree_parameters(bool c45) {
    return {{"criterion", c45 ? "gain_ratio" : "gain", {}, {{"gain"}, {"gain_ratio"}, {"cost_gain", {"w"}}, {"gini"}}},
            {"max_depth", "unlimited"},
            {"min_rows", c45 ? "2" : "1"},
            {"prune", c45 ? "rules" : "none", {}, {{"none"}, {"significance", {"p"}}, {"reduced_error"}, {"rules"}, {"mdl", {"C1", "C2"}}}},
            {"validation", "1/3 for reduced_error", {}, {}, "a share or a table"},
            {"missing", c45 ? "fractional" : "common", {"common", "class_common", "fractional"}},
            {"costs", "1 each"},
            {"splits", "multiway; binary for more than 200 rows", {"multiway", "binary"}}};
}

Value rule_value(const rt::DecisionTree& model, const rt::Rule& rule) {
    List conditions;
    for (const auto& c : rule.conditions) conditions.push_back(Value::text(rt::condition_text(model.schema(), c)));
    double rows = 0;
    bool whole = true;
    for (const double c : rule.counts) {
        rows += c;
        whole = whole && c == std::floor(c);
    }
    const double right = rule.counts[static_cast<std::size_t>(rule.label)];
    const bool share = !model.predicts_by_rules() && whole;
    const rt::Number accuracy =
        share ? rt::Number(rt::Rational::from_decimal(right) / rt::Rational::from_decimal(rows)) : rt::Number::real(rule.accuracy);
    Record out;
    out.entries = {{"when", Value::list(std::move(conditions))},
                   {"then", Value::label((*model.schema().target.domain)[static_cast<std::size_t>(rule.label)])},
                   {"rows", weight_value(rows)},
                   {"accuracy", Value(accuracy)}};
    return Value::record(std::move(out));
}

Result<Value> rules_value(CallContext&, ModelValue m) {
    auto model = TRY(model_as<rt::DecisionTree>(m, "rules"));
    List out;
    for (const auto& rule : model->rules().rules) out.push_back(rule_value(*model, rule));
    return Value::list(std::move(out));
}

Value length_record(const rt::DescriptionLength& bits) {
    Record out;
    out.entries = {{"tree", number_value(bits.tree)},
                   {"exceptions", number_value(bits.exceptions)},
                   {"total", number_value(bits.tree + bits.exceptions)}};
    return Value::record(std::move(out));
}

Result<Value> length_value(CallContext&, ModelValue m) {
    auto model = TRY(model_as<rt::DecisionTree>(m, "description_length"));
    auto bits = TRY(rt::description_length(model->tree()));
    return length_record(bits);
}

Result<Value> coded_length(CallContext& c, ModelValue m, Value tree, Value exceptions) {
    auto model = TRY(model_as<rt::DecisionTree>(m, "coded_length"));
    rt::TreeCodes codes;
    codes.tree = TRY(code_of(c, tree, "C1", c.argument(1)));
    codes.exceptions = TRY(code_of(c, exceptions, "C2", c.argument(2)));
    auto bits = TRY(rt::description_length(model->tree(), codes));
    return length_record(bits);
}

void add_tree_members(Registry& r) {
    r.add_member(kind, bind(
                           {subject,
                            "tree",
                            {{"m"}},
                            "The tree as text, with one line for each branch and the rows of each leaf.",
                            "(train id3() on weather).tree != \"\""},
                           +[](CallContext&, ModelValue m) -> Result<Value> {
                               auto model = TRY(model_as<rt::DecisionTree>(m, "tree"));
                               return Value::text(rt::tree_text(model->schema(), model->tree()));
                           }));
    r.add_member(kind, bind({subject,
                             "rules",
                             {{"m"}},
                             "The rules of the tree: records of .when (conditions), .then, .rows and .accuracy. There is one for each "
                             "leaf. With prune: rules, they are the pruned rules in descending order of estimated accuracy.",
                             "count((train id3(max_depth: 0) on weather).rules) == 1"},
                            rules_value));
    r.add_member(
        kind,
        bind(
            {subject, "depth", {{"m"}}, "The number of tests on the longest path.", "(train id3(max_depth: 0) on weather).depth == 0"},
            +[](CallContext&, ModelValue m) -> Result<Value> {
                auto model = TRY(model_as<rt::DecisionTree>(m, "depth"));
                return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(model->tree().depth()))));
            }));
    r.add_member(kind,
                 bind(
                     {subject, "size", {{"m"}}, "The number of nodes, leaves included.", "(train id3(max_depth: 0) on weather).size == 1"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto model = TRY(model_as<rt::DecisionTree>(m, "size"));
                         return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(model->tree().nodes.size()))));
                     }));
    r.add_member(kind,
                 bind({subject,
                       "description_length",
                       {{"m"}},
                       "The bits needed to describe the tree and the rows it gets wrong: .tree .exceptions .total (Quinlan & Rivest 1989).",
                       "(train id3() on weather).description_length.total > 0"},
                      length_value));
    r.add_member(kind, bind({subject,
                             "coded_length",
                             {{"m"}, {"C1"}, {"C2"}},
                             "The bits of the tree by C1 and of the rows it gets wrong by C2: .tree .exceptions .total. Both are functions "
                             "of a record with .tests, .leaves, .depth, .columns, .labels, .rows and .errors.",
                             "(train id3() on weather).coded_length(t -> t.tests, t -> t.errors * log2(t.rows)).tree >= 0"},
                            coded_length));
}

}  // namespace

void add_trees(Registry& r) {
    const char* summary =
        "A learner of decision trees. A label column has one branch for each label, or (splits: binary, and by default for more than 200 "
        "rows) a test of one label against the others; a numeric column has a threshold half-way between two numbers. The criterion is "
        "gain, gain_ratio, gini, cost_gain (Gain²/Cost) or cost_gain(w), which is (2^Gain − 1)/(Cost + 1)^w. "
        "`prune` stops growth by a χ² test (significance), or prunes with held-out rows, as rules, or by description length (mdl, or "
        "mdl(C1, C2) with functions "
        "for the bits of the tree and of its exceptions: see .coded_length). A missing "
        "cell counts as the most common value, the most common one of the class, or goes down each branch as a share of the row. "
        "If labels are equally frequent at a node, the one with more rows at the node above wins.";
    r.add_learner(
        bind({subject, "decision_tree", tree_parameters(false), summary, "predict(train decision_tree() on weather, <hot>) == \"yes\""},
             make_tree<false>));
    r.add_learner(bind(
        {subject, "id3", tree_parameters(false),
         "decision_tree with the settings of ID3: information gain, without pruning. Above 200 rows, splits: multiway keeps a branch for "
         "each label.",
         "predict(train id3() on weather, <hot>) == \"yes\""},
        make_tree<false>));
    r.add_learner(bind({subject, "c45", tree_parameters(true),
                        "decision_tree with the settings of C4.5: gain ratio, fractional rows for missing cells, tests with at least two "
                        "rows in two of their branches, and pruned rules.",
                        "predict(train c45() on weather, <hot>) == \"yes\""},
                       make_tree<true>));
    r.add_loader(kind, rt::load_decision_tree);
    add_tree_members(r);

    r.add(bind(
        {subject,
         "shortest_tree",
         {{"t"}},
         "A decision tree with the fewest tests that classifies every row of a small table correctly. It is found by trying all trees.",
         "shortest_tree(line).depth > 0"},
        +[](CallContext& c, rt::TablePtr t) -> Result<Value> {
            auto model = TRY(rt::train(*rt::make_shortest_tree(), {.table = t.get(), .rows = {}}, {}, c.run()));
            return Value(Value::Node(ModelValue{std::move(model), {}}));
        }));
}

}  // namespace credence::std_
