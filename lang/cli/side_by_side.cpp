#include "lang/cli/side_by_side.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include <fmt/format.h>

#include "lang/cli/run.hpp"
#include "runtime/core/mpi.hpp"

namespace credence::cli {

namespace {

void be_silent() {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0) return;
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, standard);
    ::close(nowhere);
}

rt::RankEnd end_of(int status, const std::optional<lang::Diagnostic>& error) {
    rt::RankEnd out{.failed = status != fine};
    if (error) {
        out.code = error->code;
        out.message = error->message;
    } else if (out.failed) {
        out.message = "an expectation failed";
    }
    return out;
}

}  // namespace

Stats::~Stats() {
    if (!options_.stats) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    rusage used = {};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds_of = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
    std::string text = fmt::format("stats: {:.2f} s, {:.2f} s of processor time, {} MB at most", seconds.count(),
                                   seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss / 1024);
    if (const rt::Ranks* ranks = options_.settings.ranks)
        text += fmt::format("; {} ranks, {} exchanges, {} bytes sent by rank {}", ranks->size(), ranks->exchanges(), ranks->bytes_sent(),
                            ranks->rank());
    to_stderr(text + "\n");
}

bool started_with_others() { return rt::launch().size > 1; }

void be_silent_unless_first() {
    if (rt::launch().rank.value_or(0) > 0) be_silent();
}

int run_side_by_side(Options& options, const std::function<int()>& run) {
    auto link = rt::open_mpi(rt::launch());
    if (!link) {
        say_error(placeless(link.fault()), options);
        return failed;
    }
    rt::Ranks ranks(std::move(*link));
    if (!ranks.is_first()) be_silent();
    options.settings.ranks = &ranks;
    std::optional<lang::Diagnostic> error;
    options.first_error = &error;
    int status = failed;
    try {
        status = run();
    } catch (const std::bad_alloc&) {
        error = placeless({.code = "E-MEMORY", .message = "out of memory"});
        say_error(*error, options);
    }
    std::fflush(stdout);
    const auto ends = ranks.finish(end_of(status, error));
    options.settings.ranks = nullptr;
    options.first_error = nullptr;
    if (!ranks.is_first()) return fine;  // the first tells: mpirun ends the others as soon as one of them fails
    if (status != fine) return status;
    const auto other = std::find_if(ends.begin(), ends.end(), [](const rt::RankEnd& end) { return end.failed; });
    if (other == ends.end()) return fine;
    const std::string where = ranks.name(static_cast<std::size_t>(other - ends.begin()));
    say_error(placeless({.code = other->code.empty() ? "E-STOP" : other->code, .message = fmt::format("{}: {}", where, other->message)}),
              options);
    return failed;
}

}  // namespace credence::cli
