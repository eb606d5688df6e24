#pragma once
// JSON as models are saved in it. nlohmann's reader and writer of scalars stay behind json.cpp: its value type, in the forty units that
// save or load a model, cost 2 s of compilation in each, and its ordered objects look through all keys for every new one.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::rt {

class Json {
public:
    Json();                                                                     ///< null
    Json(bool value);                                                           // NOLINT: implicit by design, as all of these
    Json(std::int64_t value);                                                   // NOLINT
    Json(double value);                                                         // NOLINT
    Json(std::string text);                                                     // NOLINT
    Json(std::string_view text) : Json(std::string(text)) {}                    // NOLINT
    Json(const char* text) : Json(std::string(text)) {}                         // NOLINT
    Json(std::integral auto value) : Json(static_cast<std::int64_t>(value)) {}  // NOLINT
    /// Pairs of a text and a value make an object, anything else a list.
    Json(std::initializer_list<Json> items);
    template <class T>
    Json(const std::vector<T>& items) : Json(array()) {  // NOLINT
        for (const auto& item : items) push_back(Json(item));
    }
    Json(const Json&);
    Json(Json&&) noexcept;
    Json& operator=(const Json&);
    Json& operator=(Json&&) noexcept;
    ~Json();
    static Json array(std::initializer_list<Json> items = {});  ///< a list, whatever its items
    static Json object();

    bool is_null() const { return kind_ == Kind::null; }
    bool is_boolean() const { return kind_ == Kind::boolean; }
    bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::real; }
    bool is_integer() const { return kind_ == Kind::integer; }
    bool is_count() const { return is_integer() && integer() >= 0; }
    bool is_string() const { return kind_ == Kind::text; }
    bool is_array() const { return kind_ == Kind::array; }
    bool is_object() const { return kind_ == Kind::object; }

    bool boolean() const { return scalar_.boolean; }                                                              ///< is_boolean() only
    std::int64_t integer() const { return scalar_.integer; }                                                      ///< is_integer() only
    double real() const { return kind_ == Kind::integer ? static_cast<double>(scalar_.integer) : scalar_.real; }  ///< is_number() only
    const std::string& text() const;                                                                              ///< is_string() only

    std::size_t size() const;  ///< of a list or object; 0 for all else
    bool empty() const { return size() == 0; }
    std::span<const Json> items() const;  ///< of a list: its items; of an object: its values
    const Json* begin() const { return items().data(); }
    const Json* end() const { return items().data() + items().size(); }
    const Json& operator[](std::size_t i) const { return items()[i]; }
    void push_back(Json item);

    std::span<const std::string> keys() const;  ///< of an object, in the order in which they came, as items() has their values
    const Json* find(std::string_view key) const;
    bool contains(std::string_view key) const { return find(key) != nullptr; }
    bool flag(std::string_view key, bool otherwise) const;  ///< a member that is true or false, where there is one
    void set(std::string key, Json value);                  ///< of an object, or of nothing yet; at the end: the key is new

    /// The contents of a file; nothing if it is not JSON, or is nested more than 4,000 levels deep.
    static std::optional<Json> parse(std::string_view text);
    std::string dump() const;  ///< a line for every item, one space deeper than what holds it

private:
    enum class Kind : std::uint8_t { null, boolean, integer, real, text, array, object };
    struct Body;
    class Reader;
    void write(std::string& out, std::size_t depth) const;

    Kind kind_ = Kind::null;
    union {
        bool boolean;
        std::int64_t integer;
        double real;
    } scalar_{};
    std::unique_ptr<Body> body_;  ///< of a text, list or object
};

}  // namespace credence::rt
