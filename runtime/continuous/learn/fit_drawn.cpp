#include "runtime/continuous/learn/fit_drawn.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/linalg.hpp"
#include "runtime/latent/mixture_step.hpp"

namespace credence::rt::continuous {

namespace {

double spread_of(std::span<const double> values) {
    double mean = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    double squares = 0;
    for (const double v : values) squares += (v - mean) * (v - mean) / static_cast<double>(values.size());
    return squares > 0 ? std::sqrt(squares) : 1;
}

/// y = c + Σ f_k h_k + noise of standard deviation s, where s is known or a hole of its own: least squares, weighted by 1/s².
class NormalFit final : public DrawnFit {
public:
    NormalFit(const ContinuousNet& net, std::size_t node, const LearningRows& rows, const RowValues& value, double least_spread)
        : logarithm_(net.nodes[node].family == Family::lognormal) {
        const Term& mean = net.nodes[node].parameters[0];
        const Term& sd = net.nodes[node].parameters[1];
        mean_holes_ = holes_of(mean, net.nodes.size());
        sd_holes_ = holes_of(sd, net.nodes.size());
        std::vector<double> holes(net.holes, 0.0);
        factors_ = Matrix(rows.completions(), mean_holes_.size());
        for (std::size_t i = 0; i < rows.completions(); ++i) {
            const auto cells = rows.completion(i);
            const double x = cells[node];
            y_.push_back(logarithm_ ? std::log(x) : x);
            const double constant = value(mean, cells, holes);
            base_.push_back(constant);
            for (std::size_t k = 0; k < mean_holes_.size(); ++k) {
                holes[mean_holes_[k]] = 1;
                factors_(i, k) = value(mean, cells, holes) - constant;
                holes[mean_holes_[k]] = 0;
            }
            // Which hole is its spread? The one that the spread follows.
            known_sd_.push_back(value(sd, cells, holes));
            sd_of_.push_back(none);
            for (const auto h : sd_holes_) {
                holes[h] = 1;
                if (value(sd, cells, holes) != known_sd_.back()) sd_of_.back() = h;
                holes[h] = 0;
            }
        }
        floor_ = least_spread * spread_of(y_);
    }

    void maximise(std::span<const double> r, std::vector<double>& holes) const override {
        constexpr int most_rounds = 100;  // one is enough where there is a single spread: it does not move the mean
        const bool single = sd_holes_.empty() || (sd_holes_.size() == 1 && std::all_of(sd_of_.begin(), sd_of_.end(),
                                                                                       [&](std::size_t h) { return h == sd_holes_[0]; }));
        for (int round = 0; round < (single ? 1 : most_rounds); ++round) {
            const std::vector<double> before = holes;
            fit_mean(r, holes);
            fit_spread(r, holes);
            double moved = 0;
            for (std::size_t h = 0; h < holes.size(); ++h)
                moved = std::max(moved, std::abs(holes[h] - before[h]) / (1 + std::abs(holes[h])));
            if (moved < 1e-12) break;
        }
    }

    void add_log_densities(std::span<const double> holes, std::span<double> out) const override {
        static const double log_root = std::log(2 * std::numbers::pi) / 2;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double s = spread(i, holes);
            const double z = residual(i, holes) / s;
            out[i] += -z * z / 2 - std::log(s) - log_root - (logarithm_ ? y_[i] : 0);
        }
    }

