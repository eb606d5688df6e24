#pragma once
// The names a script knows at a point of its text, and what is known of its models before anything runs.

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
    std::vector<rt::MethodInfo> engines = {};           ///< what `by` may name in a query; empty if only a run could tell
    std::vector<rt::MethodInfo> training_methods = {};  ///< and after `train`
    std::vector<std::uint32_t> by_name = {};            ///< the variables in the order of their names, once index() has been called
    std::set<std::string, std::less<>> spaces = {};     ///< the parametric spaces that variables belong to, likewise

    void index();  ///< so that names are found quickly; variables added later are found all the same
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

/// Only what is declared here changes it, under its lock: another thread may take a snapshot meanwhile.
class Scope {
public:
    Scope() = default;
    const Symbol* find(std::string_view name) const;                          ///< the latest of that name
    const Symbol* find_kind(std::string_view name, Symbol::Kind kind) const;  ///< the latest of that name and kind
    /// As find, by one who only looks: what find, find_kind and models answer counts as used.
    const Symbol* peek(std::string_view name) const;
    void declare(Symbol symbol);
    /// Models that a query without `in` may mean: declared ones, not tables, each name once (its latest), in order.
    std::vector<const Symbol*> models() const;
    const std::vector<Symbol>& symbols() const { return symbols_; }

    void know_label(std::string label);
    bool knows_label(std::string_view label) const { return labels_.contains(label); }
    const std::set<std::string, std::less<>>& labels() const { return labels_; }
    /// Whether the script loads data: their labels are known only when it runs.
    void await_data() { awaits_data_ = true; }
    bool awaits_data() const { return awaits_data_; }
    bool knows_variable(std::string_view name) const { return variables_.contains(name); }

    /// For statements that did not come to run: back to an earlier size().
    std::size_t size() const { return symbols_.size(); }
    void rollback(std::size_t size);

    /// The slots of what is used are noted there (null: nowhere); gives where they were noted before.
    std::set<std::uint32_t>* note_uses(std::set<std::uint32_t>* uses) { return std::exchange(uses_, uses); }
    Scope snapshot() const;
    /// The slots of symbols that no name means any more, since the last call: they were rolled back, or a later one has the same name and
    /// kind. Gives up the symbols from time to time, which changes size().
    std::vector<std::uint32_t> take_hidden();

private:
    struct Hidden {
        std::size_t symbol;
        std::size_t by;
    };
    /// A copy has a lock of its own.
    struct Lock {
        Lock() = default;
        Lock(const Lock&) {}
        Lock& operator=(const Lock&) { return *this; }
        mutable std::mutex mutex;
    };
    const Symbol* latest(std::string_view name, std::optional<Symbol::Kind> kind) const;
    void enter(const Symbol& symbol, std::size_t at);

    Lock lock_;
    std::set<std::uint32_t>* uses_ = nullptr;
    std::vector<Hidden> hidden_;  // these two: not taken yet
    std::vector<std::uint32_t> rolled_back_;
    std::size_t hidden_taken_ = 0;  // of the symbols here
    std::vector<Symbol> symbols_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> index_;
    std::set<std::string, std::less<>> labels_;
    bool awaits_data_ = false;
    std::set<std::string, std::less<>> variables_;  // of all models and tables
};

}  // namespace credence::lang
