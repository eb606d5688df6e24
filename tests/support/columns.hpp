#pragma once
// Columns of test tables.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/data/columns.hpp"

namespace credence::test {

inline rt::ColumnPtr numbers(std::string name, std::vector<double> values) {
    auto out = std::make_shared<rt::Column>();
    out->name = std::move(name);
    out->kind = rt::ColumnKind::numeric;
    out->values = std::move(values);
    return out;
}

}  // namespace credence::test
