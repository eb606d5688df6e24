#include "runtime/continuous/learn/learn.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/continuous/learn/learn_problem.hpp"
#include "runtime/continuous/learn/learning_rows.hpp"
#include "runtime/core/text.hpp"
#include "runtime/latent/mixture_step.hpp"
#include "runtime/prob/distributions/truncated.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/learning/training_methods.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt::continuous {

namespace {

/// Least spread where everything was observed, as a share of the data's: a normal has one above 0.
constexpr double least_observed_spread = 1e-9;

struct RealNetOptions : TrainingOptions {
    std::vector<Number> start;
};

std::vector<Number> as_reals(std::span<const double> values) {
    std::vector<Number> out;
    for (const double v : values) out.push_back(Number::real(v));
    return out;
}

class RealNetLearner final : public Learner {
public:
    RealNetLearner(std::shared_ptr<const ContinuousNet> net, RealNetOptions options) : net_(std::move(net)), options_(std::move(options)) {}
    std::string_view name() const override { return "net"; }
    TargetKind target() const override { return TargetKind::none; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        std::vector<double> weights(row_weights.begin(), row_weights.end());
        if (!options_.counts.empty()) {
            auto counts = TRY(weights_in(rows, options_.counts));
            for (std::size_t i = 0; i < counts.size(); ++i) counts[i] *= row_weights.empty() ? 1.0 : row_weights[i];
            weights = std::move(counts);
        }
        auto read = TRY(learning_rows(*net_, rows, weights));
        const bool complete = read.complete;
        if (options_.way == TrainingWay::counting && !complete)
            return Fault{.code = "E-MISSING", .message = "counting needs every label observed", .hint = "leave `by` out, or say by em()"};
        const bool once = complete && options_.way != TrainingWay::em;
        auto problem = TRY(RealNetProblem::make(*net_, std::move(read), once ? least_observed_spread : least_component_spread));
        auto net = TRY(once ? observed(problem, rows, weights, run) : hidden(problem, run));
        return ModelPtr(make_continuous_model(std::move(net)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double>, const Model& fitted, Run&) const override {
        DerivationWriter out;
        const auto* model = dynamic_cast<const ContinuousModel*>(&fitted);
        if (!model) return std::move(out).take();
        const ContinuousNet& net = model->declared();
        std::vector<Number> rounded = net.learned;
        for (auto& n : rounded)
            if (!n.is_exact()) n = Number::real(std::stod(fmt::format("{:.6g}", n.real())));
        const ContinuousNet shown = filled(*net_, std::move(rounded));
        out.note(net.history.empty()
                     ? fmt::format("everything was observed in {} rows: the most probable numbers are found at once", rows.size())
                     : fmt::format("labels are hidden in {} rows: EM", rows.size()));
        for (std::size_t i = 0; i < net.history.size(); ++i)
            if (i < 5 || i + 3 >= net.history.size())
                out.note(fmt::format("iteration {}: ln P(data) = {:.6f}", i, net.history[i]));
            else if (i == 5)
                out.note(fmt::format("… ({} more)", net.history.size() - 8));
        const auto text = [&](const ContinuousNet& from, std::size_t v) {
            std::vector<std::string> parameters;
            for (const auto& term : from.nodes[v].parameters)
                parameters.push_back(term_text(term, [&](VarId id) {
                    return index(id) < from.nodes.size() ? from.nodes[index(id)].variable.name : std::string("?");
                }));
            return drawn_text(*from.nodes[v].family, parameters);
        };
        for (std::size_t v = 0; v < net.nodes.size(); ++v) {
            const auto& open = net_->nodes[v];
            const std::string& name = open.variable.name;
            const bool holes =
                std::any_of(open.parameters.begin(), open.parameters.end(), [&](const Term& t) { return has_holes(t, net.nodes.size()); });
            if (open.kind == ContinuousNode::Kind::table && open.table.hole)
                out.note(fmt::format("{}: shares of the {}counts", name, net.history.empty() ? "" : "expected "));
            if (!holes) continue;
            out.formula(fmt::format("{} ~ {}", name, text(*net_, v)));
            if (is_normal(open.family)) out.note("coefficients by least squares; the spread is the root of the mean squared residual");
            out.formula(fmt::format("{} ~ {}", name, text(shown, v)));
        }
        return std::move(out).take();
    }

private:
    Result<ContinuousNet> observed(const RealNetProblem& problem, const TableView& rows, std::span<const double> weights, Run& run) const {
        Learned learned = problem.beginning();
        problem.maximise(problem.rows().weights, learned);
        auto numbers = as_reals(learned.holes);
        for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
            const auto& node = net_->nodes[v];
            if (node.kind != ContinuousNode::Kind::drawn || node.family != Family::normal || run.numbers == NumberMode::real) continue;
            const auto exact = exact_mean(*net_, v, rows, weights);
            const auto holes = holes_of(node.parameters[0], net_->nodes.size());
            for (std::size_t k = 0; exact && k < holes.size(); ++k) numbers[holes[k]] = Number((*exact)[k]);
        }
        if (problem.at_bound(learned) && run.note)
            run.note(
                "a spread that was learned is 0 in these rows, and is held just above it: a number is a function of its parents there");
        ContinuousNet out = filled(*net_, std::move(numbers));
        std::size_t unseen = 0;
        for (std::size_t v = 0; v < out.nodes.size(); ++v) {
            NetNode& node = out.nodes[v].table;
            if (out.nodes[v].kind != ContinuousNode::Kind::table || !node.hole) continue;
            const auto n = problem.counts(v, problem.rows().weights);
            const std::size_t k = out.nodes[v].variable.size();
            const Rational labels(static_cast<std::int64_t>(k));
            std::vector<Rational> table(n.size());
            for (std::size_t row = 0; row * k < n.size(); ++row) {
                Rational total = options_.m;
                for (std::size_t j = 0; j < k; ++j) total += Rational::from_decimal(n[row * k + j]);
                const bool learns = row_is_hole(node, row);
                unseen += learns && total.is_zero();
                for (std::size_t j = 0; j < k; ++j) {
                    const Rational count = Rational::from_decimal(n[row * k + j]) + options_.m / labels;
                    const Number known = learns ? Number(0) : node.entry(row * k + j);
                    table[row * k + j] = !learns           ? (known.is_exact() ? known.exact() : Rational::from_decimal(known.real()))
                                         : total.is_zero() ? Rational(1) / labels
                                                           : count / total;
                }
            }
            node.table = std::move(table);
            node.hole = false;
            node.known.clear();
        }
        if (unseen > 0 && run.note)
            run.note(fmt::format("{} of the tables {} never seen in the data; all values are equally likely there", counted(unseen, "row"),
                                 unseen == 1 ? "was" : "were"));
        return out;
    }

    Result<ContinuousNet> hidden(const RealNetProblem& problem, Run& run) const {
        RealNetEm em{&problem, net_.get(), std::nullopt};
        if (!options_.start.empty()) {
            em.init = problem.beginning();
            for (std::size_t h = 0; h < options_.start.size(); ++h) em.init->holes[h] = options_.start[h].real();
        }
        EmOptions steps = options_.em;
        if (!options_.restarts && !em.init) steps.restarts = 5;
        auto best = TRY(run_em<Learned>(em, steps, run));
        if (!best.converged && run.note) run.note(fmt::format("EM stopped after {} iterations before it converged", steps.iterations));
        if (best.is_spurious && run.note)
            run.note("a spread shrank onto few rows and is held at its lower bound, because the likelihood has no maximum there");
        ContinuousNet out = filled(*net_, as_reals(best.parameters.holes));
        for (std::size_t v = 0; v < out.nodes.size(); ++v) {
            NetNode& node = out.nodes[v].table;
            if (out.nodes[v].kind != ContinuousNode::Kind::table || !node.hole) continue;
            node.table = std::move(best.parameters.tables[v]);
            node.hole = false;
            node.known.clear();
        }
        out.history = std::move(best.history);
        return out;
    }

    std::shared_ptr<const ContinuousNet> net_;
    RealNetOptions options_;
};

}  // namespace

Result<LearnerPtr> real_net_trainer(std::shared_ptr<const ContinuousNet> net, const MethodCall& by) {
    if (!net->is_open())
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} has no holes to train", net->name),
                     .origin = by.origin,
                     .hint = "write ? for what is to be learned; or give it a prior, and data are evidence: P(theta | t)"};
    RealNetOptions out{training_options(by), {}};
    if (out.init) {
        const auto* numbers = std::get_if<std::vector<Number>>(&out.init->value);
        if (!numbers || numbers->size() != net->holes)
            return Fault{.code = "E-PARAMETER",
                         .message = fmt::format("init is a list of {} numbers, one for each ? after ~ in their order", net->holes),
                         .origin = out.init->origin};
        out.start = *numbers;
    }
    return LearnerPtr(std::make_shared<const RealNetLearner>(std::move(net), std::move(out)));
}

}  // namespace credence::rt::continuous
