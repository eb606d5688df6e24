#pragma once
// What compiled code computes with: small whole numbers, real numbers and truths as they are, lists of small whole numbers side by side,
// everything else as the value that it is.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lang/value/value.hpp"

namespace credence::lang {

/// A list of small whole numbers, and the same as a value once somebody needed that.
struct Wholes {
    std::vector<std::int64_t> items;
    std::unique_ptr<Value> as_value;
    std::uint32_t holders = 1;  // one thread has them all

    const Value& value();
};

/// Sixteen bytes. A borrowed value belongs to somebody who outlives the cell: the frame, the globals, a constant, or what is reached from
/// there. What leaves a function is kept, that is, no longer borrowed.
class Cell {
public:
    enum class Kind : std::uint8_t { none, whole, real, truth, borrowed, owned, wholes };

    Cell() = default;
    Cell(Cell&& other) noexcept : kind_(std::exchange(other.kind_, Kind::none)), content_(other.content_) {}
    Cell& operator=(Cell&& other) noexcept {
        if (this == &other) return *this;
        drop();
        kind_ = std::exchange(other.kind_, Kind::none);
        content_ = other.content_;
        return *this;
    }
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    ~Cell() { drop(); }

    void set_whole(std::int64_t n) {
        drop();
        kind_ = Kind::whole;
        content_.whole = n;
    }
    void set_real(double x) {
        drop();
        kind_ = Kind::real;
        content_.real = x;
    }
    void set_truth(bool b) {
        drop();
        kind_ = Kind::truth;
        content_.truth = b;
    }
    /// The value as it is; the cell looks at it and does not hold it.
    void borrow(const Value& value);
    void own(Value value);
    void own(std::vector<std::int64_t> items);
    /// The same as another cell that lives longer.
    void borrow(const Cell& other) {
        switch (other.kind_) {
            case Kind::owned:
                drop();
                kind_ = Kind::borrowed;
                content_.value = other.content_.value;
                break;
            case Kind::wholes:
                ++other.content_.wholes->holders;
                drop();
                kind_ = Kind::wholes;
                content_.wholes = other.content_.wholes;
                break;
            case Kind::none:
            case Kind::whole:
            case Kind::real:
            case Kind::truth:
            case Kind::borrowed:
                drop();
                kind_ = other.kind_;
                content_ = other.content_;
                break;
        }
    }
    /// Holds what it has borrowed until now.
    void keep() {
        if (kind_ == Kind::borrowed) keep_borrowed();
    }
    void clear() {
        drop();
        kind_ = Kind::none;
    }

    Kind kind() const { return kind_; }
    bool is_whole() const { return kind_ == Kind::whole; }
    bool is_real() const { return kind_ == Kind::real; }
    bool is_truth() const { return kind_ == Kind::truth; }
    bool is_wholes() const { return kind_ == Kind::wholes; }
    std::int64_t whole() const { return content_.whole; }
    double real() const { return content_.real; }
    bool truth() const { return content_.truth; }
    const std::vector<std::int64_t>& wholes() const { return content_.wholes->items; }
    /// The value that is held or borrowed; null for all that is not held as one.
    const Value* look() const { return kind_ == Kind::borrowed || kind_ == Kind::owned ? content_.value : nullptr; }
    template <class T>
    const T* get() const {
        const Value* value = look();
        return value ? value->get<T>() : nullptr;
    }
    /// As a value; a copy where it is one already.
    Value value() const;

private:
    void drop() {
        if (kind_ == Kind::owned || kind_ == Kind::wholes) drop_held();
    }
    void drop_held();
    void keep_borrowed();

    Kind kind_ = Kind::none;
    union Content {
        std::int64_t whole;
        double real;
        bool truth;
        const Value* value;
        Wholes* wholes;
    } content_ = {0};
};

/// A value of which a reference is needed for a moment.
class CellValue {
public:
    explicit CellValue(const Cell& cell) : seen_(cell.look()) {
        if (seen_ == nullptr) made_ = cell.value();
    }
    const Value& operator*() const { return seen_ ? *seen_ : made_; }

private:
    const Value* seen_;
    Value made_;
};

/// A list while it grows: side by side as long as all items are small whole numbers.
class ListBuilder {
public:
    void reserve(std::size_t n) { wholes_.reserve(n); }
    void push(Cell item) {
        if (packed_ && item.is_whole())
            wholes_.push_back(item.whole());
        else
            push_value(item.value());
    }
    void push_whole(std::int64_t n) {
        if (packed_)
            wholes_.push_back(n);
        else
            push_value(Value(rt::Number(rt::Rational(n))));
    }
    void push_value(Value value);
    /// The list; how far it reaches is not looked at.
    Cell finish();

private:
    bool packed_ = true;
    std::vector<std::int64_t> wholes_;
    List values_;
};

}  // namespace credence::lang
