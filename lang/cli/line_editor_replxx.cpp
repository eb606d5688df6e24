// Line editing by replxx.

#include <cstdio>

#include <replxx.hxx>

#include "lang/cli/line_editor.hpp"
#include "lang/cli/repl_history.hpp"
#include "lang/value/show.hpp"
#include "runtime/core/lookup.hpp"

namespace credence::cli {

namespace {

using replxx::Replxx;

/// Colours that can be read on light and on dark ground: no yellow, no white, no black.
Replxx::Color color_of(lang::Paint paint) {
    using lang::Paint;
    using Color = Replxx::Color;
    static constexpr std::pair<Paint, Color> colors[] = {
        {Paint::keyword, Color::BLUE}, {Paint::query, Color::MAGENTA}, {Paint::builtin, Color::CYAN}, {Paint::text, Color::GREEN},
        {Paint::label, Color::GREEN},  {Paint::comment, Color::GRAY},  {Paint::mistake, Color::RED}};
    return rt::value_for(paint, colors, Color::DEFAULT);
}

class ReplxxLineEditor : public LineEditor {
public:
    explicit ReplxxLineEditor(Assistant& assistant) : assistant_(assistant) {
        editor_.install_window_change_handler();
        editor_.set_unique_history(true);
        editor_.set_max_history_size(2000);
        editor_.set_indent_multiline(false);
        editor_.set_no_color(!assistant_.color());
        editor_.set_max_hint_rows(4);
        editor_.set_double_tab_completion(false);
        editor_.set_complete_on_empty(false);
        editor_.set_beep_on_ambiguous_completion(false);
        editor_.enable_bracketed_paste();
        for (const auto& entry : file_.load()) editor_.history_add(entry);
        editor_.set_completion_callback([this](const std::string& before_cursor, int& context) {
            const auto found = assistant_.complete(before_cursor, before_cursor.size());
            context = static_cast<int>(lang::text_width(std::string_view(before_cursor).substr(found.start)));
            Replxx::completions_t out;
            for (const auto& item : found.items) out.emplace_back(item.text, color_of_kind(item.kind));
            return out;
        });
        if (assistant_.color()) {
            editor_.set_highlighter_callback([this](const std::string& line, Replxx::colors_t& colors) { paint(line, colors); });
            editor_.set_hint_callback([this](const std::string& before_cursor, int& context, Replxx::Color& color) {
                context = 0;
                color = Replxx::Color::GRAY;
                Replxx::hints_t out;
                if (committing_) return out;
                for (auto& hint : assistant_.hints(before_cursor, before_cursor.size())) out.push_back("  " + hint);
                return out;
            });
        }
        // A line typed while a statement ran ends as the terminal's driver ends it: with Ctrl-J. What is typed faster than replxx draws is
        // drawn when it ends, then without hints: they would stay on the screen.
        const auto commit = [this](char32_t key) {
            committing_ = true;
            return editor_.invoke(Replxx::ACTION::COMMIT_LINE, key);
        };
        editor_.bind_key(Replxx::KEY::control('J'), commit);
        editor_.bind_key(Replxx::KEY::ENTER, commit);
        // Clearing the screen resets the terminal, which then no longer marks what is pasted.
        editor_.bind_key(Replxx::KEY::control('L'), [this](char32_t key) {
            const auto result = editor_.invoke(Replxx::ACTION::CLEAR_SCREEN, key);
            editor_.disable_bracketed_paste();
            editor_.enable_bracketed_paste();
            return result;
        });
        // input() gives NULL both for Ctrl-C and for the end of input.
        editor_.bind_key(Replxx::KEY::control('C'), [this](char32_t key) {
            interrupted_ = true;
            return editor_.invoke(Replxx::ACTION::ABORT_LINE, key);
        });
    }

    Read read(std::string_view prompt) override {
        interrupted_ = false;
        committing_ = false;
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
    static Replxx::Color color_of_kind(lang::Completion::Kind kind) {
        using Kind = lang::Completion::Kind;
        return kind == Kind::keyword                            ? color_of(lang::Paint::keyword)
               : kind == Kind::builtin || kind == Kind::learner ? color_of(lang::Paint::builtin)
               : kind == Kind::label                            ? color_of(lang::Paint::label)
                                                                : Replxx::Color::DEFAULT;
    }
    /// One colour a character, while spans count bytes.
    void paint(const std::string& line, Replxx::colors_t& colors) {
        std::size_t byte = 0;
        std::size_t character = 0;
        for (const auto& [span, paint] : assistant_.paint(line)) {
            character += lang::text_width(std::string_view(line).substr(byte, span.begin - byte));
            const std::size_t end = character + lang::text_width(std::string_view(line).substr(span.begin, span.end - span.begin));
            for (; character < end && character < colors.size(); ++character) colors[character] = color_of(paint);
            byte = span.end;
        }
    }

    Assistant& assistant_;
    HistoryFile file_;
    Replxx editor_;
    std::string last_;
    bool interrupted_ = false;
    bool committing_ = false;  // the entry is being ended
};

}  // namespace

std::unique_ptr<LineEditor> make_line_editor(Assistant& assistant) { return std::make_unique<ReplxxLineEditor>(assistant); }

std::string_view line_editor_name() { return "replxx"; }

}  // namespace credence::cli
