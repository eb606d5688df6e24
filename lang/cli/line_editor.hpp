#pragma once
// Where interactive lines come from: replxx, libedit or plain input behind one interface.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/service/completion.hpp"
#include "lang/service/highlight.hpp"

namespace credence::cli {

class LineEditor {
public:
    virtual ~LineEditor() = default;
    enum class Event { line, interrupted, end };
    struct Read {
        Event event = Event::end;
        std::string line = {};
    };
    virtual Read read(std::string_view prompt) = 0;
    virtual void add_history(const std::string& entry) = 0;  ///< one entry a statement, also of several lines
};

/// What an editor may ask about the line being written; positions are bytes of that line.
class Assistant {
public:
    virtual ~Assistant() = default;
    virtual lang::Completions complete(std::string_view line, std::size_t cursor) = 0;
    /// The forms of the call around the cursor, a line each; empty: no hint.
    virtual std::vector<std::string> hints(std::string_view line, std::size_t cursor) = 0;
    virtual std::vector<lang::PaintedSpan> paint(std::string_view line) = 0;
    virtual bool color() const = 0;
};

/// The assistant outlives the editor.
std::unique_ptr<LineEditor> make_line_editor(Assistant& assistant);
/// "replxx", "libedit" or "plain": what this build uses on a terminal.
std::string_view line_editor_name();

}  // namespace credence::cli
