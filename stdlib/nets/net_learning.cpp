// Learning the structure of nets, and what learned nets tell of it.

#include "runtime/continuous/saved_net.hpp"
#include "runtime/nets/structure.hpp"
#include "runtime/prob/declared/continuous_net.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

using rt::Status;

const Options score_forms = {{"k2"}, {"bdeu", {"n"}}, {"bic"}, {"aic"}};

Result<rt::Score> score_of(CallContext& c, const std::optional<Setting>& setting, rt::ScoreKind otherwise, std::size_t argument) {
    if (!setting) return rt::Score{otherwise, 1};
    rt::Score out;
    out.kind = setting->name == "k2"     ? rt::ScoreKind::k2
               : setting->name == "bdeu" ? rt::ScoreKind::bdeu
               : setting->name == "bic"  ? rt::ScoreKind::bic
                                         : rt::ScoreKind::aic;
    if (out.kind == rt::ScoreKind::bdeu && setting->arguments[0]) {
        const auto* n = setting->arguments[0]->get<rt::Number>();
        if (!n || n->sign() <= 0)
            return Fault{.code = "E-PARAMETER",
                         .message = "bdeu's n, the equivalent sample size, is a number above 0",
                         .origin = c.argument(argument)};
        out.sample = n->real();
    }
    return out;
}

const ParameterDoc smoothing{"m", "0"};

/// m of the tables' m-estimate.
Status smooth(CallContext& c, const std::optional<rt::Number>& m, std::size_t argument, rt::StructureOptions& options) {
    if (!m) return rt::Done{};
    if (m->sign() < 0 || m->is_nan())
        return Fault{.code = "E-PARAMETER", .message = "m is a number, 0 or more", .origin = c.argument(argument)};
    options.m = m->is_exact() ? m->exact() : rt::Rational::from_decimal(m->real());
    return rt::Done{};
}

/// Chow–Liu trees and TAN choose their arcs by information: the score is only told.
template <auto make>
Result<Value> tree_of_arcs(CallContext& c, std::optional<Setting> score, std::optional<rt::Number> m) {
    rt::StructureOptions options;
    options.score = TRY(score_of(c, score, rt::ScoreKind::bic, 0));
    TRY(smooth(c, m, 1, options));
    return learner_value(make(std::move(options)));
}

/// [[from, to], …]
Result<std::vector<rt::Arc>> arcs_of(CallContext& c, const std::optional<Items>& items, std::size_t argument) {
    std::vector<rt::Arc> out;
    if (!items) return out;
    for (const auto& item : *items->items) {
        const List* pair = item.items();
        const auto from = pair && pair->size() == 2 ? (*pair)[0].as_label() : std::nullopt;
        const auto to = pair && pair->size() == 2 ? (*pair)[1].as_label() : std::nullopt;
        if (!from || !to)
            return Fault{.code = "E-TYPE", .message = "arcs are lists of two columns: [[\"A\", \"B\"], …]", .origin = c.argument(argument)};
        out.emplace_back(from->text(), to->text());
    }
    return out;
}

Result<Value> climber(CallContext& c, const std::optional<Setting>& score, const std::optional<Count>& max_parents,
                      const std::optional<Count>& restarts, const std::optional<Items>& require, const std::optional<Items>& forbid,
                      const std::optional<rt::Number>& m, std::size_t tabu) {
    rt::StructureOptions options;
    TRY(smooth(c, m, 5, options));
    options.score = TRY(score_of(c, score, rt::ScoreKind::bic, 0));
    if (max_parents) options.max_parents = max_parents->value;
    options.restarts = restarts ? restarts->value : 0;
    options.tabu = tabu;
    options.require = TRY(arcs_of(c, require, 3));
    options.forbid = TRY(arcs_of(c, forbid, 4));
    return learner_value(rt::make_hill_climb(std::move(options)));
}

