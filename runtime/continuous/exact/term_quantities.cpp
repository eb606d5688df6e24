#include "runtime/continuous/exact/term_quantities.hpp"

#include <unordered_map>

#include <fmt/format.h>

namespace credence::rt::continuous {

namespace {

std::optional<Fold> fold_of(TermOp op) {
    switch (op) {
        case TermOp::add:
        case TermOp::subtract:
            return Fold::sum;
        case TermOp::multiply:
            return Fold::product;
        case TermOp::min:
            return Fold::least;
        case TermOp::max:
            return Fold::greatest;
        case TermOp::and_:
            return Fold::all;
        case TermOp::or_:
            return Fold::any;
        default:
            return std::nullopt;
    }
}

/// The operation on the values of its parts.
Quantity::Function function_of(TermOp op) {
    return [op](std::span<const Label> values) -> Result<Label> {
        if (op == TermOp::choose) return truth_of(values[0]).value_or(false) ? values[1] : values[2];
        std::vector<Number> numbers;
        for (const auto& value : values) {
            const auto number = as_count(value);
            if (!number)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("{} works on numbers, and '{}' is not one", operation_of(op).name, value.text())};
            numbers.push_back(*number);
        }
        const Number out = number_value(op, numbers[0], numbers.size() > 1 ? numbers[1] : Number(0));
        if (operation_of(op).truth) return Label::of_bool(!out.is_zero());
        return Label::of_number(out);
    };
}

QuantityPtr equals(const QuantityPtr& quantity, const Label& label) {
    return function_quantity({quantity},
                             [label](std::span<const Label> values) -> Result<Label> { return Label::of_bool(values[0] == label); });
}

class Converter {
public:
    explicit Converter(const QuantityOfLeaf& leaf) : leaf_(leaf) {}

    QuantityPtr operator()(const Term& term) {
        if (is_constant(term)) return constant_quantity(Label::of_number(term->value));
        if (const auto found = known_.find(term.get()); found != known_.end()) return found->second;
        auto out = made(*term);
        known_.emplace(term.get(), out);
        return out;
    }

private:
    QuantityPtr made(const TermNode& term) {
        const TermOperation& operation = operation_of(term.op);
        if (term.op == TermOp::variable || term.op == TermOp::is) {
            auto own = leaf_(term);
            return own && term.op == TermOp::is ? equals(own, term.label) : own;
        }
        if (operation.form == TermForm::leaf || operation.form == TermForm::list) return nullptr;
        std::vector<QuantityPtr> parts;
        for (const auto& part : term.parts) {
            auto own = (*this)(part);
            if (!own) return nullptr;
            parts.push_back(std::move(own));
        }
        if (term.op == TermOp::negate) return negated_quantity(parts[0]);
        if (term.op == TermOp::subtract) parts[1] = negated_quantity(parts[1]);
        if (const auto fold = fold_of(term.op)) return fold_quantity(*fold, std::move(parts));
        return function_quantity(std::move(parts), function_of(term.op), term.op);
    }

    const QuantityOfLeaf& leaf_;
    std::unordered_map<const TermNode*, QuantityPtr> known_;
};

class Replacer {
public:
    explicit Replacer(const std::function<QuantityPtr(VarId)>& put) : put_(put) {}

    QuantityPtr operator()(const QuantityPtr& quantity) {
        if (quantity->kind == Quantity::Kind::constant) return quantity;
        if (const auto found = known_.find(quantity.get()); found != known_.end()) return found->second;
        auto out = made(quantity);
        known_.emplace(quantity.get(), out);
        return out;
    }

private:
    QuantityPtr made(const QuantityPtr& quantity) {
        if (quantity->kind == Quantity::Kind::variable) return put_(quantity->variable);
        Quantity out = *quantity;
        for (auto& part : out.parts) {
            part = (*this)(part);
            if (!part) return nullptr;
        }
        if (out.kind == Quantity::Kind::fold) return fold_quantity(out.fold, std::move(out.parts));
        return std::make_shared<const Quantity>(std::move(out));
    }

    const std::function<QuantityPtr(VarId)>& put_;
    std::unordered_map<const Quantity*, QuantityPtr> known_;
};

}  // namespace

QuantityPtr quantity_of(const Term& term, const QuantityOfLeaf& leaf) { return Converter(leaf)(term); }

QuantityPtr with_parts(const QuantityPtr& quantity, const std::function<QuantityPtr(VarId)>& put) { return Replacer(put)(quantity); }

}  // namespace credence::rt::continuous
