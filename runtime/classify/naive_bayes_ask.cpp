// What naive Bayes answers. Its label columns and bins are a net of one parent, so queries go to that net; a number in the evidence is a
// likelihood of the classes there.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/classify/naive_bayes.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/independent_rows.hpp"

namespace credence::rt {

namespace {

Fault one_number(const std::string& name, Origin origin) {
    return {.code = "E-QUERY",
            .message = fmt::format("{} is real-valued: a single value has probability 0", name),
            .origin = origin,
            .hint = fmt::format("ask for a range, such as {} < 1, or for the density: pdf(P({} | …), x)", name, name)};
}

bool is_order(Compare compare) { return compare != Compare::equal && compare != Compare::not_equal && compare != Compare::one_of; }

/// P(2 < x <= 3): all atoms are of one number. Of a row of data, x = 2: the density.
Result<Number> share_of_ranges(const Distribution& d, std::span<const Event> ranges) {
    if (ranges[0].atom.compare == Compare::equal) return d.pdf(Outcome(*ranges[0].atom.values[0].number()));
    std::optional<Number> low;
    std::optional<Number> high;
    for (const auto& range : ranges) {
        const Number& bound = *range.atom.values[0].number();
        const bool less = range.atom.compare == Compare::less || range.atom.compare == Compare::less_equal;
        if (less && (!high || bound < *high)) high = bound;
        if (!less && (!low || *low < bound)) low = bound;
    }
    auto below_high = high ? d.cdf(*high) : Result<Number>(Number(1));
    if (!below_high) return below_high;
    auto below_low = low ? d.cdf(*low) : Result<Number>(Number(0));
    if (!below_low) return below_low;
    const Number share = *below_high - *below_low;
    return share.sign() < 0 ? Number(0) : share;
}

/// Whether the number of `known`, an event x = v, meets another event of the same number.
bool meets(const Event& known, const Atom& atom) {
    const Number& v = *known.atom.values[0].number();
    const Number& other = *atom.values[0].number();
    return atom.compare == Compare::equal ? v == other : ordered(atom.compare, v, other);
}

/// Order events on numbers, those of one number together.
std::vector<std::vector<Event>> by_variable(std::span<const Event> ranges) {
    std::vector<std::vector<Event>> out;
    for (const auto& range : ranges) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const auto& g) { return g[0].atom.variable == range.atom.variable; });
        if (same == out.end())
            out.push_back({range});
        else
            same->push_back(range);
    }
    return out;
}

/// The number that an event compares a column with.
Result<double> number_compared(const Event& event, const std::string& column) {
    if (event.kind != Event::Kind::atom)
        return Fault{.code = "E-QUERY",
                     .message = "compare one numeric column with a number here: x = 3, x < 3",
                     .origin = event.origin,
                     .hint = "ask for the parts one by one"};
    const Label& value = event.atom.values[0];
    if (!value.number())
        return Fault{
            .code = "E-TYPE", .message = fmt::format("{} is a number, not '{}'", column, value.text()), .origin = event.atom.origin};
    return value.number()->real();
}

Fault contradiction(const Event& first, const Event& second, const Variables& variables) {
    const std::string a = event_text(first, variables);
    const std::string b = event_text(second, variables);
    return {.code = "E-ZERO",
            .message = fmt::format("the evidence {}, {} has probability zero", a, b),
            .origin = second.atom.origin,
            .label = fmt::format("{} contradicts {}", b, a)};
}

/// Only the ratios matter, so densities are taken relative to the largest: far out none of them is zero. A class without numbers says
/// nothing of them, and a column of one number nothing of classes.
Result<SoftEvidence> likelihood_of_classes(std::span<const double> logs, std::span<const Event> said, VarId classes,
                                           const Variables& variables) {
    const double high = *std::max_element(logs.begin(), logs.end());
    if (!std::isfinite(high)) {
        std::string all;
        for (const auto& e : said) all += (all.empty() ? "" : ", ") + event_text(e, variables);
        return Fault{
            .code = "E-ZERO", .message = fmt::format("the evidence {} has probability zero", all), .origin = said.back().atom.origin};
    }
    SoftEvidence soft{.kind = SoftEvidence::Kind::likelihood, .variable = classes, .weights = {}, .origin = said.front().atom.origin};
    for (const double l : logs) soft.weights.push_back(Number::real(std::exp(l - high)));
    return soft;
}

}  // namespace

