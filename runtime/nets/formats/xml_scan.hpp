#pragma once
// As much of XML as network files use: elements, text, comments, CDATA, the five entities and character numbers.

#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/result.hpp"

namespace credence::rt {

struct XmlEvent {
    enum class Kind { open, close, text, end };
    Kind kind = Kind::end;
    std::string name;       ///< of an element, in capitals
    std::string_view text;  ///< raw: entities and all
    std::size_t at = 0;
};

class XmlScanner {
public:
    explicit XmlScanner(std::string_view text);
    /// Elements are checked to nest; blank texts, comments, declarations and attributes are passed over.
    Result<XmlEvent> next();
    std::string_view text() const { return text_; }

private:
    Result<XmlEvent> markup();
    Fault fault(std::size_t at, std::string message) const;

    std::string_view text_;
    std::size_t position_ = 0;
    std::vector<std::string> open_;
    bool close_pending_ = false;  // of <x/>
};

/// A text with its entities resolved and the blanks round it taken off.
Result<std::string> xml_plain(std::string_view whole, std::string_view raw);
std::string xml_escaped(std::string_view text);

}  // namespace credence::rt
