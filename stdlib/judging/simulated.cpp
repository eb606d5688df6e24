// calibrate: whether posteriors find the parameters that made the data.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/judge/simulated_calibration.hpp"
#include "stdlib/judging/judging.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

/// The variables of these names; the name of a plate stands for all of its own.
Result<std::vector<rt::VarId>> variables_named(CallContext& c, const rt::Model& model, const std::vector<std::string>& names) {
    std::vector<rt::VarId> out;
    const auto& variables = model.variables();
    for (const auto& name : names) {
        const std::size_t before = out.size();
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const auto& own = variables[i].variable.name;
            if (!variables[i].next && (own == name || own.starts_with(name + "["))) out.push_back(static_cast<rt::VarId>(i));
        }
        if (out.size() == before)
            return Fault{.code = "E-VARIABLE", .message = fmt::format("the model has no variable {}", name), .origin = c.argument(2)};
    }
    return out;
}

Value summary_of(const rt::SimulatedCalibration& calibration, std::vector<double>& chances) {
    rt::ColumnBuilder names("variable");
    std::vector<rt::Number> means;
    std::vector<rt::Number> ps;
    for (std::size_t k = 0; k < calibration.parameters.size(); ++k) {
        names.add(rt::Label::of_text(calibration.parameters[k]));
        double sum = 0;
        for (const auto rank : calibration.ranks[k]) sum += static_cast<double>(rank);
        means.push_back(rt::Number::real(sum / static_cast<double>(calibration.ranks[k].size() * calibration.draws)));
        chances.push_back(rt::uniformity(calibration.ranks[k], calibration.draws));
        ps.push_back(rt::Number::real(chances.back()));
    }
    return table_of_columns({*std::move(names).finish(rt::ColumnKind::label), number_column("mean_rank", means), number_column("p", ps)});
}

void note_unlikely(CallContext& c, const rt::SimulatedCalibration& calibration, const std::vector<double>& chances) {
    std::vector<std::string> unlikely;
    const double limit = 0.01 / static_cast<double>(chances.size());
    for (std::size_t k = 0; k < chances.size(); ++k)
        if (chances[k] < limit) unlikely.push_back(fmt::format("{} (p = {:.2g})", calibration.parameters[k], chances[k]));
    if (!unlikely.empty())
        c.note(fmt::format("the ranks of {} are not uniform: its posterior is not the one that the model implies",
                           rt::joined(unlikely, ", ")));
}

}  // namespace

void add_simulated(Registry& r) {
    r.add(bind(
        {judging_subject,
         "calibrate",
         {{"model"}, {"n", "99"}, {"observe", "what nothing depends on"}, {"draws", "99"}},
         "Simulation-based calibration: n times, all variables of a net are drawn, those in `observe` are taken as data, and the rank of "
         "each other number among draws of its posterior is noted. The ranks are uniform where the sampler and the model are right. "
         ".summary "
         "is a table of the parameters with their mean rank (from 0 to 1) and the p-value of a chi-squared test; .ranks has a column for "
         "each "
         "parameter and a row for each simulation.",
         "columns(calibrate(Weighing, 10).summary) == [\"variable\", \"mean_rank\", \"p\"]"},
        +[](CallContext& c, ModelValue m, std::optional<Count> n, std::optional<VariableNames> observe,
            std::optional<Count> draws) -> Result<Value> {
            auto data = rt::leaves_of(*m.model);
            if (observe) data = TRY(variables_named(c, *m.model, observe->texts));
            if (data.empty())
                return Fault{.code = "E-QUERY",
                             .message = "it is not known which variables are data",
                             .origin = c.argument(0),
                             .hint = "name them: calibrate(Model, 99, observe: y)"};
            const std::size_t simulations = std::max<std::size_t>(10, n ? n->value : 99);
            rt::Run run = judging_run(c);
            const auto found =
                rt::simulate_calibration(m.model, data, simulations, std::max<std::size_t>(9, draws ? draws->value : 99), run);
            if (!found) return placed(rt::Fault(found.fault()), c.argument(0));
            std::vector<double> chances;
            Record out;
            out.entries.emplace_back("summary", summary_of(*found, chances));
            std::vector<rt::ColumnPtr> columns;
            for (std::size_t k = 0; k < found->parameters.size(); ++k) {
                std::vector<rt::Number> ranks;
                for (const auto rank : found->ranks[k]) ranks.push_back(rt::Rational(static_cast<std::int64_t>(rank)));
                columns.push_back(number_column(found->parameters[k], ranks));
            }
            out.entries.emplace_back("ranks", table_of_columns(std::move(columns)));
            note_unlikely(c, *found, chances);
            return Value::record(std::move(out));
        }));
}

}  // namespace credence::std_
