#pragma once
// Entries of earlier runs, in a file of our own: each line editor's own format is its own, and none keeps entries of several lines whole.

#include <string>
#include <string_view>
#include <vector>

namespace credence::cli {

class HistoryFile {
public:
    HistoryFile() : HistoryFile(default_path()) {}
    explicit HistoryFile(std::string path) : path_(std::move(path)) {}

    /// Oldest first; shortens a file that has grown long. Empty if there is none.
    std::vector<std::string> load() const;
    /// One line at the end. What cannot be written is not remembered, and nothing else happens.
    void append(std::string_view entry) const;

    /// $XDG_STATE_HOME/credence/history, else ~/.local/state/credence/history; empty without a home: nothing is kept.
    static std::string default_path();

private:
    std::string path_;
};

/// One line for an entry, line ends as \n and backslashes doubled; and back.
std::string history_line(std::string_view entry);
std::string history_entry(std::string_view line);

}  // namespace credence::cli
