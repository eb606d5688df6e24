#pragma once
// Files of reference values: rows of cells with tabs between them.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace credence::test {

inline std::vector<std::vector<std::string>> tab_rows(const std::filesystem::path& path) {
    std::vector<std::vector<std::string>> out;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        std::stringstream cells(line);
        auto& row = out.emplace_back();
        for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    }
    return out;
}

}  // namespace credence::test
