#include "lang/eval/cell.hpp"

#include <algorithm>

namespace credence::lang {

namespace {

Value value_of_whole(std::int64_t n) { return Value(rt::Number(rt::Rational(n))); }

}  // namespace

const Value& Wholes::value() {
    if (!as_value) {
        List out;
        out.reserve(items.size());
        for (const auto n : items) out.push_back(value_of_whole(n));
        as_value = std::make_unique<Value>(Value::list(std::move(out)));
    }
    return *as_value;
}

void Cell::borrow(const Value& value) {
    if (const auto* n = value.get<rt::Number>()) {
        if (!n->is_exact()) return set_real(n->real());
        if (const auto whole = n->exact().to_int64()) return set_whole(*whole);
    } else if (const auto* b = value.get<bool>()) {
        return set_truth(*b);
    }
    drop();
    kind_ = Kind::borrowed;
    content_.value = &value;
}

void Cell::own(Value value) {
    borrow(value);
    if (kind_ == Kind::borrowed) content_.value = new Value(std::move(value)), kind_ = Kind::owned;
}

void Cell::own(std::vector<std::int64_t> items) {
    drop();
    content_.wholes = new Wholes{std::move(items), nullptr};
    kind_ = Kind::wholes;
}

Value Cell::value() const {
    switch (kind_) {
        case Kind::whole:
            return value_of_whole(content_.whole);
        case Kind::real:
            return Value(rt::Number::real(content_.real));
        case Kind::truth:
            return Value::boolean(content_.truth);
        case Kind::borrowed:
        case Kind::owned:
            return *content_.value;
        case Kind::wholes:
            return content_.wholes->value();
        case Kind::none:
            break;
    }
    return {};
}

void Cell::drop_held() {
    if (kind_ == Kind::owned)
        delete content_.value;
    else if (--content_.wholes->holders == 0)
        delete content_.wholes;
    kind_ = Kind::none;
}

void Cell::keep_borrowed() {
    content_.value = new Value(*content_.value);
    kind_ = Kind::owned;
}

void ListBuilder::push_value(Value value) {
    if (packed_) {
        packed_ = false;
        values_.reserve(std::max(wholes_.capacity(), wholes_.size() + 1));
        for (const auto n : wholes_) values_.push_back(value_of_whole(n));
        wholes_ = {};
    }
    values_.push_back(std::move(value));
}

Cell ListBuilder::finish() {
    Cell out;
    if (packed_)
        out.own(std::move(wholes_));
    else
        out.own(Value::list(std::move(values_)));
    return out;
}

}  // namespace credence::lang
