#pragma once
// The pages of the reference that list the names of the library.

namespace credence::std_::subject {

constexpr const char* bayes = "bayes";
constexpr const char* cases = "cases";
constexpr const char* features = "features";
constexpr const char* instances = "instances";
constexpr const char* learning = "learning";
constexpr const char* mixtures = "mixtures";
constexpr const char* nets = "nets";
constexpr const char* regression = "regression";
constexpr const char* tables = "tables";

}  // namespace credence::std_::subject
