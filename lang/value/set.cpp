#include <algorithm>
#include <functional>

#include "lang/value/value.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t few = 16;  // looked through one by one

std::size_t mixed(std::size_t seed, std::size_t with) {
    return (seed ^ (with + 0x9e3779b97f4a7c15 + (seed << 6U) + (seed >> 2U))) * 0xff51afd7ed558ccd;
}

/// Numbers by their nearest double, which equal numbers share, exact or not.
std::size_t hash_of(const rt::Number& n) {
    const double value = n.real();
    return std::hash<double>{}(value == 0 ? 0.0 : value);
}

/// A text that spells a number is that number's label, fractions included.
std::size_t hash_of(const rt::Label& label) {
    if (const auto number = rt::as_count(label)) return hash_of(*number);
    const std::string_view text = label.text();
    if (const auto slash = text.find('/'); slash != text.npos) {
        const auto over = rt::Label::of_text(text.substr(0, slash));
        const auto under = rt::Label::of_text(text.substr(slash + 1));
        if (over.number() && under.number() && !under.number()->is_zero()) return hash_of(*over.number() / *under.number());
    }
    return std::hash<std::string_view>{}(text);
}

std::size_t hash_of(const Value& value);

std::size_t hash_of(const List& items) {
    std::size_t out = items.size();
    for (const auto& item : items) out = mixed(out, hash_of(item));
    return out;
}

/// Records and factors over one variable are equal by their labels, whatever the order.
std::size_t hash_of(const Record& record) {
    std::size_t out = record.entries.size();
    for (const auto& [key, value] : record.entries) out += mixed(hash_of(rt::Label::of_text(key)), hash_of(value));
    return out;
}

std::size_t hash_of(const rt::Factor& factor) {
    if (factor.variables().size() != 1) return factor.variables().size();
    const auto& labels = factor.variables()[0].domain->labels();
    std::size_t out = labels.size();
    for (std::size_t i = 0; i < labels.size(); ++i) out += mixed(hash_of(labels[i]), hash_of(factor.at(i)));
    return out;
}

/// Equal values have equal hashes; kinds that sets rarely hold have one each.
std::size_t hash_of(const Value& value) {
    if (const auto* n = value.get<rt::Number>()) return hash_of(*n);
    if (const auto label = value.as_label()) return hash_of(*label);
    if (const auto* r = value.get<RecordPtr>()) return hash_of(**r);
    if (const auto* f = value.get<FactorPtr>()) return hash_of(**f);
    if (const auto* s = value.get<SetPtr>()) return (*s)->items.size();
    if (const List* items = value.items()) return hash_of(*items);
    return value.node().index();
}

}  // namespace

bool Set::contains(const Value& item) const {
    if (places.empty()) return std::any_of(items.begin(), items.end(), [&](const Value& y) { return equal(item, y); });
    const auto [first, last] = places.equal_range(hash_of(item));
    return std::any_of(first, last, [&](const auto& place) { return equal(item, items[place.second]); });
}

Value Value::set(List items) {
    Set out;
    for (auto& item : items) {
        if (out.contains(item)) continue;
        out.items.push_back(std::move(item));
        if (out.items.size() <= few) continue;
        for (std::size_t i = out.places.size(); i < out.items.size(); ++i) out.places.emplace(hash_of(out.items[i]), i);
    }
    for (const auto& item : out.items) out.extent.contain(item.extent());
    return Value(Node(std::make_shared<const Set>(std::move(out))));
}

}  // namespace credence::lang