    bool at_bound(std::span<const double> holes) const override {
        return std::any_of(sd_holes_.begin(), sd_holes_.end(), [&](std::size_t h) { return holes[h] <= floor_ * (1 + 1e-9); });
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    double spread(std::size_t i, std::span<const double> holes) const { return sd_of_[i] == none ? known_sd_[i] : holes[sd_of_[i]]; }
    double residual(std::size_t i, std::span<const double> holes) const {
        double out = y_[i] - base_[i];
        for (std::size_t k = 0; k < mean_holes_.size(); ++k) out -= factors_(i, k) * holes[mean_holes_[k]];
        return out;
    }

    void fit_mean(std::span<const double> r, std::vector<double>& holes) const {
        if (mean_holes_.empty()) return;
        Matrix x(y_.size(), mean_holes_.size());
        std::vector<double> y(y_.size());
        for (std::size_t i = 0; i < y_.size(); ++i) {
            const double w = std::sqrt(r[i]) / spread(i, holes);
            for (std::size_t k = 0; k < mean_holes_.size(); ++k) x(i, k) = w * factors_(i, k);
            y[i] = w * (y_[i] - base_[i]);
        }
        const auto found = minimum_norm_least_squares(x, y);
        for (std::size_t k = 0; k < mean_holes_.size(); ++k) holes[mean_holes_[k]] = found[k];
    }

    void fit_spread(std::span<const double> r, std::vector<double>& holes) const {
        for (const auto h : sd_holes_) {
            double n = 0;
            double squares = 0;
            for (std::size_t i = 0; i < y_.size(); ++i) {
                if (sd_of_[i] != h) continue;
                const double e = residual(i, holes);
                n += r[i];
                squares += r[i] * e * e;
            }
            if (n > 0) holes[h] = std::max(floor_, std::sqrt(squares / n));
        }
    }

    bool logarithm_;
    std::vector<std::size_t> mean_holes_;
    std::vector<std::size_t> sd_holes_;
    std::vector<double> y_;
    std::vector<double> base_;
    Matrix factors_;
    std::vector<double> known_sd_;
    std::vector<std::size_t> sd_of_;
    double floor_ = 0;
};

/// Families whose parameters are numbers or holes: rows with the same ones together, each group by its family's own formula.
class GroupedFit final : public DrawnFit {
public:
    struct Group {
        MixturePart part;
        std::vector<std::size_t> holes;  ///< by parameter; `none`: known
        MixtureData data;
        std::vector<std::size_t> completions;
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    static Result<std::unique_ptr<DrawnFit>> make(const ContinuousNet& net, std::size_t v, const LearningRows& rows,
                                                  const RowValues& value) {
        const auto& node = net.nodes[v];
        const FamilyInfo* family = &*node.family;
        auto out = std::make_unique<GroupedFit>();
        std::map<std::vector<double>, std::size_t> known;  // numbers, and holes as NaN-free marks: hole h is (1, h), a number (0, x)
        std::vector<double> holes(net.holes, 0.0);
        for (std::size_t i = 0; i < rows.completions(); ++i) {
            const auto cells = rows.completion(i);
            std::vector<double> key;
            for (const auto& term : node.parameters) {
                const double constant = value(term, cells, holes);
                std::size_t hole = none;
                for (const auto h : holes_of(term, net.nodes.size())) {
                    holes[h] = 1;
                    if (value(term, cells, holes) != constant) hole = h;
                    holes[h] = 0;
                }
                key.push_back(hole == none ? 0 : 1);
                key.push_back(hole == none ? constant : static_cast<double>(hole));
            }
            if (!family->covers(cells[v]))
                return Fault{
                    .code = "E-TRAIN",
                    .message = fmt::format("{} is {:.6g} in a row, and {}(…) never gives that", node.variable.name, cells[v], family->name),
                    .origin = node.origin};
            const auto [at, fresh] = known.emplace(key, out->groups_.size());
            if (fresh) {
                Group group;
                group.part.family = family;
                for (std::size_t p = 0; p < node.parameters.size(); ++p) {
                    const bool open = key[2 * p] == 1;
                    group.holes.push_back(open ? static_cast<std::size_t>(key[2 * p + 1]) : none);
                    group.part.parameters.push_back(open ? std::nullopt : std::optional(Number::real(key[2 * p + 1])));
                    if (open && std::any_of(out->groups_.begin(), out->groups_.end(),
                                            [&](const Group& g) { return contains(g.holes, group.holes.back()); }))
                        return Fault{
                            .code = "E-HOLE",
                            .message = fmt::format("a ? of {} is shared by rows whose other parameters differ", node.variable.name),
                            .origin = node.origin,
                            .hint = "write the same if … then … else … in every parameter"};
                }
                out->groups_.push_back(std::move(group));
            }
            Group& group = out->groups_[at->second];
            group.data.values.push_back(cells[v]);
            group.data.weights.push_back(1);
            group.completions.push_back(i);
        }
        for (auto& group : out->groups_) {
            group.data.total = static_cast<double>(group.completions.size());
            group.data.sd = spread_of(group.data.values);
            std::vector<double> logs;
            for (const double x : group.data.values)
                if (x > 0) logs.push_back(std::log(x));
            if (!logs.empty()) group.data.log_sd = spread_of(logs);
        }
        return std::unique_ptr<DrawnFit>(std::move(out));
    }

