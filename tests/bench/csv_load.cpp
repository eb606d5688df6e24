// Times load_csv on one file: csv_load FILE [threads] [repeats] prints one line a repeat, in seconds, then the table's shape.
// csv_load.py runs it next to pandas.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/data/csv.hpp"

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: csv_load FILE [threads] [repeats]\n", stderr);
        return 2;
    }
    credence::rt::CsvOptions options;
    options.threads = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1;
    const int repeats = argc > 3 ? std::stoi(argv[3]) : 5;
    std::size_t rows = 0;
    std::size_t columns = 0;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto table = credence::rt::load_csv(argv[1], options);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        if (!table) {
            std::fprintf(stderr, "%s\n", table.fault().message.c_str());
            return 1;
        }
        rows = (*table)->rows();
        columns = (*table)->columns.size();
        std::printf("%.4f\n", elapsed.count());
    }
    std::printf("%zu rows, %zu columns\n", rows, columns);
    return 0;
}
