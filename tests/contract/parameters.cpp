#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "runtime/prob/learning/learning.hpp"
#include "tests/contract/contract.hpp"
#include "tests/support/session.hpp"

namespace credence::contract {

namespace {

/// What calls may name.
const std::string world =
    "net Weather { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
    "net Weighing { load ~ normal(0, 10); for i in 1..4 { Reading[i] ~ normal(load, 1) } }\n"
    "let weighed = P(* | Reading = [1, 2, 0, 3]) in Weighing\n"
    "table sport { Sky AirTemp Humidity Wind Water Forecast -> EnjoySport\n Sunny Warm Normal Strong Warm Same -> Yes\n"
    " Sunny Warm High Strong Warm Same -> Yes\n Rainy Cold High Strong Warm Change -> No\n Sunny Warm High Strong Cool Change -> Yes\n }\n"
    "let space = conjunctions(sport)\n";

/// A required argument of that type.
std::string argument_for(const lang::Parameter& p) {
    using lang::Type;
    if (p.name == "space") return "space";
    switch (p.type) {
        case Type::number:
        case Type::quantity:
        case Type::integer:
        case Type::count:
        case Type::positive:
            return "2";
        case Type::probability:
            return "1/2";
        case Type::boolean:
            return "true";
        case Type::learner:
            return "baseline()";
        case Type::list:
        case Type::numbers:
            return "[1, 2]";
        case Type::word:
            return p.words.empty() ? "none" : p.words[0];
        case Type::option:
            return p.options.empty() ? "2" : p.options[0].name;
        case Type::model:
            return "Weather";
        case Type::table:
            return "sport";
        case Type::function:
            return "(x -> x)";
        default:
            return "words";  // text, labels, columns
    }
}

std::vector<std::string> numbers_near(const std::string& fallback, bool whole, bool share) {
    double value = 0;
    const auto parsed = std::from_chars(fallback.data(), fallback.data() + fallback.size(), value);
    const bool known = parsed.ec == std::errc() && parsed.ptr == fallback.data() + fallback.size();
    if (share) return {"0.05", "0.3", "0.5", "0.9", "0", "1"};
    if (whole) {
        if (!known) return {"1", "2", "3", "5", "20"};
        return {fmt::format("{}", value + 1),
                fmt::format("{}", value + 3),
                fmt::format("{}", std::max(1.0, value - 1)),
                fmt::format("{}", value * 10 + 2),
                "1",
                "2"};
    }
    if (!known || value == 0) return {"0.01", "0.5", "1", "2", "10"};
    return {fmt::format("{}", value * 2), fmt::format("{}", value / 2), fmt::format("{}", value * 50), fmt::format("{}", value / 50),
            fmt::format("{}", value * 1e7)};
}

/// Values worth trying, as they would be written. None: this needs a line in `special`.
std::vector<std::string> values_for(const lang::Parameter& p) {
    using lang::Type;
    switch (p.type) {
        case Type::number:
        case Type::quantity:
        case Type::positive:
            return numbers_near(p.fallback, false, false);
        case Type::integer:
        case Type::count:
            return numbers_near(p.fallback, true, false);
        case Type::probability:
            return numbers_near(p.fallback, false, true);
        case Type::boolean:
            return {"true", "false"};
        case Type::word:
            return p.words;
        case Type::learner:
            return {"baseline()", "lazy(baseline(), k: 1)"};
        case Type::option: {
            std::vector<std::string> out;
            for (const auto& o : p.options) {
                if (o.parameters.empty()) out.push_back(o.name);
                for (const char* number : {"0.1", "1", "2", "5"})
                    if (!o.parameters.empty())
                        out.push_back(fmt::format("{}({}{})", o.name, number, o.parameters.size() > 1 ? std::string(", ") + number : ""));
            }
            if (!p.other.empty()) out.insert(out.end(), {"1", "3", "0.5"});
            return out;
        }
        default:
            return {};
    }
}

/// Values of parameters whose type does not tell what they may be.
struct Special {
    std::string learner;
    std::string parameter;
    std::vector<std::string> values;
    std::string with = {};    ///< other arguments that it needs
    bool to_another = false;  ///< the values are compared with the first of them, as without any the learner does not learn
};
const std::vector<Special>& specials() {
    const std::string no_arcs =
        "[[\"Outlook\", \"Play\"], [\"Play\", \"Outlook\"], [\"Humidity\", \"Play\"], [\"Play\", \"Humidity\"], [\"Humidity\", "
        "\"Temperature\"], [\"Temperature\", \"Humidity\"]]";
    const std::vector<std::string> arcs = {"[[\"Wind\", \"Play\"]]", "[[\"Outlook\", \"Wind\"]]"};
    const std::vector<std::string> costs = {"{Outlook: 1}", "{Outlook: 1000}"};
    const std::vector<std::string> spaces = {"conjunctions(sport, noise: 0.1)", "powerset(sport)"};
    static const std::vector<Special> all = {
        {"bayes_optimal", "space", spaces},
        {"bayes_regression", "rate", {"1", "2"}, "shape: 1", true},
        {"bayes_regression", "shape", {"1", "2"}, "rate: 1", true},
        {"c45", "costs", costs, "criterion: cost_gain", true},
        {"candidate_elimination", "space", {"powerset(sport)"}},
        {"decision_tree", "costs", costs, "criterion: cost_gain", true},
        {"find_s", "space", {"powerset(sport)"}},
        {"gaussian_mixture", "init", {"[[1, 1], [5, 5]]"}},
        {"gaussian_mixture", "weights", {"[0.9, 0.1]"}},
        {"gibbs_classifier", "space", spaces},
        {"hill_climb", "forbid", {no_arcs}},
        {"hill_climb", "require", arcs},
        {"id3", "costs", costs, "criterion: cost_gain", true},
        {"k_means", "init", {"[[1, 1], [2, 2]]"}},
        {"k2", "order", {"[Play, Wind, Humidity, Temperature, Outlook]"}},
        {"lazy", "scale", {"standard", "range"}, "kernel: gaussian(0.5)"},
        {"linear_unit", "init", {"{intercept: 5, u: 3, v: 2}"}},
        {"list_then_eliminate", "space", {"conjunctions(sport, domains: {Sky: {Sunny, Cloudy, Rainy}})"}},
        {"logistic", "init", {"{intercept: 5, x: 3, y: 2}"}},
        {"map_learner", "space", spaces},
        {"ml_learner", "space", spaces},
        {"naive_bayes", "p", {"{Wind: {Weak: 0.9, Strong: 0.1}}"}},
        {"naive_bayes_text", "column", {"subject", "body"}, "", true},
        {"neural", "hidden", {"[3]", "[5, 4]"}},
        {"neural",
         "init",
         {"[[[0.1, 0.2, 0.3], [0.3, -0.2, 0.1]], [[0.1, 0.4, -0.3]]]", "[[[-0.5, 1, 0.3], [0.9, 0.2, 0.1]], [[0, -0.4, 0.3]]]"},
         "hidden: [2]"},
        {"neural", "outputs", {"[dy]"}},
        {"neural", "slope", {"{x: \"dy\"}"}},
        {"neural", "slope_weight", {"2", "0.1"}, "slope: {x: \"dy\"}"},
        {"perceptron", "init", {"{intercept: 5, x: 3, y: 2}"}},
        {"rbf_network", "outputs", {"[dy]"}},
        {"svm", "class_weights", {"{a: 1, b: 90}"}},
        {"svm_text", "column", {"subject", "body"}, "min_count: 1", true},
        {"tabu", "forbid", {no_arcs}},
        {"tabu", "require", arcs},
    };
    return all;
}

const Special* special_of(const std::string& learner, const std::string& parameter) {
    for (const auto& special : specials())
        if (special.learner == learner && special.parameter == parameter) return &special;
    return nullptr;
}

std::vector<std::string> values_of(const std::string& learner, const lang::Parameter& p) {
    if (const Special* special = special_of(learner, p.name)) return special->values;
    return values_for(p);
}

/// What a learner makes of every table; nothing where it cannot learn.
std::vector<std::optional<Fingerprint>> prints_of(const rt::Learner& learner) {
    std::vector<std::optional<Fingerprint>> out;
    for (const auto* tables : {&data(), &data_for_parameters()})
        for (const auto& d : *tables) {
            rt::Run run = fresh_run();
            auto model = rt::train(learner, {.table = d.table.get(), .rows = {}}, {}, run);
            out.push_back(model ? std::optional(fingerprint(**model, *d.table)) : std::nullopt);
        }
    return out;
}

bool differ(const std::vector<std::optional<Fingerprint>>& a, const std::vector<std::optional<Fingerprint>>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] && b[i] && (a[i]->numbers != b[i]->numbers || a[i]->text != b[i]->text)) return true;
    return false;
}

