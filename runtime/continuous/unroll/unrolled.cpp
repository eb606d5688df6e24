#include "runtime/continuous/unroll/unrolled.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/exact/axes.hpp"
#include "runtime/continuous/exact/extremes.hpp"
#include "runtime/continuous/exact/ties.hpp"
#include "runtime/continuous/unroll/several_numbers.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/by_cases.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt::continuous {

namespace {

constexpr std::ptrdiff_t shared_row = -1;

/// Parents may come later in the list; as many passes as the longest chain is deep.
void add_descendants(const Expanded& net, std::vector<bool>& marked) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < marked.size(); ++i)
            for (const auto parent : net.parents[i])
                if (!marked[i] && marked[index(parent)]) changed = marked[i] = true;
    }
}

class Unroller {
public:
    Unroller(const Expanded& net, const Query& query, Observed observed) : net_(net), query_(query), observed_(observed) {
        out_.net = &net;
        out_.of_variable.resize(net.variables.size());
    }

    Result<Unrolled> operator()(std::vector<Term>* extra) {
        TRY(read_rows());
        TRY(read_events());
        mark_repeated();
        note_shared();
        write_out_counted();
        TRY(check_counts());
        // Evidence first: its places in the order written.
        for (const auto& [node, value] : values_) place(node, shared_row);
        for (std::size_t r = 0; r < rows_.size(); ++r)
            for (const auto& [node, value] : rows_[r]) place(node, static_cast<std::ptrdiff_t>(r));
        for (const auto& [node, value] : next_values_) place(node, next_row());
        const auto reach = [&](VarId id) { (void)term_of(id); };
        for (const auto* clause : {&query_.targets, &query_.given}) {
            for (const auto id : clause->free) reach(id);
            for (const auto& event : clause->events)
                for (const auto id : variables_of(event)) reach(id);
            for (const auto& soft : clause->soft) reach(soft.variable);
        }
        for (std::size_t i = 0; extra && i < extra->size(); ++i) {
            for (const auto id : variables_of((*extra)[i])) reach(id);
            (*extra)[i] = rewrite((*extra)[i], [&](const TermNode& leaf) { return leaf_here(leaf); });
        }
        if (fault_) return *std::move(fault_);
        for (const auto& exactly : exactly_) { TRY(tie(exactly, extra)); }
        sort_events();
        if (fault_) return *std::move(fault_);
        number_slots(out_);
        out_.soft = query_.given.soft;
        return std::move(out_);
    }

private:
    /// Observations of a variable with two values, of which only the numbers matter.
    struct Counted {
        std::size_t node = 0;
        std::int64_t first = 0;  ///< how often it had its first value
        std::int64_t total = 0;
    };

    std::ptrdiff_t next_row() const { return static_cast<std::ptrdiff_t>(rows_.size()); }
    const ContinuousNode& node(std::size_t i) const { return net_.node(i); }

    Fault cannot_observe(std::size_t n, Origin origin) const {
        const bool vector = net_.is_vector(n);
        return {.code = "E-QUERY",
                .message = fmt::format("{} is {} and cannot be observed", node(n).variable.name,
                                       vector ? "a list of numbers" : "computed from other variables"),
                .origin = origin,
                .hint = "observe what it is computed from, or draw it with a small spread: X ~ normal(…, 0.01)"};
    }

    /// Whether a node's values have probabilities of their own: it is true or false, or a whole number made of counts and of what is true.
    bool is_stepped(const Term& term) const {
        if (!term->has_variables || is_truth(term)) return true;
        if (term->parts.empty()) {
            const auto& of = node(index(term->variable));
            if (term->op == TermOp::is || of.variable.domain) return true;
            if (of.kind == ContinuousNode::Kind::computed) return is_stepped(of.value);
            return range_of(of.family) == Range::counts && !net_.is_vector(index(term->variable));
        }
        const std::size_t first = term->op == TermOp::choose ? 1 : 0;
        return std::all_of(term->parts.begin() + static_cast<std::ptrdiff_t>(first), term->parts.end(),
                           [&](const Term& part) { return is_stepped(part); });
    }