/// The query for the net of labels: a number in the evidence becomes its bin, or the likelihood of the classes, f(x | class).
Result<Query> NaiveBayesModel::without_numbers(const Query& query) const {
    Query out = query;
    out.by = {};
    const std::size_t labels = counts_.classes.size();
    const auto is_numeric = [&](VarId v) {
        return index(v) < schema_.features.size() && schema_.features[index(v)].kind == ColumnKind::numeric;
    };
    for (const auto id : query.given.free)
        if (is_numeric(id) && counts_.features[index(id)].is_normal())
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("{} is real-valued: there is no list of its values", schema_.features[index(id)].name),
                         .origin = query.origin};
    const auto weigh = [&](std::span<const double> logs, std::span<const Event> said) -> Status {
        auto soft = TRY(likelihood_of_classes(logs, said, static_cast<VarId>(schema_.features.size()), variables_));
        out.given.soft.push_back(std::move(soft));
        return Done{};
    };
    for (const auto& data : query.given.data)
        for (std::size_t f = 0; f < schema_.features.size(); ++f)
            if (is_numeric(static_cast<VarId>(f)) && data.table->find(schema_.features[f].name))
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("the table has the numbers of {}, which have no table of probabilities",
                                                    schema_.features[f].name),
                             .origin = data.origin,
                             .hint = fmt::format("a list of them is evidence: {} = [ … ]", schema_.features[f].name)};
    // Lists and counts of a number: each value weighs the class that all of them share.
    out.given.observations.clear();
    for (const auto& list : query.given.observations) {
        if (!is_numeric(list.variable)) {
            out.given.observations.push_back(list);
            continue;
        }
        const FeatureCounts& counts = counts_.features[index(list.variable)];
        Observations binned = list;
        std::vector<double> logs(labels, 0);
        std::vector<Event> said;
        for (std::size_t i = 0; i < list.values.size(); ++i) {
            said.push_back(event_equal(list.variable, list.values[i], list.origin));
            const double x = TRY(number_compared(said.back(), schema_.features[index(list.variable)].name));
            if (!counts.is_normal()) {
                binned.values[i] = (*counts.values)[bin_of(x, counts.cuts)];
                continue;
            }
            for (std::size_t c = 0; c < labels; ++c)
                if (auto d = normal(index(list.variable), c))
                    logs[c] += static_cast<double>(list.count(i)) * (*d)->log_pdf(Number::real(x));
        }
        if (!counts.is_normal())
            out.given.observations.push_back(std::move(binned));
        else if (!said.empty())
            TRY(weigh(logs, said));
    }
    // A number that is known has one value: repeating it, or a weaker statement, adds nothing.
    std::vector<Event> known;
    const auto value_of = [&](VarId v) {
        return std::find_if(known.begin(), known.end(), [&](const Event& e) { return e.atom.variable == v; });
    };
    for (const bool target : {true, false}) {
        auto& events = target ? out.targets.events : out.given.events;
        std::vector<Event> kept;
        std::vector<Event> ranges;
        for (const auto& event : conjuncts(events)) {
            const auto named = variables_of(event);
            if (std::none_of(named.begin(), named.end(), is_numeric)) {
                kept.push_back(event);
                continue;
            }
            const Atom& atom = event.atom;
            const std::size_t f = index(atom.variable);
            const std::string& name = schema_.features[f].name;
            const double x = TRY(number_compared(event, name));
            const FeatureCounts& counts = counts_.features[f];
            const bool equal = atom.compare == Compare::equal;
            if (!counts.is_normal()) {
                if (!equal)
                    return Fault{
                        .code = "E-QUERY",
                        .message = fmt::format("{} is cut into bins: it is known by a value, {} = {}", name, name, atom.values[0].text()),
                        .origin = atom.origin};
                kept.push_back(event_equal(atom.variable, (*counts.values)[bin_of(x, counts.cuts)], atom.origin));
                continue;
            }
            if (target || (!equal && !is_order(atom.compare))) return one_number(name, atom.origin);
            if (!equal) {
                ranges.push_back(event);
                continue;
            }
            if (const auto said = value_of(atom.variable); said != known.end()) {
                if (!meets(*said, atom)) return contradiction(*said, event, variables_);
                continue;
            }
            known.push_back(event);
            std::vector<double> logs(labels, 0);
            for (std::size_t c = 0; c < labels; ++c)
                if (auto d = normal(f, c)) logs[c] = (*d)->log_pdf(Number::real(x));
            TRY(weigh(logs, std::span(&event, 1)));
        }
        for (const auto& group : by_variable(ranges)) {
            if (const auto said = value_of(group[0].atom.variable); said != known.end()) {
                for (const auto& range : group)
                    if (!meets(*said, range.atom)) return contradiction(*said, range, variables_);
                continue;
            }
            std::vector<double> logs(labels, 0);
            for (std::size_t c = 0; c < labels; ++c) {
                auto d = normal(index(group[0].atom.variable), c);
                if (!d) continue;
                auto share = TRY(share_of_ranges(**d, group));
                logs[c] = std::log(share.real());
            }
            TRY(weigh(logs, group));
        }
        events = std::move(kept);
    }
    return out;
}

