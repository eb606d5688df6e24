#pragma once
// Where interactive lines come from: replxx, libedit or plain input behind one interface.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What the line could go on with: called with the text up to the cursor, gives whole words.
using Complete = std::function<std::vector<std::string>(std::string_view)>;

/// Where the word that ends at the cursor begins; a command's colon belongs to it. The same for all editors.
std::size_t completion_start(std::string_view before_cursor);

std::unique_ptr<LineEditor> make_line_editor(Complete complete);
/// "replxx", "libedit" or "plain": what this build uses on a terminal.
std::string_view line_editor_name();

}  // namespace credence::cli
