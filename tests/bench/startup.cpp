// How long the program takes for a one-line script, a million calls of a closure, and the check of a megabyte of script: whole processes,
// minimum and median of 7. There is no peer to compare with: the limits are our own (10 ms, 1 s, 0.5 s).

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

int main(int, char** argv) {
    namespace fs = std::filesystem;
    const fs::path program = fs::absolute(argv[0]).parent_path().parent_path() / "credence";
    const fs::path folder = fs::temp_directory_path() / "credence_bench_startup";
    fs::create_directories(folder);
    std::ofstream(folder / "one.cred") << "1 + 1\n";
    std::ofstream(folder / "closure.cred") << "count(map(1..1000000, x -> x * x + 1))\n";
    std::ofstream lets(folder / "lets.cred");
    for (int i = 0; i < 16800; ++i) lets << "let name_" << i << " = [" << i << ", 1/3, 0.25 * " << i << "]  # some words to read over\n";
    lets.close();
    struct Job {
        const char* name;
        std::string command;
    };
    const std::vector<Job> jobs = {{"one line", program.string() + " " + (folder / "one.cred").string()},
                                   {"1,000,000 closure calls", program.string() + " " + (folder / "closure.cred").string()},
                                   {"check of 1 MB", program.string() + " check " + (folder / "lets.cred").string()}};
    for (const auto& job : jobs) {
        std::vector<double> times;
        for (int i = 0; i < 7; ++i) {
            const auto start = std::chrono::steady_clock::now();
            if (std::system((job.command + " > /dev/null").c_str()) != 0) return 1;
            times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::sort(times.begin(), times.end());
        std::printf("%-24s  minimum %.4f s  median %.4f s\n", job.name, times[0], times[3]);
    }
    fs::remove_all(folder);
}
