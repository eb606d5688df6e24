#pragma once
// Searching a case library: function graphs by the largest common part, attributes by weighted similarity.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/instance/casebase/rewrite.hpp"
#include "runtime/prob/declared/cases.hpp"

namespace credence::rt {

struct RetrieveOptions {
    std::size_t inserted = 2;        ///< quantities that rewriting may put into one influence; 0: no rewriting
    std::vector<RewriteRule> rules;  ///< of the user's, applied to the goal up to `inserted` times
    std::size_t top = 5;
    bool index = true;        ///< false: every case is matched; the answers are the same
    bool consistent = false;  ///< cases may not run against the goal (compose)
};

/// How alike an attribute of the goal and the case's are; what the case lacks is not alike.
struct AttributeSimilarity {
    std::string name;
    Label wanted;
    std::optional<Label> own;
    Rational range = 0;  ///< of the numbers in the library; 0 for labels
    int weight = 1;
    Rational similarity;
};

struct Hit {
    std::size_t place = 0;                                     ///< in the library
    std::size_t covered = 0;                                   ///< influences, or attributes that agree
    Rational score;                                            ///< the weight of what is covered, of all
    std::vector<std::size_t> arcs;                             ///< of the goal that are covered
    std::vector<std::string> how;                              ///< beside each: the case's influences that cover it
    std::vector<std::pair<std::string, std::string>> mapping;  ///< case quantity → goal quantity
    std::vector<std::string> rewrites;
    std::vector<AttributeSimilarity> attributes;  ///< of a goal that is a record
};

struct Retrieval {
    std::vector<Hit> hits;    ///< highest score first; equal ones: fewer rewrites, then the order of the library
    std::size_t matched = 0;  ///< cases that were matched and not ruled out by their signature
    bool complete = true;     ///< no search was cut short
};

/// Cases that share no influence with the goal are left out. `wanted`: only these of the goal's influences count (empty: all).
Result<Retrieval> retrieve(const CaseLibrary& library, const FunctionGraph& goal, const RetrieveOptions& options, Run& run,
                           const std::vector<char>& wanted = {});

/// Cases by attributes: each attribute of the goal is 1 similar where labels agree, and 1 − difference / range for numbers; the score is
/// the weighted mean. Cases that agree in nothing are left out.
Result<Retrieval> retrieve(const CaseLibrary& library, const std::vector<std::pair<std::string, Label>>& goal, std::size_t top);

/// After a retrieval that was no help: what the case shared with the goal weighs less, what it lacked weighs more; the other way where it
/// was accepted.
CaseLibrary with_feedback(const CaseLibrary& library, const FunctionGraph& goal, const Hit& hit, bool accepted);
CaseLibrary with_feedback(const CaseLibrary& library, const std::vector<std::pair<std::string, Label>>& goal, std::size_t place,
                          bool accepted);

}  // namespace credence::rt
