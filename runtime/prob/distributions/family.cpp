#include "runtime/prob/distributions/family.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/prob/distributions/by_cases.hpp"
#include "runtime/prob/distributions/truncated.hpp"

namespace credence::rt {

namespace {

constexpr const FamilyInfo* families[] = {
#define FAMILY(name) &name##_family,
#include "runtime/prob/distributions/families.def"
#undef FAMILY
};

}  // namespace

std::span<const FamilyInfo* const> all_families() { return families; }

const FamilyInfo* find_family(std::string_view name) {
    for (const auto* info : families)
        if (info->name == name) return info;
    if (name == by_cases_family.name) return &by_cases_family;
    return find_derived_family(name);
}

bool FamilyInfo::is_learnable() const {
    return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.learnable(); });
}

std::vector<std::string_view> FamilyInfo::names() const {
    std::vector<std::string_view> out;
    for (const auto& p : parameters) out.push_back(p.name);
    return out;
}

bool FamilyInfo::covers(double x) const {
    switch (range) {
        case ValueRange::counts:
            return support != Support::integers || (x >= 0 && x == std::floor(x));
        case ValueRange::positive:
            return covers_zero ? x >= 0 : x > 0;
        case ValueRange::above:
            return x > 0;
        case ValueRange::unit:
            return x > 0 && x < 1;
        case ValueRange::circle:
            return std::abs(x) <= 3.14159265358979323846;
        case ValueRange::line:
        case ValueRange::between:
            break;
    }
    return true;
}

}  // namespace credence::rt
