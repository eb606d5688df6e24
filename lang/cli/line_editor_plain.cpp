// Plain input: what is left where neither replxx nor libedit is installed.

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "lang/cli/line_editor.hpp"

namespace credence::cli {

namespace {

constexpr char ctrl_c = 3;

/// While a line is read, Ctrl-C is not a signal but the end of a line: the terminal's driver does all the editing.
class LineMode {
public:
    LineMode() : known_(tcgetattr(STDIN_FILENO, &before_) == 0) {
        if (!known_) return;
        termios mode = before_;
        mode.c_cc[VINTR] = _POSIX_VDISABLE;
        mode.c_cc[VEOL] = ctrl_c;
        mode.c_iflag |= IUTF8;  // rubbing out takes whole characters
        tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
    }
    ~LineMode() {
        if (known_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }
    LineMode(const LineMode&) = delete;
    LineMode& operator=(const LineMode&) = delete;

private:
    termios before_{};
    bool known_;
};

class PlainLineEditor : public LineEditor {
public:
    Read read(std::string_view prompt) override {
        const LineMode mode;
        std::fwrite(prompt.data(), 1, prompt.size(), stdout);
        std::fflush(stdout);
        std::string line;
        for (;;) {
            char c = 0;
            const auto got = ::read(STDIN_FILENO, &c, 1);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return line.empty() ? Read{} : Read{Event::line, std::move(line)};
            if (c == ctrl_c) {
                std::fputc('\n', stdout);
                return {Event::interrupted};
            }
            if (c == '\n') return {Event::line, std::move(line)};
            line += c;
        }
    }
    void add_history(const std::string&) override {}
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Assistant&) { return std::make_unique<PlainLineEditor>(); }

std::string_view line_editor_name() { return "plain"; }

}  // namespace credence::cli
