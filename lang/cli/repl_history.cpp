#include "lang/cli/repl_history.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept = 1000;  // entries; the file may grow to twice as many before it is shortened

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

std::string history_line(std::string_view entry) {
    std::string out;
    for (const char c : entry) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\\') {
            out += "\\\\";
        } else {
            out += c;
        }
    }
    return out;
}

std::string history_entry(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\' && i + 1 < line.size()) {
            ++i;
            out += line[i] == 'n' ? '\n' : line[i];
        } else {
            out += line[i];
        }
    }
    return out;
}

std::string HistoryFile::default_path() {
    if (const auto state = from_environment("XDG_STATE_HOME"); !state.empty()) return state + "/credence/history";
    if (const auto home = from_environment("HOME"); !home.empty()) return home + "/.local/state/credence/history";
    return "";
}

std::vector<std::string> HistoryFile::load() const {
    std::vector<std::string> lines;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) lines.push_back(std::move(line));
    in.close();
    if (lines.size() > 2 * kept) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kept));
        std::string text;
        for (const auto& line : lines) text += line + '\n';
        static_cast<void>(rt::write_file(path_, text));  // where it cannot be shortened it stays long
    }
    for (auto& line : lines) line = history_entry(line);
    return lines;
}

void HistoryFile::append(std::string_view entry) const {
    if (path_.empty()) return;
    std::error_code ignored;
    fs::create_directories(fs::path(path_).parent_path(), ignored);
    const bool is_new = !fs::exists(path_, ignored);
    std::ofstream(path_, std::ios::app) << history_line(entry) + "\n";
    if (is_new) fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

}  // namespace credence::cli
