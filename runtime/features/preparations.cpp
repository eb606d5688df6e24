#include "runtime/features/preparations.hpp"

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

constexpr const char* pca_kind = "pca";
constexpr const char* filter_kind = "filter_features";

// --- components -------------------------------------------------------------------------------------------------------

class Components final : public LearnedPreparation {
public:
    explicit Components(std::shared_ptr<const PrincipalComponents> found) : found_(std::move(found)) {}
    std::string_view kind() const override { return pca_kind; }
    Result<TablePtr> apply(const Table& table) const override { return found_->transform(table); }
    std::vector<std::string> lines() const override {
        return {fmt::format("{} become {}", joined(found_->columns, ", "), found_->description())};
    }
    Json save() const override { return found_->saved_components(); }

private:
    std::shared_ptr<const PrincipalComponents> found_;
};

class ComponentAnalysis final : public Preparation {
public:
    explicit ComponentAnalysis(PcaOptions options) : options_(options) {}
    std::string_view name() const override { return pca_kind; }
    Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double> weights, Run& run) const override {
        const TablePtr table = TRY(repeated_rows(rows, weights, name()));
        auto found = TRY(principal_components(*table, options_, run));
        return LearnedPreparationPtr(std::make_shared<const Components>(std::move(found)));
    }

private:
    PcaOptions options_;
};

// --- columns ----------------------------------------------------------------------------------------------------------

class Filtered final : public LearnedPreparation {
public:
    Filtered(std::vector<std::string> kept, std::vector<std::string> dropped) : kept_(std::move(kept)), dropped_(std::move(dropped)) {}
    std::string_view kind() const override { return filter_kind; }
    Result<TablePtr> apply(const Table& table) const override {
        std::vector<std::string> here;
        for (const auto& name : dropped_)
            if (table.find(name)) here.push_back(name);
        return drop(table, here);
    }
    std::vector<std::string> lines() const override {
        return {"kept " + joined(kept_, ", "), dropped_.empty() ? "dropped nothing" : "dropped " + joined(dropped_, ", ")};
    }
    Json save() const override { return Json{{"kept", kept_}, {"dropped", dropped_}}; }

private:
    std::vector<std::string> kept_;
    std::vector<std::string> dropped_;
};

class FeatureFilter final : public Preparation {
public:
    FeatureFilter(std::optional<FeatureMeasure> measure, KeepRule keep) : measure_(measure), keep_(keep) {}
    std::string_view name() const override { return filter_kind; }
    Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double> weights, Run& run) const override {
        const TablePtr table = TRY(repeated_rows(rows, weights, name()));
        const TablePtr left = measure_ ? TRY(filter_by_score(*table, *measure_, keep_, run)) : TRY(filter_redundant(*table, keep_, run));
        std::vector<std::string> kept;
        std::vector<std::string> dropped;
        for (std::size_t c = 0; c < table->columns.size(); ++c)
            if (table->target != c) (left->find(table->columns[c]->name) ? kept : dropped).push_back(table->columns[c]->name);
        if (kept.empty())
            return Fault{.code = "E-TRAIN",
                         .message = "filter_features() keeps no column of the training rows",
                         .hint = "a lower bound `above`, or keep: 1"};
        return LearnedPreparationPtr(std::make_shared<const Filtered>(std::move(kept), std::move(dropped)));
    }

private:
    std::optional<FeatureMeasure> measure_;
    KeepRule keep_;
};

Result<std::vector<std::string>> read_names(const Json& json, const char* key) {
    const Json* list = TRY(read_member(json, key));
    if (!list->is_array()) return damaged(fmt::format("'{}' is not a list", key));
    std::vector<std::string> out;
    for (const auto& item : *list) {
        if (!item.is_string()) return damaged("a column has no name");
        out.push_back(item.text());
    }
    return out;
}

}  // namespace

LearnerPtr make_component_analysis(PcaOptions options) { return std::make_shared<const ComponentAnalysis>(options); }

LearnerPtr make_feature_filter(std::optional<FeatureMeasure> measure, KeepRule keep) {
    return std::make_shared<const FeatureFilter>(measure, keep);
}

Result<std::optional<LearnedPreparationPtr>> load_feature_preparation(std::string_view kind, const Json& json) {
    if (kind == pca_kind) {
        const auto model = TRY(load_pca(json));
        return std::optional<LearnedPreparationPtr>(
            std::make_shared<const Components>(std::dynamic_pointer_cast<const PrincipalComponents>(model)));
    }
    if (kind == filter_kind) {
        auto kept = TRY(read_names(json, "kept"));
        auto dropped = TRY(read_names(json, "dropped"));
        return std::optional<LearnedPreparationPtr>(std::make_shared<const Filtered>(std::move(kept), std::move(dropped)));
    }
    return std::optional<LearnedPreparationPtr>();
}

}  // namespace credence::rt
