// Line editing by libedit.

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>

#include "lang/cli/line_editor.hpp"
#include "lang/cli/repl_history.hpp"
#include "lang/value/show.hpp"

namespace credence::cli {

namespace {

constexpr int history_size = 2000;
constexpr std::size_t most_listed = 200;
// The terminal marks what is pasted, so that its line ends do not enter anything.
constexpr const char* paste_on = "\x1b[?2004h";
constexpr const char* paste_off = "\x1b[?2004l";
constexpr std::wstring_view paste_end = L"\x1b[201~";

std::string common_start(const std::vector<lang::Completion>& items) {
    const std::string& first = items.front().text;
    std::string out = first;
    for (const auto& item : items)
        out.resize(static_cast<std::size_t>(std::mismatch(out.begin(), out.end(), item.text.begin(), item.text.end()).first - out.begin()));
    const auto splits_character = [&] {
        return out.size() < first.size() && (static_cast<unsigned char>(first[out.size()]) & 0xC0U) == 0x80U;
    };
    while (splits_character()) out.pop_back();
    return out;
}

void list_items(const std::vector<lang::Completion>& items) {
    constexpr std::size_t line_width = 78;
    std::size_t column = 0;
    for (std::size_t i = 0; i < std::min(items.size(), most_listed); ++i) {
        const std::size_t width = lang::text_width(items[i].text) + 2;
        if (column > 0 && column + width > line_width) {
            std::fputc('\n', stdout);
            column = 0;
        }
        std::fprintf(stdout, "%s  ", items[i].text.c_str());
        column += width;
    }
    if (items.size() > most_listed) std::fprintf(stdout, "… %zu more", items.size() - most_listed);
    std::fputc('\n', stdout);
}

std::size_t characters(std::string_view text) { return lang::text_width(text); }

class LibeditLineEditor : public LineEditor {
public:
    explicit LibeditLineEditor(Assistant& assistant)
        : assistant_(assistant), history_(history_init()), edit_(el_init("credence", stdin, stdout, stderr)) {
        HistEvent event;
        history(history_, &event, H_SETSIZE, history_size);
        history(history_, &event, H_SETUNIQUE, 1);
        for (const auto& entry : file_.load()) history(history_, &event, H_ENTER, entry.c_str());
        el_set(edit_, EL_CLIENTDATA, this);
        el_set(edit_, EL_SIGNAL, 0);
        el_set(edit_, EL_PROMPT, &prompt);
        el_set(edit_, EL_EDITOR, "emacs");
        el_set(edit_, EL_HIST, &::history, history_);
        el_set(edit_, EL_ADDFN, "credence-complete", "Complete the word", &complete_word);
        el_set(edit_, EL_BIND, "^I", "credence-complete", nullptr);
        el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        for (const char* closing : {")", "]", "}"}) {
            el_set(edit_, EL_ADDFN, "credence-close", "Close a bracket and show the one it closes", &close_bracket);
            el_set(edit_, EL_BIND, closing, "credence-close", nullptr);
        }
        el_set(edit_, EL_ADDFN, "credence-paste", "Insert a paste unchanged", &paste);
        el_set(edit_, EL_BIND, "\\e[200~", "credence-paste", nullptr);
        // el_gets gives NULL both for an interrupted read and for the end of input, and on an interrupt hands out what was typed
        // so far. So Ctrl-C is not a signal while a line is edited but a key of ours that leaves a mark; and then so is Ctrl-Z.
        el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
        el_set(edit_, EL_ADDFN, "credence-suspend", "Back to the shell", &suspend);
        el_set(edit_, EL_BIND, "^Z", "credence-suspend", nullptr);
        el_set(edit_, EL_ADDFN, "credence-interrupt", "Discard the entry", &interrupt);
        el_set(edit_, EL_BIND, "^C", "credence-interrupt", nullptr);
    }
    ~LibeditLineEditor() override {
        el_end(edit_);
        history_end(history_);
    }
    LibeditLineEditor(const LibeditLineEditor&) = delete;
    LibeditLineEditor& operator=(const LibeditLineEditor&) = delete;

    Read read(std::string_view prompt) override {
        prompt_ = prompt;
        interrupted_ = false;
        el_resize(edit_);                // the window may have changed while a statement ran
        el_set(edit_, EL_PREP_TERM, 1);  // before the prompt is seen, so that no key after it goes to the terminal's driver
        std::fputs(paste_on, stdout);
        int length = 0;
        const char* text = el_gets(edit_, &length);
        std::fputs(paste_off, stdout);
        if (interrupted_) {
            std::fputs("^C\n", stdout);
            return {Event::interrupted};
        }
        if (!text || length <= 0) return {Event::end};
        std::string line(text, static_cast<std::size_t>(length));
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
        return {Event::line, std::move(line)};
    }