/// P(X | e) of a normal column: the normals of the classes, weighed by P(class | e).
Result<DistributionPtr> NaiveBayesModel::number_given(std::size_t feature, const Query& query, Run& run) const {
    Query classes = query;
    classes.targets = {};
    classes.targets.free = {static_cast<VarId>(schema_.features.size())};
    classes.goal = Goal::probability;
    auto answer = TRY(ask(classes, run));
    const auto& shares = std::get<Factor>(answer.value);
    std::vector<Number> weights;
    std::vector<DistributionPtr> parts;
    for (std::size_t c = 0; c < counts_.classes.size(); ++c) {
        if (shares.at(c).is_zero()) continue;
        auto d = normal(feature, c);
        if (!d) return d;
        weights.push_back(shares.at(c));
        parts.push_back(*d);
    }
    if (parts.size() == 1) return parts[0];
    return make_mixture(std::move(weights), std::move(parts));
}

/// P(T, x < 3 | e) = Σ_c P(T, c | e) · P(x < 3 | c): given the class, a number is independent of all the rest.
Result<Answer> NaiveBayesModel::ask_ranges(Query query, std::span<const Event> ranges, Run& run) const {
    const auto target = static_cast<VarId>(schema_.features.size());
    std::vector<Number> shares(counts_.classes.size(), Number(1));
    for (const auto& group : by_variable(ranges))
        for (std::size_t c = 0; c < shares.size(); ++c) {
            auto d = TRY(normal(index(group[0].atom.variable), c));
            auto share = TRY(share_of_ranges(*d, group));
            shares[c] = shares[c] * share;
        }
    const Factor by_class = Factor::of_numbers({variables_[index(target)].variable}, shares);
    const auto has = [&](const std::vector<VarId>& free) { return contains(free, target); };
    const bool summed = !has(query.targets.free) && !has(query.given.free);
    const bool most_probable = query.goal == Goal::most_probable;
    query.goal = Goal::probability;
    if (summed) query.targets.free.push_back(target);

    Answer out;
    out.engine = kind();
    out.exact = false;
    Factor joint;
    if (query.targets.free.empty() && query.targets.events.empty()) {  // P(x < 3 | class, …)
        std::vector<Variable> over;
        for (const auto id : query.given.free) over.push_back(variables_[index(id)].variable);
        std::size_t size = 1;
        for (const auto& v : over) size *= v.size();
        joint = Factor(std::move(over), Factor::Real(size, 1.0));
    } else {
        auto answer = ask(query, run);
        if (!answer) return answer;
        joint = std::get<Factor>(std::move(answer->value));
    }
    auto weighed = TRY(combine(joint, by_class, [](const Number& p, const Number& q) -> Result<Number> { return p * q; }));
    Factor table = std::move(weighed);
    if (summed) table = sum_out(table, *table.find(schema_.target.name));
    if (table.variables().empty()) {
        out.value = table.at(0);
    } else if (most_probable && query.given.free.empty()) {
        const Extreme best = argmax(table);
        Assignment most{{}, table.at(best.entry), best.ties.size()};
        const auto labels = table.labels(best.entry);
        for (std::size_t v = 0; v < labels.size(); ++v) most.values.emplace_back(table.variables()[v], labels[v]);
        out.value = std::move(most);
    } else {
        out.value = std::move(table);
    }
    return out;
}

