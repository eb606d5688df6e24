#include "runtime/data/compressed.hpp"

#include <zlib.h>
#include <zstd.h>

#include "table_support.hpp"
#include "tests/support/folder.hpp"

using namespace credence::rt;
using namespace credence::rt::table_test;
using credence::test::TemporaryFolder;

namespace {

std::string by_zstd(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

/// Unpacked by the libraries' own functions for a whole text.
std::string plain(const TemporaryFolder& folder, const std::string& name, std::size_t size) {
    std::string out(size, '\0');
    if (name.ends_with(".gz")) {
        const gzFile file = gzopen(folder.at(name).c_str(), "rb");
        out.resize(static_cast<std::size_t>(gzread(file, out.data(), static_cast<unsigned>(size))));
        gzclose(file);
    } else {
        const std::string packed = folder.read(name);
        out.resize(ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()));
    }
    return out;
}

std::string long_text() {
    std::string out;
    for (int i = 0; i < 300'000; ++i) out += std::to_string(std::int64_t(i) * 7919 % 100'003) + (i % 10 == 9 ? "\n" : ",");
    return out;
}

}  // namespace

TEST_CASE("what is written compressed is what other programs unpack, and comes back", "[compressed]") {
    const TemporaryFolder folder("compressed");
    for (const std::string ending : {".gz", ".zst"})
        for (const auto& text : {std::string(), std::string("a,b\n1,2\n"), long_text()}) {
            INFO(ending << " " << text.size());
            const std::string name = "t.csv" + ending;
            REQUIRE(write_data_file(folder.at(name), text));
            CHECK(plain(folder, name, text.size() + 10) == text);
            CHECK(text_of(read_data_file(folder.at(name))) == text);
            CHECK((text.size() < 100 || folder.read(name).size() < text.size()));
        }
    CHECK(data_ending("a/b.tsv.zst") == ".tsv");
    CHECK(data_name("b.csv.GZ") == "b.csv");
}

TEST_CASE("several members or frames are one text", "[compressed]") {
    const TemporaryFolder folder("compressed");
    REQUIRE(write_data_file(folder.at("a.gz"), "a\n1\n"));
    REQUIRE(write_data_file(folder.at("b.gz"), "2\n"));
    folder.write("ab.csv.gz", folder.read("a.gz") + folder.read("b.gz"));
    CHECK(text_of(read_data_file(folder.at("ab.csv.gz"))) == "a\n1\n2\n");
    folder.write("ab.csv.zst", by_zstd("a\n1\n") + by_zstd("") + by_zstd("2\n"));
    CHECK(text_of(read_data_file(folder.at("ab.csv.zst"))) == "a\n1\n2\n");
}

TEST_CASE("a file that is cut short or damaged is refused", "[compressed]") {
    const TemporaryFolder folder("compressed");
    const std::string text = long_text();
    for (const std::string name : {"t.csv.gz", "t.csv.zst"}) {
        REQUIRE(write_data_file(folder.at(name), text));
        const std::string whole = folder.read(name);
        for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
            INFO(name << " " << size);
            folder.write(name, whole.substr(0, size));
            CHECK(text_of(read_data_file(folder.at(name))) == folder.at(name) + " is cut short");
        }
        for (const std::size_t at : {std::size_t{1}, whole.size() / 2, whole.size() - 2}) {
            INFO(name << " " << at);
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ 0x55);
            folder.write(name, changed);
            const auto read = read_data_file(folder.at(name));
            REQUIRE_FALSE(read);
            CHECK(read.fault().code.text() == "E-FILE");
        }
        folder.write(name, whole + "and more");
        CHECK_FALSE(read_data_file(folder.at(name)));
    }
}

TEST_CASE("what unpacks to more than the limit is refused", "[compressed]") {
    const TemporaryFolder folder("compressed");
    const std::string zeros(std::size_t{20} << 20U, '0');
    for (const std::string name : {"t.csv.gz", "t.csv.zst"}) {
        REQUIRE(write_data_file(folder.at(name), zeros));
        CHECK(folder.read(name).size() < 100'000);
        const auto read = read_data_file(folder.at(name), std::size_t{8} << 20U);
        REQUIRE_FALSE(read);
        CHECK(read.fault().message == "'" + folder.at(name) + "' unpacks to more than 8 MB, which is the most that is read");
    }
}
