#include "runtime/core/variable.hpp"

#include <algorithm>

namespace credence::rt {

namespace {

/// Long domains of ascending numbers, as grids have them, are searched by halving.
bool is_long_grid(const std::vector<Label>& labels) {
    constexpr std::size_t many = 256;
    if (labels.size() < many) return false;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!labels[i].is_number() || (i > 0 && !(labels[i - 1] < labels[i]))) return false;
    return true;
}

}  // namespace

Domain::Domain(std::vector<Label> labels) : labels_(std::move(labels)) {
    if (is_long_grid(labels_)) return;
    index_.reserve(labels_.size());
    for (std::size_t i = 0; i < labels_.size(); ++i) index_.emplace(labels_[i].text(), i);
}

std::optional<std::size_t> Domain::find(const Label& label) const {
    if (index_.empty()) {
        const auto at = std::lower_bound(labels_.begin(), labels_.end(), label);
        if (at == labels_.end() || !(*at == label)) return std::nullopt;
        return static_cast<std::size_t>(at - labels_.begin());
    }
    const auto found = index_.find(label.text());
    if (found == index_.end()) return std::nullopt;
    return found->second;
}

DomainPtr make_domain(std::vector<Label> labels) { return std::make_shared<const Domain>(std::move(labels)); }

DomainPtr boolean_domain() { return make_domain({Label::of_bool(true), Label::of_bool(false)}); }

Label truth_of_number(const Domain& domain, const Label& label) {
    if (!label.is_number() || domain.size() != 2 || !domain.find(Label::of_bool(true)) || !domain.find(Label::of_bool(false))) return label;
    const Label one = Label::of_number(1);
    return label == one || label == Label::of_number(0) ? Label::of_bool(label == one) : label;
}

}  // namespace credence::rt
