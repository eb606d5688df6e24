// In place of xmlbif.cpp where there is no reader of XML: in the browser.

#include "runtime/nets/formats/net_formats.hpp"

namespace credence::rt {

namespace {

Fault no_xml() {
    return {.code = "E-FILE",
            .message = "the program in the browser has no reader or writer of XML",
            .hint = "the program on a computer makes a file of it that can be read here: credence convert NET.xml NET.bif"};
}

}  // namespace

Result<NetRead> read_xmlbif(std::string_view, const std::string&) { return no_xml(); }
Result<std::string> write_xmlbif(const Net&) { return no_xml(); }

}  // namespace credence::rt
