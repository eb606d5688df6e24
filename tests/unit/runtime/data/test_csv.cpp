#include <cmath>
#include <random>

#include "runtime/data/decimal.hpp"
#include "runtime/data/text_file.hpp"
#include "table_support.hpp"
#include "tests/support/folder.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;
using credence::test::TemporaryFolder;

TEST_CASE("csv: a small table", "[csv]") {
    const auto table = csv("Sky,Temp,Play\nsunny,21.5,yes\nrainy,?,no\nsunny,,yes\n");
    CHECK(table->rows() == 3);
    CHECK(table->columns.size() == 3);
    CHECK(kind(table, "Sky") == ColumnKind::label);
    CHECK(kind(table, "Temp") == ColumnKind::numeric);
    CHECK(cells(table, "Sky") == Strings{"sunny", "rainy", "sunny"});
    CHECK(cells(table, "Temp") == Strings{"21.5", "∅", "∅"});
    CHECK(domain(table, "Play") == Strings{"yes", "no"});
    CHECK_FALSE(table->target);
}

TEST_CASE("csv: quotes", "[csv]") {
    const auto table = csv("a,b\n\"x, \"\"y\"\"\",1\n\"two\nlines\",\"2\"\n  \"kept \" ,3\nmid\"quote\"s,4\n\"\",5\n\"\"\"\",6\n");
    CHECK(cells(table, "a") == Strings{"x, \"y\"", "two\nlines", "kept ", "mid\"quote\"s", "∅", "\""});
    CHECK(kind(table, "b") == ColumnKind::numeric);  // a quoted number is a number
    CHECK(cells(table, "b") == Strings{"1", "2", "3", "4", "5", "6"});
}

TEST_CASE("csv: a quoted question mark is a label", "[csv]") {
    const auto table = csv("a,b\n?,1\n\"?\",\"?\"\nx,2\n");
    CHECK(cells(table, "a") == Strings{"∅", "?", "x"});
    CHECK(cells(table, "b") == Strings{"1", "?", "2"});
}

TEST_CASE("csv: line ends, blanks, byte order mark, blank lines", "[csv]") {
    const auto plain = csv("a,b\n1,x\n2,y\n");
    for (const auto* text : {"a,b\r\n1,x\r\n2,y\r\n",
                             "\xEF\xBB\xBF"
                             "a,b\n1,x\n2,y",
                             "\n\na,b\n\n1,x\n   \n2,y\n\n", " a , b\n 1 ,\tx \n2,  y\r\n", "\"a\",\"b\"\r\n\"1\",\"x\"\r\n\"2\",\"y\"",
                             "a,b\n1.0,x\n+2,y\n"}) {
        INFO(text);
        CHECK(same(*plain, *csv(text)));
    }
}

TEST_CASE("csv: blank lines of a table with one column are skipped", "[csv]") {
    CHECK(cells(csv("a\nx\n\ny\n\"\"\n"), "a") == Strings{"x", "y", "∅"});
}

TEST_CASE("csv: the last cell may be empty", "[csv]") {
    CHECK(cells(csv("a,b\n1,\n2,"), "b") == Strings{"∅", "∅"});
    CHECK(cells(csv("a,b\n,\n"), "a") == Strings{"∅"});
}

TEST_CASE("csv: separators", "[csv]") {
    const auto expected = csv("a,b\n1,x\n");
    CHECK(same(*expected, *csv("a\tb\n1\tx\n")));
    CHECK(same(*expected, *csv("a;b\n1;x\n")));
    CHECK(same(*expected, *csv("\"a\";b\n1;x\n")));
    CHECK(same(*expected, *csv("a|b\n1|x\n", {.separator = '|'})));
    // a comma in the header wins, so a tab is part of the cell
    CHECK(csv("a\tc,b\n1,2\n")->columns[0]->name == "a\tc");
    CHECK(cells(csv("a\tb\n\t2\n"), "a") == Strings{"∅"});
}

TEST_CASE("csv: without a header the columns are numbered", "[csv]") {
    const auto table = csv("1,x\n2,y\n", {.header = false});
    CHECK(table->rows() == 2);
    CHECK(cells(table, "column1") == Strings{"1", "2"});
    CHECK(cells(table, "column2") == Strings{"x", "y"});
}

