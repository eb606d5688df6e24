// Plain input: what is left where neither replxx nor libedit is installed.

#include <cstdio>
#include <iostream>

#include "lang/cli/line_editor.hpp"

namespace credence::cli {

namespace {

class PlainLineEditor : public LineEditor {
public:
    Read read(std::string_view prompt) override {
        std::fwrite(prompt.data(), 1, prompt.size(), stdout);
        std::fflush(stdout);
        std::string line;
        if (!std::getline(std::cin, line)) return {};
        return {Event::line, std::move(line)};
    }
    void add_history(const std::string&) override {}
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Complete) { return std::make_unique<PlainLineEditor>(); }

std::string_view line_editor_name() { return "plain"; }

}  // namespace credence::cli
