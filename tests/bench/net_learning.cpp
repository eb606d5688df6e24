// Learning nets from the ALARM tables, and all its marginals in fractions:
//   net_learning [DATA [THREADS]]        DATA is the folder with networks/ and tables/, by default ../shared/data
// Each line has our time and what was found.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "runtime/data/csv.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/nets/learn.hpp"
#include "runtime/nets/structure.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/queries/events.hpp"

namespace {

using namespace credence::rt;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void line(const char* what, double ours, const std::string& found) {
    std::printf("%-34s %10.4f s  %s\n", what, ours, found.c_str());
    std::fflush(stdout);
}

std::set<std::pair<std::string, std::string>> arcs_of(const Net& net) {
    std::set<std::pair<std::string, std::string>> out;
    for (const auto& node : net.nodes)
        for (const auto parent : node.parents) out.emplace(net.nodes[index(parent)].variable.name, node.variable.name);
    return out;
}

std::string compared(const Net& truth, const Net& found) {
    const auto a = arcs_of(truth);
    const auto b = arcs_of(found);
    int missing = 0, extra = 0, reversed = 0;
    for (const auto& arc : a) {
        if (b.contains(arc)) continue;
        ++(b.contains({arc.second, arc.first}) ? reversed : missing);
    }
    for (const auto& arc : b) extra += !a.contains(arc) && !a.contains({arc.second, arc.first});
    return std::to_string(missing) + " missing, " + std::to_string(extra) + " extra, " + std::to_string(reversed) + " reversed, score " +
           std::to_string(found.score.value_or(std::nan("")));
}

struct Bench {
    std::string data;
    Run run;
    NetPtr truth;

    TablePtr table(const std::string& name) const {
        auto read = load_csv(data + "/tables/" + name, {});
        if (read) return *read;
        std::fprintf(stderr, "%s\n", read.fault().message.c_str());
        return nullptr;
    }

    void structure(const char* what, const std::string& rows, const LearnerPtr& learner) {
        const auto seen = table(rows);
        if (!seen) return;
        double best = 1e300;
        std::string found;
        for (int i = 0; i < 3; ++i) {
            const auto start = Clock::now();
            auto model = train(*learner, {.table = seen.get(), .rows = {}}, {}, run);
            best = std::min(best, seconds_since(start));
            if (!model) {
                std::fprintf(stderr, "%s: %s\n", what, model.fault().message.c_str());
                return;
            }
            found = compared(*truth, *dynamic_cast<const NetModel&>(**model).net());
        }
        line(what, best, found);
    }

    /// ln P by iteration, from uniform tables, with one added to each count.
    void em() {
        const auto seen = table("alarm_3000_missing10.csv");
        if (!seen) return;
        auto holes = std::make_shared<Net>(*truth);
        for (auto& node : holes->nodes) node.hole = true;
        constexpr int iterations = 8;
        MethodCall by;
        by.name = "em";
        by.arguments = {
            {"iterations", Number(iterations), Origin::none}, {"tolerance", Number(0), Origin::none}, {"pseudo", Number(1), Origin::none}};
        auto learner = net_trainer(holes, by);
        if (!learner) {
            std::fprintf(stderr, "em: %s\n", learner.fault().message.c_str());
            return;
        }
        const auto start = Clock::now();
        auto model = train(**learner, {.table = seen.get(), .rows = {}}, {}, run);
        const double took = seconds_since(start);
        if (!model) {
            std::fprintf(stderr, "em: %s\n", model.fault().message.c_str());
            return;
        }
        std::string history;
        for (const double log : dynamic_cast<const NetModel&>(**model).net()->history) history += std::to_string(log) + " ";
        line("EM, 3,000 rows, an iteration", took / iterations, "ln P: " + history);
    }

    void fractions() {
        const auto model = make_net_model(truth);
        Query query;
        std::ifstream evidence(data + "/reference/alarm.evid");
        for (std::string name, value; evidence >> name >> value;)
            query.given.events.push_back(event_equal(*truth->find(name), Label::of_text(value), Origin::none));
        run.numbers = NumberMode::exact;
        const auto start = Clock::now();
        std::size_t exact = 0;
        for (std::size_t v = 0; v < truth->nodes.size(); ++v) {
            query.targets.free = {static_cast<VarId>(v)};
            const auto answer = model->ask(query, run);
            if (!answer) {
                std::fprintf(stderr, "fractions: %s\n", answer.fault().message.c_str());
                return;
            }
            exact += answer->exact ? 1 : 0;
        }
        run.numbers = NumberMode::automatic;
        line("all marginals in fractions", seconds_since(start), std::to_string(exact) + " exact");
    }

    void loading() {
        for (const char* name : {"alarm", "pigs", "barley", "mildew", "diabetes"}) {
            double best = 1e300;
            for (int i = 0; i < 3; ++i) {
                const auto start = Clock::now();
                const auto read = read_net(data + "/networks/" + name + ".bif", *find_net_format(".bif"));
                best = std::min(best, seconds_since(start));
                if (!read) std::fprintf(stderr, "%s: %s\n", name, read.fault().message.c_str());
            }
            line((std::string("load ") + name + ".bif").c_str(), best, "");
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    Bench bench;
    bench.data = argc > 1 ? argv[1] : "../shared/data";
    bench.run.threads = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1;
    const auto read = read_net(bench.data + "/networks/alarm.bif", *find_net_format(".bif"));
    if (!read) {
        std::fprintf(stderr, "%s\n", read.fault().message.c_str());
        return 1;
    }
    bench.truth = std::make_shared<const Net>(read->net);
    std::printf("%u thread(s)\n", bench.run.threads);
    StructureOptions k2;
    k2.score.kind = ScoreKind::k2;
    k2.max_parents = 4;
    std::ifstream order(bench.data + "/networks/alarm.order");
    for (std::string name; order >> name;) k2.order.push_back(name);
    bench.structure("K2, 3,000 rows", "alarm_3000.csv", make_k2(k2));
    bench.structure("K2, 10,000 rows", "alarm_10000.csv", make_k2(k2));
    StructureOptions climb;
    climb.score.kind = ScoreKind::bic;
    bench.structure("hill climbing (BIC), 3,000 rows", "alarm_3000.csv", make_hill_climb(climb));
    bench.structure("hill climbing (BIC), 10,000 rows", "alarm_10000.csv", make_hill_climb(climb));
    bench.em();
    bench.fractions();
    bench.loading();
    return 0;
}
