// Files are written whole or not at all.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>

#include "runtime/data/file_write.hpp"
#include "runtime/data/same_file.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

namespace fs = std::filesystem;

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

bool write_pieces(int descriptor, const Producer& produce) {
    return produce([descriptor](std::string_view piece) { return write_all(descriptor, piece); });
}

/// A pipe, /dev/stdout: no name of it is replaced. A pipe that nobody reads is refused, not waited for.
Status write_in_place(const FilePath& file, const Producer& produce) {
    const Descriptor out = open_path(file, O_WRONLY | O_NONBLOCK);
    if (!out.is_open()) return file_fault("write", file, errno);
    const int flags = ::fcntl(out.get(), F_GETFL);
    if (flags < 0 || ::fcntl(out.get(), F_SETFL, flags & ~O_NONBLOCK) < 0 || !write_pieces(out.get(), produce))
        return file_fault("write", file, errno);
    return Done{};
}

std::string temporary_name(const std::string& name, int attempt) {
    return name + "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
}

/// What a killed program left in the folder: old files that nobody has locked.
void remove_stale(const FilePath& file, int folder, const std::string& name) {
    constexpr std::time_t old_seconds = 5;  // a file that has just been made is not locked yet
    constexpr std::string_view ending = ".tmp";
    const auto names =
        folder_entries({fs::path(file.path).parent_path().empty() ? "." : fs::path(file.path).parent_path().string(), file.root});
    if (!names) return;
    for (const auto& other : *names) {
        if (!other.starts_with(name + ".") || !other.ends_with(ending) || other.size() <= name.size() + 1 + ending.size()) continue;
        const std::string middle = other.substr(name.size() + 1, other.size() - name.size() - 1 - ending.size());
        if (middle.find_first_not_of("0123456789-") != std::string::npos) continue;
        const Descriptor found(::openat(folder, other.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat info = {};
        if (!found.is_open() || ::fstat(found.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
        if (std::time(nullptr) - info.st_mtime < old_seconds || ::flock(found.get(), LOCK_EX | LOCK_NB) != 0) continue;
        ::unlinkat(folder, other.c_str(), 0);
    }
}

/// A new file of a folder. It has no name at first where the system can do that, so that nothing of it stays when the program is killed.
class NewFile {
public:
    NewFile(int folder, std::string name, bool nameless) : folder_(folder), name_(std::move(name)), descriptor_(make(nameless)) {}
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        if (named_) ::unlinkat(folder_, temporary_.c_str(), 0);
    }
    int get() const { return descriptor_.get(); }
    bool is_open() const { return descriptor_.is_open(); }

    /// Takes the place of the file of that name.
    bool rename() {
        if (!named_ && !give_name()) return false;
        if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) return false;
        named_ = false;
        return true;
    }

private:
    int make(bool nameless) {
#ifdef O_TMPFILE
        if (nameless) {
            const int out = ::openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
            if (out >= 0) ::flock(out, LOCK_EX | LOCK_NB);
            return out;
        }
#endif
        if (nameless) return -1;
        for (int attempt = 0;; ++attempt) {
            temporary_ = temporary_name(name_, attempt);
            const int out = ::openat(folder_, temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
            if (out < 0 && errno == EEXIST) continue;
            named_ = out >= 0;
            if (named_) ::flock(out, LOCK_EX | LOCK_NB);
            return out;
        }
    }
    bool give_name() {
        const std::string own = "/proc/self/fd/" + std::to_string(descriptor_.get());
        for (int attempt = 0;; ++attempt) {
            temporary_ = temporary_name(name_, attempt);
            named_ = ::linkat(AT_FDCWD, own.c_str(), folder_, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
            if (named_ || errno != EEXIST) return named_;
        }
    }

    int folder_;
    std::string name_;
    std::string temporary_ = {};
    bool named_ = false;
    Descriptor descriptor_;  // last: it is made by the others
};

/// 0, or the error of the step that failed.
int replace(int folder, const std::string& name, const Producer& produce, std::optional<mode_t> mode, bool nameless) {
    NewFile file(folder, name, nameless);
    const bool written = file.is_open() && (!mode || ::fchmod(file.get(), *mode) == 0) && write_pieces(file.get(), produce) &&
                         ::fsync(file.get()) == 0 && file.rename();
    return written ? 0 : errno;
}

}  // namespace

Status write_file(const FilePath& file, std::string_view text) {
    return write_file(file, Producer([text](const Sink& sink) { return sink(text); }));
}

namespace {

Status write_own_file(const FilePath& file, const Producer& produce) {
    std::error_code ignored;
    // A link keeps pointing at its file: the file is what is replaced.
    const bool linked = file.root.empty() && fs::is_symlink(file.path, ignored) && fs::exists(file.path, ignored);
    const FilePath place = linked ? FilePath(fs::canonical(file.path, ignored).string()) : file;
    const std::string name = fs::path(place.path).filename().string();
    const Descriptor folder = open_folder_of(place);
    if (!folder.is_open()) return file_fault("write", file, errno);
    struct stat info = {};
    const bool exists = ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (name.empty() || name == "." || name == ".." || (exists && S_ISDIR(info.st_mode)))
        return Fault{.code = "E-FILE", .message = "'" + file.path + "' is a folder, not a file"};
    if (exists && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
        if (file.root.empty()) return write_in_place(place, produce);
        return Fault{.code = "E-FILE", .message = "'" + file.path + "' is a pipe or a device, not a file"};
    }
    constexpr mode_t permissions = 07777;
    const auto mode = exists && S_ISREG(info.st_mode) ? std::optional<mode_t>(info.st_mode & permissions) : std::nullopt;
    int error = replace(folder.get(), name, produce, mode, true);
    if (error != 0 && error != ENOSPC && error != EDQUOT && error != EFBIG && error != EIO)
        error = replace(folder.get(), name, produce, mode, false);  // where files cannot be nameless
    if (error != 0) return file_fault("write", file, error);
    ::fsync(folder.get());  // where the folder cannot be synced, the file itself has been
    remove_stale(place, folder.get(), name);
    return Done{};
}

}  // namespace

Status write_file(const FilePath& file, const Producer& produce) {
    return by_first_rank(file, [&] { return write_own_file(file, produce); });
}

}  // namespace credence::rt
