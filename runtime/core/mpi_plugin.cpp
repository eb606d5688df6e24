// libcredence_mpi.so: the only unit that is linked with MPI.

#include "runtime/core/mpi_plugin.hpp"

#define OMPI_SKIP_MPICXX 1  // plain C functions will do
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

CredenceMpi table = {};
MPI_Comm ours = MPI_COMM_NULL;  // no other user of MPI in the process gets between

/// Waits without keeping a core busy: ranks may be more than cores, and one may compute for hours while the others wait.
void wait_for(MPI_Request& request) {
    constexpr int looks = 200;
    constexpr std::chrono::microseconds shortest{20};
    constexpr std::chrono::microseconds longest{2000};
    auto pause = shortest;
    int done = 0;
    for (int look = 0;; ++look) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        if (look < looks) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 5 / 4, longest);
    }
}

/// MPI counts in int: what is longer goes in several rounds, of so many bytes from each rank.
void gather(const char* own, const size_t* sizes, char* all) {
    const auto ranks = static_cast<size_t>(table.size);
    const size_t piece = std::max<size_t>((size_t{256} << 20U) / ranks, 1024);
    const size_t longest = *std::max_element(sizes, sizes + ranks);
    std::vector<size_t> begin(ranks, 0);
    for (size_t r = 1; r < ranks; ++r) begin[r] = begin[r - 1] + sizes[r - 1];
    std::vector<int> counts(ranks);
    std::vector<int> places(ranks);
    std::vector<char> round;
    for (size_t done = 0; done < longest; done += piece) {
        int total = 0;
        for (size_t r = 0; r < ranks; ++r) {
            counts[r] = static_cast<int>(sizes[r] > done ? std::min(piece, sizes[r] - done) : 0);
            places[r] = total;
            total += counts[r];
        }
        const bool one = longest <= piece;  // then the round is all there is
        if (!one) round.resize(static_cast<size_t>(total));
        char* const to = one ? all : round.data();
        MPI_Request request = MPI_REQUEST_NULL;
        const auto self = static_cast<size_t>(table.rank);
        MPI_Iallgatherv(own + std::min(done, sizes[self]), counts[self], MPI_BYTE, to, counts.data(), places.data(), MPI_BYTE, ours,
                        &request);
        wait_for(request);
        for (size_t r = 0; r < ranks && !one; ++r)
            if (counts[r] > 0) std::memcpy(all + begin[r] + done, to + places[r], static_cast<size_t>(counts[r]));
    }
}

void finish() {
    MPI_Comm_free(&ours);
    MPI_Finalize();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const CredenceMpi* credence_mpi_start(void) {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return nullptr;
    if (provided < MPI_THREAD_SERIALIZED) return nullptr;  // the script runs on a thread of its own
    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    MPI_Comm_rank(ours, &table.rank);
    MPI_Comm_size(ours, &table.size);
    gethostname(table.host, sizeof table.host - 1);
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::snprintf(table.library, sizeof table.library, "%s", version);
    if (char* const end = std::strpbrk(table.library, ",\n")) *end = '\0';
    table.gather = gather;
    table.finish = finish;
    return &table;
}