    /// x - max(x, y) = 0: a number is the greatest of several with some probability.
    static bool is_own_extreme(const Term& term, const Label& value) {
        if (!value.number()) return false;
        return with_extremes_apart(make_term(TermOp::equal, {term, constant_term(*value.number())}))->op != TermOp::equal;
    }

    static Fault impossible(std::string message, Origin origin) {
        return {.code = "E-ZERO", .message = std::move(message), .origin = origin, .label = "probability zero"};
    }

    Status observe(std::size_t n, const Label& label, std::map<std::size_t, Outcome>& into, Origin origin) {
        if (node(n).kind == ContinuousNode::Kind::computed || net_.is_vector(n)) return cannot_observe(n, origin);
        const auto& [name, domain, space] = node(n).variable;
        const auto known = domain ? label_in(*domain, label) : label;
        if (domain && !domain->find(known)) return impossible(fmt::format("{} cannot be {}", name, label.text()), origin);
        const Outcome value = domain ? Outcome(known) : Outcome(*label.number());
        const auto [at, fresh] = into.emplace(n, value);
        if (!fresh && !(at->second == value)) return impossible(fmt::format("the evidence gives {} two values", name), origin);
        return Done{};
    }

    /// Lists are read side by side: the i-th items of all of them make one row. A table has rows of its own.
    Status read_rows() {
        const Observations* first_list = nullptr;
        for (const auto& o : query_.given.observations) {
            if (!o.counts.empty()) continue;
            if (first_list == nullptr) first_list = &o;
            if (o.values.size() != first_list->values.size())
                return Fault{
                    .code = "E-QUERY",
                    .message = fmt::format("{} has {} values, {} has {}", net_.variables[index(first_list->variable)].variable.name,
                                           first_list->values.size(), net_.variables[index(o.variable)].variable.name, o.values.size()),
                    .origin = o.origin,
                    .label = "lists are read side by side: one value of each for every row",
                    .hint = "in a table, a cell that is missing is written ?"};
        }
        rows_.resize(first_list ? first_list->values.size() : 0);
        for (const auto& o : query_.given.observations) {
            const auto at = net_.visible[index(o.variable)];
            if (at.next) return Fault{.code = "E-QUERY", .message = "next stands for one draw, not for a list of them", .origin = o.origin};
            repeated_.insert({at.node, o.origin});
            if (!o.counts.empty()) {
                if (Status done = read_counts(o, at.node); !done) return done;
                continue;
            }
            for (std::size_t i = 0; i < o.values.size(); ++i)
                if (Status done = observe(at.node, o.values[i], rows_[i], o.origin); !done) return done;
        }
        for (const auto& data : query_.given.data) {
            const auto& table = *data.table;
            const std::size_t first = rows_.size();
            rows_.resize(first + table.rows());
            bool any = false;
            for (const auto& column : table.columns) {
                std::optional<std::size_t> found;
                for (std::size_t n = 0; n < net_.declared; ++n)
                    if (node(n).variable.name == column->name) found = n;
                if (!found) continue;
                any = true;
                repeated_.insert({*found, data.origin});
                for (std::size_t r = 0; r < table.rows(); ++r) {
                    if (column->is_missing(r)) continue;
                    const auto& domain = node(*found).variable.domain;
                    const Label label = domain ? truth_of_number(*domain, column->label(r)) : column->label(r);
                    if (domain ? !domain->find(label) : !label.number())
                        return Fault{.code = domain ? FaultCode("E-LABEL") : FaultCode("E-TYPE"),
                                     .message = domain ? fmt::format("{} has no value '{}'", column->name, label.text())
                                                       : fmt::format("{} is a number, and '{}' is not", column->name, label.text()),
                                     .origin = data.origin,
                                     .label = fmt::format("row {} of the table", r + 1)};
                    if (Status done = observe(*found, label, rows_[first + r], data.origin); !done) return done;
                }
            }
            if (!any)
                return Fault{.code = "E-COLUMN",
                             .message = "no column of the table is a variable of the net",
                             .origin = data.origin,
                             .hint = "columns and variables are matched by name"};
        }
        return Done{};
    }

