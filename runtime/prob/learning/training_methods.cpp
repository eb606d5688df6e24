#include "runtime/prob/learning/training_methods.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

/// E-PARAMETER where an argument is none of these.
Status check_arguments(const TrainingMethod& by, std::vector<std::string> known, std::span<const std::string_view> more) {
    known.insert(known.end(), more.begin(), more.end());
    for (const auto& argument : by.arguments) {
        if (std::any_of(known.begin(), known.end(), [&](const auto& name) { return find_argument(by, name) == &argument; })) continue;
        Fault fault{.code = "E-PARAMETER",
                    .message = fmt::format("{} has no parameter '{}'", by.name, argument.name),
                    .origin = argument.origin,
                    .label = fmt::format("its parameters are {}", joined(known, ", "))};
        if (argument.name.empty()) fault.message = fmt::format("{} takes no more arguments without a name", by.name);
        if (const auto near = nearest(argument.name, known)) fault.hint = fmt::format("did you mean '{}'?", *near);
        return fault;
    }
    return Done{};
}

}  // namespace

Result<TrainingOptions> training_options(const TrainingMethod& by, std::string_view model, const MoreArguments& more) {
    TrainingOptions out;
    if (by.name.empty()) return out;
    if (by.name == "counting") {
        out.way = TrainingWay::counting;
        TRY(check_arguments(by, {"m", "counts"}, {}));
        if (const auto* argument = find_argument(by, "m")) {
            const auto* m = std::get_if<Number>(&argument->value);
            if (!m || m->sign() < 0) return Fault{.code = "E-PARAMETER", .message = "m is a number from 0 on", .origin = argument->origin};
            out.m = m->is_exact() ? m->exact() : Rational::from_decimal(m->real());
        }
    } else if (by.name == "em") {
        out.way = TrainingWay::em;
        std::vector<std::string_view> others = {"init", "counts"};
        others.insert(others.end(), more.em.begin(), more.em.end());
        out.em = TRY(em_options(by, others));
    } else if (by.name == "gradient") {
        out.way = TrainingWay::gradient;
        TRY(check_arguments(by, {"rate", "iterations", "restarts", "init", "counts"}, more.gradient));
        out.gradient = TRY(gradient_options(by));
        if (const auto* argument = find_argument(by, "restarts")) {
            const auto* n = std::get_if<Number>(&argument->value);
            const auto whole = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
            if (!whole || *whole < 1)
                return Fault{.code = "E-PARAMETER", .message = "restarts is a whole number from 1 on", .origin = argument->origin};
            out.em.restarts = static_cast<std::size_t>(*whole);
            out.em.restarts_given = true;
        }
    } else {
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} is not trained by '{}'", model, by.name),
                     .origin = by.origin,
                     .label = "it is trained by counting(m), em(…) or gradient(…)"};
    }
    if (const auto* argument = find_argument(by, "counts")) {
        const auto* column = std::get_if<std::string>(&argument->value);
        if (!column) return Fault{.code = "E-PARAMETER", .message = "counts is the name of a column", .origin = argument->origin};
        out.counts = *column;
    }
    return out;
}

std::vector<Rational> m_estimates(std::span<const Rational> counts, const Rational& m) {
    const Rational k(static_cast<std::int64_t>(counts.size()));
    Rational total = m;
    for (const auto& n : counts) total += n;
    std::vector<Rational> out;
    for (const auto& n : counts) out.push_back(total.is_zero() ? Rational(1) / k : (n + m / k) / total);
    return out;
}

void note_unseen_rows(std::size_t rows, const Run& run) {
    if (rows == 0 || !run.note) return;
    run.note(fmt::format("{} of the tables {} never seen in the data: every value alike there (by counting(m: 1) smooths all rows)",
                         counted(rows, "row"), rows == 1 ? "was" : "were"));
}

void note_unsettled(bool converged, const TrainingOptions& options, const Run& run) {
    if (options.way == TrainingWay::gradient) return note_unsettled(converged, options.gradient, run);
    if (!converged && options.em.iterations > 1 && run.note)
        run.note(fmt::format("EM stopped after {} iterations before it had settled", options.em.iterations));
}

}  // namespace credence::rt
