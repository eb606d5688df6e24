#include "runtime/data/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::rt {

namespace {

namespace fs = std::filesystem;

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

Fault file_fault(std::string_view what, const std::string& path, int error) {
    return {.code = "E-FILE", .message = "cannot " + std::string(what) + " '" + path + "': " + std::generic_category().message(error)};
}

Fault no_such_file(const std::string& path) {
    Fault fault{.code = "E-FILE", .message = "there is no file '" + path + "'"};
    constexpr std::size_t enough = 2000;
    const fs::path folder = fs::path(path).parent_path();
    std::vector<std::string> names;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, ignored), end; !ignored && entry != end && names.size() < enough;
         entry.increment(ignored)) {
        names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    if (const auto near = nearest(fs::path(path).filename().string(), names))
        fault.hint = "did you mean '" + (folder / *near).string() + "'?";
    return fault;
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// A new file beside `place`, with the permissions that open(2) gives; `name` is its name.
int open_beside(const std::string& place, std::string& name) {
    for (int attempt = 0;; ++attempt) {
        name = place + "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
        const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
}

/// Length of the well-formed sequence at text[i], 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) -> unsigned { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
    const auto tail = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

bool ascii_block(const char* bytes) {
    std::uint64_t words[8];
    std::memcpy(words, bytes, sizeof words);
    std::uint64_t any = 0;
    for (const auto word : words) any |= word;
    return (any & 0x8080808080808080U) == 0;
}

}  // namespace

Result<std::string> inside(const std::string& root, const std::string& folder, const std::string& path) {
    std::error_code ignored;
    const fs::path full = fs::path(path).is_absolute() || folder.empty() ? fs::path(path) : fs::path(folder) / path;
    if (root.empty()) return full.lexically_normal().string();
    // Of a file that is still to be written only an absolute path has a folder that can be compared.
    const fs::path real = fs::weakly_canonical(fs::absolute(full, ignored), ignored);
    const fs::path relative = real.lexically_relative(fs::weakly_canonical(fs::absolute(root, ignored), ignored));
    if (relative.empty() || *relative.begin() == "..")
        return Fault{.code = "E-FILE", .message = "'" + path + "' is outside the folder that files may be in"};
    return real.string();
}

std::string file_ending(const std::string& path) {
    std::string out = std::filesystem::path(path).extension().string();
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

Result<FileText> read_file(const std::string& path, Readable readable) {
    // Without waiting: a pipe that nobody writes to would keep the program for ever.
    const int wait = readable == Readable::files ? O_NONBLOCK : 0;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | wait));
    if (!file.is_open()) return errno == ENOENT ? no_such_file(path) : file_fault("read", path, errno);
    struct stat info = {};
    if (::fstat(file.get(), &info) != 0) return file_fault("read", path, errno);
    if (S_ISDIR(info.st_mode)) return Fault{.code = "E-FILE", .message = "'" + path + "' is a folder, not a file"};
    if (readable == Readable::files && !S_ISREG(info.st_mode))
        return Fault{.code = "E-FILE", .message = "'" + path + "' is a pipe or a device, not a file"};

    // the size is a promise only of regular files, and may be outdated even there: so read until the end comes
    std::size_t capacity = info.st_size > 0 ? static_cast<std::size_t>(info.st_size) + 1 : std::size_t{1} << 16U;
    FileText text{std::make_unique_for_overwrite<char[]>(capacity), 0};
    for (;;) {
        if (text.size == capacity) {
            auto larger = std::make_unique_for_overwrite<char[]>(capacity * 2);
            std::memcpy(larger.get(), text.bytes.get(), text.size);
            text.bytes = std::move(larger);
            capacity *= 2;
        }
        const ssize_t got = ::read(file.get(), text.bytes.get() + text.size, capacity - text.size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_fault("read", path, errno);
        if (got == 0) return text;
        text.size += static_cast<std::size_t>(got);
    }
}

Status write_file(const std::string& path, std::string_view text) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (status.type() == fs::file_type::directory) return Fault{.code = "E-FILE", .message = "'" + path + "' is a folder, not a file"};
    const bool exists = fs::exists(status);
    if (exists && status.type() != fs::file_type::regular) {
        const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!file.is_open() || !write_all(file.get(), text)) return file_fault("write", path, errno);
        return Done{};
    }
    // a link keeps pointing at its file: the file is what is replaced
    const std::string place = exists ? fs::canonical(path, ignored).string() : path;
    std::string temporary;
    const Descriptor file(open_beside(place, temporary));
    if (!file.is_open()) return file_fault("write", path, errno);
    const bool keeps_mode = !exists || ::fchmod(file.get(), static_cast<mode_t>(status.permissions() & fs::perms::mask)) == 0;
    const bool written =
        keeps_mode && write_all(file.get(), text) && ::fsync(file.get()) == 0 && std::rename(temporary.c_str(), place.c_str()) == 0;
    if (!written) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return file_fault("write", path, error);
    }
    const fs::path folder = fs::path(place).parent_path();
    const Descriptor entry(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (entry.is_open()) ::fsync(entry.get());  // where the folder cannot be synced, the file itself has been
    return Done{};
}

std::string_view without_bom(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    constexpr std::size_t block = 64;
    std::size_t i = 0;
    while (i < text.size()) {
        if (i + block <= text.size() && ascii_block(text.data() + i)) {
            i += block;
            continue;
        }
        const std::size_t stop = std::min(text.size(), i + block);
        while (i < stop) {
            const std::size_t length = utf8_length(text, i);
            if (length == 0) return i;
            i += length;
        }
    }
    return std::nullopt;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

Status check_utf8(std::string_view text) {
    const auto bad = first_invalid_utf8(text);
    if (!bad) return Done{};
    const bool wide = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
    return Fault{
        .code = "E-TEXT",
        .message = "line " + std::to_string(line_of(text, *bad)) + " is not UTF-8",
        .hint = wide ? "it looks like UTF-16: save it as UTF-8" : "save it as UTF-8; an older table may be in Latin-1 or Windows-1252"};
}

Fault in_file(const std::string& path, Fault fault) {
    if (fault.code != stopped_fault().code) fault.message = path + ": " + fault.message;
    return fault;
}

}  // namespace credence::rt
