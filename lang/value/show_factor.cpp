// Factors as a statement prints them: a line for each value of one variable, a matrix over two, rows in groups over more.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "lang/text/width.hpp"
#include "lang/value/layout.hpp"

namespace credence::lang {

namespace {

/// The entry with the largest probability; nothing where the numbers are not probabilities, or all the same.
std::optional<std::size_t> mode_of(const rt::Factor& f) {
    std::size_t best = 0;
    bool same = true;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const rt::Number x = f.at(i);
        if (x.sign() < 0 || x > rt::Number(1)) return std::nullopt;
        same = same && x == f.at(0);
        if (x > f.at(best)) best = i;
    }
    return same ? std::nullopt : std::optional(best);
}

/// "the most probable is 166 (0.021), the mean 169.3" where the numbers are a distribution, the mean where its values are numbers.
std::string mode_text(const rt::Factor& f, std::size_t mode, int digits) {
    double total = 0;
    double mean = 0;
    bool numbers = true;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double p = f.at(i).real();
        total += p;
        const auto number = f.labels(i)[0].number();
        numbers = numbers && number;
        if (number) mean += p * number->real();
    }
    constexpr double rounding = 1e-9;
    const bool distribution = std::abs(total - 1) < rounding && f.layout().conditions == 0;
    return fmt::format("the {} {} ({}){}", distribution ? "most probable is" : "largest is at", f.labels(mode)[0].text(),
                       show_decimal(f.at(mode), digits),
                       distribution && numbers ? fmt::format(", the mean {}", show_decimal(rt::Number::real(mean), digits)) : "");
}

std::string bar(double share) {
    static constexpr std::array<std::string_view, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int width = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 160));  // twenty cells of eight steps
    std::string out;
    for (int i = 0; i < width / 8; ++i) out += "█";
    return out + std::string(eighths[static_cast<std::size_t>(width % 8)]);
}

std::string factor_list(const rt::Factor& f, const ShowOptions& options, std::size_t most) {
    bool fractions = false;  // so that decimals are shown next to them
    bool readable = true;
    bool probabilities = options.bars;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const rt::Number x = f.at(i);
        const bool fraction = x.is_exact() && !x.exact().is_integer();
        fractions = fractions || fraction;
        readable = readable && (!fraction || !fraction_text(x.exact()).empty());
        probabilities = probabilities && x.sign() >= 0 && x.real() <= 1;
    }
    std::vector<std::vector<std::string>> rows;
    const FactorCut cut = factor_cut(f, most, options.digits);
    for (std::size_t i = cut.begin; i < cut.end; ++i) {
        auto& row = rows.emplace_back();
        for (const auto& label : f.labels(i)) row.push_back(label.text());
        const rt::Number x = f.at(i);
        if (!x.is_exact()) {
            row.push_back(show_number(x, options));
        } else if (!readable) {
            row.push_back("≈ " + show_decimal(x, options.digits));
        } else {
            row.push_back(fraction_text(x.exact()));
            if (fractions) row.push_back(show_decimal(x, options.digits));
        }
        if (probabilities) row.push_back(bar(x.real()));
    }
    std::string out = align_columns(rows, f.is_exact() && readable ? "lr" : "l", "  ");
    if (!cut.before.empty()) out = fmt::format("  {}\n{}", cut.before, out);
    if (!cut.after.empty()) out += "\n  " + cut.after;
    return out;
}

/// Which variables give the rows, and which one the columns.
struct Axes {
    std::vector<std::size_t> rows;
    std::size_t columns = 0;
};

Axes axes_of(const rt::Factor& f) {
    const std::size_t n = f.variables().size();
    const std::size_t conditions = std::min(f.layout().conditions, n);
    Axes out;
    out.columns = conditions > 0 && conditions < n ? n - conditions - 1 : n - 1;
    for (std::size_t v = n - conditions; v < n; ++v)
        if (v != out.columns) out.rows.push_back(v);
    for (std::size_t v = 0; v < n - conditions; ++v)
        if (v != out.columns) out.rows.push_back(v);
    return out;
}

std::vector<FactorMatrix::Row> matrix_rows(const rt::Factor& f, const Axes& axes, std::size_t most) {
    std::vector<std::size_t> order = axes.rows;
    order.push_back(axes.columns);
    const rt::Factor in_order = reorder(f, order);
    const std::size_t columns = f.variables()[axes.columns].size();
    std::vector<FactorMatrix::Row> out;
    for (std::size_t first = 0; first < in_order.size() && out.size() < most; first += columns) {
        FactorMatrix::Row row;
        const auto labels = in_order.labels(first);
        for (std::size_t v = 0; v + 1 < labels.size(); ++v) row.labels.push_back(labels[v].text());
        for (std::size_t c = 0; c < columns; ++c) row.cells.push_back(in_order.at(first + c));
        if (!out.empty())
            while (row.repeated + 1 < row.labels.size() && row.labels[row.repeated] == out.back().labels[row.repeated]) ++row.repeated;
        out.push_back(std::move(row));
    }
    return out;
}