TEST_CASE("csv: kinds can be given", "[csv]") {
    const auto table = csv("digit,x\n07,1\n7.0,2\n3,?\n", {.types = {{"digit", ColumnKind::label}, {"x", ColumnKind::numeric}}});
    CHECK(kind(table, "digit") == ColumnKind::label);
    CHECK(cells(table, "digit") == Strings{"07", "7", "3"});  // a code keeps its zeros
    CHECK(domain(table, "digit") == Strings{"07", "7", "3"});

    const auto wrong = csv_fault("x\n1\n2\nmany\n", {.types = {{"x", ColumnKind::numeric}}});
    CHECK(wrong.code.text() == "E-TABLE");
    CHECK(wrong.message == "row 3 (line 4) has 'many' in column 'x', which is not a number");

    const auto unknown = csv_fault("Sky,x\n1,2\n", {.types = {{"sky", ColumnKind::label}}});
    CHECK(unknown.code.text() == "E-COLUMN");
    CHECK(unknown.message == "the table has no column 'sky'");
    CHECK(unknown.label == "its columns are Sky, x");
    CHECK(unknown.hint == "did you mean 'Sky'?");
}

TEST_CASE("csv: a word far down turns a numeric column into labels", "[csv]") {
    std::string text = "n,m\n";
    for (int i = 0; i < 5000; ++i) text += std::to_string(i % 7) + "," + std::to_string(i % 3) + ".0\n";
    text += "many,3\n";
    const auto table = csv(text);
    CHECK(kind(table, "n") == ColumnKind::label);
    CHECK(domain(table, "n") == Strings{"0", "1", "2", "3", "4", "5", "6", "many"});
    CHECK(table->columns[0]->codes[4999] == 4999 % 7);
    CHECK(table->columns[0]->codes[5000] == 7);
    CHECK(kind(table, "m") == ColumnKind::numeric);
    CHECK(table->columns[1]->values[4999] == 4999 % 3);
}

TEST_CASE("csv: missing texts can be given, and numbers be among them", "[csv]") {
    const CsvOptions options{.missing = std::vector<std::string>{"NA", "-999"}};
    const auto table = csv("a,b\nNA,-999\n?,1\n,-999.0\n", options);
    CHECK(cells(table, "a") == Strings{"∅", "?", "∅"});
    CHECK(cells(table, "b") == Strings{"∅", "1", "-999"});
    CHECK(cells(csv("a\nNA\nx\n", {.missing = std::vector<std::string>{"?"}}), "a") == Strings{"NA", "x"});
}

TEST_CASE("csv: words of other programs for a missing cell, and where they are labels", "[csv]") {
    CHECK(cells(csv("a,b\nNA,1\n\"NA\",NaN\nnull,N/A\nx,2\n"), "a") == Strings{"∅", "NA", "∅", "x"});
    CHECK(kind(csv("b\n1\nNaN\n-\nnone\n2\n"), "b") == ColumnKind::numeric);
    CHECK(cells(csv("sign\n+\n-\nnone\n"), "sign") == Strings{"+", "-", "∅"});
    CHECK(cells(csv("lens,age\nnone,1\nsoft,none\n", {.target = "lens"}), "lens") == Strings{"none", "soft"});

    std::vector<std::string> notes;
    const CsvOptions noting{.note = [&](std::string text) { notes.push_back(std::move(text)); }};
    csv("a,b\nNA,1\nNA,none\nx,?\n", noting);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == "taken as missing: 2 cells 'NA' in a, 1 cell 'none' in b; missing: [\"?\"] keeps such words");
}

