#include "runtime/latent/mixture_data.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/bits.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

double spread_of(std::span<const double> values, std::span<const double> weights) {
    double n = 0;
    double mean = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        n += weights[i];
        mean += (values[i] - mean) * weights[i] / n;
    }
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) squares += weights[i] * (values[i] - mean) * (values[i] - mean);
    const double sd = n > 0 ? std::sqrt(squares / n) : 0;
    return sd > 0 && std::isfinite(sd) ? sd : 1;
}

bool over_labels(const Mixture& mixture) {
    const auto& part = mixture.parts[0];
    return part.shares_hole || (part.given ? part.given->support() : part.family->support) == Support::labels;
}

}  // namespace

bool MixtureDataBuilder::add(double value, double weight, std::int32_t component) {
    const auto group = static_cast<std::size_t>(component + 1);
    if (group >= seen_.size()) seen_.resize(group + 1);
    const auto [at, fresh] = seen_[group].emplace(bits_of(value + 0.0), data_.values.size());
    if (fresh) {
        data_.values.push_back(value + 0.0);
        data_.weights.push_back(0);
        if (components_seen_) data_.known.push_back(component);
    }
    data_.weights[at->second] += weight;
    data_.value_of_row.push_back(at->second);
    data_.total += weight;
    return fresh;
}

bool MixtureData::complete() const { return !known.empty() && !contains(known, -1); }

MixtureData MixtureDataBuilder::finish(DomainPtr domain) && {
    MixtureData out = std::move(data_);
    out.domain = std::move(domain);
    if (out.domain) return out;
    out.sd = spread_of(out.values, out.weights);
    std::vector<double> logs;
    std::vector<double> log_weights;
    for (std::size_t i = 0; i < out.values.size(); ++i)
        if (out.values[i] > 0) {
            logs.push_back(std::log(out.values[i]));
            log_weights.push_back(out.weights[i]);
        }
    out.log_sd = spread_of(logs, log_weights);
    return out;
}

namespace {

void add_if_new(std::vector<Label>& all, const Label& label) {
    if (!contains(all, label)) all.push_back(label);
}

/// The labels that its declaration names.
std::vector<Label> labels_of_parts(const Mixture& mixture) {
    std::vector<Label> out;
    for (const auto& part : mixture.parts) {
        DomainPtr own = part.given ? part.given->finite_values() : nullptr;
        if (part.family == &bernoulli_family) own = boolean_domain();
        for (std::size_t i = 0; own && i < own->size(); ++i) add_if_new(out, (*own)[i]);
    }
    return out;
}

/// The component of a row, 0 for the first, where the column says it.
Result<std::int32_t> component_in(const Column& column, std::size_t row, const Mixture& mixture) {
    const auto number = column.label(row).number();
    const auto whole = number && number->is_exact() ? number->exact().to_int64() : std::nullopt;
    if (!whole || *whole < 1 || static_cast<std::size_t>(*whole) > mixture.parts.size())
        return Fault{.code = "E-LABEL",
                     .message = fmt::format("row {} has the component {}, and {} has 1 to {}", row + 1, column.label(row).text(),
                                            mixture.name, mixture.parts.size())};
    return static_cast<std::int32_t>(*whole - 1);
}

}  // namespace

Result<MixtureData> mixture_data(const Mixture& mixture, const TableView& rows, std::span<const double> weights, Run& run) {
    const Table& table = *rows.table;
    const auto hidden = table.find("component");  // where it was seen after all
    auto found = table.find("x");
    if (!found && table.columns.size() == (hidden ? 2U : 1U)) found = hidden && *hidden == 0 ? 1 : 0;
    if (found == hidden) found.reset();
    if (!found)
        return Fault{.code = "E-COLUMN",
                     .message = fmt::format("{} learns from a column x, and the table has none", mixture.name),
                     .hint = "give the column itself: train … on t.Column"};
    const Column& column = *table.columns[*found];
    const bool labels = over_labels(mixture);
    if (!labels && column.kind == ColumnKind::label)
        return Fault{.code = "E-TYPE", .message = fmt::format("{} is over numbers, and {} has labels", mixture.name, column.name)};
    DomainPtr domain;
    const bool boolean = std::any_of(mixture.parts.begin(), mixture.parts.end(), [](const auto& part) {
        return part.given ? find_family(part.given->name()) == &bernoulli_family : part.family == &bernoulli_family;
    });
    const auto cell = [&](std::size_t row) {  // as numbers, true and false are 1 and 0
        const Label label = column.label(row);
        const auto number = boolean ? label.number() : std::nullopt;
        return number && (*number == Number(1) || *number == Number(0)) ? Label::of_bool(*number == Number(1)) : label;
    };
    if (labels) {
        auto all = labels_of_parts(mixture);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!column.is_missing(rows.row(i))) add_if_new(all, cell(rows.row(i)));
        domain = make_domain(std::move(all));
    }
    MixtureDataBuilder builder(hidden.has_value());
    std::size_t missing = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = rows.row(i);
        if (column.is_missing(row)) {
            ++missing;
            continue;
        }
        const double value = labels ? static_cast<double>(*domain->find(cell(row))) : column.values[row] + 0.0;
        const double w = weights.empty() ? 1.0 : weights[i];
        std::int32_t component = -1;
        if (hidden && !table.columns[*hidden]->is_missing(row)) { component = TRY(component_in(*table.columns[*hidden], row, mixture)); }
        if (builder.add(value, w, component) && hidden && !labels && !column.real) builder.add_exact(column.number(row).exact());
    }
    if (missing > 0 && run.note)
        run.note(fmt::format("{} without a value of {} {} left out", counted(missing, "row"), column.name, missing == 1 ? "was" : "were"));
    MixtureData out = std::move(builder).finish(std::move(domain));
    if (out.values.empty()) return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no rows to learn from", mixture.name)};
    if (!labels)
        for (const double x : out.values)
            if (!std::isfinite(x)) return Fault{.code = "E-TRAIN", .message = fmt::format("{} has an infinite value", column.name)};
    return out;
}

}  // namespace credence::rt
