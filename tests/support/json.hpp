#pragma once
// Damage to saved models.

#include <optional>

#include "runtime/core/json.hpp"

namespace credence::test {

/// The object with another value for one of its keys, or without it.
inline rt::Json changed(const rt::Json& object, std::string_view key, const std::optional<rt::Json>& value = std::nullopt) {
    rt::Json out = rt::Json::object();
    for (std::size_t i = 0; i < object.size(); ++i) {
        if (object.keys()[i] != key)
            out.set(object.keys()[i], object[i]);
        else if (value)
            out.set(object.keys()[i], *value);
    }
    return out;
}

}  // namespace credence::test
