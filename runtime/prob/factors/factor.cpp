#include "runtime/prob/factors/factor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/configurations.hpp"
#include "runtime/core/log_prob.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

std::size_t entries_of(std::span<const Variable> variables) {
    std::size_t n = 1;
    for (const auto& v : variables) n *= v.size();
    return n;
}

/// Row-major: how far one step in a variable moves among the entries.
std::vector<std::size_t> strides_of(std::span<const Variable> variables) {
    std::vector<std::size_t> strides(variables.size());
    std::size_t step = 1;
    for (std::size_t i = variables.size(); i-- > 0;) {
        strides[i] = step;
        step *= variables[i].size();
    }
    return strides;
}

std::string label_list(const Domain& domain) {
    constexpr std::size_t shown = 12;
    std::string out;
    for (std::size_t i = 0; i < std::min(domain.size(), shown); ++i) out += (i == 0 ? "" : ", ") + domain[i].text();
    if (domain.size() > shown) out += fmt::format(" and {} more", domain.size() - shown);
    return out;
}

/// For each entry over `variables` in row-major order, calls visit(entry, offset), where offset is the sum over the
/// variables of place(variable, value).
template <class Place, class Visit>
void for_each_entry(std::span<const Variable> variables, const Place& place, const Visit& visit) {
    const std::size_t n = entries_of(variables);
    std::vector<std::size_t> value(variables.size(), 0);
    for (std::size_t entry = 0; entry < n; ++entry) {
        std::size_t offset = 0;
        for (std::size_t v = 0; v < variables.size(); ++v) offset += place(v, value[v]);
        visit(entry, offset);
        next_configuration(value, [&](std::size_t v) { return variables[v].size(); });
    }
}

/// Values of one factor laid out again: entry i of the result is old entry source[i].
Factor rearranged(const Factor& f, std::vector<Variable> variables, std::span<const std::size_t> source) {
    if (f.is_exact()) {
        Factor::Exact values;
        values.reserve(source.size());
        for (const auto s : source) values.push_back(f.exact()[s]);
        return Factor(std::move(variables), std::move(values));
    }
    Factor::Real values;
    values.reserve(source.size());
    const bool small = !f.logs().empty();
    for (const auto s : source) values.push_back(small ? f.logs()[s] : f.real()[s]);
    return small ? Factor::of_logs(std::move(variables), std::move(values)) : Factor(std::move(variables), std::move(values));
}

/// Folds one variable away: fold(total, next) over its values, or where only logarithms are left fold_logs.
template <class Fold, class FoldLogs>
Factor fold_out(const Factor& f, std::size_t variable, const Fold& fold, const FoldLogs& fold_logs) {
    assert(variable < f.variables().size());
    const std::size_t inner = strides_of(f.variables())[variable];
    const std::size_t size = f.variables()[variable].size();
    auto rest = f.variables();
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(variable));
    const auto folded = [&](const auto& values, const auto& step) {
        auto out = std::remove_cvref_t<decltype(values)>();
        out.reserve(values.size() / size);
        for (std::size_t outer = 0; outer < values.size(); outer += inner * size) {
            for (std::size_t i = 0; i < inner; ++i) {
                auto total = values[outer + i];
                for (std::size_t k = 1; k < size; ++k) step(total, values[outer + i + k * inner]);
                out.push_back(std::move(total));
            }
        }
        return out;
    };
    if (f.is_exact()) return Factor(std::move(rest), folded(f.exact(), fold));
    if (f.logs().empty()) return Factor(std::move(rest), folded(f.real(), fold));
    return Factor::of_logs(std::move(rest), folded(f.logs(), fold_logs));
}

/// ln of each entry, −∞ of 0.
Factor::Real logs_of(const Factor& f) {
    if (!f.logs().empty()) return f.logs();
    Factor::Real out;
    out.reserve(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) out.push_back(f.at(i).log());
    return out;
}

