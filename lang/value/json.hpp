#pragma once
// Values as JSON: numbers as doubles with the exact fraction beside them as text.

#include <nlohmann/json_fwd.hpp>

#include "lang/value/value.hpp"

namespace credence::lang {

nlohmann::ordered_json to_json(const Value& value);

}  // namespace credence::lang
