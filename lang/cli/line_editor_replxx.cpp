// Line editing by replxx.

#include <cstdio>

#include <replxx.hxx>

#include "lang/cli/line_editor.hpp"
#include "lang/cli/repl_history.hpp"
#include "lang/value/show.hpp"

namespace credence::cli {

namespace {

using replxx::Replxx;

class ReplxxLineEditor : public LineEditor {
public:
    explicit ReplxxLineEditor(Complete complete) : complete_(std::move(complete)) {
        editor_.install_window_change_handler();
        editor_.set_unique_history(true);
        editor_.set_max_history_size(2000);
        editor_.set_indent_multiline(false);
        for (const auto& entry : file_.load()) editor_.history_add(entry);
        editor_.set_completion_callback([this](const std::string& before_cursor, int& context) {
            context = static_cast<int>(lang::text_width(std::string_view(before_cursor).substr(completion_start(before_cursor))));
            Replxx::completions_t out;
            for (const auto& word : complete_(before_cursor)) out.emplace_back(word);
            return out;
        });
        // A line typed while a statement ran ends as the terminal's driver ends it.
        editor_.bind_key(Replxx::KEY::control('J'), [this](char32_t key) { return editor_.invoke(Replxx::ACTION::COMMIT_LINE, key); });
        // input() gives NULL both for Ctrl-C and for the end of input.
        editor_.bind_key(Replxx::KEY::control('C'), [this](char32_t key) {
            interrupted_ = true;
            return editor_.invoke(Replxx::ACTION::ABORT_LINE, key);
        });
    }

    Read read(std::string_view prompt) override {
        interrupted_ = false;
        std::fflush(stdout);
        const char* text = editor_.input(std::string(prompt));
        if (interrupted_) return {Event::interrupted};
        if (!text) return {Event::end};
        return {Event::line, text};
    }

    void add_history(const std::string& entry) override {
        if (entry == last_) return;
        last_ = entry;
        editor_.history_add(entry);
        file_.append(entry);
    }

private:
    Complete complete_;
    HistoryFile file_;
    Replxx editor_;
    std::string last_;
    bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Complete complete) { return std::make_unique<ReplxxLineEditor>(std::move(complete)); }

std::string_view line_editor_name() { return "replxx"; }

}  // namespace credence::cli
