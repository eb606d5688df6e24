#pragma once
// Pieces of models as JSON, and back. Loaders use the `read_` functions, which check what they find: a damaged file is an E-FILE fault.

#include "runtime/core/json.hpp"

#include "runtime/core/linalg.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

Json saved(const Number& number);  ///< exact: its text "49/235"; real: the double (∞ and NaN as text)
Json saved(const Domain& domain);
Json saved(const Schema& schema);
Json saved(std::span<const double> values);
Json saved(std::span<const Number> values);
Json saved(const Matrix& matrix);
Json saved(const Table& table);

Fault damaged(std::string what);  ///< E-FILE: "the file is damaged: …"

Result<const Json*> read_member(const Json& json, const char* key);
Result<double> read_real(const Json& json, const char* key);
Result<std::size_t> read_count(const Json& json, const char* key);
Result<std::string> read_text(const Json& json, const char* key);
Result<Number> read_number(const Json& value);
Result<std::vector<double>> read_reals(const Json& json, const char* key);
Result<std::vector<Number>> read_numbers(const Json& json, const char* key);
Result<Matrix> read_matrix(const Json& json, const char* key);
Result<DomainPtr> read_domain(const Json& value);
Result<Schema> read_schema(const Json& json, const char* key);
Result<TablePtr> read_table(const Json& json, const char* key);

}  // namespace credence::rt
