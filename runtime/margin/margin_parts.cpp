// What support vector machines show: each decision function, and the rows that carry it.

#include "runtime/margin/svm.hpp"
#include "runtime/prob/models/model_parts.hpp"

namespace credence::rt {

ModelParts MarginPart::margin_parts() const {
    std::vector<std::string> names;
    std::vector<double> support;
    std::vector<double> margin;
    std::vector<double> bias;
    for (std::size_t k = 0; k < margin_.machines.size(); ++k) {
        const Machine& machine = margin_.machines[k];
        names.push_back(machine_name(k));
        support.push_back(static_cast<double>(machine.support.size()));
        margin.push_back(margin_.margin(machine));
        bias.push_back(machine.bias);
    }
    ModelParts out{words_part("kernel", margin_.kernel.text())};
    PartTable machines;
    machines.names("machine", names).numbers("support_vectors", support).numbers("margin", margin).numbers("bias", bias);
    out.push_back(std::move(machines).part("machines"));
    if (margin_.kernel.kind == Kernel::Kind::linear) {
        std::vector<std::string> terms;
        for (const auto& term : margin_.terms) terms.push_back(term.name);
        PartTable weights;
        weights.names("term", terms);
        for (std::size_t k = 0; k < names.size(); ++k) weights.numbers(names.size() == 1 ? "weight" : names[k], margin_.machines[k].w);
        out.push_back(std::move(weights).part("weights"));
    }
    out.push_back(count_part("support_vectors", margin_.vectors.rows));
    if (margin_.support) out.push_back({"support", margin_.support, true});
    return out;
}

}  // namespace credence::rt
