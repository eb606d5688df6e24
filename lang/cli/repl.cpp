#include "lang/cli/options.hpp"
namespace credence::cli {
int repl(const lang::Registry&, const Options&) { return 0; }
}  // namespace credence::cli
