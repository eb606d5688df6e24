#include "runtime/nets/markov.hpp"

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/branch_and_bound.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_engine.hpp"
#include "runtime/nets/net_junction.hpp"
#include "runtime/prob/models/sampled_column.hpp"
#include "runtime/prob/queries/independent_rows.hpp"

namespace credence::rt {

namespace {

/// A query on an undirected model, digested.
struct MarkovCase {
    const MarkovNet* net = nullptr;
    Sizes sizes;
    SlotNames names;
    Shape shape;
    std::vector<EventTable> evidence;
    std::vector<EventTable> target_events;
    std::vector<std::int64_t> fixed;
    bool exact = true;
};

double markov_entry(const MarkovTable& table, std::size_t i) {
    if (const auto* reals = std::get_if<std::vector<double>>(&table.values)) return (*reals)[i];
    return std::get<std::vector<Rational>>(table.values)[i].to_double();
}

Result<MarkovCase> digest_markov(const MarkovNet& net, const Variables& variables, const Query& query, const Run& run) {
    for (const auto* clause : {&query.targets, &query.given}) {
        if (!clause->observations.empty() || !clause->data.empty())
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("the variables of {} have one value each, not a list of observations", net.name),
                         .origin = clause->observations.empty() ? clause->data[0].origin : clause->observations[0].origin};
    }
    if (!query.doing.empty())
        return Fault{.code = "E-DO",
                     .message = fmt::format("{} is undirected: nothing says what an intervention would change", net.name),
                     .origin = query.doing[0].origin,
                     .hint = "do(…) needs the arcs of a Bayes net"};
    TRY(check_soft(query.given.soft, variables));
    MarkovCase c;
    c.net = &net;
    for (const auto& v : net.variables) {
        c.sizes.push_back(v.size());
        c.names.push_back(v.name);
    }
    c.shape = shape_of(query);
    c.evidence = TRY(event_tables(query.given.events, variables, run));
    c.target_events = TRY(event_tables(query.targets.events, variables, run));
    c.fixed.assign(net.variables.size(), -1);
    for (const auto& table : c.evidence)
        if (const auto only = table.only_value(); only >= 0) c.fixed[table.variables[0]] = only;
    for (const auto& table : net.tables) {  // what the file itself observed
        if (table.variables.size() != 1 || c.fixed[table.variables[0]] >= 0) continue;
        std::vector<std::size_t> possible;
        for (std::size_t k = 0; k < c.sizes[table.variables[0]]; ++k)
            if (markov_entry(table, k) > 0) possible.push_back(k);
        if (possible.size() == 1) c.fixed[table.variables[0]] = static_cast<std::int64_t>(possible[0]);
    }
    for (const auto& table : net.tables) c.exact = c.exact && table.values.index() == 0;
    for (const auto& soft : query.given.soft)
        for (const auto& weight : soft.weights) c.exact = c.exact && weight.is_exact();
    return c;
}

template <Prob P>
Potential<P> markov_potential(const MarkovTable& table) {
    Potential<P> out{table.variables, {}};
    std::visit(
        [&](const auto& values) {
            out.values.reserve(values.size());
            for (const auto& value : values) {
                if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, double>)
                    out.values.push_back(prob_of<P>(Number::real(value)));
                else
                    out.values.push_back(prob_of<P>(Number(value)));
            }
        },
        table.values);
    return out;
}

ApproximateCase approximate_case(const MarkovCase& c, const Query& query) {
    ApproximateCase out = without_tables(c);
    for (const auto fixed : c.fixed) out.active.push_back(fixed < 0 ? 1 : 0);
    for (const auto& table : c.net->tables)
        out.tables.push_back(restricted(
            table.variables, [&](std::size_t i) { return markov_entry(table, i); }, c.fixed, c.sizes));
    for (const auto& t : c.evidence)
        out.tables.push_back(restricted(
            t.variables, [&](std::size_t i) { return t.truth[i] ? 1.0 : 0.0; }, c.fixed, c.sizes));
    add_likelihoods(out, query);
    return out;
}