template <class Better>
Extreme extreme(const Factor& f, const Better& better) {
    Extreme out;
    const auto scan = [&](const auto& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (out.ties.empty() || better(values[i], values[out.entry])) {
                out.entry = i;
                out.ties.assign(1, i);
            } else if (values[i] == values[out.entry]) {
                out.ties.push_back(i);
            }
        }
    };
    if (f.is_exact())
        scan(f.exact());
    else
        scan(f.logs().empty() ? f.real() : f.logs());
    return out;
}

/// Where the variables of b lie in a, and how their labels map; E-LABEL if the labels differ.
struct Alignment {
    std::vector<Variable> variables;                // a's, then those only b has
    std::vector<std::size_t> b_stride;              // by variable of the result; 0: b does not have it
    std::vector<std::vector<std::size_t>> b_value;  // by variable: the value's position in b
};

Result<Alignment> align(const Factor& a, const Factor& b) {
    Alignment out;
    out.variables = a.variables();
    const auto strides = strides_of(b.variables());
    for (const auto& v : a.variables()) {
        std::vector<std::size_t> positions(v.size());
        const auto found = b.find(v.name);
        if (!found) {
            out.b_stride.push_back(0);
            out.b_value.push_back(std::move(positions));
            continue;
        }
        const Domain& other = *b.variables()[*found].domain;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto at = other.find((*v.domain)[i]);
            if (!at || other.size() != v.size()) {
                return Fault{.code = "E-LABEL",
                             .message = fmt::format("{} has different values on the two sides", v.name),
                             .label = fmt::format("here {}, there {}", label_list(*v.domain), label_list(other))};
            }
            positions[i] = *at;
        }
        out.b_stride.push_back(strides[*found]);
        out.b_value.push_back(std::move(positions));
    }
    for (std::size_t i = 0; i < b.variables().size(); ++i) {
        const auto& v = b.variables()[i];
        if (a.find(v.name)) continue;
        out.variables.push_back(v);
        out.b_stride.push_back(strides[i]);
        std::vector<std::size_t> positions(v.size());
        std::iota(positions.begin(), positions.end(), std::size_t{0});
        out.b_value.push_back(std::move(positions));
    }
    return out;
}

/// visit(entry of a, entry of b) for each entry of the result. a's variables come first, so it lies in a at entry / (entries of b's own).
template <class Visit>
void for_each_pair(const Alignment& aligned, const Factor& a, const Visit& visit) {
    const std::size_t own = entries_of(std::span(aligned.variables).subspan(a.variables().size()));
    const auto place = [&](std::size_t v, std::size_t value) { return aligned.b_stride[v] * aligned.b_value[v][value]; };
    for_each_entry(aligned.variables, place, [&](std::size_t entry, std::size_t in_b) { visit(entry / own, in_b); });
}

}  // namespace

Factor::Factor(std::vector<Variable> variables, Exact values) : variables_(std::move(variables)), values_(std::move(values)) {
    assert(exact().size() == entries_of(variables_));
}

Factor::Factor(std::vector<Variable> variables, Real values) : variables_(std::move(variables)), values_(std::move(values)) {
    assert(real().size() == entries_of(variables_));
}

Factor Factor::of_numbers(std::vector<Variable> variables, std::span<const Number> values) {
    if (std::all_of(values.begin(), values.end(), [](const Number& n) { return n.is_exact(); })) {
        Exact out;
        out.reserve(values.size());
        for (const auto& n : values) out.push_back(n.exact());
        return Factor(std::move(variables), std::move(out));
    }
    Real out;
    out.reserve(values.size());
    for (const auto& n : values) out.push_back(n.real());
    return Factor(std::move(variables), std::move(out));
}

Factor Factor::of_logs(std::vector<Variable> variables, Real logs) {
    Real values;
    values.reserve(logs.size());
    for (const double log : logs) values.push_back(std::exp(log));
    Factor out(std::move(variables), std::move(values));
    for (std::size_t i = 0; i < logs.size(); ++i)
        if (std::isfinite(logs[i]) && out.real()[i] < std::numeric_limits<double>::min()) {
            out.logs_ = std::move(logs);
            break;
        }
    return out;
}

