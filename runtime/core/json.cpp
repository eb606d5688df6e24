#include "runtime/core/json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace credence::rt {

struct Json::Body {
    std::string text;
    std::vector<std::string> keys;
    std::vector<Json> items;
};

Json::Json() = default;
Json::Json(bool value) : kind_(Kind::boolean) { scalar_.boolean = value; }
Json::Json(std::int64_t value) : kind_(Kind::integer) { scalar_.integer = value; }
Json::Json(double value) : kind_(Kind::real) { scalar_.real = value; }
Json::Json(std::string text) : kind_(Kind::text), body_(std::make_unique<Body>()) { body_->text = std::move(text); }

Json::Json(std::initializer_list<Json> items) : kind_(Kind::array), body_(std::make_unique<Body>()) {
    const bool pairs =
        std::all_of(items.begin(), items.end(), [](const Json& x) { return x.is_array() && x.size() == 2 && x[0].is_string(); });
    if (!pairs) {
        body_->items = items;
        return;
    }
    kind_ = Kind::object;
    for (const auto& pair : items) set(pair[0].text(), pair[1]);
}

Json::Json(const Json& other)
    : kind_(other.kind_), scalar_(other.scalar_), body_(other.body_ ? std::make_unique<Body>(*other.body_) : nullptr) {}
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json& other) { return *this = Json(other); }
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::array(std::initializer_list<Json> items) {
    Json out;
    out.kind_ = Kind::array;
    out.body_ = std::make_unique<Body>();
    out.body_->items = items;
    return out;
}

Json Json::object() {
    Json out = array();
    out.kind_ = Kind::object;
    return out;
}

const std::string& Json::text() const { return body_->text; }
std::size_t Json::size() const { return items().size(); }
std::span<const Json> Json::items() const { return body_ ? std::span<const Json>(body_->items) : std::span<const Json>(); }
void Json::push_back(Json item) { body_->items.push_back(std::move(item)); }
std::span<const std::string> Json::keys() const {
    return body_ ? std::span<const std::string>(body_->keys) : std::span<const std::string>();
}

const Json* Json::find(std::string_view key) const {
    const auto all = keys();
    const auto at = std::find(all.begin(), all.end(), key);
    return at == all.end() ? nullptr : &items()[static_cast<std::size_t>(at - all.begin())];
}

bool Json::flag(std::string_view key, bool otherwise) const {
    const Json* member = find(key);
    return member && member->is_boolean() ? member->boolean() : otherwise;
}

void Json::set(std::string key, Json value) {
    if (is_null()) *this = object();
    body_->keys.push_back(std::move(key));
    body_->items.push_back(std::move(value));
}

/// Builds a value from the events of a parse.
class Json::Reader : public nlohmann::json_sax<nlohmann::json> {
public:
    Json& result() { return top_; }

    bool null() override { return add(Json()); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return value > static_cast<number_unsigned_t>(INT64_MAX) ? add(static_cast<double>(value)) : add(value);
    }
    bool number_float(number_float_t value, const string_t& /*digits*/) override { return add(value); }
    bool string(string_t& text) override { return add(std::move(text)); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
    bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        open_.back().key = std::move(name);
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/, const nlohmann::detail::exception& /*error*/) override {
        return false;
    }

private:
    struct Open {
        Json value;
        std::string key;  ///< of the member that comes
    };

    bool add(Json value) {
        if (open_.empty())
            top_ = std::move(value);
        else if (Open& into = open_.back(); into.value.is_object())
            into.value.set(std::move(into.key), std::move(value));
        else
            into.value.push_back(std::move(value));
        return true;
    }
    bool open(Json value) {
        open_.push_back({std::move(value), {}});
        return open_.size() <= 4000;
    }
    bool close() {
        Json done = std::move(open_.back().value);
        open_.pop_back();
        return add(std::move(done));
    }

    Json top_;
    std::vector<Open> open_;
};

std::optional<Json> Json::parse(std::string_view text) {
    Reader reader;
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return std::nullopt;
    return std::move(reader.result());
}

std::string Json::dump() const {
    std::string out;
    write(out, 0);
    return out;
}

void Json::write(std::string& out, std::size_t depth) const {
    switch (kind_) {
        case Kind::null:
            out += "null";
            return;
        case Kind::boolean:
            out += boolean() ? "true" : "false";
            return;
        case Kind::integer:
            out += std::to_string(integer());
            return;
        case Kind::real:
            out += nlohmann::json(real()).dump();
            return;
        case Kind::text:
            out += nlohmann::json(text()).dump();
            return;
        case Kind::array:
        case Kind::object:
            break;
    }
    const auto all = items();
    out += is_object() ? '{' : '[';
    for (std::size_t i = 0; i < all.size(); ++i) {
        out += i == 0 ? "\n" : ",\n";
        out.append(depth + 1, ' ');
        if (is_object()) out += nlohmann::json(keys()[i]).dump() + ": ";
        all[i].write(out, depth + 1);
    }
    if (!all.empty()) out.append(1, '\n').append(depth, ' ');
    out += is_object() ? '}' : ']';
}

}  // namespace credence::rt
