// UAI, the format of the inference competitions: BAYES (the last variable of a table is the node) and MARKOV. There are no names:
// variables are X0, X1, …, their values 0, 1, ….

#include <optional>

#include <fmt/format.h>

#include "runtime/nets/formats/net_draft.hpp"
#include "runtime/nets/formats/net_scan.hpp"
#include "runtime/nets/formats/net_text.hpp"

namespace credence::rt {

namespace {

constexpr ScanRules uai_rules{.signs = ""};
constexpr std::size_t most_exact_entries_undirected = 256;
constexpr std::size_t most_entries_of_a_table = 200'000'000;

struct UaiTable {
    std::vector<Slot> scope;
    std::size_t size = 1;
    std::size_t at = 0;  // of its scope
    std::vector<double> values;
    std::vector<std::string_view> texts;
    std::vector<std::size_t> row_at;
};

std::string uai_name(std::size_t i) { return "X" + std::to_string(i); }

std::vector<Label> uai_labels(std::size_t n) {
    std::vector<Label> out;
    for (std::size_t k = 0; k < n; ++k) out.push_back(Label::of_text(std::to_string(k)));
    return out;
}

class UaiReader {
public:
    UaiReader(std::string_view text, const std::string& fallback) : scan_(text, uai_rules), name_(fallback) {}

    Result<NetRead> read() {
        const bool bayes = scan_.take_word("BAYES");
        if (!bayes && !scan_.take_word("MARKOV")) return scan_.expected("BAYES or MARKOV");
        TRY(variables());
        TRY(scopes());
        for (std::size_t i = 0; i < tables_.size(); ++i) TRY(numbers(i, bayes));
        if (scan_.peek().kind != NetToken::Kind::end) return scan_.expected("the end of the file");
        return bayes ? net() : undirected();
    }

private:
    Status variables() {
        auto count = TRY(scan_.count("the number of variables"));
        for (std::size_t i = 0; i < count; ++i) {
            const NetToken at = scan_.peek();
            auto size = TRY(scan_.count("the number of values of a variable"));
            if (size == 0) return scan_.fault(at, fmt::format("{} has no values", uai_name(i)));
            sizes_.push_back(size);
            places_.push_back(at.at);
        }
        return Done{};
    }

    Status scopes() {
        const NetToken before = scan_.peek();
        auto count = TRY(scan_.count("the number of tables"));
        if (count > scan_.text().size()) return scan_.fault(before, "the file is too short for this many tables");
        tables_.resize(count);
        for (auto& table : tables_) {
            table.at = scan_.peek().at;
            auto size = TRY(scan_.count("the number of variables of a table"));
            double entries = 1;
            for (std::size_t k = 0; k < size; ++k) {
                const NetToken at = scan_.peek();
                auto slot = TRY(scan_.count("a variable"));
                if (slot >= sizes_.size())
                    return scan_.fault(at, fmt::format("there are {} variables, and they count from 0", sizes_.size()));
                for (const auto other : table.scope)
                    if (other == slot) return scan_.fault(at, fmt::format("variable {} comes twice in a table", slot));
                table.scope.push_back(static_cast<Slot>(slot));
                entries *= static_cast<double>(sizes_[slot]);
            }
            if (entries > static_cast<double>(most_entries_of_a_table))
                return scan_.fault(before, fmt::format("a table would have {} entries", entries));
            table.size = static_cast<std::size_t>(entries);
        }
        return Done{};
    }

    Status numbers(std::size_t i, bool bayes) {
        UaiTable& table = tables_[i];
        const NetToken before = scan_.peek();
        auto count = TRY(scan_.count(fmt::format("the number of entries of table {}", i)));
        if (count != table.size) return scan_.fault(before, fmt::format("table {} has {} entries, not {}", i, table.size, count));
        const bool keep = scan_.text().size() <= small;
        const std::size_t row = bayes && !table.scope.empty() ? sizes_[table.scope.back()] : 1;
        table.values.reserve(table.size);
        for (std::size_t k = 0; k < table.size; ++k) {
            if (bayes && k % row == 0) table.row_at.push_back(scan_.peek().at);
            std::string_view raw;
            auto value = TRY(scan_.number(&raw));
            table.values.push_back(value);
            if (keep) table.texts.push_back(raw);
        }
        return Done{};
    }

