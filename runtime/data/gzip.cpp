#include "runtime/data/gzip.hpp"

#include "runtime/data/inflate.hpp"

namespace credence::rt {

namespace {

constexpr std::string_view gzip_ending = ".gz";

}  // namespace

Fault damaged_gzip(const std::string& path, const char* what) {
    return {
        .code = "E-FILE", .message = path + " " + what, .hint = "gzip -t tests such a file; without .gz in its name it is read as it is"};
}

std::string data_ending(const std::string& path) {
    const std::string ending = file_ending(path);
    return ending == gzip_ending ? file_ending(path.substr(0, path.size() - gzip_ending.size())) : ending;
}

Result<FileText> read_data_file(const FilePath& file) {
    auto text = TRY(read_file(file));
    if (file_ending(file.path) != gzip_ending) return text;
    return gunzipped(text.view(), file.path);
}

}  // namespace credence::rt
