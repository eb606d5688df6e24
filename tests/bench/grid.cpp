// A grid of hypotheses as a script asks for it: grid SIDE. Declares a line with SIDE x SIDE hypotheses, observes four points, and prints
// the seconds of the whole process and three numbers of the posterior. grid.py runs it next to numpy; then the exact grid of a coin.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

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
                                        << "\"{best.a + 0.0} {best.b + 0.0} {max(post)}\"\n";
    std::ofstream(folder / "coin.cred") << "hypotheses Coin(theta in 0..1 step 1/100000) { Flip -> { heads: theta, tails: 1 - theta } }\n"
                                        << "argmax P(Coin | Flip = [heads, heads, tails, heads])\n";
    for (const std::string name : {"line", "coin"}) {
        const std::string command = program.string() + " " + (folder / (name + ".cred")).string();
        const auto start = std::chrono::steady_clock::now();
        std::fflush(stdout);
        if (std::system(command.c_str()) != 0) return 1;
        std::printf("%s %.4f\n", name.c_str(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    fs::remove_all(folder);
}
