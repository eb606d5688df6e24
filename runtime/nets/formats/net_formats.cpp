#include "runtime/nets/formats/net_formats.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/data/text_file.hpp"
#include "runtime/prob/models/sampled_column.hpp"

namespace credence::rt {

namespace {

// clang-format off
constexpr NetFormat all_net_formats[] = {
    {".bif", "BIF", read_bif, write_bif},
    {".xml", "XMLBIF", read_xmlbif, write_xmlbif},
    {".net", "Hugin", read_hugin, write_hugin},
    {".uai", "UAI", read_uai, write_uai},
    {".dsc", "DSC", read_dsc, write_dsc},
    {".cred", "Credence", nullptr, write_cred},
};
// clang-format on

MarkovTable undirected_table(const NetNode& node, std::size_t slot) {
    MarkovTable out;
    for (const auto parent : node.parents) out.variables.push_back(static_cast<Slot>(index(parent)));
    out.variables.push_back(static_cast<Slot>(slot));
    out.values = node.table;
    return out;
}

/// A net under evidence is not a net, but it is a product of tables still.
MarkovNet undirected_of(const Net& net) {
    MarkovNet out;
    out.name = net.name;
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        out.variables.push_back(net.nodes[i].variable);
        out.tables.push_back(undirected_table(net.nodes[i], i));
    }
    return out;
}

Status add_evidence_beside(const FilePath& path, NetRead& read) {
    const FilePath beside = path.beside(std::filesystem::path(path.path).filename().string() + ".evid");
    // Found, and not named by the script: it has to be where the script was allowed to look.
    if (const Descriptor found = open_path(beside, O_RDONLY | O_NONBLOCK); !found.is_open()) {
        if (errno == ENOENT) return Done{};
        const bool leads_outside = !beside.root.empty() && (errno == EXDEV || errno == ELOOP);
        if (!leads_outside)
            return Fault{.code = "E-FILE", .message = "the evidence file '" + beside.path + "' of '" + path.path + "' cannot be read"};
        return Fault{.code = "E-FILE",
                     .message = "a link beside '" + path.path + "' leads outside the folder that files may be in",
                     .hint = "the values seen of a net are in a file beside it, which has to be in the folder itself"};
    }
    const auto text = TRY(read_file(beside));
    std::vector<std::size_t> sizes;
    if (read.undirected)
        for (const auto& v : read.undirected->variables) sizes.push_back(v.size());
    else
        for (const auto& node : read.net.nodes) sizes.push_back(node.variable.size());
    auto samples = read_uai_evidence(text.view(), sizes);
    if (!samples) return in_file(beside, std::move(samples).fault());
    const UaiSample& evidence = samples->front();
    if (evidence.empty() && samples->size() == 1) return Done{};
    if (!read.undirected) read.undirected = undirected_of(read.net);
    for (const auto& [variable, value] : evidence) {
        std::vector<Rational> indicator(sizes[variable], Rational(0));
        indicator[value] = 1;
        read.undirected->tables.push_back({{static_cast<Slot>(variable)}, std::move(indicator)});
    }
    const std::string file = std::filesystem::path(beside.path).filename().string();
    std::string note = fmt::format("the model holds the evidence of {}: {}", file, counted(evidence.size(), "observation"));
    if (samples->size() > 1)
        note += fmt::format(", those of the first of its {} samples; load(\"{}\") is a table of them all", samples->size(), beside.path);
    read.notes.push_back(std::move(note));
    return Done{};
}

}  // namespace

std::span<const NetFormat> net_formats() { return all_net_formats; }

const NetFormat* find_net_format(std::string_view ending) {
    const auto found =
        std::find_if(std::begin(all_net_formats), std::end(all_net_formats), [&](const NetFormat& f) { return f.ending == ending; });
    return found == std::end(all_net_formats) ? nullptr : found;
}

Result<NetRead> read_net(const FilePath& path, const NetFormat& format) {
    const auto text = TRY(read_file(path));
    if (auto status = check_utf8(text.view()); !status) return in_file(path, std::move(status).fault());
    auto net = format.read(text.view(), std::filesystem::path(path.path).stem().string());
    if (!net) return in_file(path, std::move(net).fault());
    if (format.ending == ".uai") TRY(add_evidence_beside(path, *net));
    return net;
}

Result<TablePtr> read_uai_samples(const FilePath& path) {
    const auto text = TRY(read_file(path));
    auto samples = read_uai_evidence(text.view(), std::nullopt);
    if (!samples) return in_file(path, std::move(samples).fault());
    std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> seen;  // by variable: sample and value
    for (std::size_t s = 0; s < samples->size(); ++s)
        for (const auto& [variable, value] : (*samples)[s]) seen[variable].emplace_back(s, value);
    std::vector<ColumnPtr> columns;
    for (const auto& [variable, values] : seen) {
        Column column;
        column.name = "X" + std::to_string(variable);
        column.kind = ColumnKind::numeric;
        column.values.assign(samples->size(), std::numeric_limits<double>::quiet_NaN());
        for (const auto& [sample, value] : values) column.values[sample] = static_cast<double>(value);
        columns.push_back(std::make_shared<const Column>(std::move(column)));
    }
    return table_of_columns(std::move(columns), samples->size());
}

Status write_net(const Net& net, const FilePath& path, const NetFormat& format) {
    const auto text = TRY(format.write(net));
    return write_file(path, text);
}

}  // namespace credence::rt
