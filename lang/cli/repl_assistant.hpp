#pragma once
// What the REPL knows about the entry being written: the session's names and its own commands.

#include <functional>
#include <string>
#include <vector>

#include "lang/cli/line_editor.hpp"

namespace credence::cli {

class ReplAssistant : public Assistant {
public:
    using CurrentSession = std::function<const lang::Session&()>;  ///< :reset makes another
    ReplAssistant(CurrentSession session, std::vector<std::string> commands, bool color)
        : session_(std::move(session)), commands_(std::move(commands)), color_(color) {}

    /// The lines of the entry above the one being written.
    void set_lines_above(std::string text) { above_ = std::move(text); }

    lang::Completions complete(std::string_view line, std::size_t cursor) override;
    std::vector<std::string> hints(std::string_view line, std::size_t cursor) override;
    std::vector<lang::PaintedSpan> paint(std::string_view line) override;
    bool color() const override { return color_; }

private:
    lang::Completions complete_command(std::string_view before) const;
    lang::Completions complete_topic(std::string_view before, std::size_t start) const;

    CurrentSession session_;
    std::vector<std::string> commands_;
    std::string above_;
    bool color_;
};

}  // namespace credence::cli
