#pragma once
// The names of the numbers that a variable has several of: p[1], p[2] of p; and where it stands in a plate, p[3, 1], p[3, 2] of p[3].

#include <string>

namespace credence::rt {

inline std::string member_name(const std::string& variable, std::size_t position) {
    if (variable.empty() || variable.back() != ']') return variable + "[" + std::to_string(position) + "]";
    return variable.substr(0, variable.size() - 1) + ", " + std::to_string(position) + "]";
}

}  // namespace credence::rt
