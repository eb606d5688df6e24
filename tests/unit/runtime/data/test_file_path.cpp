#include "runtime/data/file_path.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <catch2/catch.hpp>

#include "runtime/data/text_file.hpp"
#include "table_support.hpp"
#include "tests/support/folder.hpp"

using namespace credence::rt;
using credence::rt::table_test::text_of;

namespace {

namespace fs = std::filesystem;

/// root/ with a file, a folder and links; a file outside of it.
class Folder : public credence::test::TemporaryFolder {
public:
    Folder() : TemporaryFolder("file-path") {
        write("root/sub/in.txt", "inside");
        write("out.txt", "outside");
        fs::create_symlink(at("out.txt"), at("root/link.txt"));
        fs::create_symlink("sub", at("root/near"));
        fs::create_symlink("..", at("root/up"));
    }
};

}  // namespace

TEST_CASE("no step leads out of the root", "[files]") {
    const Folder folder;
    const std::string root = folder.at("root");
    CHECK(text_of(read_file({root + "/sub/in.txt", root})) == "inside");
    for (const auto* way : {"/link.txt", "/up/out.txt", "/../out.txt", "/sub/../../out.txt"}) {
        INFO(way);
        CHECK_FALSE(read_file({root + way, root}));
        CHECK_FALSE(write_file({root + way + "/new", root}, "x"));
    }
    CHECK_FALSE(inside(root, "", folder.at("out.txt")));
    CHECK(inside(root, root, "sub/in.txt"));
    CHECK(inside(root, root, "new.txt"));
}

TEST_CASE("a walk follows no link", "[files]") {
    const Folder folder;
    const Descriptor root(::open(folder.at("root").c_str(), O_RDONLY | O_DIRECTORY));
    const auto opens = [&](const std::string& name) { return Descriptor(open_by_walk(root.get(), name, O_RDONLY)).is_open(); };
    CHECK(opens("sub/in.txt"));
    CHECK(opens("sub"));
    CHECK_FALSE(opens("link.txt"));
    CHECK_FALSE(opens("near/in.txt"));
    CHECK_FALSE(opens("up/out.txt"));
    CHECK_FALSE(opens("sub/../sub/in.txt"));
    CHECK_FALSE(opens("nothing/in.txt"));
}

TEST_CASE("a save removes what a killed program left, and nothing else", "[files]") {
    const Folder folder;
    const auto old = [&](const std::string& name) {
        folder.write("root/" + name, "half");
        const timespec long_ago[2] = {{1, 0}, {1, 0}};
        ::utimensat(AT_FDCWD, folder.at("root/" + name).c_str(), long_ago, 0);
    };
    old("t.csv.123-0.tmp");
    old("t.csv.124-0.tmp");
    old("u.csv.123-0.tmp");
    old("t.csv.notes.tmp");
    const Descriptor in_use(::open(folder.at("root/t.csv.124-0.tmp").c_str(), O_RDONLY));
    REQUIRE(::flock(in_use.get(), LOCK_EX) == 0);
    REQUIRE(write_file(folder.at("root/t.csv"), "new"));
    CHECK(text_of(read_file(folder.at("root/t.csv"))) == "new");
    CHECK_FALSE(fs::exists(folder.at("root/t.csv.123-0.tmp")));
    CHECK(fs::exists(folder.at("root/t.csv.124-0.tmp")));
    CHECK(fs::exists(folder.at("root/u.csv.123-0.tmp")));
    CHECK(fs::exists(folder.at("root/t.csv.notes.tmp")));
}

TEST_CASE("a link that is saved through keeps pointing, and a file its mode", "[files]") {
    const Folder folder;
    REQUIRE(::chmod(folder.at("out.txt").c_str(), 0640) == 0);
    REQUIRE(write_file(folder.at("root/link.txt"), "new"));
    CHECK(fs::is_symlink(folder.at("root/link.txt")));
    CHECK(text_of(read_file(folder.at("out.txt"))) == "new");
    struct stat info = {};
    REQUIRE(::stat(folder.at("out.txt").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777U) == 0640U);
}

TEST_CASE("what is not a file, or too long a one, is refused", "[files]") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
    CHECK_FALSE(read_file(folder.at("pipe")));
    CHECK_FALSE(write_file(folder.at("pipe"), "nobody reads it"));
    CHECK_FALSE(read_file("/dev/zero"));
    CHECK_FALSE(read_file(folder.at("root")));
    CHECK_FALSE(read_file(folder.at("out.txt"), Readable::files, 3));
    CHECK_FALSE(read_file("/dev/zero", Readable::anything, 1000));
}