/// A row of data, with the densities of its numbers.
Result<Answer> NaiveBayesModel::density_of_row(const Query& row, Run& run) const {
    Query rest = row;
    rest.targets.events.clear();
    std::vector<Event> numbers;
    for (const auto& event : row.targets.events) {
        const auto v = index(event.atom.variable);
        (v < schema_.features.size() && counts_.features[v].is_normal() ? numbers : rest.targets.events).push_back(event);
    }
    return numbers.empty() ? ask(row, run) : ask_ranges(std::move(rest), numbers, run);
}

Result<Answer> NaiveBayesModel::ask(const Query& query, Run& run) const {
    if (!query.targets.data.empty()) return ask_rows(*this, query, run, {}, [&](const Query& row) { return density_of_row(row, run); });
    const auto told = [&](std::variant<Number, Factor, DistributionPtr, Assignment> value) {
        Answer out;
        out.value = std::move(value);
        out.engine = kind();
        out.exact = false;
        return out;
    };
    // Given the class a number is independent of all others, but not of itself.
    std::vector<VarId> asked = query.targets.free;
    for (const auto& event : query.targets.events)
        for (const auto id : variables_of(event)) asked.push_back(id);
    for (const auto& event : query.given.events)
        for (const auto id : variables_of(event))
            if (index(id) < schema_.features.size() && counts_.features[index(id)].is_normal() && contains(asked, id))
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is real-valued and is on both sides of |", schema_.features[index(id)].name),
                             .origin = event.origin,
                             .hint = "P(a < x, x < b) / P(a < x) is the same"};
    for (const auto id : query.targets.free) {
        if (index(id) >= schema_.features.size() || !counts_.features[index(id)].is_normal()) continue;
        const auto& targets = query.targets;
        if (targets.free.size() > 1 || !targets.events.empty() || !query.given.free.empty())
            return Fault{.code = "E-QUERY",
                         .message = fmt::format("{} is real-valued and must be the only target: P({} | …)",
                                                schema_.features[index(id)].name, schema_.features[index(id)].name),
                         .origin = query.origin};
        auto d = TRY(number_given(index(id), query, run));
        return told(std::move(d));
    }
    std::vector<Event> ranges;
    Query rest = query;
    rest.targets.events.clear();
    for (const auto& event : conjuncts(query.targets.events)) {
        const bool normal = event.kind == Event::Kind::atom && is_order(event.atom.compare) &&
                            index(event.atom.variable) < schema_.features.size() &&
                            counts_.features[index(event.atom.variable)].is_normal() && event.atom.values[0].number();
        (normal ? ranges : rest.targets.events).push_back(event);
    }
    if (!ranges.empty()) return ask_ranges(std::move(rest), ranges, run);
    auto discrete = TRY(without_numbers(query));
    auto answer = net_->ask(discrete, run);
    if (answer) {
        answer->engine = kind();
        answer->counts.clear();
    }
    return answer;
}

Result<TablePtr> NaiveBayesModel::sample(std::size_t n, const Clause& given, Run& run) const {
    Query query;
    query.given = given;
    auto discrete = TRY(without_numbers(query));
    auto drawn = net_->sample(n, discrete.given, run);
    if (!drawn) return drawn;
    Table out = **drawn;
    Rng rng = run.rng.child("numbers");
    for (std::size_t f = 0; f < schema_.features.size(); ++f) {
        if (!counts_.features[f].is_normal()) continue;
        auto column = std::make_shared<Column>();
        column->name = schema_.features[f].name;
        column->kind = ColumnKind::numeric;
        column->real = true;
        const Column& target = *out.columns.back();
        for (std::size_t r = 0; r < n; ++r) {
            auto d = TRY(normal(f, *schema_.target.domain->find(target.label(r))));
            column->values.push_back(std::get<Number>(d->sample(rng)).real());
        }
        out.columns[f] = std::move(column);
    }
    out.target = out.columns.size() - 1;
    return std::make_shared<const Table>(std::move(out));
}

}  // namespace credence::rt