Factor Factor::over(std::vector<Variable> variables) const {
    assert(entries_of(variables) == size());
    Factor out = *this;
    out.variables_ = std::move(variables);
    return out;
}

std::size_t Factor::size() const { return is_exact() ? exact().size() : real().size(); }

Number Factor::at(std::size_t entry) const { return is_exact() ? Number(exact()[entry]) : Number::real(real()[entry]); }

std::vector<double> Factor::doubles() const {
    if (!is_exact()) return real();
    std::vector<double> out;
    out.reserve(size());
    for (const auto& value : exact()) out.push_back(value.to_double());
    return out;
}

std::vector<Label> Factor::labels(std::size_t entry) const {
    std::vector<Label> out(variables_.size());
    for (std::size_t v = variables_.size(); v-- > 0;) {
        out[v] = (*variables_[v].domain)[entry % variables_[v].size()];
        entry /= variables_[v].size();
    }
    return out;
}

std::optional<std::size_t> Factor::find(std::string_view variable) const {
    for (std::size_t i = 0; i < variables_.size(); ++i)
        if (variables_[i].name == variable) return i;
    return std::nullopt;
}

Result<Factor> combine(const Factor& a, const Factor& b, const std::function<Result<Number>(const Number&, const Number&)>& op) {
    auto aligned = TRY(align(a, b));
    std::vector<Number> values;
    std::optional<Fault> failed;
    for_each_pair(aligned, a, [&](std::size_t in_a, std::size_t in_b) {
        if (failed) return;
        auto value = op(a.at(in_a), b.at(in_b));
        if (value)
            values.push_back(*std::move(value));
        else
            failed = std::move(value).fault();
    });
    if (failed) return *std::move(failed);
    return Factor::of_numbers(std::move(aligned.variables), values);
}

Attempt<Factor> combine_logs(const Factor& a, const Factor& b, LogStep step) {
    auto aligned = TRY(align(a, b));
    const auto negative = [](const Factor& f) { return min_entry(f).sign() < 0; };
    const auto of_a = logs_of(a);
    const auto of_b = logs_of(b);
    const bool by_zero = step == LogStep::divide && std::any_of(of_b.begin(), of_b.end(), [](double log) { return std::isinf(log); });
    if (negative(a) || negative(b) || by_zero) return not_applicable;
    Factor::Real logs;
    for_each_pair(aligned, a, [&](std::size_t in_a, std::size_t in_b) {
        logs.push_back(step == LogStep::multiply ? of_a[in_a] + of_b[in_b] : of_a[in_a] - of_b[in_b]);
    });
    return Factor::of_logs(std::move(aligned.variables), std::move(logs));
}

Result<Factor> map_entries(const Factor& f, const std::function<Result<Number>(const Number&)>& op) {
    std::vector<Number> values;
    values.reserve(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        auto value = TRY(op(f.at(i)));
        values.push_back(std::move(value));
    }
    return Factor::of_numbers(f.variables(), values);
}

Number sum(const Factor& f) {
    if (f.is_exact()) return std::accumulate(f.exact().begin(), f.exact().end(), Rational(0));
    return Number::real(std::accumulate(f.real().begin(), f.real().end(), 0.0));
}

Number max_entry(const Factor& f) { return f.at(argmax(f).entry); }

Number min_entry(const Factor& f) { return f.at(argmin(f).entry); }

Factor sum_out(const Factor& f, std::size_t variable) {
    return fold_out(
        f, variable, [](auto& total, const auto& next) { total += next; },
        [](double& total, double next) { total = (LogProb::of_log(total) += LogProb::of_log(next)).log(); });
}

Factor max_out(const Factor& f, std::size_t variable) {
    const auto larger = [](auto& total, const auto& next) {
        if (total < next) total = next;
    };
    return fold_out(f, variable, larger, larger);
}

