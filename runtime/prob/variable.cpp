#include "runtime/prob/variable.hpp"

namespace credence::rt {

Domain::Domain(std::vector<Label> labels) : labels_(std::move(labels)) {
    index_.reserve(labels_.size());
    for (std::size_t i = 0; i < labels_.size(); ++i) index_.emplace(labels_[i].text(), i);
}

std::optional<std::size_t> Domain::find(const Label& label) const {
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