    Result<NetRead> net() {
        NetDraft draft(scan_.text());
        for (std::size_t i = 0; i < sizes_.size(); ++i) TRY(draft.add(uai_name(i), uai_labels(sizes_[i]), places_[i]));
        for (auto& table : tables_) {
            if (table.scope.empty()) return draft.fault(table.at, "a table of a BAYES net needs its node");
            const Slot node = table.scope.back();
            if (draft[node].has_table) return draft.fault(table.at, fmt::format("{} has two tables", uai_name(node)));
            std::vector<std::pair<std::string, std::size_t>> parents;
            for (std::size_t k = 0; k + 1 < table.scope.size(); ++k) parents.emplace_back(uai_name(table.scope[k]), table.at);
            TRY(draft.set_parents(node, parents));
            draft[node].values = std::move(table.values);
            if (draft.keeps_texts()) draft[node].texts = std::move(table.texts);
            draft[node].row_at = std::move(table.row_at);
        }
        return std::move(draft).finish(name_);
    }

    Result<NetRead> undirected() {
        NetRead out;
        MarkovNet net;
        net.name = name_;
        for (std::size_t i = 0; i < sizes_.size(); ++i)
            net.variables.push_back({.name = uai_name(i), .domain = make_domain(uai_labels(sizes_[i]))});
        std::size_t entries = 0;
        for (const auto& table : tables_) entries += table.size;
        for (auto& table : tables_) {
            MarkovTable made;
            made.variables = table.scope;
            if (entries <= most_exact_entries_undirected && scan_.text().size() <= small) {
                std::vector<Rational> fractions;
                for (const auto text : table.texts) fractions.push_back(*Rational::parse(text));
                made.values = std::move(fractions);
            } else {
                made.values = std::move(table.values);
            }
            net.tables.push_back(std::move(made));
        }
        out.undirected = std::move(net);
        return out;
    }

    static constexpr std::size_t small = std::size_t{256} << 10U;

