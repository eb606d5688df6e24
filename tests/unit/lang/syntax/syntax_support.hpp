#pragma once
// What the tests of the parser share.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lang/syntax/parse.hpp"
#include "tests/support/dump.hpp"

namespace credence::lang::test {

inline Program parsed(std::string text, Diagnostics& problems) {
    return parse(std::make_shared<const Source>("test", std::move(text)), problems);
}

/// The dump, and a line for each problem after it.
inline std::string dumped(std::string text) {
    Diagnostics problems;
    std::string out = dump(parsed(std::move(text), problems));
    for (const auto& p : problems) out += std::string(p.code.text()) + ": " + p.message + "\n";
    return out;
}

/// The dump of a script of one expression.
inline std::string shown(std::string text) {
    const std::string head = "((show ", tail = "))\n";
    std::string out = dumped(std::move(text));
    if (out.starts_with(head) && out.ends_with(tail)) return out.substr(head.size(), out.size() - head.size() - tail.size());
    return out;
}

/// Every script of the repository, whatever it is for.
inline std::vector<std::string> repository_scripts() {
    auto root = std::filesystem::current_path();
    while (!std::filesystem::exists(root / "lang/syntax/ast.hpp") && root.has_relative_path()) root = root.parent_path();
    std::vector<std::string> out;
    for (const char* room : {"examples", "tests", "stdlib"}) {
        if (!std::filesystem::exists(root / room)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
            if (entry.path().extension() != ".cred") continue;
            std::ifstream file(entry.path(), std::ios::binary);
            out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
    }
    return out;
}

}  // namespace credence::lang::test
