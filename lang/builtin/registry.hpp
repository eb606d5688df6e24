#pragma once
// Everything scripts can name: help, completion, checks and the reference page all read this table.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/builtin/signature.hpp"
#include "runtime/prob/learning/learner_info.hpp"

namespace credence::rt {
struct TableFormat;
}

namespace credence::lang {

/// A part of the library written in the language itself; its names are there from the start.
struct Prelude {
    std::string name;  ///< `import "name"` reaches it where `automatic` is false
    std::string text;
    bool automatic = true;
};

/// A kind of file that `load`, `save` and `convert` know by its ending. `load` and `save` may be empty.
struct FileFormat {
    std::vector<std::string> endings;        ///< ".bif"
    const rt::TableFormat* table = nullptr;  ///< of tables, which are read by this, with options, in place of `load`
    std::function<rt::Result<Value>(CallContext&, const rt::FilePath& path)> load;
    std::function<bool(const Value&)> saves;  ///< whether `save` takes such a value
    std::function<rt::Status(CallContext&, const Value&, const rt::FilePath& path)> save;

    bool is_read() const { return table || load; }
};

/// An engine or a training method, as `by` names it: its signature, and the models that have it.
struct MethodForm {
    Builtin form;
    std::vector<std::string> models;  ///< "nets", "tables"
};
using MethodForms = std::map<std::string, std::vector<MethodForm>, std::less<>>;
enum class MethodUse { answering, training };

/// The signature of a method; it cannot be called.
Builtin signature_of(const rt::MethodInfo& method);
/// The value of an argument that its parameter did not refuse.
rt::MethodArgument method_argument(const Parameter& parameter, const Value& value, rt::Origin origin);

/// Makes a model of what Model::save gave.
using ModelLoader = std::function<rt::Result<rt::ModelPtr>(const rt::Json&)>;

/// Whether a value is the name of a learner's builtin: called without arguments it is that learner with its defaults.
bool makes_learner(const Value& value);
/// The same of a preparation's builtin, which is the name of a function of tables as well.
bool makes_preparation(const Value& value);
/// The learner as made by its builtin, behind its preparations where it has any.
LearnerValuePtr prepared_learner(LearnerValue learner);

class Registry {
public:
    void add(Builtin builtin);
    /// A builtin whose function returns a learner (LearnerValue with the learner alone): it also takes `counts: Column`.
    void add_learner(Builtin builtin);
    /// A learner that is a record, with its loader.
    void add_learner(const rt::LearnerInfo& learner);
    /// A builtin whose function returns a learner that is an rt::Preparation.
    void add_preparation(Builtin builtin);
    void add_format(FileFormat format) { formats_.push_back(std::move(format)); }
    void add_loader(std::string kind, ModelLoader loader) { loaders_.emplace(std::move(kind), std::move(loader)); }
    /// A member such as `.parents(X)` of models of one kind ("net"), or of values ("factor", "table"). Its first parameter is the
    /// value itself; one without further parameters is read without parentheses.
    void add_member(std::string kind, Builtin member);
    /// The methods of one kind of models ("nets"). The same method of another kind is listed once, for both.
    void add_methods(MethodUse use, std::string_view models, std::span<const rt::MethodInfo> methods);
    void add_prelude(Prelude prelude) { preludes_.push_back(std::move(prelude)); }

    const Overloads* find(std::string_view name) const;
    const Builtin* find_member(std::string_view kind, std::string_view name) const;
    /// Members of that name of any kind: what the checker can say before the value is known.
    std::vector<const Builtin*> members_named(std::string_view name) const;
    std::vector<std::string> member_names(std::string_view kind) const;
    const std::map<std::string, Overloads, std::less<>>& builtins() const { return builtins_; }
    const std::map<std::pair<std::string, std::string>, Builtin>& members() const { return members_; }
    const MethodForms& methods(MethodUse use) const { return use == MethodUse::training ? training_methods_ : engines_; }
    std::vector<const Builtin*> methods_named(MethodUse use, std::string_view name) const;
    const std::vector<Prelude>& preludes() const { return preludes_; }
    bool has_prelude(std::string_view name) const;
    const std::vector<FileFormat>& formats() const { return formats_; }
    /// Null if no format has that ending.
    const FileFormat* format_of(std::string_view ending) const;
    /// ".csv, .tsv, …": of the formats that `wanted` picks.
    std::string endings(const std::function<bool(const FileFormat&)>& wanted) const;
    const std::map<std::string, ModelLoader, std::less<>>& loaders() const { return loaders_; }

private:
    std::map<std::string, Overloads, std::less<>> builtins_;
    std::map<std::pair<std::string, std::string>, Builtin> members_;  // (kind, name)
    MethodForms engines_;
    MethodForms training_methods_;
    std::vector<Prelude> preludes_;
    std::vector<FileFormat> formats_;
    std::map<std::string, ModelLoader, std::less<>> loaders_;
};

}  // namespace credence::lang