    void add_history(const std::string& entry) override {
        if (entry == last_) return;
        last_ = entry;
        HistEvent event;
        history(history_, &event, H_ENTER, entry.c_str());
        file_.append(entry);
    }

private:
    static LibeditLineEditor& self(EditLine* edit) {
        void* data = nullptr;
        el_get(edit, EL_CLIENTDATA, &data);
        return *static_cast<LibeditLineEditor*>(data);
    }
    static char* prompt(EditLine* edit) { return self(edit).prompt_.data(); }
    static unsigned char interrupt(EditLine* edit, int) {
        self(edit).interrupted_ = true;
        return CC_NEWLINE;
    }
    static unsigned char suspend(EditLine* edit, int) {
        el_set(edit, EL_PREP_TERM, 0);
        std::raise(SIGTSTP);  // comes back when the shell continues us
        el_set(edit, EL_PREP_TERM, 1);
        return CC_REDISPLAY;
    }
    static unsigned char complete_word(EditLine* edit, int) {
        const LineInfo* line = el_line(edit);
        const std::string_view all(line->buffer, static_cast<std::size_t>(line->lastchar - line->buffer));
        const auto cursor = static_cast<std::size_t>(line->cursor - line->buffer);
        const auto found = self(edit).assistant_.complete(all, cursor);
        const std::string_view typed = all.substr(found.start, cursor - found.start);
        if (found.items.empty()) return self(edit).show_hints(all, cursor) ? CC_REDISPLAY : CC_REFRESH_BEEP;
        const std::string common = common_start(found.items);
        if (common.starts_with(typed) && common.size() > typed.size())
            return el_insertstr(edit, common.substr(typed.size()).c_str()) == 0 ? CC_REFRESH : CC_ERROR;
        if (found.items.size() == 1) {  // a sign in place of its name
            el_deletestr(edit, static_cast<int>(characters(typed)));
            return el_insertstr(edit, common.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
        }
        if (!self(edit).show_hints(all, cursor)) std::fputc('\n', stdout);
        list_items(found.items);
        std::fflush(stdout);
        return CC_REDISPLAY;
    }
    bool show_hints(std::string_view line, std::size_t cursor) {
        const auto hints = assistant_.hints(line, cursor);
        if (hints.empty()) return false;
        std::fputc('\n', stdout);
        for (const auto& hint : hints) std::fprintf(stdout, "%s\n", hint.c_str());
        std::fflush(stdout);
        return true;
    }

    /// The cursor visits the bracket that is closed, until the next key or a quarter of a second later.
    static unsigned char close_bracket(EditLine* edit, int key) {
        const char text[] = {static_cast<char>(key), 0};
        if (el_insertstr(edit, text) != 0) return CC_ERROR;
        const LineInfo* line = el_line(edit);
        const std::string before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
        pollfd ready{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const auto opening = lang::matching_bracket(before, before.size() - 1);
        if (!opening || poll(&ready, 1, 0) > 0) return CC_REFRESH;
        const int back = static_cast<int>(characters(std::string_view(before).substr(*opening)));
        el_cursor(edit, -back);
        el_set(edit, EL_REFRESH);
        poll(&ready, 1, 250);
        el_cursor(edit, back);
        return CC_REFRESH;
    }

    static unsigned char paste(EditLine* edit, int) {
        std::wstring text;
        for (wchar_t c = 0; el_wgetc(edit, &c) == 1;) {
            text += c == L'\r' ? L'\n' : c;
            if (!text.ends_with(paste_end)) continue;
            text.resize(text.size() - paste_end.size());
            break;
        }
        while (text.ends_with(L'\n')) text.pop_back();
        if (text.empty()) return CC_REFRESH;
        return el_winsertstr(edit, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }

    Assistant& assistant_;
    HistoryFile file_;
    History* history_;
    EditLine* edit_;
    std::string prompt_;
    std::string last_;
    bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Assistant& assistant) {
    // libedit decodes its input by the locale; scripts are UTF-8 whatever the locale says.
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    return std::make_unique<LibeditLineEditor>(assistant);
}

std::string_view line_editor_name() { return "libedit"; }

}  // namespace credence::cli
