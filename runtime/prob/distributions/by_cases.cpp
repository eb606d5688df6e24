#include "runtime/prob/distributions/by_cases.hpp"

#include <cmath>

#include "runtime/prob/distributions/truncated.hpp"

namespace credence::rt {

namespace {

/// FNV-1a of the name: files go on meaning the same when families are added.
double code_of(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

const FamilyInfo* family_of(double code) {
    for (const auto* family : all_families()) {
        if (code_of(family->name) == code) return family;
        const auto* within = truncated_family(*family);
        if (within && code_of(within->name) == code) return within;
    }
    return nullptr;
}

/// The case that holds, in numbers: where its parameters begin and how many there are. The family is null where no case holds.
struct Chosen {
    const FamilyInfo* family = nullptr;
    std::size_t first = 0;
    std::size_t count = 0;
};

template <class At>
Chosen chosen_case(std::size_t size, At at) {
    const double which = at(0);
    std::size_t place = 1;
    for (double k = 0; place + 1 < size; ++k) {
        const auto count = static_cast<std::size_t>(at(place + 1));
        if (k == which) return {family_of(at(place)), place + 2, count};
        place += 2 + count;
    }
    return {};
}

Result<DistributionPtr> make_case(std::span<const Number> parameters, std::span<const Label> labels) {
    const Chosen chosen = chosen_case(parameters.size(), [&](std::size_t i) { return parameters[i].real(); });
    if (!chosen.family || chosen.first + chosen.count > parameters.size())
        return Fault{.code = "E-PARAMETER", .message = "there is no such case of the distribution"};
    return make_distribution(*chosen.family, parameters.subspan(chosen.first, chosen.count), labels);
}

}  // namespace

const FamilyInfo by_cases_family{.name = "by_cases", .parameters = {{"case"}}, .summary = {}, .example = {}, .make = make_case};

bool can_be_case(const FamilyInfo& family) {
    return family.support == Support::reals && family.log_density != nullptr && !family.vector &&
           family_of(code_of(family.name)) == &family;
}

std::vector<Term> parameters_of_cases(Term which, std::span<const FamilyCase> cases) {
    std::vector<Term> out{std::move(which)};
    for (const auto& one : cases) {
        out.push_back(constant_term(Number(Rational(static_cast<std::int64_t>(code_of(one.family->name))))));
        out.push_back(constant_term(Number(Rational(static_cast<std::int64_t>(one.parameters.size())))));
        out.insert(out.end(), one.parameters.begin(), one.parameters.end());
    }
    return out;
}

bool are_cases(std::span<const Term> parameters) {
    std::size_t place = 1;
    while (place + 1 < parameters.size() && is_constant(parameters[place]) && is_constant(parameters[place + 1])) {
        const auto* family = family_of(parameters[place]->value.real());
        if (!family || !can_be_case(*family) || parameters[place + 1]->value != Number(static_cast<int>(family->parameters.size())))
            return false;
        place += 2 + family->parameters.size();
    }
    return place > 1 && place == parameters.size();
}

std::vector<FamilyCase> cases_of(Family family, std::span<const Term> parameters) {
    if (family != Family(by_cases_family)) return {{family, {parameters.begin(), parameters.end()}}};
    std::vector<FamilyCase> out;
    for (std::size_t place = 1; place + 1 < parameters.size();) {
        const auto count = static_cast<std::size_t>(parameters[place + 1]->value.real());
        const auto* one = family_of(parameters[place]->value.real());
        const auto own = parameters.subspan(place + 2, count);
        if (one) out.push_back({*one, {own.begin(), own.end()}});
        place += 2 + count;
    }
    return out;
}

void settle_case(Family& family, std::vector<Term>& parameters) {
    if (family != Family(by_cases_family) || !is_constant(parameters[0])) return;
    const auto cases = cases_of(family, parameters);
    const auto which = static_cast<std::size_t>(parameters[0]->value.real());
    if (which >= cases.size()) return;
    family = cases[which].family;
    parameters = cases[which].parameters;
}

}  // namespace credence::rt
