#pragma once
// Threads that cannot change a result: work is cut into a fixed grid of chunks, whichever thread does them.

#include <cstddef>
#include <functional>

namespace credence::rt {

/// Calls body(i, begin, end) once for each chunk [i·chunk, min(n, (i+1)·chunk)), on up to `threads` threads, the caller's
/// included. The grid depends on n and chunk alone: a body that writes only to slot i, and a caller that reduces the
/// slots in order, get the same bits for any number of threads. What the body throws is thrown again here, the first in the order of the
/// chunks among those that were begun; the rest is not begun then. Where the system refuses a thread, fewer do the work. chunk > 0.
void parallel_chunks(std::size_t n, std::size_t chunk, unsigned threads,
                     const std::function<void(std::size_t chunk_index, std::size_t begin, std::size_t end)>& body);

/// Whether this thread is doing a chunk of a loop that has more than one: other chunks of it may be done on other threads meanwhile.
bool inside_chunk();

/// Runs body on a thread with a stack of at least that many bytes and waits for it; what body throws is thrown again here.
/// Where the system refuses such a thread, body runs on the caller's stack.
void run_with_stack(std::size_t bytes, const std::function<void()>& body);

}  // namespace credence::rt
