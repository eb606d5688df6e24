#pragma once
// What an unfinished word may become: for the REPL and for editors, from a text and a cursor alone.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/driver/session.hpp"

namespace credence::lang {

/// The names that a text can use besides the words of the language.
struct Known {
    const Registry& registry;
    const Scope& scope;
    std::function<const Value*(std::string_view name)> value_of = {};  ///< empty: nothing has run, so only declarations are known
    std::string folder = {};                                           ///< where relative file names start
};
Known known_in(const Session& session, std::string folder = {});

struct Completion {
    enum class Kind {
        name,
        function,
        builtin,
        learner,
        model,
        table,
        variable,
        label,
        column,
        member,
        parameter,
        word,
        keyword,
        file,
        symbol
    };
    std::string text;  ///< takes the place of what was typed
    Kind kind = Kind::name;
    std::string detail = {};  ///< a signature, a type, the values of a variable: one line
};

struct Completions {
    std::size_t start = 0;               ///< in bytes: what is replaced begins here and ends at the cursor
    std::vector<Completion> items = {};  ///< each text once; the likelier kinds first, then by name
};
Completions complete(const Known& known, std::string_view text, std::size_t cursor);

/// The forms of the call that contains the cursor, and which parameter it is at.
struct SignatureHint {
    struct Form {
        std::string text;                     ///< "choose(n, k)"
        std::vector<std::string> parameters;  ///< as they are written in the text
        std::string summary = {};
    };
    std::vector<Form> forms;
    std::size_t parameter = 0;  ///< counted from 0; past the last where none fits
};
std::optional<SignatureHint> signature_at(const Known& known, std::string_view text, std::size_t cursor);

}  // namespace credence::lang
