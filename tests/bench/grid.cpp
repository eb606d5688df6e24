// A grid of hypotheses as a script asks for it: grid SIDE. Declares a line with SIDE x SIDE hypotheses, observes four points, and prints
// three numbers of the posterior and the CPU seconds of the whole process; then those of the exact grid of a coin. grid.py runs it next to
// numpy.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/resource.h>

namespace {

/// Of all child processes so far: what a busy machine does not change.
double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    const int side = argc > 1 ? std::atoi(argv[1]) : 1000;
    const fs::path program = fs::absolute(argv[0]).parent_path().parent_path() / "credence";
    const fs::path folder = fs::temp_directory_path() / "credence_bench_grid";
    fs::create_directories(folder);
    std::ofstream(folder / "line.cred") << "hypotheses Line(a in 0..1 step 1/" << side - 1 << ", b in 0..1 step 1/" << side - 1
                                        << ") { y | x -> normal(a + b * x, 1) }\n"
                                        << "set digits 12\n"
                                        << "let post = P(Line | x = [1, 2, 3, 4], y = [1.1, 1.9, 3.2, 3.9])\n"
                                        << "let best = argmax post\n"
                                        << "\"{real(best.a)} {real(best.b)} {max(post)}\"\n";
    std::ofstream(folder / "coin.cred") << "hypotheses Coin(theta in 0..1 step 1/100000) { Flip -> { heads: theta, tails: 1 - theta } }\n"
                                        << "argmax P(Coin | Flip = [heads, heads, tails, heads])\n";
    for (const std::string name : {"line", "coin"}) {
        const std::string command = program.string() + " " + (folder / (name + ".cred")).string();
        const double start = cpu_seconds();
        std::fflush(stdout);
        if (std::system(command.c_str()) != 0) return 1;
        std::printf("%s %.4f\n", name.c_str(), cpu_seconds() - start);
    }
    fs::remove_all(folder);
}
