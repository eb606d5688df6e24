// What a user waits for: a network from a file, the first posterior of a variable (compilation included), the posteriors of all other
// variables under the same evidence one by one, and the first again after one finding of the evidence was taken back.
//   net_queries [DATA [THREADS [NAME…]]]        DATA is the folder with networks/ and reference/, by default ../shared/data
// Everything goes through the model as a script's P(X | e) does. Milliseconds.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/events.hpp"

namespace {

using namespace credence::rt;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

bool ask(const NetModel& model, Query& query, std::size_t target, Run& run) {
    query.targets.free = {static_cast<VarId>(target)};
    const auto answer = model.ask(query, run);
    if (!answer) std::fprintf(stderr, "%s\n", answer.fault().message.c_str());
    return static_cast<bool>(answer);
}

void measure(const std::string& data, const std::string& name, Run& run) {
    auto start = Clock::now();
    auto read = read_net(data + "/networks/" + name + ".bif", *find_net_format(".bif"));
    if (!read) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), read.fault().message.c_str());
        return;
    }
    const auto net = std::make_shared<const Net>(std::move(read->net));
    const double load = ms_since(start);
    for (const bool with_evidence : {false, true}) {
        const auto model = make_net_model(net);
        Query query;
        std::ifstream evidence(data + "/reference/" + name + ".evid");
        for (std::string line; with_evidence && std::getline(evidence, line);)
            if (const auto tab = line.find('\t'); tab != std::string::npos)
                query.given.events.push_back(
                    event_equal(*net->find(line.substr(0, tab)), Label::of_text(line.substr(tab + 1)), Origin::none));
        start = Clock::now();
        if (!ask(*model, query, 0, run)) return;
        const double first = ms_since(start);
        start = Clock::now();
        for (std::size_t v = 1; v < net->nodes.size(); ++v)
            if (!ask(*model, query, v, run)) return;
        const double rest = ms_since(start);
        double changed = 0;
        if (with_evidence && !query.given.events.empty()) {
            query.given.events.pop_back();
            start = Clock::now();
            if (!ask(*model, query, 0, run)) return;
            changed = ms_since(start);
        }
        std::printf("%-11s %-8s %9.2f %9.3f %9.3f %9.3f %9.3f\n", name.c_str(), with_evidence ? "evidence" : "prior", load, first, rest,
                    rest / static_cast<double>(std::max<std::size_t>(1, net->nodes.size() - 1)), changed);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string data = argc > 1 ? argv[1] : "../shared/data";
    Run run;
    run.threads = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1;
    std::vector<std::string> names(argv + std::min(argc, 3), argv + argc);
    if (names.empty())
        names = {"asia",   "alarm", "hailfinder", "win95pts", "andes", "pigs",       "water", "mildew", "diabetes",
                 "barley", "link",  "munin1",     "cancer",   "child", "earthquake", "sachs", "survey"};
    std::printf("%u thread(s); milliseconds\n%-11s %-8s %9s %9s %9s %9s %9s\n", run.threads, "net", "", "load", "first", "the rest", "each",
                "changed");
    for (const auto& name : names) measure(data, name, run);
    return 0;
}
