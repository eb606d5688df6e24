#include "runtime/core/mpi.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "runtime/core/mpi_plugin.hpp"

namespace credence::rt {

namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> number_in_environment(const char* name) {
    const char* const text = std::getenv(name);
    if (!text) return std::nullopt;
    const std::string_view digits(text);
    std::size_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return out;
}

class MpiLink final : public RankLink {
public:
    explicit MpiLink(const CredenceMpi& mpi) : mpi_(mpi) {}
    MpiLink(const MpiLink&) = delete;
    MpiLink& operator=(const MpiLink&) = delete;
    ~MpiLink() override { mpi_.finish(); }
    std::size_t rank() const override { return static_cast<std::size_t>(mpi_.rank); }
    std::size_t size() const override { return static_cast<std::size_t>(mpi_.size); }
    std::string host() const override { return mpi_.host; }
    void gather(const char* own, std::span<const std::size_t> sizes, char* all) override { mpi_.gather(own, sizes.data(), all); }

private:
    const CredenceMpi& mpi_;
};

/// Beside the program, as in the folder of a build, or among the libraries, as it is installed.
std::string plugin_path() {
    constexpr const char* name = "libcredence_mpi.so";
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return name;
    const fs::path folder = program.parent_path();
    for (const auto& place : {folder / name, folder.parent_path() / "lib" / "credence" / name})
        if (fs::exists(place, error)) return place.string();
    return {};
}

Fault no_mpi(const Launch& launched, std::string reason, std::string hint) {
    return {.code = "E-FILE",
            .message = fmt::format("{} processes of this script were started together, and {}", launched.size, reason),
            .hint = std::move(hint)};
}

}  // namespace

Launch launch() {
    // Open MPI; MPICH, Intel MPI and srun with PMI; srun with PMIx.
    for (const auto& [size, rank] : {std::pair{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, std::pair{"PMI_SIZE", "PMI_RANK"},
                                     std::pair{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}})
        if (const auto found = number_in_environment(size); found && *found > 0) return {*found, number_in_environment(rank)};
    return {};
}

Result<std::unique_ptr<RankLink>> open_mpi(const Launch& launched) {
    const std::string path = plugin_path();
    if (path.empty())
        return no_mpi(launched, "this build has no MPI",
                      "install libopenmpi-dev (Debian's name) and build again; or run the script without mpirun");
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);  // Open MPI's own plugins look for its names
    if (!library) {
        const char* said = dlerror();
        return no_mpi(launched, fmt::format("MPI cannot be opened: {}", said ? said : path), "install the library of Open MPI");
    }
    const auto start = reinterpret_cast<CredenceMpiStart>(dlsym(library, "credence_mpi_start"));
    const CredenceMpi* const mpi = start ? start() : nullptr;
    if (!mpi) return no_mpi(launched, "MPI could not be started", "");
    auto link = std::make_unique<MpiLink>(*mpi);
    if (link->size() != launched.size)
        return no_mpi(launched, fmt::format("they do not find each other by {}", mpi->library),
                      "start them with the mpirun of that library");
    return std::unique_ptr<RankLink>(std::move(link));
}

}  // namespace credence::rt