/// Whether some value of the parameter makes a difference to the learner that `others` (arguments, or nothing) make.
struct Tried {
    bool taken = false;
    bool matters = false;
    std::string why;  ///< the last value was not taken
};
Tried try_values(const lang::Registry& registry, const lang::Builtin& builtin, const lang::Parameter& p, const std::string& others) {
    Tried out;
    const Special* special = special_of(builtin.name, p.name);
    std::string before = others;
    if (special && !special->with.empty()) before += (before.empty() ? "" : ", ") + special->with;
    const auto with_value = [&](const std::string& value) {
        return call_text(builtin, fmt::format("{}{}{}: {}", before, before.empty() ? "" : ", ", p.name, value));
    };
    auto plain = made(registry, special && special->to_another ? with_value(special->values[0]) : call_text(builtin, before));
    if (!plain) {
        out.why = plain.fault().message;
        return out;
    }
    const auto reference = prints_of(**plain);
    for (const auto& value : values_of(builtin.name, p)) {
        auto learner = made(registry, with_value(value));
        if (!learner) {
            out.why = learner.fault().message;
            continue;
        }
        out.taken = true;
        out.matters = differ(reference, prints_of(**learner));
        if (out.matters) break;
    }
    return out;
}

}  // namespace

std::string call_text(const lang::Builtin& builtin, const std::string& extra) {
    std::vector<std::string> arguments;
    for (const auto& p : builtin.parameters)
        if (!p.optional && !p.rest) arguments.push_back(fmt::format("{}: {}", p.name, argument_for(p)));
    if (!extra.empty()) arguments.push_back(extra);
    return fmt::format("{}({})", builtin.name, fmt::join(arguments, ", "));
}