    /// Counts are rows of their own, one after the other.
    Status read_counts(const Observations& o, std::size_t n) {
        constexpr std::size_t most_rows = 2'000'000;
        constexpr std::int64_t many = 2000;
        std::int64_t total = 0;
        for (const auto count : o.counts) total += count;
        if (total > many && has_two_values(n)) {
            const auto& domain = *node(n).variable.domain;
            std::int64_t first = 0;
            for (std::size_t i = 0; i < o.values.size(); ++i)
                if (o.values[i] == domain[0]) first += o.counts[i];
            counted_[rows_.size()] = {n, first, total};
            return observe(n, domain[0], rows_.emplace_back(), o.origin);
        }
        for (std::size_t i = 0; i < o.values.size(); ++i) {
            if (static_cast<std::size_t>(o.counts[i]) > most_rows)
                return Fault{.code = "E-COST",
                             .message = fmt::format("{} observations of {} are more than a net with real-valued nodes takes", o.counts[i],
                                                    node(n).variable.name),
                             .origin = o.origin,
                             .hint = "draw their number instead: K ~ binomial(n, p)"};
            for (std::int64_t k = 0; k < o.counts[i]; ++k)
                if (Status done = observe(n, o.values[i], rows_.emplace_back(), o.origin); !done) return done;
        }
        return Done{};
    }

    /// True or false, or one of two labels, with a probability: the count of each value is sufficient.
    bool has_two_values(std::size_t n) const {
        const auto& own = node(n);
        if (own.kind != ContinuousNode::Kind::drawn || !own.variable.domain || own.variable.domain->size() != 2) return false;
        return own.family == Family::bernoulli || (own.family == Family::categorical && own.parameters.size() == 2);
    }

    /// The counted observations that stand for their rows only where nothing else is drawn in these rows: else the rows are written out.
    void write_out_counted() {
        for (auto at = counted_.begin(); at != counted_.end();) {
            const auto above = above_in_row(at->second.node);
            if (std::count(above.begin(), above.end(), true) == 1) {
                ++at;
                continue;
            }
            const auto& domain = *node(at->second.node).variable.domain;
            for (std::int64_t k = 1; k < at->second.total; ++k)
                rows_.emplace_back().emplace(at->second.node, Outcome(domain[k < at->second.first ? 0 : 1]));
            if (at->second.first == 0) rows_[at->first].insert_or_assign(at->second.node, Outcome(domain[1]));
            at = counted_.erase(at);
        }
    }

    /// As one number that was observed.
    void count_observed(Instance& made, const Counted& counted) {
        const auto first = std::find(made.labels.begin(), made.labels.end(), (*made.domain)[0]);
        const Term share = made.parameters[first == made.labels.end() ? 0 : static_cast<std::size_t>(first - made.labels.begin())];
        made.domain = nullptr;
        made.labels.clear();
        made.family = Family::binomial;
        made.parameters = {constant_term(Number(Rational(counted.total))), share};
        made.value = Number(Rational(counted.first));
        const auto n = static_cast<double>(counted.total);
        const auto k = static_cast<double>(counted.first);
        out_.log_orders += log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
    }

    /// What a node depends on within its row, itself included.
    std::vector<bool> above_in_row(std::size_t n) const {
        std::vector<bool> out(net_.net.nodes.size(), false);
        std::vector<std::size_t> stack{n};
        while (!stack.empty()) {
            const auto at = stack.back();
            stack.pop_back();
            if (out[at]) continue;
            out[at] = true;
            for (const auto parent : net_.parents[at])
                if (by_row_[index(parent)]) stack.push_back(index(parent));
        }
        return out;
    }

