#pragma once
// Queries within queries: E((X - E(X))^2). The inner one is a query of its own, in which a bare word is first a variable of its model.

#include <functional>
#include <map>
#include <optional>

#include "lang/eval/evaluator.hpp"

namespace credence::lang {

/// Whether one of the slots that a query reads from around it is such; slots that it fills itself do not count.
bool speaks_of(const QueryExpr& query, const std::function<bool(std::uint32_t)>& is_such);

/// While an expectation is worked out, the queries in it that are the same in all its cases are asked only once.
class AskedOnce {
public:
    AskedOnce(Evaluator& evaluator, const QueryExpr& expectation);
    AskedOnce(const AskedOnce&) = delete;
    AskedOnce& operator=(const AskedOnce&) = delete;
    ~AskedOnce();

private:
    Evaluator& evaluator_;
    std::map<const QueryExpr*, std::optional<std::optional<Value>>> before_;  ///< what the evaluator knew of them
};

}  // namespace credence::lang
