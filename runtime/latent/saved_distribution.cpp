#include "runtime/latent/saved_distribution.hpp"

#include <fmt/format.h>

#include "runtime/prob/declared/mixture.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

Result<Json> saved_distribution(const Distribution& d) {
    Json numbers = Json::array();
    for (const auto& p : d.parameters()) {
        if (const auto* n = std::get_if<Number>(&p.value)) {
            numbers.push_back(saved(*n));
        } else if (const auto* shares = std::get_if<std::vector<std::pair<Label, Number>>>(&p.value)) {
            Json labels = Json::array();
            for (const auto& [label, share] : *shares) {
                labels.push_back(label.text());
                numbers.push_back(saved(share));
            }
            return Json{{"family", d.name()}, {"labels", std::move(labels)}, {"parameters", std::move(numbers)}};
        } else {
            return Fault{.code = "E-FILE", .message = fmt::format("a {} inside a model is not saved", d.name())};
        }
    }
    return Json{{"family", d.name()}, {"parameters", std::move(numbers)}};
}

Result<DistributionPtr> load_distribution(const Json& json) {
    auto name = TRY(read_text(json, "family"));
    auto numbers = TRY(read_numbers(json, "parameters"));
    if (json.contains("labels")) {
        auto labels = TRY(read_domain(*json.find("labels")));
        if (labels->size() != numbers.size()) return damaged("a distribution does not have one share for each label");
        std::vector<std::pair<Label, Number>> shares;
        for (std::size_t i = 0; i < numbers.size(); ++i) shares.emplace_back((*labels)[i], numbers[i]);
        return make_categorical(std::move(shares));
    }
    const FamilyInfo* family = find_family(name);
    if (!family || !family->log_density || family->parameters.size() != numbers.size())
        return damaged(fmt::format("a distribution is not a {}", name));
    return family->make(numbers, {});
}

}  // namespace credence::rt
