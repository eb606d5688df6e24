// All single-node marginals of the classic networks, without evidence and with that of the reference files:
//   nets [DATA [THREADS [NAME…]]]        DATA is the folder with networks/ and reference/, by default ../shared/data
// Triangulation is included, reading the file is not: the minimum and the median of seven runs in milliseconds, and the largest difference
// from the reference posteriors, which must be small.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/nets/net_junction.hpp"
#include "tests/support/tab_rows.hpp"

namespace {

using namespace credence::rt;
using Clock = std::chrono::steady_clock;

constexpr const char* nets[] = {"asia",   "alarm", "hailfinder", "win95pts", "andes", "pigs",       "water", "mildew", "diabetes",
                                "barley", "link",  "munin1",     "cancer",   "child", "earthquake", "sachs", "survey"};

struct Reference {
    std::vector<std::pair<std::string, std::string>> evidence;
    std::map<std::pair<std::string, std::string>, double> posterior;
};

Reference reference_of(const std::string& stem, bool with_evidence) {
    Reference out;
    if (with_evidence)
        for (const auto& row : credence::test::tab_rows(stem + ".evid"))
            if (row.size() == 2) out.evidence.emplace_back(row[0], row[1]);
    for (const auto& row : credence::test::tab_rows(stem + (with_evidence ? ".evidence.tsv" : ".prior.tsv")))
        if (row.size() == 3) out.posterior[{row[0], row[1]}] = std::stod(row[2]);
    return out;
}

struct Measured {
    double least = 0;
    double median = 0;
    double error = 0;  // largest difference from the reference; NaN without one
};

Result<Measured> measure(const Net& net, const Reference& reference, Run& run) {
    constexpr int repeats = 8;
    const TreeModel model = tree_model(net);
    NetEvidence evidence;
    evidence.fixed.assign(net.nodes.size(), -1);
    evidence.cut.assign(net.nodes.size(), 0);
    for (const auto& [name, value] : reference.evidence) {
        const auto id = net.find(name);
        const auto state = id ? net.nodes[index(*id)].variable.domain->find(Label::of_text(value)) : std::nullopt;
        if (!state) return Fault{.code = "E-LABEL", .message = "no " + name + " = " + value};
        evidence.fixed[index(*id)] = static_cast<std::int64_t>(*state);
    }
    std::vector<double> times;
    Measured out;
    std::vector<double> posterior;
    for (int i = 0; i < repeats; ++i) {
        const auto start = Clock::now();
        NetTrees trees(model, evidence);
        if (Status done = trees.cover_all(run); !done) return std::move(done).fault();
        double check = 0;
        for (Slot v = 0; v < net.nodes.size(); ++v) {
            posterior.resize(net.nodes[v].variable.size());
            trees.marginal(v, posterior);
            check += posterior[0];
            if (i > 0) continue;
            for (std::size_t s = 0; s < posterior.size(); ++s) {
                const auto found = reference.posterior.find({model.names[v], (*net.nodes[v].variable.domain)[s].text()});
                if (found != reference.posterior.end()) out.error = std::max(out.error, std::abs(found->second - posterior[s]));
            }
        }
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        if (!std::isfinite(check)) return Fault{.code = "E-ZERO", .message = "not a number"};
    }
    times.erase(times.begin());  // its comparison with the reference was timed as well
    std::sort(times.begin(), times.end());
    out.least = times.front();
    out.median = times[times.size() / 2];
    if (reference.posterior.empty()) out.error = std::nan("");
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string data = argc > 1 ? argv[1] : "../shared/data";
    Run run;
    run.threads = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1;
    const std::vector<std::string> only(argv + std::min(argc, 3), argv + argc);
    std::printf("%u thread(s)\n%-11s %-8s %10s %10s %9s\n", run.threads, "net", "", "least ms", "median ms", "error");
    bool good = true;
    for (const std::string name : nets) {
        if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
        const auto read = read_net(data + "/networks/" + name + ".bif", *find_net_format(".bif"));
        if (!read) {
            std::fprintf(stderr, "%s: %s\n", name.c_str(), read.fault().message.c_str());
            continue;
        }
        for (const bool with_evidence : {false, true}) {
            const auto got = measure(read->net, reference_of(data + "/reference/" + name, with_evidence), run);
            if (!got) {
                std::fprintf(stderr, "%s: %s\n", name.c_str(), got.fault().message.c_str());
                good = false;
                continue;
            }
            constexpr double most_error = 1e-6;
            good = good && !(got->error > most_error);
            std::printf("%-11s %-8s %10.3f %10.3f %9.1e\n", name.c_str(), with_evidence ? "evidence" : "prior", got->least, got->median,
                        got->error);
            std::fflush(stdout);
        }
    }
    return good ? 0 : 1;
}