TEST_CASE("csv: columns that are nearly numbers are noted, and decimal commas", "[csv]") {
    std::vector<std::string> notes;
    const CsvOptions noting{.note = [&](std::string text) { notes.push_back(std::move(text)); }};
    std::string text = "n\n";
    for (int i = 0; i < 30; ++i) text += std::to_string(i) + "\n";
    csv(text + "many\n", noting);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] ==
          "n is a column of labels, though 30 of its 31 cells are numbers: not 'many' in row 31; missing: lists words that mark "
          "missing cells");
    notes.clear();
    csv("price;n\n1,5;1\n2,25;2\n3;3\n", noting);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] ==
          "price has decimal commas, such as '1,5' in row 1, so its cells are labels here: with_column(t, price, r -> replace(r.price, "
          "\",\", \".\")) makes them numbers");
    const auto told = [&](const std::string& file) {
        notes.clear();
        csv(file, noting);
        return notes.empty() ? std::string() : notes[0];
    };
    CHECK(told("p;n\n1,200;1\n55.5;2\n").find("commas between thousands") != std::string::npos);
    CHECK(told("p;n\n1,200;1\n1,25;2\n").find("decimal commas") != std::string::npos);
    CHECK(told("p;n\n0,125;1\n2,250;2\n").find("decimal commas") != std::string::npos);
    CHECK(told("p;n\n12,345,678;1\n").find("commas between thousands") != std::string::npos);
    CHECK(told("p;n\n1,2,3;1\n").empty());
    CHECK(told("1.5,2\n3,4\n").find("header: false") != std::string::npos);
    CHECK(told("a,2\n3,4\n").empty());
    CHECK(told("a b\n1 2\n3 4\n").find("separator: \" \"") != std::string::npos);
    CHECK(told("a b\nred\nlight blue\n").empty());
}

TEST_CASE("csv: all missing, no rows", "[csv]") {
    const auto nothing = csv("a,b\n?,1\n,2\n");
    CHECK(kind(nothing, "a") == ColumnKind::label);
    CHECK(domain(nothing, "a").empty());
    const auto header_only = csv("a,b");
    CHECK(header_only->rows() == 0);
    CHECK(kind(header_only, "b") == ColumnKind::label);
    CHECK(kind(csv("a\n?\n", {.types = {{"a", ColumnKind::numeric}}}), "a") == ColumnKind::numeric);
}

TEST_CASE("csv: numbers are read exactly", "[csv]") {
    const auto table = csv("x\n0.1\n-0\n1e-3\n0.12345678901234567890123\n1e300\n144115188075855872\n144115188075855870\n5e-324\n.5\n");
    const auto& x = *table->columns[0];
    REQUIRE(x.kind == ColumnKind::numeric);
    CHECK(x.number(0) == Number(Rational(1, 10)));
    CHECK(x.values[1] == 0);
    CHECK_FALSE(std::signbit(x.values[1]));
    CHECK(x.number(2) == Number(Rational(1, 1000)));
    CHECK(x.number(3) == Number(*Rational::parse("0.12345678901234567890123")));
    CHECK(x.values[3] == 0.12345678901234567890123);
    CHECK(x.number(4) == Number(Rational(10).pow(300)));
    CHECK(x.number(5) == Number(Rational(144115188075855872)));
    CHECK(x.number(6) == Number(Rational(144115188075855870)));
    CHECK(x.values[7] == 5e-324);
    CHECK(x.number(8) == Number(Rational(1, 2)));
    // what no double can hold is refused, with its place
    const auto beyond = read_csv("x\n1\n1e400\n", {});
    REQUIRE_FALSE(beyond);
    CHECK(beyond.fault().code.text() == "E-TABLE");
    CHECK(beyond.fault().message.find("row 2 (line 3) has '1e400' in column 'x'") == 0);
    // 17 digits that are a double's own shortest decimal need no fraction
    CHECK(csv("x\n0.30000000000000004\n3.141592653589793\n-1234.5\n")->columns[0]->exact.empty());
}

TEST_CASE("csv: what is nearly a number is a label", "[csv]") {
    for (const auto* word : {"5.", "1e", "1e5000000", "12%", "1/2", "1_000", "0x10", "inf", "--1", "1.2.3", "1e5.0", ".", "+", "1 2"}) {
        INFO(word);
        CHECK(kind(csv("x\n1\n" + std::string(word) + "\n"), "x") == ColumnKind::label);
    }
}

