#pragma once
// The names a script knows at a point of its text, and what is known of its models before anything runs.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/text/source.hpp"
#include "runtime/prob/model.hpp"

namespace credence::lang {

struct VariableShape {
    std::string name;
    std::optional<std::vector<std::string>> labels;  ///< where they are known
    bool numeric = false;                            ///< real-valued: any number will do
    std::string space = {};                          ///< parameters of a parametric space
    bool next = false;
};

struct ModelShape {
    std::string kind;  ///< "net", "hypotheses", "table", …
    std::vector<VariableShape> variables;
    bool complete = true;                               ///< false: there may be more variables (plates over computed ranges)
    std::vector<std::string> plates = {};               ///< names of variables with an index, whether these are known or not
    std::vector<rt::MethodInfo> engines = {};           ///< what `by` may name in a query; empty where only a run could tell
    std::vector<rt::MethodInfo> training_methods = {};  ///< and after `train`

    const VariableShape* find(std::string_view variable) const;
    bool has(std::string_view variable) const;  ///< also the name of a parametric space
    std::vector<std::string> names() const;
};
ModelShape shape_of(const rt::Model& model);

struct Symbol {
    enum class Kind { value, function, model, module };
    std::string name;
    Kind kind = Kind::value;
    std::uint32_t slot = 0;
    std::optional<ModelShape> shape = {};      ///< of declared models and tables
    std::vector<std::string> parameters = {};  ///< of functions
    std::string doc = {};
    SourcePtr source = nullptr;
    Span span = {};
};

class Scope {
public:
    const Symbol* find(std::string_view name) const;                          ///< the latest of that name
    const Symbol* find_kind(std::string_view name, Symbol::Kind kind) const;  ///< the latest of that name and kind
    void declare(Symbol symbol);
    /// Models that a query without `in` may mean: declared ones, not tables, each name once (its latest), in order.
    std::vector<const Symbol*> models() const;
    const std::vector<Symbol>& symbols() const { return symbols_; }

    void know_label(std::string label) { labels_.insert(std::move(label)); }
    bool knows_label(std::string_view label) const { return labels_.contains(label); }
    const std::set<std::string, std::less<>>& labels() const { return labels_; }
    bool knows_variable(std::string_view name) const { return variables_.contains(name); }

    /// For statements that did not come to run: back to an earlier size().
    std::size_t size() const { return symbols_.size(); }
    void rollback(std::size_t size);

private:
    std::vector<Symbol> symbols_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> index_;
    std::set<std::string, std::less<>> labels_;
    std::set<std::string, std::less<>> variables_;  // of all models and tables
};

}  // namespace credence::lang