template <Prob P>
class MarkovMeasure : public Measure<P> {
public:
    MarkovMeasure(const MarkovCase& c, Method method) : case_(&c), method_(method) {}

    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override {
        if (method_ == Method::elimination) return eliminate(problem(keep, side), keep, work);
        if (method_ == Method::tree) return collect_messages(problem(keep, side), keep, cliques, work);
        std::vector<Slot> all;
        for (Slot slot = 0; slot < case_->sizes.size(); ++slot)
            if (case_->fixed[slot] < 0 || contains(keep, slot)) all.push_back(slot);
        return enumerate(problem(keep, side), all, keep, work);
    }
    void weigh(Potential<P> weights) override { weights_.push_back(std::move(weights)); }
    Result<Maximum<P>> maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) override {
        if (method_ != Method::elimination) return Measure<P>::maximum(over, sizes, work);
        return maximise(problem(over, Side::all), over, work);
    }

    std::size_t cliques = 0;  ///< of the last tree that messages went along

    Problem<P> problem(std::span<const Slot> keep, Side side) const {
        const MarkovCase& c = *case_;
        auto fixed = c.fixed;
        for (const auto slot : keep) fixed[slot] = -1;
        Problem<P> out{&c.sizes, &c.names, {}};
        for (const auto& table : c.net->tables) out.potentials.push_back(restrict_to(markov_potential<P>(table), fixed, c.sizes));
        const auto add_event = [&](const EventTable& t) {
            const bool done = t.variables.size() == 1 && fixed[t.variables[0]] >= 0 && t.only_value() == fixed[t.variables[0]];
            if (!done) out.potentials.push_back(restrict_to(indicator<P>(t), fixed, c.sizes));
        };
        for (const auto& t : c.evidence) add_event(t);
        if (side == Side::all)
            for (const auto& t : c.target_events) add_event(t);
        for (const auto& f : weights_) out.potentials.push_back(restrict_to(f, fixed, c.sizes));
        return out;
    }

private:
    const MarkovCase* case_;
    Method method_;
    std::vector<Potential<P>> weights_;
};

TreeCase markov_tree_case(const MarkovCase& c) {
    TreeCase out;
    out.sizes = c.sizes;
    out.shape = c.shape;
    out.evidence.fixed = c.fixed;
    out.evidence.cut.assign(c.sizes.size(), 0);
    add_events(out.evidence, c.evidence);
    out.all = out.evidence;
    add_events(out.all, c.target_events);
    out.elimination = [&c] { return std::make_unique<MarkovMeasure<LogProb>>(c, Method::elimination); };
    return out;
}

class TablesModel : public MarkovModel {
public:
    explicit TablesModel(MarkovNetPtr net) : net_(std::move(net)), memory_(*net_) {
        for (const auto& v : net_->variables) variables_.push_back({.variable = v});
    }
    const MarkovNetPtr& markov() const override { return net_; }
    std::string_view kind() const override { return "markov"; }
    const Variables& variables() const override { return variables_; }
    ModelParts parts() const override { return parts_of(*net_); }
    std::vector<MethodInfo> engines() const override { return markov_engine_methods(); }
    std::string description() const override {
        return fmt::format("an undirected model of {} variables and {} tables", net_->variables.size(), net_->tables.size());
    }