TEST_CASE("csv: the fast parser agrees with exact fractions", "[csv][property]") {
    std::mt19937_64 random(1);  // NOLINT: the same cases every time
    std::uniform_int_distribution<int> digit('0', '9');
    std::uniform_int_distribution<int> size(0, 18);
    std::uniform_int_distribution<int> exponent(-320, 310);
    for (int i = 0; i < 20000; ++i) {
        std::string text = i % 3 == 0 ? "-" : "";
        for (int n = size(random); n > 0; --n) text += static_cast<char>(digit(random));
        if (i % 2 == 0) text += '.';
        for (int n = size(random) / 2; n > 0; --n) text += static_cast<char>(digit(random));
        if (i % 5 == 0) text += "e" + std::to_string(exponent(random));
        INFO(text);
        const auto exact = Rational::parse(text);
        const auto fast = parse_decimal(text);
        if (fast.kind == Decimal::Kind::other) continue;
        REQUIRE(exact);
        REQUIRE(fast.value == exact->to_double());
        if (fast.kind == Decimal::Kind::shortest) REQUIRE(Rational::from_decimal(fast.value) == *exact);
    }
}

TEST_CASE("csv: errors name the row and the line", "[csv]") {
    const auto few = csv_fault("a,b,c\n1,2,3\n\n1,2\n");
    CHECK(few.code.text() == "E-TABLE");
    CHECK(few.message == "row 2 (line 4) has 2 cells, the header has 3");
    CHECK(csv_fault("a,b\n\"1\n1\",2\n1,2,3\n").message == "row 2 (line 4) has 3 cells, the header has 2");
    CHECK(csv_fault("1,2\n1,2,3\n", {.header = false}).message == "row 2 (line 2) has 3 cells, the first row has 2");
    CHECK(csv_fault("a,b\n1,2\nx\n").message == "row 2 (line 3) has 1 cell, the header has 2");
    CHECK(csv_fault("a,b\n1,2\n1,\"x\n3,4\n").message == "row 2 (line 3) has a quote that is never closed");
    CHECK(csv_fault("a,b\n1,\"x\"y\n").message == "row 1 (line 2) has 'y' after a closing quote");
    CHECK(csv_fault("a,a\n1,2\n").message == "two columns are named 'a'");
    CHECK(csv_fault("a,,c\n1,2,3\n").message == "column 2 has no name");
    CHECK(csv_fault("").message == "the table is empty: it has no header");
    CHECK(csv_fault(" \r\n\n").message == "the table is empty: it has no header");
}

TEST_CASE("csv: text that is not UTF-8 is refused with its line", "[csv]") {
    const auto latin = csv_fault("a\nx\nM\xFCnchen\n");
    CHECK(latin.code.text() == "E-TEXT");
    CHECK(latin.message == "line 3 is not UTF-8");
    CHECK(cells(csv("a\nMünchen\n東京\n😀\n"), "a") == Strings{"München", "東京", "😀"});
    // Unicode table 3-7: surrogates, overlong forms, beyond U+10FFFF, truncated, stray continuation
    for (const auto* bad :
         {"\xED\xA0\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\xC3", "\x80", "\xE2\x82"}) {
        const std::string padded = std::string(70, 'x') + bad + std::string(70, 'y');
        CHECK(first_invalid_utf8(padded) == 70);
        CHECK(first_invalid_utf8(bad) == 0);
    }
    CHECK_FALSE(first_invalid_utf8(std::string(63, 'x') + "ü" + std::string(64, 'y') + "\xF4\x8F\xBF\xBF"));
}

TEST_CASE("csv: cells at the edges of blocks", "[csv]") {
    // every length around the 8, 16 and 64 bytes at which the reader changes its ways
    for (std::size_t length = 1; length < 140; ++length) {
        const std::string word(length, 'w');
        const std::string other = word.substr(1) + "v";
        const auto table = csv("a,b\n" + word + "," + other + "\n" + other + "," + word + "\n" + word + "," + word);
        REQUIRE(cells(table, "a") == Strings{word, other, word});
        REQUIRE(cells(table, "b") == Strings{other, word, word});
    }
}