Result<Factor> normalize(const Factor& f) {
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Number n = f.at(i);
        if (n.sign() < 0 || !std::isfinite(n.real())) {
            return Fault{.code = "E-NORMALIZE",
                         .message = fmt::format("cannot normalize: an entry is {}", label_text(n)),
                         .hint = "only numbers that are finite and not negative become a distribution"};
        }
    }
    if (f.is_exact()) {
        const Rational total = sum(f).exact();
        if (!total.is_zero()) {
            auto values = f.exact();
            for (auto& value : values) value /= total;
            return Factor(f.variables(), std::move(values));
        }
    } else {
        // scaled by the largest entry first: a sum of subnormal or huge numbers stays finite
        const std::size_t most = argmax(f).entry;
        const bool small = !f.logs().empty();
        if (small || f.real()[most] > 0) {
            auto values = small ? f.logs() : f.real();
            const double largest = values[most];
            for (auto& value : values) value = small ? std::exp(value - largest) : value / largest;
            const double total = std::accumulate(values.begin(), values.end(), 0.0);
            for (auto& value : values) value /= total;
            return Factor(f.variables(), std::move(values));
        }
    }
    return Fault{.code = "E-NORMALIZE",
                 .message = "cannot normalize: the entries sum to zero",
                 .hint = "a distribution needs at least one entry above zero"};
}

Result<Factor> fix_leading(const Factor& f, std::span<const Label> labels) {
    const auto& variables = f.variables();
    if (labels.size() > variables.size()) {
        return Fault{.code = "E-INDEX",
                     .message = fmt::format("{} labels for a factor over {}", labels.size(), counted(variables.size(), "variable"))};
    }
    const auto strides = strides_of(variables);
    std::size_t offset = 0;
    for (std::size_t v = 0; v < labels.size(); ++v) {
        const auto at = variables[v].domain->find(labels[v]);
        if (!at) {
            return Fault{.code = "E-LABEL",
                         .message = fmt::format("{} has no value '{}'", variables[v].name, labels[v].text()),
                         .label = "its values are " + label_list(*variables[v].domain)};
        }
        offset += *at * strides[v];
    }
    std::vector<Variable> rest(variables.begin() + static_cast<std::ptrdiff_t>(labels.size()), variables.end());
    std::vector<std::size_t> source(entries_of(rest));
    std::iota(source.begin(), source.end(), offset);
    return rearranged(f, std::move(rest), source);
}

Factor reorder(const Factor& f, std::span<const std::size_t> order) {
    assert(order.size() == f.variables().size());
    const auto strides = strides_of(f.variables());
    std::vector<Variable> variables;
    for (const auto position : order) variables.push_back(f.variables()[position]);
    std::vector<std::size_t> source(f.size());
    const auto place = [&](std::size_t v, std::size_t value) { return strides[order[v]] * value; };
    for_each_entry(variables, place, [&](std::size_t entry, std::size_t old) { source[entry] = old; });
    return rearranged(f, std::move(variables), source);
}

bool equal(const Factor& a, const Factor& b) {
    if (a.variables().size() != b.variables().size()) return false;
    for (const auto& v : a.variables())
        if (!b.find(v.name)) return false;
    const auto aligned = align(a, b);
    if (!aligned) return false;
    bool same = true;
    const bool small = !a.logs().empty() || !b.logs().empty();
    const auto of_a = small ? logs_of(a) : Factor::Real();
    const auto of_b = small ? logs_of(b) : Factor::Real();
    for_each_pair(*aligned, a, [&](std::size_t in_a, std::size_t in_b) {
        same = same && (small ? of_a[in_a] == of_b[in_b] : a.at(in_a) == b.at(in_b));
    });
    return same;
}

Extreme argmax(const Factor& f) {
    return extreme(f, [](const auto& x, const auto& best) { return best < x; });
}

Extreme argmin(const Factor& f) {
    return extreme(f, [](const auto& x, const auto& best) { return x < best; });
}

}  // namespace credence::rt