    Result<Answer> ask(const Query& query, Run& run) const override {
        if (asks_for_rows(query)) return ask_rows(*this, query, run);
        const auto c = TRY(digest_markov(*net_, variables_, query, run));
        const NetEngine* engine = find_net_engine(query.by.name);
        if (engine && engine->ask_tables) return engine->ask_tables(approximate_case(c, query), variables_, query, zero(query, run), run);
        if (engine && engine->sum_by)
            return answer_on_trees(markov_tree_case(c), query, variables_, memory_, zero(query, run), run, *engine->sum_by);
        if (query.by.name == "exact" && query.goal == Goal::most_probable) {
            auto found = TRY(searched_where_faster(approximate_case(c, query), variables_, query, zero(query, run), run));
            if (found) return *std::move(found);
        }
        Method method = Method::elimination;
        if (query.by.name == "enumeration") method = Method::enumeration;
        if (query.by.name == "junction_tree") method = Method::tree;
        const auto exactly = [&]<Prob P>(Work& work) -> Result<Answer> {
            MarkovMeasure<P> measure(c, method);
            auto result = answer_query<P>(measure, query, variables_, zero(query, run), work);
            if (!result) return result;
            result->engine = method == Method::enumeration ? "enumeration"
                             : method == Method::tree      ? "junction_tree"
                                                           : "variable_elimination";
            const auto largest = Number(Rational(static_cast<std::int64_t>(work.largest_table)));
            if (method == Method::enumeration)
                result->counts = {{"terms", Number(Rational(static_cast<std::int64_t>(work.terms)))}};
            else if (method == Method::tree)
                result->counts = {{"cliques", Number(Rational(static_cast<std::int64_t>(measure.cliques)))}, {"largest_table", largest}};
            else
                result->counts = {{"eliminated", Number(Rational(static_cast<std::int64_t>(work.eliminated)))}, {"largest_table", largest}};
            return result;
        };
        if (query.by.name != "exact" && method != Method::tree) return in_best_numbers(run, c.exact, exactly);
        if (c.exact && run.numbers != NumberMode::real) {  // fractions where they are affordable
            Work work(run, run.numbers == NumberMode::automatic);
            auto answer = exactly.template operator()<Rational>(work);
            const bool too_large = !answer && answer.fault().code == "E-COST" && run.numbers == NumberMode::automatic;
            if (!work.exceeded() && !too_large) return answer;
        }
        auto answer = answer_on_trees(markov_tree_case(c), query, variables_, memory_, zero(query, run), run);
        if (query.by.name != "exact") return answer;
        return searched_where_too_large(
            std::move(answer), [&] { return approximate_case(c, query); }, variables_, query, zero(query, run), run);
    }

    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        Query query;
        query.given = given;
        const auto c = TRY(digest_markov(*net_, variables_, query, run));
        Work work(run, false);
        MarkovMeasure<LogProb> measure(c, Method::elimination);
        TRY(apply_soft_evidence<LogProb>(measure, query, variables_, zero(query, run), work));
        std::vector<Slot> all;
        for (Slot slot = 0; slot < c.sizes.size(); ++slot) all.push_back(slot);
        auto sampler = TRY(BackwardSampler<LogProb>::make(measure.problem(all, Side::evidence), all, work));
        if (sampler.impossible()) return zero(query, run)({});
        std::vector<std::vector<std::uint32_t>> rows(all.size());
        std::vector<std::size_t> value(all.size(), 0);
        for (std::size_t r = 0; r < n; ++r) {
            if (run.stopped()) return stopped_fault();
            sampler.draw(run.rng, value);
            for (std::size_t i = 0; i < value.size(); ++i) rows[i].push_back(static_cast<std::uint32_t>(value[i]));
        }
        std::vector<ColumnPtr> columns;
        for (std::size_t i = 0; i < rows.size(); ++i) columns.push_back(column_of_values(net_->variables[i], rows[i]));
        return table_of_columns(std::move(columns), n);
    }

    Result<Derivation> explain(const Query& query, const Answer&, Run&) const override {
        return Fault{.code = "E-EXPLAIN",
                     .message = "an undirected model has no derivation to show: it multiplies its tables and sums",
                     .origin = query.origin};
    }

    Result<Number> log_partition(Run& run) const override {
        const auto c = TRY(digest_markov(*net_, variables_, {}, run));
        Work work(run, false);
        JunctionMeasure measure(markov_tree_case(c), memory_);
        auto total = measure.marginal({}, Side::evidence, work);
        if (measure.beyond_trees()) total = measure.elimination()->marginal({}, Side::evidence, work);
        if (!total) return total.fault();
        return Number::real(total->values[0].log());
    }

private:
    ZeroFault zero(const Query& query, Run& run) const {
        return [this, &query, &run](std::span<const std::pair<Slot, std::size_t>> configuration) {
            Clause given = query.given;
            for (const auto& [slot, value] : configuration)
                given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables_[slot].variable.domain)[value], Origin::none));
            return zero_fault(items_of(given, variables_), query.origin, [&](const Clause& subset) -> Result<bool> {
                Query part;
                part.given = subset;
                const auto c = TRY(digest_markov(*net_, variables_, part, run));
                NetEvidence evidence = markov_tree_case(c).evidence;
                for (const auto& soft : subset.soft) {
                    Potential<double> weights{{static_cast<Slot>(index(soft.variable))}, {}};
                    for (const auto& weight : soft.weights) weights.values.push_back(weight.sign() > 0 ? 1 : 0);
                    evidence.extra.push_back(std::move(weights));
                }
                const TreeModel model = tree_model(*net_);
                const auto possible = TRY(NetTrees(model, std::move(evidence)).possible(run));
                return !possible;
            });
        };
    }

    MarkovNetPtr net_;
    Variables variables_;
    mutable NetMemory memory_;  // of queries answered before; guards itself
};

}  // namespace

std::shared_ptr<const MarkovModel> make_markov_model(MarkovNetPtr net) { return std::make_shared<const TablesModel>(std::move(net)); }

}  // namespace credence::rt