TEST_CASE("csv: many labels", "[csv]") {
    std::string text = "id,half\n";
    for (int i = 0; i < 50000; ++i) text += "id" + std::to_string(i) + ",a-rather-long-label-" + std::to_string(i / 2) + "\n";
    const auto table = csv(text);
    CHECK(table->columns[0]->domain->size() == 50000);
    CHECK(table->columns[1]->domain->size() == 25000);
    bool right = true;
    for (int i = 0; i < 50000; ++i) {
        const auto row = static_cast<std::size_t>(i);
        right = right && table->columns[0]->codes[row] == i && table->columns[1]->codes[row] == i / 2;
    }
    CHECK(right);
    CHECK((*table->columns[1]->domain)[777].text() == "a-rather-long-label-777");
}

TEST_CASE("csv: any number of threads gives the same table", "[csv]") {
    std::string text = "a,b,c,d\n";
    for (int i = 0; i < 300000; ++i) {
        const int late = i / 50000;  // labels that only later parts have
        text += "v" + std::to_string((i % 7919) % (5 + late)) + "," + std::to_string(i) + ".25," + (i == 250000 ? "word" : "1.0") + "," +
                (i % 100000 == 99999 ? "0.12345678901234567890" : "?") + "\n";
    }
    const auto one = csv(text);
    for (const unsigned threads : {2U, 3U, 5U}) CHECK(same(*one, *csv(text, {.threads = threads})));
    text += "1,2\n";
    text.insert(text.size() / 2, "\n");  // somewhere inside a row: two rows of the wrong width
    const auto fault = csv_fault(text);
    CHECK(csv_fault(text, {.threads = 3}).message == fault.message);
    CHECK(fault.message.find("has") != std::string::npos);
}

TEST_CASE("csv: reading what was written gives the same table", "[csv][property]") {
    std::mt19937_64 random(2);  // NOLINT: the same cases every time
    const auto below = [&](std::uint64_t n) { return static_cast<std::size_t>(random() % n); };
    const Strings pieces = {"a", "B", ",", ";", "\t", "\"", "\n", "\r\n", " ", "?", "é", "0", "1", ".5", "-", "e3", "x y"};
    for (int round = 0; round < 300; ++round) {
        auto table = std::make_shared<Table>();
        table->row_count = below(12);
        const std::size_t width = 1 + below(5);
        for (std::size_t c = 0; c < width; ++c) {
            ColumnBuilder builder("column " + std::to_string(c) + pieces[below(pieces.size())]);
            const bool numbers = below(2) == 0;
            for (std::size_t row = 0; row < table->row_count; ++row) {
                std::string cell;
                if (numbers)
                    cell = std::to_string(below(2000)) + "." + std::to_string(below(100000)) + (below(9) == 0 ? "12345678901234567" : "");
                else
                    for (std::size_t n = 1 + below(3); n > 0; --n) cell += pieces[below(pieces.size())];
                if (below(6) == 0)
                    builder.add_missing();
                else
                    builder.add(Label::of_text(cell));
            }
            table->columns.push_back(value_of(std::move(builder).finish()));
        }
        // a name ends in what the piece was; blanks and quotes included
        const char separator = ",;\t|"[below(4)];
        const auto text = write_csv(*table, separator);
        INFO(text);
        auto back = csv(text, {.separator = separator});
        REQUIRE(same(*table, *back));
        // 0.5 may read as a number where all cells of a label column do; the builder decided in the same way
        REQUIRE(write_csv(*back, separator) == text);
    }
}

TEST_CASE("csv: what is written", "[csv]") {
    const auto table = csv("a,b\n\"x,1\",0.10\n?,1e21\n\"?\",?\n");
    CHECK(write_csv(*table) == "a,b\n\"x,1\",0.1\n?,1e+21\n\"?\",?\n");
    ColumnBuilder thirds("t");
    thirds.add(Label::of_number(Rational(1, 3)));
    thirds.add(Label::of_number(Rational(1, 4)));
    Table fractions{{value_of(std::move(thirds).finish())}, std::nullopt, 2};
    CHECK(write_csv(fractions) == "t\n0.3333333333333333\n0.25\n");
}

