#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "runtime/prob/learning.hpp"
#include "tests/contract/contract.hpp"
#include "tests/support/session.hpp"

namespace credence::contract {

namespace {

/// What calls may name.
const std::string world =
    "net Weather { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
    "table sport { Sky AirTemp -> EnjoySport\n Sunny Warm -> Yes\n Rainy Cold -> No\n Sunny Cold -> Yes\n }\n"
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
};
const std::vector<Special>& specials() {
    static const std::vector<Special> all = {
        {"hill_climb",
         "forbid",
         {"[[\"Outlook\", \"Play\"], [\"Play\", \"Outlook\"], [\"Humidity\", \"Play\"], [\"Play\", \"Humidity\"], [\"Humidity\", "
          "\"Temperature\"], [\"Temperature\", \"Humidity\"]]"}},
        {"hill_climb", "require", {"[[\"Wind\", \"Play\"]]", "[[\"Outlook\", \"Wind\"]]"}},
        {"gaussian_mixture", "init", {"[[1, 1], [5, 5]]"}},
        {"gaussian_mixture", "weights", {"[0.9, 0.1]"}},
        {"k_means", "init", {"[[1, 1], [2, 2]]"}},
        {"k2", "order", {"[Play, Wind, Humidity, Temperature, Outlook]"}},
        {"linear_unit", "init", {"{intercept: 5, u: 3, v: 2}"}},
        {"logistic", "init", {"{intercept: 5, x: 3, y: 2}"}},
        {"naive_bayes", "p", {"{Wind: {Weak: 0.9, Strong: 0.1}}"}},
        {"neural", "hidden", {"[3]", "[5, 4]"}},
        {"perceptron", "init", {"{intercept: 5, x: 3, y: 2}"}},
        {"svm", "class_weights", {"{a: 1, b: 90}"}},
        {"tabu",
         "forbid",
         {"[[\"Outlook\", \"Play\"], [\"Play\", \"Outlook\"], [\"Humidity\", \"Play\"], [\"Play\", \"Humidity\"], [\"Humidity\", "
          "\"Temperature\"], [\"Temperature\", \"Humidity\"]]"}},
        {"tabu", "require", {"[[\"Wind\", \"Play\"]]", "[[\"Outlook\", \"Wind\"]]"}},
    };
    return all;
}

std::vector<std::string> values_of(const std::string& learner, const lang::Parameter& p) {
    for (const auto& special : specials())
        if (special.learner == learner && special.parameter == p.name) return special.values;
    return values_for(p);
}

/// What a learner makes of every table; nothing where it cannot learn.
std::vector<std::optional<Fingerprint>> prints_of(const rt::Learner& learner) {
    std::vector<std::optional<Fingerprint>> out;
    for (const auto& d : data()) {
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
    auto plain = made(registry, call_text(builtin, others));
    if (!plain) return out;
    const auto reference = prints_of(**plain);
    for (const auto& value : values_of(builtin.name, p)) {
        auto learner = made(registry, call_text(builtin, fmt::format("{}{}{}: {}", others, others.empty() ? "" : ", ", p.name, value)));
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
    if (fault.code != "E-PARAMETER") return {"an unknown parameter is " + fault.code + ": " + fault.message};
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
    const std::string few_missing = "speaks only where cells are missing: examples/trees/missing_values tells the three apart";
    const std::string with_costs = "counts only with criterion: cost_gain: examples/trees/cost_sensitive";
    const std::string covers = "a concept that fits the positive rows says no of what it does not cover";
    const std::string own_space = "a space is made of the very table that is learned from: examples/concepts try several";
    const std::string by_chance = "weights start at random, unit by unit and column by column, and follow the rows one at a time";
    static const std::vector<Exemption> all = {
        {"c45", "missing", few_missing},
        {"c45", "costs", with_costs},
        {"decision_tree", "costs", with_costs},
        {"id3", "costs", with_costs},
        {"c45", "order of columns", "equal scores go to the column that comes first, and pruned rules follow"},
        {"knn", "order of rows", "of rows equally far the first are taken"},
        {"decision_tree", "missing", few_missing},
        {"id3", "missing", few_missing},
        {"svm_text", "one class", "without a bias, a text none of whose words it knows has the first label"},
        {"svm_text", "column", "there is one text column in these tables: examples/margins/texts names another"},
        {"bayes_optimal", "one class", covers},
        {"bayes_optimal", "space", own_space},
        {"candidate_elimination", "one class", covers},
        {"candidate_elimination", "space", own_space},
        {"find_s", "one class", covers},
        {"find_s", "space", own_space},
        {"gibbs_classifier", "one class", covers},
        {"gibbs_classifier", "space", own_space},
        {"list_then_eliminate", "one class", covers},
        {"list_then_eliminate", "space", own_space},
        {"map_learner", "one class", covers},
        {"map_learner", "space", own_space},
        {"ml_learner", "one class", covers},
        {"ml_learner", "space", own_space},
        {"k2", "order of columns", "the order of the columns is its order of the variables, where none is given"},
        {"naive_bayes_text", "column", "the tables here have one column of text at most, and then there is nothing to choose"},
        {"neural", "duplicates are weights", by_chance},
        {"neural", "order of rows", by_chance},
        {"neural", "order of columns", by_chance},
        {"neural", "init", "its shape is that of the network; test_network.cpp starts from given weights"},
        {"neural", "outputs", "needs a table with several columns to predict"},
        {"neural", "slope", "needs a table with columns of slopes: examples/gradient/slopes.cred"},
        {"neural", "slope_weight", "needs a table with columns of slopes: examples/gradient/slopes.cred"},
        {"tabu", "restarts", "a small table has one top, which tabu search finds from any start"},
    };
    return all;
}

bool exempt(const std::string& learner, const std::string& check) {
    return std::any_of(exemptions().begin(), exemptions().end(),
                       [&](const Exemption& e) { return e.learner == learner && e.check == check; });
}

}  // namespace credence::contract
