#pragma once
// Events as plain text, stable to the byte; on a terminal with colour and bars.

#include <functional>
#include <optional>
#include <string_view>

#include "lang/value/show.hpp"
#include "lang/world/output.hpp"

namespace credence::lang {

struct PlainStyle {
    bool color = false;  ///< diagnostics
    bool picture_colors = false;
    bool bars = false;
    bool unicode = true;                      ///< for pictures
    std::optional<std::size_t> columns = {};  ///< of the terminal that all is to fit
};

class PlainOutput : public Output {
public:
    using Write = std::function<void(std::string_view)>;
    /// `digits` is read at each event: `set digits` may change it. Values and derivations go to `out`, diagnostics to `err`.
    PlainOutput(Write out, Write err, const int& digits, PlainStyle style)
        : out_(std::move(out)), err_(std::move(err)), digits_(digits), style_(style) {}

    void value(const ValueEvent& event) override;
    void derivation(const DerivationEvent& event) override;
    void diagnostic(const Diagnostic& diagnostic) override;

private:
    Write out_;
    Write err_;
    const int& digits_;
    PlainStyle style_;
};

}  // namespace credence::lang