TEST_CASE("csv: files", "[csv]") {
    const TemporaryFolder folder("csv");
    const auto table = csv("a,b\n1,x\n2,y\n");
    const auto path = folder.at("t.csv");
    REQUIRE(save_csv(*table, path));
    CHECK(same(*table, *value_of(load_csv(path))));
    REQUIRE(save_csv(*table, folder.at("t.tsv"), '\t'));
    CHECK(same(*table, *value_of(load_csv(folder.at("t.tsv")))));
    // nothing is left of the temporary file
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()) == 2);

    folder.write("tab.tsv", "a,b\n1,2\n");  // the name says tabs, so the comma belongs to the cell
    CHECK(value_of(load_csv(folder.at("tab.tsv")))->columns.size() == 1);

    const auto none = load_csv(folder.at("tt.csv"));
    REQUIRE_FALSE(none);
    CHECK(none.fault().code.text() == "E-FILE");
    CHECK(none.fault().message == "there is no file '" + folder.at("tt.csv") + "'");
    CHECK(none.fault().hint == "did you mean '" + path + "'?");
    const auto directory = load_csv(folder.path());
    REQUIRE_FALSE(directory);
    CHECK(directory.fault().code.text() == "E-FILE");
    CHECK(directory.fault().message.find("is a folder") != std::string::npos);
    folder.write("bad.csv", "a,b\n1\n");
    CHECK(load_csv(folder.at("bad.csv")).fault().message == folder.at("bad.csv") + ": row 1 (line 2) has 1 cell, the header has 2");

    const auto nowhere = save_csv(*table, folder.at("no/such/folder/t.csv"));
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.fault().code.text() == "E-FILE");
    CHECK(save_csv(*table, folder.path()).fault().code.text() == "E-FILE");
}

TEST_CASE("csv: saving through a link replaces the file, not the link, and keeps its permissions", "[csv]") {
    const TemporaryFolder folder("csv");
    folder.write("real.csv", "old\n1\n");
    std::filesystem::permissions(folder.at("real.csv"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink(folder.at("real.csv"), folder.at("link.csv"));
    REQUIRE(save_csv(*csv("new\n2\n"), folder.at("link.csv")));
    CHECK(std::filesystem::is_symlink(folder.at("link.csv")));
    CHECK(value_of(load_csv(folder.at("real.csv")))->columns[0]->name == "new");
    CHECK(std::filesystem::status(folder.at("real.csv")).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("csv: the data sets load", "[csv][data]") {
    const auto folder = data_folder();
    if (!folder) return;
    // rows by the documentation of the data sets (UCI, StatLib)
    const std::vector<std::tuple<std::string, std::size_t, std::size_t>> shapes = {{"iris.csv", 150, 5},
                                                                                   {"car.csv", 1728, 7},
                                                                                   {"mushroom.csv", 8124, 23},
                                                                                   {"nursery.csv", 12960, 9},
                                                                                   {"letter.csv", 20000, 17},
                                                                                   {"boston.csv", 506, 14},
                                                                                   {"spambase.csv", 4601, 58},
                                                                                   {"contact_lenses.csv", 24, 5},
                                                                                   {"breast_cancer_wdbc.csv", 569, 31},
                                                                                   {"adult_train.csv", 32561, 15},
                                                                                   {"adult_test.csv", 16281, 15},
                                                                                   {"alarm_3000.csv", 3000, 37},
                                                                                   {"alarm_10000.csv", 10000, 37},
                                                                                   {"alarm_3000_missing10.csv", 3000, 37}};
    for (const auto& [name, rows, columns] : shapes) {
        INFO(name);
        const auto table = value_of(load_csv((*folder / "tables" / name).string()));
        CHECK(table->rows() == rows);
        CHECK(table->columns.size() == columns);
    }
    const auto adult = value_of(load_csv((*folder / "tables/adult_train.csv").string()));
    CHECK(kind(adult, "age") == ColumnKind::numeric);
    CHECK(kind(adult, "workclass") == ColumnKind::label);
    for (const auto* name : {"newsgroups_train.tsv", "newsgroups_test.tsv"}) {
        INFO(name);
        const auto table = value_of(load_csv((*folder / "text" / name).string(), {.header = false}));
        CHECK(table->columns.size() == 2);
        CHECK(domain(table, "column1").size() == 20);
    }
}
