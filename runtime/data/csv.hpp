#pragma once
// Tables in comma-separated files (RFC 4180 and what people write instead).

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/data/file_path.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

struct CsvOptions {
    /// Left out: a tab where the file's name ends in .tsv or the first line has tabs and no commas, a semicolon where it has
    /// only those, else a comma.
    std::optional<char> separator = std::nullopt;
    bool header = true;                                          ///< false: the columns are column1, column2, …
    std::vector<std::pair<std::string, ColumnKind>> types = {};  ///< columns whose kind is not to be inferred
    /// Cells that are missing when they are not quoted; an empty cell always is. Left out: "?" and the words below, which are then
    /// noted, because they may be meant as labels.
    std::optional<std::vector<std::string>> missing = std::nullopt;
    unsigned threads = 1;                        ///< the result is the same for any number
    std::string target = {};                     ///< of this column, "none" and "-" are labels like others
    std::function<void(std::string)> note = {};  ///< called for cells that may not be what they look like; may be empty
    const Run* run = nullptr;                    ///< where there is one, it can stop the reading, and gets its progress
};

/// Words for a missing cell in files of other programs.
std::span<const std::string_view> words_for_missing();

/// UTF-8 with or without a byte order mark; lines end in LF or CRLF. Cells may be quoted (a quote inside is doubled) and may then
/// hold separators and line ends; blanks round unquoted cells are cut off. Blank lines are skipped, in tables of one column too.
/// A column is numeric when all its cells that are not missing are numbers, quoted or not; one without any is a label column.
/// Faults: E-TABLE (with row and line), E-TEXT (not UTF-8), E-COLUMN (`types` names a column that is not there).
Result<TablePtr> read_csv(std::string_view text, const CsvOptions& options = {});
/// Also E-FILE; messages begin with the path.
Result<TablePtr> load_csv(const FilePath& path, const CsvOptions& options = {});

/// A header and one line for each row; cells are quoted where reading them would otherwise change them, missing ones are `?`.
/// Numbers are written in full where their decimals end, else as the nearest double's shortest decimal.
/// What cannot come back: the label "" is read as missing, and infinite numbers as labels.
std::string write_csv(const Table& table, char separator = ',');
/// Written atomically.
Status save_csv(const Table& table, const FilePath& path, char separator = ',');

}  // namespace credence::rt
