#pragma once
// Short tables in place of switches.

#include <array>
#include <cstddef>
#include <utility>

namespace credence::rt {

/// What a table has for a key; `otherwise` if the key is not in it.
template <class Key, class Value, std::size_t n>
constexpr Value value_for(Key key, const std::pair<Key, Value> (&table)[n], Value otherwise) {
    for (const auto& [known, value] : table)
        if (known == key) return value;
    return otherwise;
}

/// What a table has for each member of an enumeration, in its order.
template <class Enum, class Value, std::size_t n>
constexpr const Value& value_of(Enum member, const std::array<Value, n>& table) {
    return table[static_cast<std::size_t>(member)];
}

}  // namespace credence::rt
