// Posteriors of every node of the classic networks against those of other exact programs, where the data is there.

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>

#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/nets/net_junction.hpp"
#include "tests/support/nets.hpp"
#include "tests/support/tab_rows.hpp"
#include "tests/unit/runtime/data/table_support.hpp"

using namespace credence::test;

namespace {

Net read(const std::filesystem::path& folder, const std::string& name) {
    auto net = read_net((folder / "networks" / (name + ".bif")).string(), *find_net_format(".bif"));
    INFO(name << (net ? "" : ": " + net.fault().message));
    REQUIRE(net);
    return std::move(net->net);
}

NetEvidence evidence_in(const Net& net, const std::filesystem::path& path) {
    NetEvidence out;
    out.fixed.assign(net.nodes.size(), -1);
    out.cut.assign(net.nodes.size(), 0);
    if (path.empty()) return out;
    for (const auto& row : tab_rows(path)) {
        const auto id = net.find(row.at(0));
        REQUIRE(id);
        const auto state = net.nodes[index(*id)].variable.domain->find(Label::of_text(row.at(1)));
        REQUIRE(state);
        out.fixed[index(*id)] = static_cast<std::int64_t>(*state);
    }
    return out;
}

const std::vector<std::string> networks{"asia",  "cancer", "earthquake", "survey", "sachs",    "child",  "alarm", "hailfinder", "win95pts",
                                        "andes", "pigs",   "water",      "mildew", "diabetes", "barley", "link",  "munin1"};

}  // namespace

TEST_CASE("posteriors of the classic networks agree with the reference to 1e-9") {
    const auto folder = table_test::data_folder();
    if (!folder) return;
    for (const auto& name : networks) {
        const Net net = read(*folder, name);
        const TreeModel model = tree_model(net);
        for (const bool with_evidence : {false, true}) {
            const auto stem = *folder / "reference" / name;
            NetTrees trees(model, evidence_in(net, with_evidence ? stem.string() + ".evid" : ""));
            Run run;
            run.threads = 2;
            const auto done = trees.cover_all(run);
            INFO(name << (with_evidence ? " with" : " without") << " evidence" << (done ? "" : ": " + done.fault().message));
            REQUIRE(done);
            double worst = 0;
            std::size_t compared = 0;
            std::vector<double> posterior;
            for (const auto& row : tab_rows(stem.string() + (with_evidence ? ".evidence.tsv" : ".prior.tsv"))) {
                const auto id = net.find(row.at(0));
                REQUIRE(id);
                const auto& variable = net.nodes[index(*id)].variable;
                const auto state = variable.domain->find(Label::of_text(row.at(1)));
                REQUIRE(state);
                posterior.resize(variable.size());
                trees.marginal(static_cast<Slot>(index(*id)), posterior);
                worst = std::max(worst, std::abs(posterior[*state] - std::stod(row.at(2))));
                ++compared;
            }
            CHECK(compared >= net.nodes.size());
            CHECK(worst < 1e-9);
        }
    }
}

TEST_CASE("impossible evidence on a large net is told by name") {
    const auto folder = table_test::data_folder();
    if (!folder) return;
    const auto net = std::make_shared<const Net>(read(*folder, "munin1"));
    const auto model = make_net_model(net);
    Query query;
    query.targets.free = {static_cast<VarId>(0)};
    for (const auto& row : tab_rows(*folder / "reference" / "munin1.impossible"))
        query.given.events.push_back(is(var(*model, row.at(0)), row.at(1)));
    Run run;
    const auto answer = model->ask(query, run);
    REQUIRE_FALSE(answer);
    CHECK(answer.fault().code.text() == "E-ZERO");
}
