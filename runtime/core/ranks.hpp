#pragma once
// Processes that run the same script side by side, as mpirun starts them. Each runs all of it; the loops that are worth it are shared
// (spread.hpp), and whoever did a piece of work sends what came out of it to the others.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/result.hpp"

namespace credence::rt {

/// The way from process to process: MPI (mpi.hpp), or memory in the tests. Every process makes the same calls in the same order.
class RankLink {
public:
    virtual ~RankLink() = default;
    virtual std::size_t rank() const = 0;
    virtual std::size_t size() const = 0;
    virtual std::string host() const = 0;  ///< the name of the machine
    /// Everyone's bytes, sizes[r] of rank r, one rank after the other. All ranks know the sizes.
    virtual void gather(const char* own, std::span<const std::size_t> sizes, char* all) = 0;
};

/// How the script of a rank ended.
struct RankEnd {
    bool failed = false;
    FaultCode code = {};  ///< of its first error; none where an expectation failed
    std::string message = {};
};

/// Another rank has ended its script, or was stopped: this one cannot go on.
class RanksEnded : public std::exception {
public:
    RanksEnded(FaultCode code, std::string message) : code_(code), message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    FaultCode code() const { return code_; }

private:
    FaultCode code_;
    std::string message_;
};

class Ranks {
public:
    explicit Ranks(std::unique_ptr<RankLink> link);

    std::size_t rank() const { return rank_; }
    std::size_t size() const { return size_; }
    bool is_first() const { return rank_ == 0; }  ///< the one that prints, saves and reads standard input
    std::string name(std::size_t rank) const;     ///< "rank 2 of 4 (on node7)"

    /// Everyone's bytes, in the order of the ranks. `purpose` is the same on all ranks that do the same; `stopped`: this rank was asked to
    /// stop. Throws RanksEnded, on all ranks alike, where one of them has ended, was stopped, or does something else.
    std::vector<std::string> gather(std::string_view own, std::uint64_t purpose, bool stopped = false);
    /// The first rank's bytes.
    std::string from_first(std::string_view own, std::uint64_t purpose);

    /// The script of this rank has ended. Waits until those of all have, and tells how; nothing is gathered after that.
    std::vector<RankEnd> finish(const RankEnd& own);

    std::uint64_t exchanges() const { return step_; }
    std::uint64_t bytes_sent() const { return bytes_sent_; }  ///< by this rank, without headers

private:
    struct Header;
    struct Meeting;
    Meeting meet(const Header& own, std::string_view bytes);

    std::unique_ptr<RankLink> link_;
    std::size_t rank_;
    std::size_t size_;
    std::vector<std::string> hosts_;
    std::uint64_t step_ = 0;
    std::uint64_t bytes_sent_ = 0;
    std::unique_ptr<RanksEnded> ended_;  ///< what all ranks know by now
};

/// What a piece of work is told apart by.
std::uint64_t purpose_of(std::string_view name, std::uint64_t a = 0, std::uint64_t b = 0);

}  // namespace credence::rt
