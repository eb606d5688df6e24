// The most probable assignment of all variables of a model, by the default engine or by the search:
//   map_search MODEL ["" | branch_and_bound] [COPY.uai]
// Prints the engine, whether the optimum is proved, the user time and the values in order. COPY: the model is also written as UAI, evidence
// included, for other programs to read.

#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "runtime/nets/formats/net_formats.hpp"

namespace {

using namespace credence::rt;

double user_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) * 1e-6;
}

int failed(const Fault& fault) {
    std::printf("%s %s\n", std::string(fault.code.text()).c_str(), fault.message.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::string path = argv[1];
    const NetFormat* format = find_net_format(std::filesystem::path(path).extension().string());
    if (format == nullptr) return 2;
    auto read = read_net(path, *format);
    if (!read) return failed(read.fault());
    if (argc > 3) {
        const auto text = read->undirected ? Result<std::string>(write_uai_markov(*read->undirected)) : write_uai(read->net);
        if (!text) return failed(text.fault());
        std::ofstream(argv[3]) << *text;
        return 0;
    }
    ModelPtr model;
    if (read->undirected)
        model = make_markov_model(std::make_shared<const MarkovNet>(*std::move(read->undirected)));
    else
        model = make_net_model(std::make_shared<const Net>(std::move(read->net)));
    Query query;
    query.goal = Goal::most_probable;
    for (std::size_t i = 0; i < model->variables().size(); ++i)
        if (!model->variables()[i].next) query.targets.free.push_back(static_cast<VarId>(i));
    if (argc > 2 && *argv[2] != '\0') query.by.name = argv[2];
    Run run;
    const double start = user_seconds();
    const auto answer = model->ask(query, run);
    if (!answer) return failed(answer.fault());
    bool proved = true;
    for (const auto& [name, value] : answer->counts)
        if (name == "proved") proved = value.real() != 0;
    std::printf("%s %s %.4f\n", answer->engine.c_str(), proved ? "proved" : "not-proved", user_seconds() - start);
    for (const auto& [variable, label] : std::get<Assignment>(answer->value).values) std::printf("%zu ", *variable.domain->find(label));
    std::printf("\n");
    return 0;
}