    /// Counts do not say which values were seen together; that must not matter.
    Status check_counts() const {
        for (const auto& counted : query_.given.observations) {
            if (counted.counts.empty()) continue;
            const auto own = above_in_row(net_.visible[index(counted.variable)].node);
            for (const auto& other : query_.given.observations) {
                if (&other == &counted) continue;
                const auto others = above_in_row(net_.visible[index(other.variable)].node);
                for (std::size_t i = 0; i < own.size(); ++i)
                    if (own[i] && others[i])
                        return Fault{.code = "E-QUERY",
                                     .message = fmt::format("counts of {} do not say which values of {} were seen with them",
                                                            net_.variables[index(counted.variable)].variable.name,
                                                            net_.variables[index(other.variable)].variable.name),
                                     .origin = counted.origin,
                                     .hint = "give two lists of the same length, or a table"};
            }
        }
        return Done{};
    }

    Status read_events() {
        for (const auto& d : query_.doing) {
            const auto at = net_.visible[index(d.variable)];
            if (at.next || net_.is_vector(at.node))
                return Fault{.code = "E-QUERY", .message = "do(…) sets a number or a label of the net itself", .origin = d.origin};
            values_.insert_or_assign(at.node, node(at.node).variable.domain ? Outcome(d.value) : Outcome(*d.value.number()));
            set_.push_back(at.node);
        }
        for (auto& event : conjuncts(query_.given.events)) {
            const bool point = event.kind == Event::Kind::atom && event.atom.compare == Compare::equal;
            if (!point) {
                evidence_.push_back(std::move(event));
                continue;
            }
            const auto at = net_.visible[index(event.atom.variable)];
            const Origin origin = event.atom.origin;
            if (contains(set_, at.node) && !at.next) {
                evidence_.push_back(std::move(event));
                continue;
            }
            if (node(at.node).kind == ContinuousNode::Kind::computed &&
                (is_stepped(node(at.node).value) || is_own_extreme(node(at.node).value, event.atom.values[0]))) {
                evidence_.push_back(std::move(event));  // it has a probability
                continue;
            }
            if (node(at.node).kind == ContinuousNode::Kind::computed && event.atom.values[0].number()) {
                exactly_.push_back({event.atom.variable, *event.atom.values[0].number(), origin});
                continue;
            }
            if (Status done = observe(at.node, event.atom.values[0], at.next ? next_values_ : values_, origin); !done) return done;
            if (at.next) nexts_.push_back(at.node);
        }
        const auto note_next = [&](VarId id) {
            if (net_.visible[index(id)].next) nexts_.push_back(net_.visible[index(id)].node);
        };
        for (const auto* clause : {&query_.targets, &query_.given}) {
            for (const auto id : clause->free) note_next(id);
            for (const auto& event : clause->events)
                for (const auto id : variables_of(event)) {
                    if (net_.is_vector(net_.visible[index(id)].node))
                        return several_numbers(net_.variables[index(id)].variable.name, query_.origin);
                    note_next(id);
                }
        }
        for (const auto& [n, origin] : repeated_)
            if (values_.contains(n) && !contains(set_, n))
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is observed both once and in a list or table", node(n).variable.name),
                             .origin = origin,
                             .hint = "put the single value into the list"};
        return Done{};
    }

    void mark_repeated() {
        const std::size_t n = net_.net.nodes.size();
        by_row_.assign(n, false);
        by_next_.assign(n, false);
        for (const auto& [node, origin] : repeated_) by_row_[node] = true;
        for (std::size_t i = 0; net_.labels_by_row && i < net_.declared; ++i)
            if (node(i).variable.domain && !contains(set_, i)) by_row_[i] = true;
        for (const auto node : nexts_) by_next_[node] = true;
        add_descendants(net_, by_row_);
        add_descendants(net_, by_next_);
    }

    /// A variable without a column that two columns depend on: it is one for all rows, though each may have been meant to have its own.
    void note_shared() {
        if (query_.given.data.empty() || rows_.size() < 2) return;
        for (std::size_t n = 0; n < net_.declared; ++n) {
            if (by_row_[n] || values_.contains(n) || node(n).kind == ContinuousNode::Kind::computed) continue;
            const auto seen = std::count_if(repeated_.begin(), repeated_.end(), [&](const auto& r) { return stands_behind(n, r.first); });
            const bool asked = std::any_of(query_.targets.free.begin(), query_.targets.free.end(),
                                           [&](VarId id) { return net_.visible[index(id)].node == n; });
            if (seen < (node(n).variable.domain ? 1 : 2) || asked) continue;
            out_.notes.push_back(
                fmt::format("{0} has no column in the table: all rows share one value of it. Where each row has its own, "
                            "declare a plate: for r in … {{ {0}[r] ~ … }}",
                            node(n).variable.name));
        }
    }

    /// Whether a node is drawn with the other among its parents, directly or through computed nodes.
    bool stands_behind(std::size_t parent, std::size_t child) const {
        return std::any_of(net_.parents[child].begin(), net_.parents[child].end(), [&](VarId id) {
            return index(id) == parent || (node(index(id)).kind == ContinuousNode::Kind::computed && stands_behind(parent, index(id)));
        });
    }

    /// The row a node belongs to, seen from one that lives in `row`.
    std::ptrdiff_t own_row(std::size_t n, std::ptrdiff_t row) const {
        if (contains(set_, n)) return shared_row;
        if (row == shared_row) return shared_row;
        if (row == next_row()) return by_next_[n] || by_row_[n] ? row : shared_row;
        return by_row_[n] ? row : shared_row;
    }

    const Outcome* value_of(std::size_t n, std::ptrdiff_t row) const {
        const auto& from = row == shared_row ? values_ : row == next_row() ? next_values_ : rows_[static_cast<std::size_t>(row)];
        const auto at = from.find(n);
        return at == from.end() ? nullptr : &at->second;
    }

    void fail(Fault fault) {
        if (!fault_) fault_ = std::move(fault);
    }

    /// The position of the instance of a node that is not a function of others.
    VarId place(std::size_t n, std::ptrdiff_t row) {
        const auto key = std::pair(n, row);
        if (const auto found = placed_.find(key); found != placed_.end()) return found->second;
        const auto* value = value_of(n, row);
        if (row == shared_row && by_row_[n] && value == nullptr)
            fail({.code = "E-QUERY",
                  .message = fmt::format("{} stands for every observation in the list or table", node(n).variable.name),
                  .origin = query_.origin,
                  .hint = fmt::format("ask for one more draw: next {}", node(n).variable.name)});
        // Parents first: instances are in an order in which they can be drawn.
        Instance made;
        made.node = n;
        made.domain = node(n).variable.domain;
        made.origin = node(n).origin;
        made.name = node(n).variable.name;
        if (row == next_row())
            made.name = "next " + made.name;
        else if (row != shared_row)
            made.name += fmt::format(" (row {})", row + 1);
        if (value) made.value = *value;
        made.set = contains(set_, n);
        if (made.set) {
            // Cut off from its causes.
        } else if (node(n).kind == ContinuousNode::Kind::table) {
            made.table = true;
            if (node(n).table.hole)
                fail({.code = "E-HOLE",
                      .message = fmt::format("the table of {} is unknown (?)", node(n).variable.name),
                      .origin = query_.origin,
                      .hint = "in a net with real-valued variables give it a prior instead: p ~ beta(1, 1), X ~ bernoulli(p)"});
            for (const auto parent : node(n).table.parents) made.table_parents.push_back(place(index(parent), own_row(index(parent), row)));
        } else {
            made.family = node(n).family;
            made.labels = node(n).labels;
            for (const auto& term : node(n).parameters) made.parameters.push_back(here(term, row));
            settle_case(made.family, made.parameters);
        }
        if (const auto counted = counted_.find(static_cast<std::size_t>(row));
            row != shared_row && counted != counted_.end() && counted->second.node == n)
            count_observed(made, counted->second);
        const auto id = static_cast<VarId>(out_.instances.size());
        if (value && !made.set) ++out_.observed;
        out_.instances.push_back(std::move(made));
        placed_.emplace(key, id);
        return id;
    }

    /// A term over nodes, as seen from a row, over instances.
    Term here(const Term& term, std::ptrdiff_t row) {
        return rewrite(term, [&](const TermNode& leaf) -> Term {
            const std::size_t n = index(leaf.variable);
            const auto own = own_row(n, row);
            if (node(n).kind == ContinuousNode::Kind::computed && value_of(n, own) == nullptr) return computed_here(n, own);
            const VarId id = place(n, own);
            const auto& instance = out_.instances[index(id)];
            if (instance.value && observed_ == Observed::put_in) return leaf_value(leaf, *instance.value);
            if (instance.domain && instance.domain->size() == 1) return leaf_value(leaf, (*instance.domain)[0]);
            return leaf.op == TermOp::is ? is_term(id, leaf.label) : variable_term(id);
        });
    }

    /// What a computed node is in a row: one term, however often it is referred to.
    Term computed_here(std::size_t n, std::ptrdiff_t row) {
        const auto key = std::pair(n, row);
        if (const auto known = computed_.find(key); known != computed_.end()) return known->second;
        Term out = here(node(n).value, row);
        computed_.emplace(key, out);
        return out;
    }

    Term leaf_here(const TermNode& leaf) {
        const auto at = net_.visible[index(leaf.variable)];
        TermNode inside = leaf;
        inside.variable = static_cast<VarId>(at.node);
        const auto row = at.next ? next_row() : shared_row;
        return here(leaf.op == TermOp::is ? is_term(inside.variable, leaf.label) : variable_term(inside.variable), row);
    }

    Term term_of(VarId variable) {
        Term& out = out_.of_variable[index(variable)];
        if (out) return out;
        const auto at = net_.visible[index(variable)];
        if (net_.is_vector(at.node)) {
            for (const auto stick : net_.parts[at.node]) place(index(stick), shared_row);
            return out = constant_term(0);  // asked for through its sticks
        }
        if (node(at.node).kind == ContinuousNode::Kind::computed) return out = computed_here(at.node, shared_row);
        const VarId id = place(at.node, at.next ? next_row() : shared_row);
        return out = variable_term(id);
    }

    /// Whether single values of a variable have no probability: it depends on a number that is not a count.
    bool is_real(VarId id) const {
        if (net_.variables[index(id)].variable.is_discrete()) return false;
        const auto& own = node(net_.visible[index(id)].node);
        if (own.kind == ContinuousNode::Kind::computed && is_stepped(own.value)) return false;
        const auto from = variables_of(out_.of_variable[index(id)]);
        return std::any_of(from.begin(), from.end(), [&](VarId v) {
            const auto& instance = out_.instances[index(v)];
            return instance.is_real_latent() && range_of(instance.family) != Range::counts;
        });
    }

    void sort_events() {
        const auto sort = [&](Event event, bool evidence) {
            if (auto points = point_fault(event, net_.variables, [&](VarId id) { return is_real(id); })) fail(*std::move(points));
            RealEvent real{std::move(event), {}, evidence};
            bool any = false;
            for (const auto id : variables_of(real.event)) {
                if (net_.variables[index(id)].variable.is_discrete()) continue;
                any = true;
            }
            if (any)
                out_.real_events.push_back(std::move(real));
            else
                (evidence ? out_.discrete_evidence : out_.discrete_targets).push_back(std::move(real.event));
        };
        for (auto& event : evidence_) sort(std::move(event), true);
        for (auto& event : conjuncts(query_.targets.events)) sort(std::move(event), false);
    }

    /// `x + y = 4`: what was observed of a number that is computed.
    struct Exactly {
        VarId variable{};
        Number value;
        Origin origin = Origin::none;
    };

    /// The last number drawn of those that it is computed from becomes a function of the others. The density of what was observed is that
    /// of this number at its new place, times a constant.
    Status tie(const Exactly& exactly, std::vector<Term>* extra) {
        const auto& name = net_.variables[index(exactly.variable)].variable.name;
        Term term = out_.of_variable[index(exactly.variable)];
        auto value = solved_for_argument(term, exactly.value);
        if (!value || (is_constant(term) && !(term->value == *value)))
            return impossible(fmt::format("{} cannot be {}", name, label_text(exactly.value)), exactly.origin);
        if (is_constant(term)) return Done{};
        const auto from = variables_of(term);
        for (std::size_t k = from.size(); k-- > 0;) {
            Instance& last = out_.instances[index(from[k])];
            const auto slope =
                last.is_real_latent() && range_of(last.family) != Range::counts ? coefficient_of(term, from[k]) : std::nullopt;
            if (!slope || slope->is_zero()) continue;
            const auto put = [&](const Term& into, const Term& by) {
                return rewrite(into, [&](const TermNode& leaf) { return leaf.variable == from[k] ? by : nullptr; });
            };
            const Term rest = put(term, constant_term(0));
            const Term by = make_term(TermOp::divide, {make_term(TermOp::subtract, {constant_term(*value), rest}), constant_term(*slope)});
            ++out_.observed;
            if (is_constant(by))
                last.value = by->value;
            else
                last.tied = by;
            for (auto& instance : out_.instances) {
                for (auto& parameter : instance.parameters) parameter = put(parameter, by);
                if (instance.tied) instance.tied = put(instance.tied, by);
            }
            for (auto& of : out_.of_variable)
                if (of) of = put(of, by);
            for (std::size_t i = 0; extra && i < extra->size(); ++i) (*extra)[i] = put((*extra)[i], by);
            return Done{};
        }
        return Fault{.code = "E-QUERY",
                     .message = fmt::format("{} = {} cannot be solved for one of the numbers in it", name, label_text(exactly.value)),
                     .origin = exactly.origin,
                     .label = fmt::format("no number occurs in {} with +, - and constant factors alone", name),
                     .hint = fmt::format("observe it with some noise: declare a variable ~ normal({}, 0.1), or give an interval", name)};
    }

    const Expanded& net_;
    const Query& query_;
    Observed observed_;
    Unrolled out_;
    std::vector<Exactly> exactly_;
    std::optional<Fault> fault_;
    std::map<std::size_t, Outcome> values_;       // by node, outside rows
    std::map<std::size_t, Outcome> next_values_;  // of the next row
    std::vector<std::map<std::size_t, Outcome>> rows_;
    std::map<std::size_t, Counted> counted_;  // by row
    std::map<std::size_t, Origin> repeated_;
    std::vector<std::size_t> nexts_;
    std::vector<std::size_t> set_;
    std::vector<Event> evidence_;
    std::vector<bool> by_row_;
    std::vector<bool> by_next_;
    std::map<std::pair<std::size_t, std::ptrdiff_t>, VarId> placed_;
    std::map<std::pair<std::size_t, std::ptrdiff_t>, Term> computed_;
};

}  // namespace

std::vector<bool> nodes_by_row(const Expanded& net, const Clause& given) {
    std::vector<bool> out(net.net.nodes.size(), false);
    for (const auto& list : given.observations) out[net.visible[index(list.variable)].node] = true;
    for (const auto& data : given.data)
        for (const auto& column : data.table->columns)
            for (std::size_t n = 0; n < net.declared; ++n)
                if (net.node(n).variable.name == column->name) out[n] = true;
    add_descendants(net, out);
    return out;
}

Result<Unrolled> unroll(const Expanded& net, const Query& query, std::vector<Term>* extra, Observed observed) {
    return Unroller(net, query, observed)(extra);
}

}  // namespace credence::rt::continuous