void add_structure_searches(Registry& r) {
    const ParameterDoc score{"score", "bic", {}, score_forms};
    r.add_learner(bind(
        {subject::nets,
         "k2",
         {{"order", "the order of the columns"}, {"max_parents", "no limit"}, {"score", "k2", {}, score_forms}, smoothing},
         "Learns the arcs of a net, given an order in which parents come before their children. It adds and removes parents while the "
         "score improves.",
         "count((train k2() on weather).arcs) == 0"},
        +[](CallContext& c, std::optional<ColumnNames> order, std::optional<Count> max_parents, std::optional<Setting> kind,
            std::optional<rt::Number> m) -> Result<Value> {
            rt::StructureOptions options;
            TRY(smooth(c, m, 3, options));
            options.score = TRY(score_of(c, kind, rt::ScoreKind::k2, 2));
            if (order) options.order = order->texts;
            if (max_parents) options.max_parents = max_parents->value;
            return learner_value(rt::make_k2(std::move(options)));
        }));
    r.add_learner(bind(
        {subject::nets,
         "hill_climb",
         {score, {"max_parents", "no limit"}, {"restarts", "0"}, {"require", "[]"}, {"forbid", "[]"}, smoothing},
         "Learns the arcs of a net by adding, deleting and reversing them while the score improves. `require` and `forbid` are lists of "
         "arcs [from, to].",
         "count((train hill_climb() on weather).arcs) == 0"},
        +[](CallContext& c, std::optional<Setting> kind, std::optional<Count> max_parents, std::optional<Count> restarts,
            std::optional<Items> require, std::optional<Items> forbid,
            std::optional<rt::Number> m) -> Result<Value> { return climber(c, kind, max_parents, restarts, require, forbid, m, 0); }));
    r.add_learner(bind(
        {subject::nets,
         "tabu",
         {score, {"max_parents", "no limit"}, {"restarts", "0"}, {"require", "[]"}, {"forbid", "[]"}, smoothing, {"length", "10"}},
         "Hill climbing that can move past a local optimum: the last `length` changes must not be undone.",
         "count((train tabu() on weather).arcs) == 0"},
        +[](CallContext& c, std::optional<Setting> kind, std::optional<Count> max_parents, std::optional<Count> restarts,
            std::optional<Items> require, std::optional<Items> forbid, std::optional<rt::Number> m,
            std::optional<Count> length) -> Result<Value> {
            if (length && length->value == 0)
                return Fault{.code = "E-PARAMETER", .message = "length is a whole number, 1 or more", .origin = c.argument(6)};
            return climber(c, kind, max_parents, restarts, require, forbid, m, length ? length->value : 10);
        }));
}

void add_other_structures(Registry& r) {
    const ParameterDoc score{"score", "bic", {}, score_forms};
    r.add_learner(bind({subject::nets,
                        "chow_liu",
                        {score, smoothing},
                        "Learns a tree-shaped net: the tree that keeps the most mutual information between columns.",
                        "count((train chow_liu() on weather).arcs) == 1"},
                       tree_of_arcs<rt::make_chow_liu>));
    r.add_learner(bind({subject::nets,
                        "tan",
                        {score, smoothing},
                        "Tree-augmented naive Bayes: the target is a parent of every column, and a tree joins the columns.",
                        "(train tan() on weather).parents(sky) == [\"play\"]"},
                       tree_of_arcs<rt::make_tan>));
    r.add_learner(bind(
        {subject::nets,
         "pc",
         {{"alpha", "0.05"}, {"test", "g2", {"g2", "chi_square"}}, {"max_parents", "no limit"}, score, smoothing},
         "Learns the arcs of a net from tests of conditional independence. Arcs whose direction the data leave open are directed without "
         "creating a cycle or a new collider.",
         "count((train pc() on weather).arcs) == 0"},
        +[](CallContext& c, std::optional<Probability> alpha, std::optional<Choice> test, std::optional<Count> most,
            std::optional<Setting> kind, std::optional<rt::Number> m) -> Result<Value> {
            rt::StructureOptions options;
            options.score = TRY(score_of(c, kind, rt::ScoreKind::bic, 3));
            TRY(smooth(c, m, 4, options));
            if (alpha) options.alpha = alpha->value.real();
            if (!(options.alpha > 0) || !(options.alpha < 1))
                return Fault{.code = "E-PARAMETER", .message = "alpha is between 0 and 1", .origin = c.argument(0)};
            options.chi_square = test && test->text == "chi_square";
            if (most) options.max_parents = most->value;
            return learner_value(rt::make_pc(std::move(options)));
        }));
}

void add_learned_members(Registry& r) {
    const ParameterDoc score{"score", "bic", {}, score_forms};
    r.add_member("net", bind(
                            {subject::nets,
                             "score",
                             {{"m"}},
                             "The score of a net whose structure was learned.",
                             "(train hill_climb() on weather).score < 0"},
                            +[](CallContext& c, ModelValue m) -> Result<Value> {
                                const auto& net = *dynamic_cast<const rt::GraphicalModel&>(*m.model).net();
                                if (net.score) return number_value(*net.score);
                                return Fault{
                                    .code = "E-MEMBER",
                                    .message = "this net has no score: its structure was not learned, or its tables were updated since",
                                    .origin = c.argument(0)};
                            }));
    r.add_member("net", bind(
                            {subject::nets,
                             "history",
                             {{"m"}},
                             "The log-likelihood or score of a learned net after each iteration.",
                             "Weather.history == []"},
                            +[](CallContext&, ModelValue m) -> Result<Value> {
                                return numbers_value(dynamic_cast<const rt::GraphicalModel&>(*m.model).net()->history);
                            }));
    r.add_loader("net", rt::load_real_net);
    r.add_member("net", bind(
                            {subject::nets,
                             "parameters",
                             {{"m"}},
                             "The numbers learned for each ? after ~ in a trained net with real-valued nodes, in order.",
                             "Weather.parameters == []"},
                            +[](CallContext&, ModelValue m) -> Result<Value> {
                                List out;
                                if (const auto* real = dynamic_cast<const rt::ContinuousModel*>(m.model.get()))
                                    for (const auto& n : real->declared().learned) out.emplace_back(n);
                                return Value::list(std::move(out));
                            }));
}

}  // namespace

void add_net_learning(Registry& r) {
    add_structure_searches(r);
    add_other_structures(r);
    add_learned_members(r);
}

}  // namespace credence::std_
