// Operators in compiled code: small whole numbers and real numbers at once, all else as the evaluator does it.

#include <cmath>

#include "lang/eval/code_nodes.hpp"

namespace credence::lang {

namespace {

constexpr std::int64_t most_whole = INT64_MAX;  // the least is its negative, as in a Rational

bool fits_cell(std::int64_t n) { return n >= -most_whole; }

/// base^exponent where that is a small whole number.
bool whole_power(std::int64_t base, std::int64_t exponent, std::int64_t& out) {
    constexpr std::int64_t most = 62;
    if (exponent < 1 || exponent > most) return false;
    out = 1;
    for (std::int64_t i = 0; i < exponent; ++i)
        if (__builtin_mul_overflow(out, base, &out)) return false;
    return fits_cell(out);
}

/// Rounded towards 0. A division of 64 bits takes several times as long as one of 32.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = UINT32_MAX;
    if (a >= 0 && b >= 0 && a <= most && b <= most) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    return a / b;
}

template <BinaryOp op>
bool on_wholes(std::int64_t a, std::int64_t b, Cell& out) {
    std::int64_t n = 0;
    if constexpr (op == BinaryOp::add) {
        if (__builtin_add_overflow(a, b, &n) || !fits_cell(n)) return false;
    } else if constexpr (op == BinaryOp::subtract) {
        if (__builtin_sub_overflow(a, b, &n) || !fits_cell(n)) return false;
    } else if constexpr (op == BinaryOp::multiply) {
        if (__builtin_mul_overflow(a, b, &n) || !fits_cell(n)) return false;
    } else if constexpr (op == BinaryOp::divide) {
        if (b == 0) return false;
        n = quotient(a, b);
        if (n * b != a) return false;
    } else if constexpr (op == BinaryOp::modulo) {
        if (b == 0) return false;
        n = a - quotient(a, b) * b;
        if (n != 0 && (n < 0) != (b < 0)) n += b;  // the sign of b, as with a - b floor(a / b)
    } else if constexpr (op == BinaryOp::power) {
        if (!whole_power(a, b, n)) return false;
    } else {
        return false;
    }
    out.set_whole(n);
    return true;
}

template <BinaryOp op>
bool on_reals(double a, double b, Cell& out) {
    double x = 0;
    if constexpr (op == BinaryOp::add)
        x = a + b;
    else if constexpr (op == BinaryOp::subtract)
        x = a - b;
    else if constexpr (op == BinaryOp::multiply)
        x = a * b;
    else if constexpr (op == BinaryOp::divide)
        x = b == 0 ? std::nan("") : a / b;
    else
        return false;
    if (!std::isfinite(x)) return false;
    out.set_real(x);
    return true;
}

template <BinaryOp op, class T>
bool compared(T a, T b) {
    if constexpr (op == BinaryOp::equal) return a == b;
    if constexpr (op == BinaryOp::not_equal) return a != b;
    if constexpr (op == BinaryOp::less) return a < b;
    if constexpr (op == BinaryOp::less_equal) return a <= b;
    if constexpr (op == BinaryOp::greater) return a > b;
    if constexpr (op == BinaryOp::greater_equal) return a >= b;
    return false;
}

double as_real(const Cell& cell) { return cell.is_real() ? cell.real() : static_cast<double>(cell.whole()); }
bool is_number(const Cell& cell) { return cell.is_whole() || cell.is_real(); }

template <BinaryOp op>
class BinaryNode : public CodeNode {
public:
    BinaryNode(const Expr& expr, CodePtr left, CodePtr right) : CodeNode(expr), left_(std::move(left)), right_(std::move(right)) {}

    bool run(Machine& m, Cell* frame, Cell& out) const override {
        if constexpr (compares) {
            bool truth = false;
            if (!test(m, frame, truth)) return false;
            out.set_truth(truth);
            return true;
        } else {
            Cell rooms[2];
            const Cell* a = left_->seen(m, frame, rooms[0]);
            const Cell* b = a ? right_->seen(m, frame, rooms[1]) : nullptr;
            if (!b) return false;
            if (a->is_whole() && b->is_whole()) {
                if (!m.rounds() && on_wholes<op>(a->whole(), b->whole(), out)) return true;
            } else if (is_number(*a) && is_number(*b) && on_reals<op>(as_real(*a), as_real(*b), out)) {
                return true;
            }
            return m.arithmetic(op, *a, *b, span(), out);
        }
    }

