#include "runtime/data/csv_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t block_size = 64;

/// Bit i is set where bytes[i] is a separator or a line end.
std::uint64_t find_stops(const char* bytes, char separator) {
    std::uint64_t out = 0;
#if defined(__SSE2__)
    const __m128i separators = _mm_set1_epi8(separator);
    const __m128i line_ends = _mm_set1_epi8('\n');
    for (std::size_t i = 0; i < block_size; i += 16) {
        const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
        const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(chunk, separators), _mm_cmpeq_epi8(chunk, line_ends));
        out |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << i;
    }
#else
    for (std::size_t i = 0; i < block_size; ++i) out |= static_cast<std::uint64_t>(bytes[i] == separator || bytes[i] == '\n') << i;
#endif
    return out;
}

/// Cells that neither begin nor end with one of these are taken as they are.
constexpr std::array<bool, 256> make_needs_care() {
    std::array<bool, 256> out{};
    for (const char c : {' ', '\t', '\r', '"'}) out[static_cast<unsigned char>(c)] = true;
    return out;
}
constexpr auto needs_care = make_needs_care();

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace

CsvScanner::CsvScanner(std::string_view text, char separator) : text_(text), separator_(separator) { seek(0); }

std::uint64_t CsvScanner::stops_in_block(std::size_t block) const {
    if (block + block_size <= text_.size()) return find_stops(text_.data() + block, separator_);
    char padded[block_size] = {};
    std::memcpy(padded, text_.data() + block, text_.size() - block);
    return find_stops(padded, separator_) & ((std::uint64_t{1} << (text_.size() - block)) - 1);
}

/// The position of the next separator or line end; the text's size when there is none.
inline std::size_t CsvScanner::next_stop() {
    while (stops_ == 0) {
        block_ += block_size;
        if (block_ >= text_.size()) {
            block_ = text_.size();
            return text_.size();
        }
        stops_ = stops_in_block(block_);
    }
    const std::size_t stop = block_ + static_cast<std::size_t>(std::countr_zero(stops_));
    stops_ &= stops_ - 1;
    return stop;
}

void CsvScanner::seek(std::size_t position) {
    block_ = position - position % block_size;
    stops_ = 0;
    if (block_ >= text_.size()) return;
    stops_ = stops_in_block(block_) & (~std::uint64_t{0} << (position % block_size));
}

/// A cell in quotes; on return `stop` is the separator or line end after it.
std::optional<Cell> CsvScanner::quoted_cell(std::size_t quote, std::size_t& stop) {
    std::string* copy = nullptr;
    std::size_t from = quote + 1;
    std::size_t close = 0;
    for (;;) {
        close = text_.find('"', from);
        if (close == std::string_view::npos) {
            problem_ = CsvProblem{.offset = quote,
                                  .message = "has a quote that is never closed",
                                  .hint = "write a quote inside a quoted cell twice",
                                  .open_quote = true};
            return std::nullopt;
        }
        if (close + 1 >= text_.size() || text_[close + 1] != '"') break;
        if (copy == nullptr) copy = &undoubled_.emplace_back();
        copy->append(text_.substr(from, close + 1 - from));
        from = close + 2;
    }
    Cell cell{text_.substr(quote + 1, close - quote - 1), true};
    if (copy != nullptr) {
        copy->append(text_.substr(from, close - from));
        cell.text = *copy;
    }
    seek(close + 1);
    stop = next_stop();
    if (const auto rest = trimmed(text_.substr(close + 1, stop - close - 1)); !rest.empty()) {
        problem_ = CsvProblem{quote, "has '" + std::string(rest.substr(0, 20)) + "' after a closing quote",
                              "write a quote inside a quoted cell twice"};
        return std::nullopt;
    }
    return cell;
}

/// A cell that begins or ends with a blank or a quote.
std::optional<Cell> CsvScanner::careful_cell(std::size_t begin, std::size_t& stop) {
    const auto text = trimmed(text_.substr(begin, stop - begin));
    if (!text.starts_with('"')) return Cell{text, false};
    return quoted_cell(static_cast<std::size_t>(text.data() - text_.data()), stop);
}

std::size_t CsvScanner::read(std::size_t max_rows, std::size_t width, std::vector<Cell>& cells) {
    cells.clear();
    undoubled_.clear();
    row_begins_.clear();
    std::size_t rows = 0;
    while (rows < max_rows && position_ < text_.size() && !problem_) {
        const std::size_t row_begin = position_;
        const std::size_t first = cells.size();
        bool in_row = true;
        while (in_row) {
            const std::size_t begin = position_;
            std::size_t stop = next_stop();
            Cell cell;
            if (stop > begin) {
                cell.text = std::string_view(text_.data() + begin, stop - begin);
                if (needs_care[static_cast<unsigned char>(text_[begin])] || needs_care[static_cast<unsigned char>(text_[stop - 1])]) {
                    const auto found = careful_cell(begin, stop);
                    if (!found) break;
                    cell = *found;
                }
            }
            cells.push_back(cell);
            in_row = stop < text_.size() && text_[stop] != '\n';
            position_ = stop + 1;
        }
        const std::size_t found = cells.size() - first;
        const bool blank = found == 1 && cells.back().text.empty() && !cells.back().quoted;
        if (!problem_ && !blank && width != 0 && found != width)
            problem_ = CsvProblem{row_begin, "has " + std::to_string(found) + (found == 1 ? " cell" : " cells"),
                                  found > width ? "write a cell that contains a separator in quotes"
                                                : "a cell that is missing is empty between its separators, or ?",
                                  true};
        if (problem_ || blank) {
            cells.resize(first);
        } else {
            row_begins_.push_back(row_begin);
            ++rows;
        }
    }
    position_ = std::min(position_, text_.size());
    return rows;
}

}  // namespace credence::rt