rt::Result<rt::LearnerPtr> made(const lang::Registry& registry, const std::string& call) {
    lang::Session session(registry, {});
    test::Recorder out;
    // The space is there once hypotheses over concepts are; what does not need it does without.
    if (call.find("space") != std::string::npos) test::run(session, world, out);
    test::Recorder said;
    test::run(session, call, said);
    for (const auto& d : said.diagnostics)
        if (d.severity == lang::Severity::error) return rt::Fault{.code = d.code, .message = d.message, .label = d.label};
    if (said.values.size() == 1)
        if (const auto* l = said.values[0].value.get<lang::LearnerValuePtr>()) return (*l)->learner;
    return rt::Fault{.code = "E-TYPE", .message = call + " makes no learner"};
}

Complaints unknown_parameter(const lang::Registry& registry, const lang::Builtin& builtin) {
    auto learner = made(registry, call_text(builtin, "no_such_thing: 1"));
    if (learner) return {"takes a parameter that it does not have"};
    const rt::Fault& fault = learner.fault();
    if (fault.code.text() != "E-PARAMETER") return {"an unknown parameter is " + std::string(fault.code.text()) + ": " + fault.message};
    Complaints out;
    for (const auto& p : builtin.parameters)
        if (fault.label.find(p.name) == std::string::npos) out.push_back("the list of parameters lacks " + p.name);
    return out;
}

Complaints idle_parameters(const lang::Registry& registry, const lang::Builtin& builtin) {
    Complaints out;
    for (const auto& p : builtin.parameters) {
        if (!p.optional || p.name == "counts" || exempt(builtin.name, p.name)) continue;  // counts: "duplicates are weights"
        const auto values = values_of(builtin.name, p);
        if (values.empty()) {
            out.push_back(fmt::format("{}: no value to try is known: give some in `specials`", p.name));
            continue;
        }
        Tried tried = try_values(registry, builtin, p, "");
        // Some speak only where another does: p where m is above 0, epsilon where the loss has one.
        for (const auto& other : builtin.parameters) {
            if (tried.matters) break;
            if (!other.optional || other.name == p.name || other.name == "counts") continue;
            for (const auto& value : values_of(builtin.name, other)) {
                const Tried again = try_values(registry, builtin, p, other.name + ": " + value);
                tried.taken = tried.taken || again.taken;
                tried.matters = tried.matters || again.matters;
                if (tried.matters) break;
            }
        }
        if (!tried.taken)
            out.push_back(fmt::format("{}: none of {} is taken: {}", p.name, fmt::join(values, ", "), tried.why));
        else if (!tried.matters)
            out.push_back(fmt::format("{}: none of {} makes a difference", p.name, fmt::join(values, ", ")));
    }
    return out;
}

const std::vector<Exemption>& exemptions() {
    const std::string covers = "a concept that fits the positive rows says no of what it does not cover";
    const std::string by_chance = "weights start at random, unit by unit and column by column, and follow the rows one at a time";
    const std::string only_told = "the arcs follow the information or the tests: .score tells it";
    const std::string drawn = "rows and columns are drawn at random, by their place";
    static const std::vector<Exemption> all = {
        {"c45", "order of columns", "equal scores go to the column that comes first, and pruned rules follow"},
        {"knn", "order of rows", "of rows equally far the first are taken"},
        {"bayes_optimal", "one class", covers},
        {"candidate_elimination", "one class", covers},
        {"find_s", "one class", covers},
        {"gibbs_classifier", "one class", covers},
        {"list_then_eliminate", "one class", covers},
        {"map_learner", "one class", covers},
        {"ml_learner", "one class", covers},
        {"k2", "order of columns", "the order of the columns is its order of the variables, where none is given"},
        {"chow_liu", "score", only_told},
        {"tan", "score", only_told},
        {"pc", "score", only_told},
        {"neural", "duplicates are weights", by_chance},
        {"neural", "order of rows", by_chance},
        {"neural", "order of columns", by_chance},
        {"boosted_trees", "order of columns", "equal gains go to the column that comes first"},
        {"random_forest", "duplicates are weights", drawn},
        {"random_forest", "order of rows", drawn},
        {"random_forest", "order of columns", drawn},
        {"tabu", "restarts",
         "a small table has one top, which tabu search finds from any start; on 200 rows of ALARM 20 of them find a better one"},
    };
    return all;
}

bool exempt(const std::string& learner, const std::string& check) {
    return std::any_of(exemptions().begin(), exemptions().end(),
                       [&](const Exemption& e) { return e.learner == learner && e.check == check; });
}

}  // namespace credence::contract
