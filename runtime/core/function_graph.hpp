#pragma once
// How quantities of a device move with each other: signed influences (language.md §6, cases and graphs).

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace credence::rt {

struct FunctionGraph {
    struct Quantity {
        std::string name;
        std::string kind;  ///< empty: matches any
    };
    struct Influence {
        std::size_t from = 0;
        std::size_t to = 0;
        int sign = 1;  ///< how the head moves with the tail: +1 or −1
        friend bool operator==(const Influence&, const Influence&) = default;
    };
    std::vector<Quantity> quantities;  ///< in the order of their first mention
    std::vector<Influence> influences;
};
using FunctionGraphPtr = std::shared_ptr<const FunctionGraph>;

}  // namespace credence::rt
