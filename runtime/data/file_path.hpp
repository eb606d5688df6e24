#pragma once
// The one way to files: where --root is given, each is opened from that folder without a step outside, whatever changes on disk meanwhile.

#include <string>
#include <utility>
#include <vector>

#include "runtime/core/result.hpp"

namespace credence::rt {

class Ranks;

/// A file that a script or the command line names. What is opened by it lies in `root`, a folder without links on its way.
struct FilePath {
    FilePath(std::string file, std::string folder = {}, Ranks* readers = nullptr)  // NOLINT: implicit by design
        : path(std::move(file)), root(std::move(folder)), ranks(readers) {}
    FilePath(const char* file) : path(file) {}  // NOLINT: implicit by design

    std::string path;
    std::string root;        ///< empty: the file may be anywhere
    Ranks* ranks = nullptr;  ///< the processes that read the same file, and of which the first writes it; none: this one alone

    FilePath beside(const std::string& name) const;  ///< another file of its folder
    FilePath within(const std::string& name) const;  ///< a file of the folder that it is
};

/// The file that a path names, read from a folder where it is relative; E-FILE when it is outside `root` (empty: nothing is).
Result<FilePath> inside(const std::string& root, const std::string& folder, const std::string& path);

/// ".csv" of "Data.CSV".
std::string file_ending(const std::string& path);
inline std::string file_ending(const FilePath& file) { return file_ending(file.path); }

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

/// open(2), without a step outside the root; errno says why it is not open. The file is not made: see write_file.
Descriptor open_path(const FilePath& file, int flags);
/// The folder that the file is in, to make, rename and remove it there.
Descriptor open_folder_of(const FilePath& file);
/// Component by component, following no link: for systems without openat2(2).
int open_by_walk(int folder, const std::string& relative, int flags);

/// E-FILE when there is none, when it is a folder, a pipe or a device, or when it cannot be read. A pipe keeps nobody waiting.
Result<Descriptor> open_data(const FilePath& file);
/// The names in a folder, sorted.
Result<std::vector<std::string>> folder_entries(const FilePath& folder);
bool is_folder(const FilePath& file);

/// What the errno of one of these calls means: "cannot read 'x': …".
Fault file_fault(std::string_view what, const FilePath& file, int error);

}  // namespace credence::rt
