// The program from outside: commands, options, exit statuses.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;

struct Ran {
    int status = -1;
    std::string text;
};

Ran shell(const std::string& command) {
    Ran out;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe);
    char buffer[4096];
    while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.text.append(buffer, n);
    const int status = pclose(pipe);
    out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return out;
}

/// A folder that goes away with the test.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("credence_test_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return (path / name).string();
    }
};

const std::string program = CREDENCE_PROGRAM;

}  // namespace

TEST_CASE("scripts run from files and from standard input") {
    const Folder folder;
    const auto ok = folder.file("ok.cred", "#!/usr/bin/env credence\n1/3 + 1/6\n");
    CHECK(shell(program + " " + ok).text == "1/2  0.5\n");
    CHECK(shell(program + " run " + ok).status == 0);
    CHECK(shell("printf '2 + 2\\n' | " + program).text == "4\n");
    CHECK(shell(program + " --quiet " + ok).text.empty());
    CHECK(shell(program + " --digits 3 " + folder.file("d.cred", "sqrt(2)\n")).text == "≈ 1.41\n");
    CHECK(shell(program + " run --set n=3/4 " + folder.file("n.cred", "n * 4\n")).text == "3\n");
}

TEST_CASE("exit statuses: 0 fine, 1 failed, 2 usage") {
    const Folder folder;
    CHECK(shell(program + " " + folder.file("a.cred", "expect 1 == 1\n")).status == 0);
    CHECK(shell(program + " " + folder.file("b.cred", "expect 1 == 2\n")).status == 1);
    CHECK(shell(program + " " + folder.file("c.cred", "1 / 0\n")).status == 1);
    CHECK(shell(program + " " + (folder.path / "missing.cred").string()).status == 1);
    CHECK(shell(program + " --no-such-option").status == 2);
    CHECK(shell(program + " --digits 99 x.cred").status == 2);
    CHECK(shell(program + " check " + folder.file("d.cred", "let x = 1\nprint(x)\n")).status == 1);
    CHECK(shell(program + " check " + folder.file("e.cred", "1 / 0\n")).status == 0);
    CHECK(shell(program + " --version").status == 0);
    CHECK(shell(program + " help choose").status == 0);
    CHECK(shell(program + " help E-ZERO").status == 0);
    CHECK(shell(program + " help nothing_like_it").status == 1);
}

TEST_CASE("the golden runner compares, shows a diff, and updates only what holds") {
    const Folder folder;
    folder.file("a.cred", "1 + 1\n");
    folder.file("a.out", "3\n");
    const auto failed = shell(program + " test " + folder.path.string());
    CHECK(failed.status == 1);
    CHECK(failed.text.find("- 3") != std::string::npos);
    CHECK(failed.text.find("+ 2") != std::string::npos);
    CHECK(failed.text.ends_with("0 passed, 1 failed\n"));
    CHECK(shell(program + " test --update " + folder.path.string()).status == 0);
    CHECK(shell(program + " test " + folder.path.string()).text.ends_with("1 passed, 0 failed\n"));
    folder.file("b.cred", "expect 1 == 2\n7\n");
    folder.file("b.out", "old\n");
    CHECK(shell(program + " test --update " + folder.path.string()).status == 1);
    std::ifstream kept(folder.path / "b.out");
    std::string line;
    std::getline(kept, line);
    CHECK(line == "old");
}

TEST_CASE("JSON: one object a value, numbers with their fractions, diagnostics too") {
    const Folder folder;
    const auto path = folder.file("j.cred", "net A { X : { a: 1/3, b: 2/3 } }\n\nP(X)\nP(X = a)\nsqrt(2)\n[1, \"x\"]\n");
    const auto ran = shell(program + " --json " + path);
    std::istringstream lines(ran.text);
    std::string line;
    REQUIRE(std::getline(lines, line));
    const auto factor = nlohmann::json::parse(line);
    CHECK(factor["line"] == 3);
    CHECK(factor["type"] == "factor");
    CHECK(factor["query"] == "P(X)");
    CHECK(factor["engine"] == "variable_elimination");
    CHECK(factor["exact"] == true);
    CHECK(factor["entries"][0]["labels"][0] == "a");
    CHECK(factor["entries"][0]["exact"] == "1/3");
    CHECK(factor["entries"][0]["value"].get<double>() == Approx(1.0 / 3).epsilon(1e-15));
    REQUIRE(std::getline(lines, line));
    CHECK(nlohmann::json::parse(line)["exact"] == "1/3");
    REQUIRE(std::getline(lines, line));
    CHECK_FALSE(nlohmann::json::parse(line).contains("exact"));
    const auto error = nlohmann::json::parse(shell(program + " --json " + folder.file("k.cred", "let x = nobody\n")).text);
    CHECK(error["code"] == "E-NAME");
    CHECK(error["line"] == 1);
    CHECK(error["column"] == 9);
}

TEST_CASE("limits: time, memory, folder") {
    const Folder folder;
    const auto endless = folder.file("t.cred", "count(map(1..49000000, x -> x * x))\n");
    const auto late = shell(program + " --timeout 0.3 " + endless);
    CHECK(late.status == 1);
    CHECK(late.text.find("E-TIMEOUT") != std::string::npos);
#ifndef __SANITIZE_ADDRESS__  // whose shadow needs more addresses than any limit leaves
    const auto large = shell(program + " --max-memory 64M " + folder.file("m.cred", "count([x for x in 1..49000000])\n"));
    CHECK(large.status == 1);
    CHECK(large.text.find("E-MEMORY") != std::string::npos);
    CHECK(large.text.find("m.cred:1:1") != std::string::npos);
#endif
    fs::create_directories(folder.path / "inside");
    folder.file("outside.csv", "a,b\n1,2\n");
    const auto refused =
        shell(program + " --root " + (folder.path / "inside").string() + " " + folder.file("inside/r.cred", "load(\"../outside.csv\")\n"));
    CHECK(refused.status == 1);
    CHECK(refused.text.find("E-FILE") != std::string::npos);
    CHECK(shell(program + " " + folder.file("inside/s.cred", "rows(load(\"../outside.csv\"))\n")).text == "1\n");
}

TEST_CASE("fmt changes files in place, checks, and leaves what does not parse") {
    const Folder folder;
    const auto path = folder.file("f.cred", "let x=1   # one\nlet  y = [1,2]\n");
    CHECK(shell(program + " fmt --check " + path).status == 1);
    CHECK(shell(program + " fmt " + path).status == 0);
    CHECK(shell(program + " fmt --check " + path).status == 0);
    const auto bad = folder.file("g.cred", "let = \n");
    CHECK(shell(program + " fmt " + bad).status == 1);
    std::ifstream kept(bad);
    std::string line;
    std::getline(kept, line);
    CHECK(line == "let = ");
}

TEST_CASE("colour is for terminals, unless it is asked for") {
    const Folder folder;
    const auto path = folder.file("c.cred", "1 / 0\n");
    CHECK(shell(program + " " + path).text.find('\033') == std::string::npos);
    CHECK(shell(program + " --color always " + path).text.find('\033') != std::string::npos);
    CHECK(shell("NO_COLOR=1 " + program + " " + path).text.find('\033') == std::string::npos);
}
