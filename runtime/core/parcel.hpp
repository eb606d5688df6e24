#pragma once
// Values as bytes, for processes of the same program.

#include <cassert>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace credence::rt {

class Parcel;
class ParcelReader;

/// A struct travels by its fields where it has `template <class Self, class Visit> static void fields(Self& self, Visit&& visit)`, which
/// calls visit for each of them; another type by functions `pack(Parcel&, const T&)` and `unpack(ParcelReader&, T&)` beside it.
template <class T>
concept HasFields = requires(T& value) {
    T::fields(value, [](auto&) {});
};
template <class T>
concept PlainBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !HasFields<T>;

class Parcel {
public:
    const std::string& bytes() const { return bytes_; }
    void add(const void* from, std::size_t n) { bytes_.append(static_cast<const char*>(from), n); }

    template <class T>
    Parcel& put(const T& value) {
        if constexpr (HasFields<T>)
            T::fields(value, [this](const auto& field) { this->put(field); });
        else if constexpr (PlainBytes<T>)
            add(&value, sizeof value);
        else
            pack(*this, value);
        return *this;
    }

private:
    std::string bytes_;
};

/// Takes out what was put in, in the same order.
class ParcelReader {
public:
    explicit ParcelReader(std::string_view bytes) : left_(bytes) {}
    void take(void* to, std::size_t n) {
        assert(n <= left_.size());
        if (n > 0) std::memcpy(to, left_.data(), n);
        left_.remove_prefix(n);
    }
    bool empty() const { return left_.empty(); }

    template <class T>
    ParcelReader& get(T& value) {
        if constexpr (HasFields<T>)
            T::fields(value, [this](auto& field) { this->get(field); });
        else if constexpr (PlainBytes<T>)
            take(&value, sizeof value);
        else
            unpack(*this, value);
        return *this;
    }

private:
    std::string_view left_;
};

inline void pack(Parcel& out, const std::string& text) {
    out.put(text.size());
    out.add(text.data(), text.size());
}
inline void unpack(ParcelReader& in, std::string& text) {
    std::size_t size = 0;
    in.get(size);
    text.resize(size);
    in.take(text.data(), size);
}

template <class T>
void pack(Parcel& out, const std::vector<T>& items) {
    out.put(items.size());
    if constexpr (std::is_same_v<T, bool>) {
        for (const bool item : items) out.put(item);
    } else if constexpr (PlainBytes<T>) {
        out.add(items.data(), items.size() * sizeof(T));
    } else {
        for (const auto& item : items) out.put(item);
    }
}
template <class T>
void unpack(ParcelReader& in, std::vector<T>& items) {
    std::size_t size = 0;
    in.get(size);
    items.resize(size);
    if constexpr (std::is_same_v<T, bool>) {
        for (std::size_t i = 0; i < size; ++i) {
            bool item = false;
            in.get(item);
            items[i] = item;
        }
    } else if constexpr (PlainBytes<T>) {
        in.take(items.data(), size * sizeof(T));
    } else {
        for (auto& item : items) in.get(item);
    }
}

template <class T>
void pack(Parcel& out, const std::optional<T>& value) {
    out.put(value.has_value());
    if (value) out.put(*value);
}
template <class T>
void unpack(ParcelReader& in, std::optional<T>& value) {
    bool there = false;
    in.get(there);
    value.reset();
    if (there) in.get(value.emplace());
}

template <class... T>
void pack(Parcel& out, const std::variant<T...>& value) {
    out.put(value.index());
    std::visit([&](const auto& held) { out.put(held); }, value);
}
template <class... T>
void unpack(ParcelReader& in, std::variant<T...>& value) {
    std::size_t index = 0;
    in.get(index);
    std::size_t at = 0;
    ((at++ == index ? static_cast<void>(in.get(value.template emplace<T>())) : static_cast<void>(0)), ...);
}

template <class A, class B>
void pack(Parcel& out, const std::pair<A, B>& both) {
    out.put(both.first).put(both.second);
}
template <class A, class B>
void unpack(ParcelReader& in, std::pair<A, B>& both) {
    in.get(both.first).get(both.second);
}

}  // namespace credence::rt
