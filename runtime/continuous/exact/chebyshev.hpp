#pragma once
// A function of one number as polynomials on pieces of a line, halved until they fit.

#include <functional>
#include <optional>
#include <vector>

namespace credence::rt::continuous {

class PiecewiseChebyshev {
public:
    struct Piece {
        double low = 0;
        double high = 0;
        std::vector<double> c = {};  ///< coefficients of T_0, T_1, …

        double at(double v) const;
        double slope(double v) const;
    };

    /// Nothing if the function is NaN somewhere, jumps, or needs too many pieces.
    static std::optional<PiecewiseChebyshev> fit(const std::function<double(double)>& f, double low, double high, double tolerance);

    const std::vector<Piece>& pieces() const { return pieces_; }
    double low() const { return pieces_.front().low; }
    double high() const { return pieces_.back().high; }
    const Piece& piece_at(double v) const;  ///< low() ≤ v ≤ high()
    double at(double v) const { return piece_at(v).at(v); }

private:
    bool add(const std::function<double(double)>& f, double low, double high, double tolerance, int depth);
    std::vector<Piece> pieces_;
};

}  // namespace credence::rt::continuous
