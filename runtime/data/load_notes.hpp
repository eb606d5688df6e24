#pragma once
// What a reader of a file should know of its columns before learning from them.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/data/table.hpp"

namespace credence::rt {

/// Cells that a text stood in and that are missing now.
struct MissingWord {
    std::string column;
    std::string text;
    std::size_t cells = 0;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.column);
        visit(self.text);
        visit(self.cells);
    }
};
/// One line: which words were taken as missing, and how to keep them. Empty if there were none.
std::string missing_words_note(const std::vector<MissingWord>& words);

/// Of a column of labels that are nearly all numbers, which cells are not; of one with decimal commas or codes such as 007, that they are
/// labels here. Columns whose kind was declared are left out.
std::vector<std::string> notes_on_columns(const Table& table, std::span<const std::pair<std::string, ColumnKind>> declared);

}  // namespace credence::rt
