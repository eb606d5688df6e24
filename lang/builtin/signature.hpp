#pragma once
// The description of a builtin: names, types, defaults, help.

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/value/show.hpp"
#include "lang/value/value.hpp"
#include "runtime/core/method.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/run.hpp"
#include "runtime/data/file_path.hpp"

namespace credence::lang {

/// The domain of a parameter. `word`, `variable(s)`, `column(s)` and `model` take bare words (language.md §3, rule 2).
enum class Type {
    any,
    number,
    quantity,
    integer,
    count,
    positive,
    probability,
    boolean,
    label,
    text,
    list,
    numbers,
    interval,
    record,
    set,
    instance,
    factor,
    distribution,
    table,
    model,
    learner,
    function,
    word,
    variable,
    variables,
    column,
    columns,
    option,
    settings,
    start
};
std::string_view type_name(Type type);  ///< "a number", "a whole number ≥ 0": for messages and help
bool takes_words(Type type);            ///< bare words are not looked up as names

/// An alternative of an `option` parameter: a word, with arguments where it has parameters: `bins(k)`.
struct OptionForm {
    OptionForm(const char* name, std::initializer_list<const char*> parameters = {});
    OptionForm(const OptionForm&);
    OptionForm(OptionForm&&) noexcept;
    OptionForm& operator=(const OptionForm&);
    OptionForm& operator=(OptionForm&&) noexcept;
    ~OptionForm();

    std::string name;
    std::vector<std::string> parameters;
};

struct Parameter {
    std::string name;
    Type type = Type::any;
    bool optional = false;
    bool rest = false;                     ///< takes all remaining positional arguments
    std::string fallback = {};             ///< the default as help shows it
    std::vector<std::string> words = {};   ///< of a `word`: what it may be
    std::vector<OptionForm> options = {};  ///< of an `option`: its alternatives
    std::string other = {};  ///< of an `option`: what else it may be ("a function", "a whole number"), in words; empty: nothing
    std::optional<rt::NumberRange> range = {};  ///< of a `number`: those that will do
};
std::string takes_text(const Parameter& parameter);  ///< the name of its type, or its range
/// "none, inverse_square, gaussian(s) or a function"
std::string alternatives_text(const Parameter& parameter);
/// Nothing when the value fits the parameter's type, else why not.
std::optional<rt::Fault> refusal(const Value& value, const Parameter& parameter);

/// What a builtin may do besides computing: call functions of the script, draw numbers, note something, reach files.
class Registry;

class CallContext {
public:
    virtual ~CallContext() = default;
    virtual rt::Result<Value> call(const Value& function, std::span<const Value> arguments) = 0;
    virtual rt::Run& run() = 0;
    virtual const ShowOptions& show() const = 0;
    virtual void note(std::string text) = 0;
    virtual rt::Result<rt::FilePath> file(const std::string& path) = 0;                     ///< resolved; refused outside --root
    virtual rt::Origin argument(std::size_t i) = 0;                                         ///< the place of an argument (by parameter)
    virtual std::string argument_text(std::size_t i) = 0;                                   ///< as the script has it
    virtual rt::Result<ModelValue> model_with(std::span<const std::string> variables) = 0;  ///< the one declared model that has them
    virtual const Registry& registry() const = 0;  ///< what scripts can name: formats of files, learners by name
    virtual rt::Rng& rng() = 0;                    ///< the script's stream: draws go on where the last ended
    /// A function of the script for models to keep: it may be called as long as the session lives, from one thread at a time.
    virtual std::function<rt::Result<Value>(std::span<const Value>)> kept(const Value& function) = 0;
};

using Arguments = std::span<const std::optional<Value>>;  ///< one for each parameter; what was left out is empty
using Native = std::function<rt::Result<Value>(CallContext&, Arguments)>;
using Explanation = std::function<rt::Result<rt::Derivation>(CallContext&, Arguments)>;

struct Builtin {
    Builtin();
    Builtin(const Builtin&);
    Builtin(Builtin&&) noexcept;
    Builtin& operator=(const Builtin&);
    Builtin& operator=(Builtin&&) noexcept;
    ~Builtin();

    std::string name;
    std::vector<Parameter> parameters;
    std::string summary;
    std::string example;  ///< an expression that is true; a test runs it
    std::string subject;  ///< the page of the reference that lists it
    Native native;
    Explanation explain = {};  ///< what `explain f(…)` prints; empty if it has no derivation
    bool learner = false;      ///< makes a learner: `train` takes what it returns
    bool preparation = false;  ///< makes what prepares rows for a learner: `scale() |> svm()`
};

/// "choose(n, k)", "round(x, digits: 0)".
std::string signature_text(const Builtin& builtin);

/// All forms of one name.
struct Overloads {
    std::string name;
    std::vector<Builtin> forms;
};

/// Where each written argument goes: one index into the arguments a parameter, or none; rest arguments follow from `rest_from`.
struct Matching {
    std::vector<std::optional<std::size_t>> argument_of;
    std::optional<std::size_t> rest_from;
};
/// Positional ones first, then by name. A Fault (E-ARGUMENT, E-PARAMETER) says what does not fit; `culprit` is the index of the argument
/// meant.
struct Mismatch {
    rt::Fault fault;
    std::optional<std::size_t> culprit;
};
std::variant<Matching, Mismatch> match_arguments(const Builtin& builtin, std::size_t positional, std::span<const std::string> names);

}  // namespace credence::lang
