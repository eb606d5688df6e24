#include "runtime/ensembles/shared.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

std::vector<std::int32_t> seen_codes(const TableView& rows, Schema& schema) {
    const Column& column = *rows.table->columns[*rows.table->target];
    std::vector<std::int32_t> out;
    std::vector<std::int32_t> code(column.domain->size(), -1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.push_back(column.codes[rows.row(i)]);
        code[static_cast<std::size_t>(out.back())] = 0;
    }
    std::vector<Label> seen;
    for (std::size_t k = 0; k < code.size(); ++k) {
        if (code[k] < 0) continue;
        code[k] = static_cast<std::int32_t>(seen.size());
        seen.push_back((*column.domain)[k]);
    }
    if (seen.size() == code.size() || seen.size() < 2) return out;
    for (auto& c : out) c = code[static_cast<std::size_t>(c)];
    schema.target.domain = make_domain(std::move(seen));
    return out;
}

Result<std::vector<double>> target_numbers(const TableView& rows) {
    constexpr double largest = 1e140;
    const Column& column = *rows.table->columns[*rows.table->target];
    std::vector<double> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.push_back(column.values[rows.row(i)]);
        if (std::abs(out.back()) > largest)
            return Fault{.code = "E-RANGE",
                         .message = fmt::format("the squares of {} are too large for a number", column.name),
                         .hint = "divide the target by a power of ten"};
    }
    return out;
}

}  // namespace

Result<EnsembleTarget> ensemble_target(const TableView& rows, Schema& schema) {
    EnsembleTarget out;
    if (schema.target.kind == ColumnKind::numeric) {
        out.numbers = TRY(target_numbers(rows));
    } else {
        out.codes = seen_codes(rows, schema);
        out.labels = schema.target.domain->size();
    }
    return out;
}

Status read_columns(const Json& json, const Schema& schema, Bins& bins, std::vector<double>& importance) {
    const Json* binning = TRY(read_member(json, "bins"));
    bins = TRY(read_binning(*binning, schema));
    importance = TRY(read_reals(json, "importance"));
    if (importance.size() != schema.features.size()) return damaged("there is not one importance for each column");
    return Done{};
}

Status tell_outcome(DerivationWriter& out, const Predictor& model, const TableView& row, Run& run) {
    const Field& target = model.schema().target;
    if (const auto* labels = dynamic_cast<const Classifier*>(&model)) {
        std::vector<double> p(target.domain->size());
        TRY(labels->probabilities(row, p, run));
        for (std::size_t k = 0; k < p.size(); ++k)
            out.note(fmt::format("P({} = {}) = {:.6g}", target.name, (*target.domain)[k].text(), p[k]));
        return Done{};
    }
    std::vector<double> y(1);
    TRY(dynamic_cast<const Regressor&>(model).predict(row, y, run));
    out.note(fmt::format("{} = {:.6g}", target.name, y[0]));
    return Done{};
}

ModelPart importance_part(const Schema& schema, std::span<const double> importance) {
    std::vector<std::string> names;
    for (const auto& f : schema.features) names.push_back(f.name);
    PartTable out;
    out.names("column", names).numbers("importance", importance);
    return std::move(out).part("importance");
}

std::vector<std::string> binned_tree_lines(const Schema& schema, const Bins& bins, const BinnedTree& tree,
                                           const std::function<std::string(std::uint32_t leaf)>& leaf_text) {
    constexpr std::size_t most_lines = 24;
    std::vector<std::string> out;
    std::size_t more = 0;
    const std::function<void(std::uint32_t, const std::string&)> tell = [&](std::uint32_t at, const std::string& indent) {
        const BinnedNode& node = tree.nodes[at];
        if (node.feature < 0) return;
        for (const bool left : {true, false}) {
            const std::uint32_t next = left ? node.left : node.left + 1;
            const bool leaf = tree.nodes[next].feature < 0;
            const std::string text =
                indent + binned_test_text(schema, bins, tree, node, left) + (leaf ? ": " + leaf_text(tree.nodes[next].leaf) : "");
            if (out.size() < most_lines)
                out.push_back(text);
            else
                ++more;
            tell(next, indent + "  ");
        }
    };
    if (tree.leaves == 1) out.push_back("all rows: " + leaf_text(0));
    tell(0, "");
    if (more > 0) out.push_back(fmt::format("… ({} lines more)", more));
    return out;
}

}  // namespace credence::rt