rt::Number total_of(std::span<const rt::Number> numbers) {
    rt::Number out = 0;
    for (const auto& n : numbers) out += n;
    return out;
}

void add_totals(std::vector<FactorMatrix::Row>& rows) {
    FactorMatrix::Row below{{"total"}, 0, std::vector<rt::Number>(rows.empty() ? 0 : rows[0].cells.size(), rt::Number(0))};
    for (const auto& row : rows)
        for (std::size_t c = 0; c < row.cells.size(); ++c) below.cells[c] += row.cells[c];
    rows.push_back(std::move(below));
    for (auto& row : rows) row.cells.push_back(total_of(row.cells));
}

/// The name of the column variable is above its values, the names of the others are to the left of theirs. A label that repeats the one
/// above it is left blank, so that rows form groups.
std::string factor_matrix(const rt::Factor& f, const ShowOptions& options, std::size_t most) {
    const FactorMatrix matrix = factor_matrix_of(f, most);
    const NumberForm form = matrix_numbers(f, options.digits);
    Grid grid;
    const std::size_t side = matrix.side.size();
    grid.fixed = side;
    grid.last = matrix.totals ? 1 : 0;
    auto& names = grid.rows.emplace_back(matrix.side);
    names.insert(names.end(), matrix.columns.begin(), matrix.columns.end());
    bool rounded = false;
    for (std::size_t i = 0; i < f.size(); ++i) rounded = rounded || form.rounds(f.at(i));
    for (const auto& row : matrix.rows) {
        auto& cells = grid.rows.emplace_back();
        for (std::size_t v = 0; v < row.labels.size(); ++v) cells.push_back(v < row.repeated ? "" : row.labels[v]);
        for (const auto& x : row.cells) cells.push_back(form(x));
    }
    grid.align = std::string(side, 'l') + std::string(grid.rows[0].size() - side, 'r');
    std::size_t start = 2;  // where the columns begin
    for (std::size_t v = 0; v < side; ++v) {
        std::size_t width = 0;
        for (const auto& row : grid.rows) width = std::max(width, display_width(row[v]));
        start += width + 2;
    }
    std::size_t hidden = 0;
    const std::string body = show_grid(std::move(grid), options.table_width, &hidden);
    std::string head(start, ' ');
    if (rounded) head.replace(2, 1, "≈");
    std::string out = head + matrix.across + "\n" + body;
    if (matrix.left_out > 0) out += "\n  " + more_text(matrix.left_out, "row");
    if (hidden > 0) out += "\n  " + more_text(hidden, "column");
    return out;
}

}  // namespace

FactorCut factor_cut(const rt::Factor& f, std::size_t most, int digits) {
    FactorCut out{0, f.size(), {}, {}};
    if (f.size() <= most) return out;
    const auto mode = mode_of(f);
    out.end = std::max<std::size_t>(most / 2, 1);
    if (mode && *mode >= out.end) {
        out.begin = std::min(*mode - out.end / 2, f.size() - out.end);
        out.end += out.begin;
    }
    if (out.begin > 0) out.before = more_text(out.begin) + " before";
    if (out.end < f.size()) out.after = more_text(f.size() - out.end) + (out.begin > 0 ? " after" : "");
    if (mode) out.after += (out.after.empty() ? "" : "; ") + mode_text(f, *mode, digits);
    return out;
}

FactorMatrix factor_matrix_of(const rt::Factor& f, std::size_t most_rows) {
    const Axes axes = axes_of(f);
    const auto& across = f.variables()[axes.columns];
    const std::size_t all = across.size() == 0 ? 0 : f.size() / across.size();
    FactorMatrix out;
    for (const auto v : axes.rows) out.side.push_back(f.variables()[v].name);
    out.across = across.name;
    for (const auto& label : across.domain->labels()) out.columns.push_back(label.text());
    out.totals = f.layout().totals && f.variables().size() == 2;
    out.rows = matrix_rows(f, axes, all > most_rows ? most_rows / 2 : all);
    out.left_out = all - out.rows.size();
    if (out.totals) {
        add_totals(out.rows);
        out.columns.emplace_back("total");
    }
    return out;
}

NumberForm matrix_numbers(const rt::Factor& f, int digits) {
    constexpr std::size_t longest_fraction = 5;  // "13/24": longer ones cannot be compared at a glance
    std::vector<rt::Number> numbers;
    for (std::size_t i = 0; i < f.size(); ++i) numbers.push_back(f.at(i));
    return {numbers, digits, longest_fraction};
}

std::string show_factor(const rt::Factor& f, const ShowOptions& options, const BlockLimits& limits) {
    if (f.variables().size() < 2) return factor_list(f, options, limits.rows);
    return factor_matrix(f, options, limits.rows);
}

}  // namespace credence::lang
