#pragma once
// One script and its output, as a page that needs nothing else.

#include <map>
#include <string>
#include <vector>

#include "lang/world/output.hpp"

namespace credence::cli {

/// Keeps the events of a run, as HTML, with the place each belongs to.
class ReportOutput : public lang::Output {
public:
    ReportOutput(lang::SourcePtr source, const int& digits) : source_(std::move(source)), digits_(digits) {}
    void value(const lang::ValueEvent& event) override;
    void derivation(const lang::DerivationEvent& event) override;
    void diagnostic(const lang::Diagnostic& diagnostic) override;

    struct Piece {
        std::size_t line = 0;   ///< of the script; 0: no place in it
        std::string from = {};  ///< the imported text a diagnostic is about
        std::string query = {};
        std::string html;
        bool diagnostic = false;
        bool figure = false;  ///< a picture: the page numbers it
    };
    const std::vector<Piece>& pieces() const { return pieces_; }
    const lang::Diagnostics& diagnostics() const { return diagnostics_; }

private:
    lang::SourcePtr source_;
    const int& digits_;
    std::vector<Piece> pieces_;
    lang::Diagnostics diagnostics_;
};

struct PageFacts {
    std::string version;
    std::uint64_t seed = 0;
    std::uint64_t last_seed = 0;  ///< where the script has set another
    std::size_t expectations_met = 0;
    std::size_t expectations_failed = 0;
    bool ran = true;  ///< false: the checks found errors
    bool in_time = true;
    int reload = 0;                              ///< --watch: the page looks for its next version every so many seconds
    std::map<std::string, rt::PicturePtr> nets;  ///< drawings of models, by the name that declares them
};

std::string report_page(const lang::SourcePtr& source, const ReportOutput& output, const PageFacts& facts);

std::string_view report_style();

}  // namespace credence::cli
