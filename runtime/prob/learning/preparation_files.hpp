#pragma once
// What preparations learned, as it is kept in memory and in files.

#include "runtime/prob/learning/preparation.hpp"

namespace credence::rt {

class Fills final : public LearnedPreparation {
public:
    explicit Fills(std::vector<ColumnFill> fills) : fills_(std::move(fills)) {}
    std::string_view kind() const override { return "impute"; }
    Result<TablePtr> apply(const Table& table) const override;
    std::vector<std::string> lines() const override;
    Json save() const override;

private:
    std::vector<ColumnFill> fills_;
};

class Scales final : public LearnedPreparation {
public:
    explicit Scales(std::vector<Field> fields) : fields_(std::move(fields)) {}
    std::string_view kind() const override { return "scale"; }
    Result<TablePtr> apply(const Table& table) const override;
    std::vector<std::string> lines() const override;
    Json save() const override;

private:
    std::vector<Field> fields_;  ///< each has a scale
};

class Encoded final : public LearnedPreparation {
public:
    explicit Encoded(std::vector<Field> fields) : fields_(std::move(fields)) {}
    std::string_view kind() const override { return "encode"; }
    Result<TablePtr> apply(const Table& table) const override;
    std::vector<std::string> lines() const override;
    Json save() const override;

private:
    std::vector<Field> fields_;
};

class Discretized final : public LearnedPreparation {
public:
    struct Cut {
        std::string column;
        std::vector<Number> cuts;
    };
    explicit Discretized(std::vector<Cut> columns) : columns_(std::move(columns)) {}
    std::string_view kind() const override { return "discretize"; }
    Result<TablePtr> apply(const Table& table) const override;
    std::vector<std::string> lines() const override;
    Json save() const override;

private:
    std::vector<Cut> columns_;
};

Result<LearnedPreparationPtr> load_prepared(std::string_view kind, const Json& json);

}  // namespace credence::rt
