#include "runtime/data/csv_blocks.hpp"

#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>

#include "runtime/data/stack.hpp"
#include "runtime/data/stacked_blocks.hpp"
#include "tests/support/folder.hpp"

using namespace credence::rt;

namespace {

/// A file in a folder of its own.
class File {
public:
    explicit File(const std::string& text) : folder_("csv_blocks"), path_(folder_.at("rows.csv")) { append(text); }
    FilePath path() const { return path_; }
    void append(const std::string& text) const { std::ofstream(path_, std::ios::app | std::ios::binary) << text; }

private:
    credence::test::TemporaryFolder folder_;
    std::string path_;
};

/// About `megabytes` of rows: labels, some of them only late in the file, numbers, a column that turns out to be of labels, missing cells
/// and, where asked for, quotes round line ends.
std::string rows_text(std::size_t megabytes, bool quotes) {
    std::string out = "name,x,code,y\n";
    std::uint64_t state = 7;
    for (std::size_t row = 0; out.size() < megabytes << 20U; ++row) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const auto draw = static_cast<unsigned>(state >> 40U);
        if (quotes && draw % 5 == 0)
            out += "\"line one\nline, \"\"two\"\" " + std::to_string(draw % 7) + "\"";
        else
            out += "name" + std::to_string(draw % 50 + row / 20'000);
        out += "," + std::to_string(draw % 1000) + ".25,";
        out += row > 150'000 && draw % 1000 == 0 ? "late" : std::to_string(draw % 10);
        out += draw % 11 == 0 ? ",?\n" : "," + std::to_string(draw % 97) + "\n";
    }
    return out;
}

Result<RowBlocksPtr> opened(const File& file, Run& run) { return open_csv_blocks(file.path(), {.run = &run}); }

std::string text_of(const Column& column, std::size_t row) { return column.is_missing(row) ? "?" : column.label(row).text(); }

void check_against_memory(const std::string& text, unsigned threads) {
    const File file(text);
    Run run;
    run.threads = threads;
    const auto blocks = opened(file, run);
    REQUIRE(blocks);
    const auto table = load_csv(file.path());
    REQUIRE(table);
    const Table& head = (*blocks)->head();
    REQUIRE(head.columns.size() == (*table)->columns.size());
    CHECK((*blocks)->rows() == (*table)->rows());
    CHECK((*blocks)->parts() > 1);
    for (std::size_t c = 0; c < head.columns.size(); ++c) {
        CHECK(head.columns[c]->kind == (*table)->columns[c]->kind);
        if (head.columns[c]->domain) CHECK(*head.columns[c]->domain == *(*table)->columns[c]->domain);
    }
    std::size_t wrong = 0;
    std::size_t seen = 0;
    for (int pass_number = 0; pass_number < 2; ++pass_number) {
        const auto parts = pass(**blocks, {}, std::pair<std::size_t, std::size_t>{}, run,
                                [&](std::pair<std::size_t, std::size_t>& counts, const Table& block, std::size_t first) -> Status {
                                    for (std::size_t c = 0; c < block.columns.size(); ++c)
                                        for (std::size_t i = 0; i < block.rows(); ++i)
                                            counts.first += text_of(*block.columns[c], i) != text_of(*(*table)->columns[c], first + i);
                                    counts.second += block.rows();
                                    return Done{};
                                });
        REQUIRE(parts);
        for (const auto& part : *parts) {
            wrong += part.first;
            seen += part.second;
        }
    }
    CHECK(wrong == 0);
    CHECK(seen == 2 * (*table)->rows());
}

}  // namespace

TEST_CASE("blocks of a file hold the rows, labels and kinds that the table in memory has") { check_against_memory(rows_text(9, false), 2); }

TEST_CASE("a line end inside quotes does not end a row of a block") { check_against_memory(rows_text(9, true), 2); }

TEST_CASE("columns that are not wanted are missing") {
    const File file("a,b\n1,x\n2,y\n");
    Run run;
    const auto blocks = opened(file, run);
    REQUIRE(blocks);
    const std::vector<char> wanted{1, 0};
    const auto parts = pass(**blocks, wanted, std::size_t{0}, run, [&](std::size_t& missing, const Table& block, std::size_t) -> Status {
        missing += block.columns[1]->missing_count() + 10 * block.columns[0]->missing_count();
        return Done{};
    });
    REQUIRE(parts);
    CHECK((*parts)[0] == 2);
}

