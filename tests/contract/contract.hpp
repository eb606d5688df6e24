#pragma once
// What every learner owes: one list of checks, run for each learner of the registry without a line of its own.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/builtin/registry.hpp"
#include "runtime/judge/evaluate.hpp"

namespace credence::contract {

/// A learner as the checks see it.
struct Subject {
    std::string name;
    rt::LearnerPtr learner;
    const std::map<std::string, lang::ModelLoader, std::less<>>* loaders = nullptr;
};

/// What is wrong, one line each; empty: the learner keeps this part of the contract. A clear fault (a known code, a message) is not a
/// breach where a learner cannot do what is asked; a crash, a NaN and a probability that is none are.
using Complaints = std::vector<std::string>;

struct Check {
    std::string name;
    std::function<Complaints(const Subject&)> run;
};
const std::vector<Check>& checks();

/// Tables that the checks draw on: words, numbers and both as features, labels (two, three) and numbers as targets, small and whole.
struct Data {
    std::string name;
    rt::TablePtr table;
};
const std::vector<Data>& data();
/// More of them, on which parameters speak that are silent on whole tables of one text or one target: missing cells, slopes, two texts.
const std::vector<Data>& data_for_parameters();

/// All that can be told of a model from outside: its predictions for a table, and what it saves. Equal texts: equal to the last bit.
struct Fingerprint {
    std::vector<double> numbers;  ///< predictions, then probabilities
    std::string text;             ///< what it saved, or the fault
    bool predicts = false;
};
Fingerprint fingerprint(const rt::Model& model, const rt::Table& table);
rt::Run fresh_run();

// --- parameters -----------------------------------------------------------------------------------------------------------

/// The call that makes a learner with its required arguments and one more: "knn(k: 3)".
std::string call_text(const lang::Builtin& builtin, const std::string& extra = "");
/// The learner that a call makes, in a session that knows some tables, a net and a space of hypotheses.
rt::Result<rt::LearnerPtr> made(const lang::Registry& registry, const std::string& call);

/// An unknown parameter is an error that lists the known ones.
Complaints unknown_parameter(const lang::Registry& registry, const lang::Builtin& builtin);
/// Two values of each optional parameter make a difference somewhere.
Complaints idle_parameters(const lang::Registry& registry, const lang::Builtin& builtin);

/// Parts of the contract that a learner does not keep, and why that is right.
struct Exemption {
    std::string learner;
    std::string check;  ///< or a parameter, for idle_parameters
    std::string why;
};
const std::vector<Exemption>& exemptions();
bool exempt(const std::string& learner, const std::string& check);

}  // namespace credence::contract
