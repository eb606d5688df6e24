#include "runtime/data/file_path.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "runtime/core/suggest.hpp"
#include "runtime/data/same_file.hpp"

namespace credence::rt {

namespace {

namespace fs = std::filesystem;

std::string outside(const std::string& path) { return "'" + path + "' is outside the folder that files may be in"; }

/// Of a file in its root; errno is set where it is not there.
int open_below(int folder, const std::string& relative, int flags) {
#ifdef SYS_openat2
    constexpr int tries = 16;  // a rename on the way makes the kernel ask for another
    open_how how = {};
    how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    long number = -1;
    for (int i = 0; i < tries; ++i) {
        number = ::syscall(SYS_openat2, folder, relative.c_str(), &how, sizeof how);
        if (number >= 0 || errno != EAGAIN) break;
    }
    if (number >= 0) return static_cast<int>(number);
    if (errno != ENOSYS && errno != EPERM) return -1;  // EPERM: a sandbox that does not know the call
#endif
    return open_by_walk(folder, relative, flags);
}

Fault no_such_file(const FilePath& file) {
    Fault fault{.code = "E-FILE", .message = "there is no file '" + file.path + "'"};
    constexpr std::size_t enough = 2000;
    const fs::path folder = fs::path(file.path).parent_path();
    auto names = folder_entries({folder.empty() ? "." : folder.string(), file.root});
    if (!names) return fault;
    if (names->size() > enough) names->resize(enough);
    if (const auto near = nearest(fs::path(file.path).filename().string(), *names))
        fault.hint = "did you mean '" + (folder / *near).string() + "'?";
    return fault;
}

}  // namespace

FilePath FilePath::beside(const std::string& name) const { return {(fs::path(path).parent_path() / name).string(), root, ranks}; }

FilePath FilePath::within(const std::string& name) const { return {(fs::path(path) / name).string(), root, ranks}; }

Descriptor::~Descriptor() {
    const int error = errno;  // its reader wants the value of the call before
    if (number_ >= 0) ::close(number_);
    errno = error;
}

Result<FilePath> inside(const std::string& root, const std::string& folder, const std::string& path) {
    std::error_code ignored;
    const fs::path full = fs::path(path).is_absolute() || folder.empty() ? fs::path(path) : fs::path(folder) / path;
    if (root.empty()) return FilePath(full.lexically_normal().string());
    // Of a file that is still to be written only an absolute path has a folder that can be compared.
    const fs::path real = fs::weakly_canonical(fs::absolute(full, ignored), ignored);
    const fs::path real_root = fs::weakly_canonical(fs::absolute(root, ignored), ignored);
    const fs::path relative = real.lexically_relative(real_root);
    if (relative.empty() || *relative.begin() == ".." || path.find('\0') != std::string::npos)
        return Fault{.code = "E-FILE", .message = outside(path)};
    return FilePath(real.string(), real_root.string());
}

std::string file_ending(const std::string& path) {
    std::string out = fs::path(path).extension().string();
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

int open_by_walk(int folder, const std::string& relative, int flags) {
    const fs::path path(relative);
    Descriptor here(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (auto part = path.begin(); part != path.end() && here.is_open(); ++part) {
        if (*part == "..") {
            errno = EXDEV;
            return -1;
        }
        if (std::next(part) == path.end()) return ::openat(here.get(), part->c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
        Descriptor next(::openat(here.get(), part->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        std::swap(here, next);
    }
    return -1;
}

Descriptor open_path(const FilePath& file, int flags) {
    if (file.path.find('\0') != std::string::npos) {
        errno = EINVAL;
        return Descriptor(-1);
    }
    if (file.root.empty()) return Descriptor(::open(file.path.c_str(), flags | O_CLOEXEC));
    const Descriptor root(::open(file.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.is_open()) return Descriptor(-1);
    return Descriptor(open_below(root.get(), fs::path(file.path).lexically_relative(file.root).string(), flags));
}

Descriptor open_folder_of(const FilePath& file) {
    const fs::path folder = fs::path(file.path).parent_path();
    return open_path({folder.empty() ? "." : folder.string(), file.root}, O_RDONLY | O_DIRECTORY);
}

namespace {

Result<Descriptor> open_own_data(const FilePath& file) {
    Descriptor out = open_path(file, O_RDONLY | O_NONBLOCK);
    if (!out.is_open()) return errno == ENOENT ? no_such_file(file) : file_fault("read", file, errno);
    struct stat info = {};
    if (::fstat(out.get(), &info) != 0) return file_fault("read", file, errno);
    if (S_ISDIR(info.st_mode)) return Fault{.code = "E-FILE", .message = "'" + file.path + "' is a folder, not a file"};
    if (!S_ISREG(info.st_mode)) return Fault{.code = "E-FILE", .message = "'" + file.path + "' is a pipe or a device, not a file"};
    return out;
}

}  // namespace

Result<Descriptor> open_data(const FilePath& file) {
    auto out = open_own_data(file);
    if (!file.ranks) return out;
    struct stat info = {};
    if (out) ::fstat(out->get(), &info);
    TRY(agreed(file, out ? Status(Done{}) : Status(out.fault()), {static_cast<std::uint64_t>(info.st_size), 0}));
    return out;
}

Result<std::vector<std::string>> folder_entries(const FilePath& folder) {
    const Descriptor descriptor = open_path(folder, O_RDONLY | O_DIRECTORY);
    if (!descriptor.is_open()) return file_fault("read", folder, errno);
    const int own = ::dup(descriptor.get());  // closed with the list
    const std::unique_ptr<DIR, int (*)(DIR*)> list(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
    if (!list) {
        const int error = errno;
        if (own >= 0) ::close(own);
        return file_fault("read", folder, error);
    }
    std::vector<std::string> out;
    errno = 0;
    while (const dirent* entry = ::readdir(list.get()))
        if (const std::string name = entry->d_name; name != "." && name != "..") out.push_back(name);
    if (errno != 0) return file_fault("read", folder, errno);
    std::sort(out.begin(), out.end());
    return out;
}

bool is_folder(const FilePath& file) { return open_path(file, O_RDONLY | O_DIRECTORY).is_open(); }

Fault file_fault(std::string_view what, const FilePath& file, int error) {
    // Where no link is followed, one is refused as if it led outside.
    if (!file.root.empty() && (error == EXDEV || error == ELOOP)) return {.code = "E-FILE", .message = outside(file.path)};
    return {.code = "E-FILE", .message = "cannot " + std::string(what) + " '" + file.path + "': " + std::generic_category().message(error)};
}

}  // namespace credence::rt