    bool test(Machine& m, Cell* frame, bool& truth) const override {
        if constexpr (!compares) {
            return CodeNode::test(m, frame, truth);
        } else {
            Cell rooms[2];
            const Cell* a = left_->seen(m, frame, rooms[0]);
            const Cell* b = a ? right_->seen(m, frame, rooms[1]) : nullptr;
            if (!b) return false;
            if (a->is_whole() && b->is_whole() && op != BinaryOp::in) {
                truth = compared<op>(a->whole(), b->whole());
                return true;
            }
            if (a->is_real() && b->is_real() && op != BinaryOp::in && !std::isnan(a->real()) && !std::isnan(b->real())) {
                truth = compared<op>(a->real(), b->real());
                return true;
            }
            return m.compare(op, *a, *b, span(), truth);
        }
    }

private:
    static constexpr bool compares = op >= BinaryOp::equal && op <= BinaryOp::in;

    CodePtr left_;
    CodePtr right_;
};

template <BinaryOp op>
CodePtr made(const Expr& expr, CodePtr left, CodePtr right) {
    return std::make_unique<BinaryNode<op>>(expr, std::move(left), std::move(right));
}

}  // namespace

CodePtr binary_code(const Expr& expr, BinaryOp op, CodePtr left, CodePtr right) {
    switch (op) {
        case BinaryOp::or_:
        case BinaryOp::and_:
            return std::make_unique<EitherNode>(expr, op == BinaryOp::or_, std::move(left), std::move(right));
        case BinaryOp::equal:
            return made<BinaryOp::equal>(expr, std::move(left), std::move(right));
        case BinaryOp::not_equal:
            return made<BinaryOp::not_equal>(expr, std::move(left), std::move(right));
        case BinaryOp::less:
            return made<BinaryOp::less>(expr, std::move(left), std::move(right));
        case BinaryOp::less_equal:
            return made<BinaryOp::less_equal>(expr, std::move(left), std::move(right));
        case BinaryOp::greater:
            return made<BinaryOp::greater>(expr, std::move(left), std::move(right));
        case BinaryOp::greater_equal:
            return made<BinaryOp::greater_equal>(expr, std::move(left), std::move(right));
        case BinaryOp::in:
            return made<BinaryOp::in>(expr, std::move(left), std::move(right));
        case BinaryOp::add:
            return made<BinaryOp::add>(expr, std::move(left), std::move(right));
        case BinaryOp::subtract:
            return made<BinaryOp::subtract>(expr, std::move(left), std::move(right));
        case BinaryOp::multiply:
            return made<BinaryOp::multiply>(expr, std::move(left), std::move(right));
        case BinaryOp::divide:
            return made<BinaryOp::divide>(expr, std::move(left), std::move(right));
        case BinaryOp::modulo:
            return made<BinaryOp::modulo>(expr, std::move(left), std::move(right));
        case BinaryOp::power:
            break;
    }
    return made<BinaryOp::power>(expr, std::move(left), std::move(right));
}

bool CodeNode::test(Machine& m, Cell* frame, bool& truth) const {
    Cell room;
    const Cell* value = seen(m, frame, room);
    if (!value) return false;
    if (!value->is_truth()) return m.condition(*value, span(), truth);
    truth = value->truth();
    return true;
}

bool EitherNode::test(Machine& m, Cell* frame, bool& truth) const {
    if (!left_->test(m, frame, truth)) return false;
    return truth == decides_ || right_->test(m, frame, truth);
}

bool EitherNode::run(Machine& m, Cell* frame, Cell& out) const {
    bool truth = false;
    if (!test(m, frame, truth)) return false;
    out.set_truth(truth);
    return true;
}

bool NotNode::test(Machine& m, Cell* frame, bool& truth) const {
    if (!operand_->test(m, frame, truth)) return false;
    truth = !truth;
    return true;
}

bool NotNode::run(Machine& m, Cell* frame, Cell& out) const {
    bool truth = false;
    if (!test(m, frame, truth)) return false;
    out.set_truth(truth);
    return true;
}

bool NegateNode::run(Machine& m, Cell* frame, Cell& out) const {
    Cell room;
    const Cell* value = operand_->seen(m, frame, room);
    if (!value) return false;
    if (value->is_whole())
        out.set_whole(-value->whole());
    else if (value->is_real())
        out.set_real(-value->real());
    else
        return m.negate(*value, span(), out);
    return true;
}

bool IfNode::run(Machine& m, Cell* frame, Cell& out) const {
    bool truth = false;
    return condition_->test(m, frame, truth) && (truth ? then_ : else_)->run(m, frame, out);
}

bool IfNode::finish(Machine& m, Cell* frame, const Closure& running, Cell& out, bool& again) const {
    bool truth = false;
    return condition_->test(m, frame, truth) && (truth ? then_ : else_)->finish(m, frame, running, out, again);
}

}  // namespace credence::lang