    NetScanner scan_;
    std::string name_;
    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> places_;
    std::vector<UaiTable> tables_;
};

}  // namespace

Result<NetRead> read_uai(std::string_view text, const std::string& fallback) { return UaiReader(text, fallback).read(); }

namespace {

struct EvidenceNumber {
    std::size_t value;
    NetToken token;
};

/// The two dialects of evidence files: one sample alone, or first the number of samples. Of a sample there is the number of observations,
/// and for each of them the variable and its value.
enum class EvidenceDialect { one_sample, samples };

/// Where the samples begin, if the numbers are just as many as the dialect says.
std::optional<std::vector<std::size_t>> sample_places(std::span<const EvidenceNumber> numbers, EvidenceDialect dialect) {
    std::vector<std::size_t> out;
    std::size_t at = dialect == EvidenceDialect::samples ? 1 : 0;
    const std::size_t samples = dialect == EvidenceDialect::samples ? numbers[0].value : 1;
    while (out.size() < samples) {
        if (at >= numbers.size() || numbers[at].value > (numbers.size() - at - 1) / 2) return std::nullopt;
        out.push_back(at);
        at += 1 + 2 * numbers[at].value;
    }
    return at == numbers.size() ? std::optional(std::move(out)) : std::nullopt;
}

Result<std::vector<UaiSample>> samples_at(std::span<const EvidenceNumber> numbers, std::span<const std::size_t> places,
                                          std::optional<std::span<const std::size_t>> sizes, const NetScanner& scan,
                                          const std::string& hint) {
    std::vector<UaiSample> out;
    for (const auto begin : places) {
        auto& sample = out.emplace_back();
        for (std::size_t i = begin + 1; i <= begin + 2 * numbers[begin].value; i += 2) {
            const auto& variable = numbers[i];
            const auto& value = numbers[i + 1];
            if (sizes && variable.value >= sizes->size())
                return scan.fault(variable.token, fmt::format("there are {} variables, and they count from 0", sizes->size()), hint);
            if (sizes && value.value >= (*sizes)[variable.value])
                return scan.fault(
                    value.token, fmt::format("{} has {} values, and they count from 0", uai_name(variable.value), (*sizes)[variable.value]),
                    hint);
            for (const auto& [seen, there] : sample)
                if (seen == variable.value && there != value.value)
                    return scan.fault(variable.token, fmt::format("{} is observed with two values", uai_name(seen)), hint);
            sample.emplace_back(variable.value, value.value);
        }
    }
    return out;
}

}  // namespace

Result<std::vector<UaiSample>> read_uai_evidence(std::string_view text, std::optional<std::span<const std::size_t>> sizes) {
    NetScanner scan(text, uai_rules);
    std::vector<EvidenceNumber> numbers;
    while (scan.peek().kind != NetToken::Kind::end) {
        const NetToken token = scan.peek();
        auto value = TRY(scan.count("a number of observations, a variable or a value"));
        numbers.push_back({value, token});
    }
    if (numbers.empty()) return std::vector<UaiSample>(1);
    const std::string one_sample = "a number of observations, then a variable and a value for each";
    const auto as_one = sample_places(numbers, EvidenceDialect::one_sample);
    const auto as_samples = sample_places(numbers, EvidenceDialect::samples);
    if (as_one) {
        auto found = samples_at(numbers, *as_one, sizes, scan, "it was read as one sample: " + one_sample);
        if (found || !as_samples) return found;
        if (auto other = samples_at(numbers, *as_samples, sizes, scan, "")) return other;
        return found;
    }
    if (as_samples)
        return samples_at(numbers, *as_samples, sizes, scan, "it was read as a number of samples, and for each of them " + one_sample);
    return scan.fault(numbers[0].token,
                      fmt::format("{} numbers follow, which is neither a list of {} observations nor a list of {} samples",
                                  numbers.size() - 1, numbers[0].value, numbers[0].value),
                      fmt::format("a sample is {}; a file of several samples begins with their number", one_sample));
}

Result<std::string> write_uai(const Net& net) {
    TRY(check_no_holes(net, "UAI"));
    std::string out = fmt::format("BAYES\n{}\n", net.nodes.size());
    for (std::size_t i = 0; i < net.nodes.size(); ++i) out += fmt::format("{}{}", i == 0 ? "" : " ", net.nodes[i].variable.size());
    out += fmt::format("\n{}\n", net.nodes.size());
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
        out += std::to_string(net.nodes[i].parents.size() + 1);
        for (const auto parent : net.nodes[i].parents) out += fmt::format(" {}", index(parent));
        out += fmt::format(" {}\n", i);
    }
    for (const auto& node : net.nodes) {
        const std::size_t size = node.variable.size();
        const std::size_t entries = std::visit([](const auto& table) { return table.size(); }, node.table);
        out += fmt::format("\n{}\n", entries);
        for (std::size_t e = 0; e < entries; ++e) out += file_number(node.entry(e)) + ((e + 1) % size == 0 ? "\n" : " ");
    }
    return out;
}

std::string write_uai_markov(const MarkovNet& net) {
    std::string out = fmt::format("MARKOV\n{}\n", net.variables.size());
    for (std::size_t i = 0; i < net.variables.size(); ++i) out += fmt::format("{}{}", i == 0 ? "" : " ", net.variables[i].size());
    out += fmt::format("\n{}\n", net.tables.size());
    for (const auto& table : net.tables) {
        out += std::to_string(table.variables.size());
        for (const auto v : table.variables) out += fmt::format(" {}", v);
        out += '\n';
    }
    for (const auto& table : net.tables) {
        std::visit(
            [&](const auto& values) {
                out += fmt::format("\n{}\n", values.size());
                for (const auto& value : values) {
                    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double>)
                        out += " " + file_number(Number::real(value));
                    else
                        out += " " + file_number(Number(value));
                }
                out += "\n";
            },
            table.values);
    }
    return out;
}

}  // namespace credence::rt
