#pragma once
// The position of a cursor in a text, judged by the words before it: the starting point of completion and hints.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::lang {

/// A call whose parenthesis is still open.
struct OpenCall {
    std::string function;            ///< "P" for a query head
    bool query = false;              ///< P E H I L
    bool member = false;             ///< x.f(
    bool method = false;             ///< after `by`
    bool training = false;           ///< after `train`
    std::size_t position = 0;        ///< of the argument, from 0
    std::string parameter = {};      ///< after `name:`
    std::vector<std::string> named;  ///< parameters given by name so far
    std::vector<std::string> words;  ///< the names among the arguments so far: a table whose columns are offered
};

struct Cursor {
    enum class Place {
        nowhere,     ///< in a comment or a number: nothing to offer
        escape,      ///< after a backslash: \theta
        text,        ///< inside a text
        member,      ///< after the dot of `base`
        index,       ///< inside `base[`
        label,       ///< after `variable =` and the like
        setting,     ///< after `set`
        value,       ///< after `set base`
        model,       ///< after `in` or `from`
        learner,     ///< after `train`
        data,        ///< after `on`
        method,      ///< after `by`
        statement,   ///< the first word of a statement
        expression,  ///< anywhere else
    };
    Place place = Place::expression;
    std::size_t start = 0;  ///< of what is being written, in bytes
    std::string word = {};  ///< from there to the cursor
    std::string base = {};  ///< empty if it is more than a name
    std::string variable = {};
    std::size_t position = 0;  ///< of an index, from 0
    std::optional<OpenCall> call = {};
    bool quoted = false;    ///< a label inside quotes
    bool training = false;  ///< a method after `train … on …`, else an engine
};

Cursor cursor_at(std::string_view text, std::size_t at);

}  // namespace credence::lang
