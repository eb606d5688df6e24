#pragma once
// Variables and their domains: the coordinates of factors, models and table columns.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/label.hpp"

namespace credence::rt {

/// The values of a discrete variable, in the order they were declared (or, for data, first seen or sorted).
class Domain {
public:
    explicit Domain(std::vector<Label> labels);
    const std::vector<Label>& labels() const { return labels_; }
    std::size_t size() const { return labels_.size(); }
    const Label& operator[](std::size_t i) const { return labels_[i]; }
    std::optional<std::size_t> find(const Label& label) const;
    friend bool operator==(const Domain& a, const Domain& b) { return a.labels_ == b.labels_; }

private:
    std::vector<Label> labels_;
    std::unordered_map<std::string, std::size_t> index_;
};
using DomainPtr = std::shared_ptr<const Domain>;

DomainPtr make_domain(std::vector<Label> labels);
DomainPtr boolean_domain();  ///< true, false
/// 1 and 0 are true and false where these two are the values; any other label stays.
Label truth_of_number(const Domain& domain, const Label& label);

struct Variable {
    std::string name;
    DomainPtr domain;        ///< null: real-valued
    std::string space = {};  ///< set where the variable is a parameter asked for through its space: argmax then gives a record

    bool is_discrete() const { return domain != nullptr; }
    std::size_t size() const { return domain->size(); }
};

/// Index of a variable within its model.
enum class VarId : std::uint32_t {};
inline std::size_t index(VarId id) { return static_cast<std::size_t>(id); }

}  // namespace credence::rt
