// Line editing by libedit.

#include <histedit.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "lang/cli/line_editor.hpp"
#include "lang/cli/repl_history.hpp"

namespace credence::cli {

namespace {

constexpr int history_size = 2000;
constexpr std::size_t most_listed = 200;

std::string common_start(const std::vector<std::string>& words) {
    std::string out = words.front();
    for (const auto& word : words)
        out.resize(static_cast<std::size_t>(std::mismatch(out.begin(), out.end(), word.begin(), word.end()).first - out.begin()));
    const auto splits_character = [&] {
        return out.size() < words.front().size() && (static_cast<unsigned char>(words.front()[out.size()]) & 0xC0U) == 0x80U;
    };
    while (splits_character()) out.pop_back();
    return out;
}

void list_words(const std::vector<std::string>& words) {
    constexpr std::size_t line_width = 78;
    std::fputc('\n', stdout);
    std::size_t column = 0;
    for (std::size_t i = 0; i < std::min(words.size(), most_listed); ++i) {
        if (column > 0 && column + words[i].size() + 2 > line_width) {
            std::fputc('\n', stdout);
            column = 0;
        }
        std::fprintf(stdout, "%s  ", words[i].c_str());
        column += words[i].size() + 2;
    }
    if (words.size() > most_listed) std::fprintf(stdout, "… %zu more", words.size() - most_listed);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

class LibeditLineEditor : public LineEditor {
public:
    explicit LibeditLineEditor(Complete complete)
        : complete_(std::move(complete)), history_(history_init()), edit_(el_init("credence", stdin, stdout, stderr)) {
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
        // el_gets gives NULL both for an interrupted read and for the end of input, and on an interrupt hands out what was typed
        // so far. So Ctrl-C is no signal while a line is edited but a key of ours that leaves a mark; and then so is Ctrl-Z.
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
        int length = 0;
        const char* text = el_gets(edit_, &length);
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
        const std::string_view before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
        const auto words = self(edit).complete_(before);
        if (words.empty()) return CC_REFRESH_BEEP;
        const std::size_t typed = before.size() - completion_start(before);
        const std::string more = common_start(words).substr(typed);
        if (!more.empty()) return el_insertstr(edit, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
        list_words(words);
        return CC_REDISPLAY;
    }

    Complete complete_;
    HistoryFile file_;
    History* history_;
    EditLine* edit_;
    std::string prompt_;
    std::string last_;
    bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Complete complete) {
    // libedit decodes its input by the locale; scripts are UTF-8 whatever the locale says.
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    return std::make_unique<LibeditLineEditor>(std::move(complete));
}

std::string_view line_editor_name() { return "libedit"; }

}  // namespace credence::cli