    void maximise(std::span<const double> r, std::vector<double>& holes) const override {
        for (const auto& group : groups_) {
            auto theta = parameters_of(group, holes);
            std::vector<double> own;
            for (const auto i : group.completions) own.push_back(r[i]);
            rt::maximise(group.part, group.data, own, theta);
            for (std::size_t p = 0; p < theta.size(); ++p)
                if (group.holes[p] != none) holes[group.holes[p]] = theta[p];
        }
    }

    void add_log_densities(std::span<const double> holes, std::span<double> out) const override {
        for (const auto& group : groups_) {
            std::vector<double> logs(group.completions.size());
            log_densities(group.part, parameters_of(group, holes), group.data, logs);
            for (std::size_t k = 0; k < logs.size(); ++k) out[group.completions[k]] += logs[k];
        }
    }

    bool at_bound(std::span<const double> holes) const override {
        return std::any_of(groups_.begin(), groups_.end(),
                           [&](const Group& g) { return rt::at_bound(g.part, g.data, parameters_of(g, holes)); });
    }

private:
    static std::vector<double> parameters_of(const Group& group, std::span<const double> holes) {
        std::vector<double> out;
        for (std::size_t p = 0; p < group.holes.size(); ++p)
            out.push_back(group.holes[p] == none ? group.part.parameters[p]->real() : holes[group.holes[p]]);
        return out;
    }

    std::vector<Group> groups_;
};

}  // namespace

RowValues::RowValues(const ContinuousNet& net) : nodes_(net.nodes.size()) {
    for (const auto& node : net.nodes) {
        domains_.push_back(node.variable.domain);
        numbers_.emplace_back();
        for (std::size_t k = 0; node.variable.domain && k < node.variable.domain->size(); ++k) {
            const Label& label = (*node.variable.domain)[k];
            numbers_.back().push_back(label.is_number() ? label.number()->real() : label.text() == "true" ? 1 : 0);
        }
    }
}

double RowValues::operator()(const Term& term, std::span<const double> cells, std::span<const double> holes) const {
    return evaluate(term, [&](const TermNode& leaf) {
        const std::size_t v = index(leaf.variable);
        if (v >= nodes_) return holes[v - nodes_];
        if (!domains_[v]) return cells[v];
        const auto code = static_cast<std::size_t>(cells[v]);
        if (leaf.op == TermOp::is) return (*domains_[v])[code] == leaf.label ? 1.0 : 0.0;
        return numbers_[v][code];
    });
}

Result<std::unique_ptr<DrawnFit>> make_drawn_fit(const ContinuousNet& net, std::size_t node, const LearningRows& rows,
                                                 const RowValues& value, double least_spread) {
    const auto& n = net.nodes[node];
    if (!is_normal(n.family)) return GroupedFit::make(net, node, rows, value);
    if (n.family == Family::lognormal)
        for (std::size_t i = 0; i < rows.completions(); ++i)
            if (!(rows.completion(i)[node] > 0))
                return Fault{.code = "E-TRAIN",
                             .message = fmt::format("{} is {:.6g} in a row, and lognormal(…) never gives that", n.variable.name,
                                                    rows.completion(i)[node]),
                             .origin = n.origin};
    return std::unique_ptr<DrawnFit>(std::make_unique<NormalFit>(net, node, rows, value, least_spread));
}

Status add_known_densities(const ContinuousNet& net, std::size_t v, const LearningRows& rows, const RowValues& value,
                           std::span<double> out) {
    const auto& node = net.nodes[v];
    std::vector<Number> numbers(node.parameters.size());
    for (std::size_t i = 0; i < rows.completions(); ++i) {
        const auto cells = rows.completion(i);
        for (std::size_t p = 0; p < numbers.size(); ++p) numbers[p] = Number::real(value(node.parameters[p], cells, {}));
        auto d = make_distribution(node.family, numbers, node.labels);
        if (!d) {
            Fault fault = std::move(d).fault();
            fault.origin = node.origin;
            return fault;
        }
        const DomainPtr& domain = node.variable.domain;
        const bool label = domain && (*d)->support() == Support::labels;
        const Number number = domain && !label ? *(*domain)[static_cast<std::size_t>(cells[v])].number() : Number::real(cells[v]);
        out[i] += (*d)->log_pdf(label ? Outcome((*domain)[static_cast<std::size_t>(cells[v])]) : Outcome(number));
    }
    return Done{};
}

}  // namespace credence::rt::continuous