TEST_CASE("a wrong row is named by its number in the whole file and its line") {
    std::string text = rows_text(9, false);
    const auto rows = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
    text += "only,three,cells\n";
    const File file(text);
    Run run;
    const auto blocks = opened(file, run);
    REQUIRE_FALSE(blocks);
    CHECK(blocks.fault().code.text() == "E-TABLE");
    CHECK(blocks.fault().message.find("row " + std::to_string(rows + 1) + " (line " + std::to_string(rows + 2) + ") has 3 cells") !=
          std::string::npos);
}

TEST_CASE("a file that changes between passes is noticed") {
    const File file("a\n1\n2\n");
    Run run;
    const auto blocks = opened(file, run);
    REQUIRE(blocks);
    file.append("3\n");
    const auto parts = pass(**blocks, {}, 0, run, [](int&, const Table&, std::size_t) -> Status { return Done{}; });
    REQUIRE_FALSE(parts);
    CHECK(parts.fault().code.text() == "E-FILE");
    CHECK(parts.fault().message.find("was changed after it was opened") != std::string::npos);
}

TEST_CASE("empty tables, and files without a last line end") {
    Run run;
    const File none("a,b\n");
    const auto empty = opened(none, run);
    REQUIRE(empty);
    CHECK((*empty)->rows() == 0);
    const File file(
        "\xEF\xBB\xBF"
        "a;b\r\n1;x\r\n2;y");
    const auto blocks = opened(file, run);
    REQUIRE(blocks);
    CHECK((*blocks)->rows() == 2);
    CHECK((*blocks)->head().columns[0]->name == "a");
    CHECK((*blocks)->head().columns[1]->domain->size() == 2);
    const File nothing("");
    CHECK_FALSE(opened(nothing, run));
}

TEST_CASE("several files in blocks are one table, with the labels of all") {
    const credence::test::TemporaryFolder folder("stacked_blocks");
    const std::vector<std::string> paths{folder.write("a.csv", "name,x,gap\nred,1,?\nblue,2,?\n"),
                                         folder.write("b.csv", "gap,x,name\n7,3,green\n8,?,blue\n")};
    Run run;
    std::vector<RowBlocksPtr> files;
    std::vector<TablePtr> tables;
    for (const auto& path : paths) {
        auto blocks = open_csv_blocks(path, {.run = &run});
        REQUIRE(blocks);
        files.push_back(*blocks);
        tables.push_back(*load_csv(path));
    }
    const auto all = stacked_blocks(files, paths);
    REQUIRE(all);
    const TablePtr expected = stacked(tables);
    REQUIRE((*all)->rows() == 4);
    REQUIRE((*all)->parts() == 2);
    std::vector<std::string> cells;
    std::vector<std::string> wanted_cells;
    const auto parts = pass(**all, {}, std::vector<std::string>{}, run,
                            [&](std::vector<std::string>& own, const Table& block, std::size_t first) -> Status {
                                for (std::size_t i = 0; i < block.rows(); ++i)
                                    for (const auto& column : block.columns)
                                        own.push_back(std::to_string(first + i) + column->name + text_of(*column, i));
                                return Done{};
                            });
    REQUIRE(parts);
    for (const auto& part : *parts) cells.insert(cells.end(), part.begin(), part.end());
    for (std::size_t i = 0; i < 4; ++i)
        for (const auto& column : expected->columns) wanted_cells.push_back(std::to_string(i) + column->name + text_of(*column, i));
    CHECK(cells == wanted_cells);
    CHECK(*(*all)->head().columns[0]->domain == *expected->columns[0]->domain);
    CHECK((*all)->head().columns[2]->kind == ColumnKind::numeric);

    std::vector<RowBlocksPtr> mixed{files[0], *open_csv_blocks(folder.write("c.csv", "name,x,gap\nred,one,1\n"), {.run = &run})};
    const auto refused = stacked_blocks(mixed, paths);
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().message == "x holds numbers in some of these files and labels in others");
}
