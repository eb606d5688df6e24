#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "runtime/data/text_file.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

const std::string data_folder = std::string(CREDENCE_SOURCE_DIR) + "/../shared/data/";

bool have_data() {
    if (std::filesystem::exists(data_folder + "networks")) return true;
    WARN("the development data is not here: skipped");
    return false;
}

Net must_read(std::string_view text, std::string_view ending) {
    auto read = find_net_format(ending)->read(text, "fallback");
    if (!read) FAIL(read.fault().message);
    return std::move(read->net);
}

std::string fault_of(std::string_view text, std::string_view ending) {
    const auto read = find_net_format(ending)->read(text, "fallback");
    if (read) return "no fault";
    CHECK(read.fault().code.text() == "E-FORMAT");
    return read.fault().message;
}

void check_same(const Net& a, const Net& b, bool names, double tolerance) {
    REQUIRE(a.nodes.size() == b.nodes.size());
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        if (names) {
            CHECK(a.nodes[i].variable.name == b.nodes[i].variable.name);
            CHECK(a.nodes[i].variable.domain->labels() == b.nodes[i].variable.domain->labels());
        }
        CHECK(a.nodes[i].parents == b.nodes[i].parents);
        const std::size_t entries = std::visit([](const auto& table) { return table.size(); }, a.nodes[i].table);
        REQUIRE(entries == std::visit([](const auto& table) { return table.size(); }, b.nodes[i].table));
        for (std::size_t e = 0; e < entries; ++e) {
            if (tolerance == 0)
                CHECK(a.nodes[i].entry(e) == b.nodes[i].entry(e));
            else
                CHECK(a.nodes[i].entry(e).real() == Approx(b.nodes[i].entry(e).real()).epsilon(tolerance).margin(1e-300));
        }
    }
}

constexpr std::string_view head =
    "network unknown {\n}\nvariable A {\n  type discrete [ 2 ] { yes, no };\n}\n"
    "variable B {\n  type discrete [ 2 ] { NA, 12+ };\n}\n";

}  // namespace

TEST_CASE("BIF: the draft's dialect and the repository's") {
    // The dog problem's light (Cozman's example of the format): a conditional `table` has the child slowest.
    const Net dog = must_read(
        "// comment\nnetwork \"Dog-Problem\" { property \"credal-set constant-density-bounded 1.1\" ; }\n"
        "variable  \"light-on\" { type discrete[2] {  \"true\"  \"false\" }; property \"position = (218, 195)\" ; }\n"
        "variable  \"family-out\" { type discrete[2] {  \"true\"  \"false\" }; }\n"
        "probability (  \"light-on\"  \"family-out\" ) { /* 4 values */ table 0.6 0.05 0.4 0.95 ; }\n"
        "probability (  \"family-out\" ) { table 0.15 0.85 ; }\n",
        ".bif");
    CHECK(dog.name == "Dog-Problem");
    REQUIRE(dog.nodes[0].parents == std::vector{static_cast<VarId>(1)});
    CHECK(std::get<0>(dog.nodes[0].table) == fractions({"0.6", "0.4", "0.05", "0.95"}));

    const Net labels = must_read(std::string(head) +
                                     "probability ( A ) { table 0.25, 0.75; }\n"
                                     "probability ( B | A ) { (no) 1.0, 0.0; default 1e-2, 0.99; }\n",
                                 ".bif");
    CHECK(labels.name == "fallback");
    CHECK(labels.nodes[1].variable.domain->labels() == std::vector{Label::of_text("NA"), Label::of_text("12+")});
    CHECK(std::get<0>(labels.nodes[1].table) == fractions({"0.01", "0.99", "1", "0"}));
}

TEST_CASE("faults of network files have a line and a column") {
    const std::string h(head);
    CHECK(fault_of(h + "probability ( A ) {\n  table 0.25, x;\n}", ".bif") == "line 10, column 15: expected a number, found 'x'");
    CHECK(fault_of(h + "probability ( A ) {\n  table 0.25;\n}", ".bif") == "line 10, column 13: expected 1 more number, found ';'");
    CHECK(fault_of(h + "probability ( C ) { }", ".bif") == "line 9, column 15: there is no variable C");
    CHECK(fault_of(h + "probability ( A ) { table 0.5, 0.5; }", ".bif") == "line 6, column 10: B has no table of probabilities");
    CHECK(fault_of(h + "probability ( A ) { table 0.5, 0.4; }\nprobability ( B ) { table 0.5, 0.5; }", ".bif") ==
          "line 9, column 21: the row of A sums to 0.9, not 1");
    CHECK(fault_of(h + "probability ( A | B ) { (NA) 0.5, 0.5; (12) 1, 0; }", ".bif") == "line 9, column 41: B has no value '12'");
    CHECK(fault_of(h + "probability ( A | B ) { (NA) 0.5, 0.5; }", ".bif") == "line 9, column 15: the table of A leaves out 1 of 2 rows");
    CHECK(fault_of(h + "probability ( A | B ) { (NA) 0.5, -0.5; }", ".bif") == "line 9, column 35: '-0.5' is negative");
    CHECK(fault_of(h + "probability ( A | B ) { default 1, 0; }\nprobability ( B | A ) { default 1, 0; }", ".bif").find("cycle") !=
          std::string::npos);
    CHECK(fault_of("network \"ä\" {\n} vari", ".bif") == "line 2, column 3: expected network, variable or probability, found 'vari'");
    CHECK(fault_of("network x { property \"never closed", ".bif").find("never closed") != std::string::npos);
    CHECK(fault_of("<BIF><NETWORK>\n<VARIABLE></NETWORK></BIF>", ".xml") == "line 2, column 13: this is not XML: start-end tags mismatch");
    const std::string variable = "<VARIABLE><NAME>A</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>\n";
    CHECK(fault_of("<BIF><NETWORK>\n" + variable + "<DEFINITION><FOR>A</FOR><TABLE>0.5 x</TABLE></DEFINITION></NETWORK></BIF>", ".xml") ==
          "line 3, column 36: expected a number, found 'x'");
    CHECK(fault_of("<BIF><NETWORK>\n  loose</NETWORK></BIF>", ".xml") == "line 2, column 3: text is not allowed here, only elements");
    CHECK(fault_of("<BIF><NETWORK>\n<VARIABLE></VARIABLE></NETWORK></BIF>", ".xml") == "line 2, column 1: a variable without a <NAME>");
    CHECK(fault_of("net { }\nnode A { states = (\"a\" \"b\"); }\npotential (A) { data = (0.5 0.5 0.5); }", ".net") ==
          "line 3, column 33: the potential of A has more than 2 numbers");
    CHECK(fault_of("belief network\nnode A { type : discrete [ 2 ] = { \"a\" }; }", ".dsc") ==
          "line 2, column 28: 2 values are announced, 1 are listed");
    CHECK(fault_of("BAYES\n1\n2\n1\n1 0\n3\n0.5 0.5 0", ".uai") == "line 6, column 1: table 0 has 2 entries, not 3");
    CHECK(fault_of("TREE", ".uai") == "line 1, column 1: expected BAYES or MARKOV, found 'TREE'");
}

TEST_CASE("rows that miss 1 by rounding are normalised, with one note") {
    const auto read = read_bif(std::string(head) +
                                   "probability ( A ) { table 0.3333333, 0.6666666; }\n"
                                   "probability ( B | A ) { (yes) 0.5, 0.5; (no) 0.999999, 0.0; }\n",
                               "asia");
    REQUIRE(read);
    REQUIRE(read->notes.size() == 1);
    CHECK(read->notes[0] == "2 rows of asia did not sum to 1 because of rounding (by at most 1e-06), and were normalised");
    CHECK(std::get<0>(read->net.nodes[0].table) == fractions({"1/3", "2/3"}));  // 3333333 : 6666666
    CHECK(std::get<0>(read->net.nodes[1].table)[2] == Rational(1));
}

TEST_CASE("every format reads what it writes") {
    const std::vector<std::string_view> endings{".bif", ".xml", ".net", ".uai", ".dsc"};
    Net odd;  // names that are not identifiers anywhere
    odd.name = "a \"net\" & more";
    odd.nodes = {
        node(variable("T-4 level", {"<5", "5-12", "a, b"}), {}, {"0.1", "0.25", "0.65"}),
        node(variable("T 4_level", {"{x}", "\"q\" \\"}), {0}, {"0.123456789012345678", "0.876543210987654322", "1", "0", "0", "1"}),
        node(variable("ä", {"true", "false"}), {1, 0},
             {"0.5", "0.5", "0.125", "0.875", "1", "0", "0.1", "0.9", "0.2", "0.8", "0.3", "0.7"})};
    for (const auto ending : endings) {
        INFO(ending);
        const auto* format = find_net_format(ending);
        const auto text = format->write(odd);
        REQUIRE(text);
        const Net back = must_read(*text, ending);
        check_same(odd, back, ending != ".uai", 0);  // it has no names
        for (unsigned seed = 0; seed < 20; ++seed) {
            std::mt19937 random(seed);
            const NetPtr net = random_net(random, 6, true);
            const auto written = format->write(*net);
            REQUIRE(written);
            check_same(*net, must_read(*written, ending), ending != ".uai", 1e-15);
        }
    }
    Net open = odd;
    open.nodes[1].hole = true;
    CHECK(write_bif(open).fault().code.text() == "E-HOLE");
    CHECK(write_cred(open)->find("\n  `T 4_level` in {\"{{x}}\", \"\\\"q\\\" \\\\\"} | `T-4 level` : ?\n") != std::string::npos);
}

TEST_CASE("UAI: an undirected model and its evidence") {
    // Two binary variables that like to agree: Z = 2 * 3 + 2 * 1 = 8.
    const auto read = read_uai("MARKOV\n2\n2 2\n2\n2 0 1\n1 1\n4\n3 1 1 3\n2\n1 1\n", "pair");
    REQUIRE(read);
    REQUIRE(read->undirected);
    const auto model = make_markov_model(std::make_shared<const MarkovNet>(*read->undirected));
    Run run;
    CHECK(model->log_partition(run)->real() == Approx(std::log(8)));
    Query query;
    query.targets.free = {static_cast<VarId>(0)};
    query.given.events = {is(static_cast<VarId>(1), "1")};
    const auto answer = model->ask(query, run);
    REQUIRE(answer);
    CHECK(factor(*answer).at(1) == Number(Rational(3, 4)));
    query.given.events.clear();
    query.doing = {{static_cast<VarId>(1), Label::of_text("1")}};
    CHECK(model->ask(query, run).fault().code.text() == "E-DO");
    CHECK(write_uai_markov(*read->undirected).starts_with("MARKOV\n2\n2 2\n2\n2 0 1\n1 1\n\n4\n 3 1 1 3\n"));
    const std::vector<std::size_t> sizes{2, 2};
}

TEST_CASE("evidence files of both UAI dialects") {
    const std::vector<std::size_t> sizes{2, 2, 3};
    const auto read = [&](std::string_view text) { return read_uai_evidence(text, sizes); };
    const UaiSample one{{1, 0}};
    CHECK(*read("1 1 0\n") == std::vector<UaiSample>{one});
    CHECK(*read("1\n1 1 0\n") == std::vector<UaiSample>{one});
    CHECK(*read("") == std::vector<UaiSample>(1));
    CHECK(*read("0") == std::vector<UaiSample>(1));
    CHECK(*read("3\n1 1 0\n0\n2 0 1 2 2\n") == std::vector<UaiSample>{one, {}, {{0, 1}, {2, 2}}});
    // both dialects have five numbers here: only one of them has values that there are
    CHECK(*read("2 0 1 1 0") == std::vector<UaiSample>{{{0, 1}, {1, 0}}});
    CHECK(*read("2 0 1 2 1") == std::vector<UaiSample>{{{0, 1}, {2, 1}}});
    CHECK(*read("2 1 2 2 0") == std::vector<UaiSample>{{{2, 2}}, {}});  // X1 has no value 2
    const Fault beyond = read("1 1 2").fault();
    CHECK(beyond.message == "line 1, column 5: X1 has 2 values, and they count from 0");
    CHECK(beyond.hint == "it was read as one sample: a number of observations, then a variable and a value for each");
    const Fault in_samples = read("1\n1 2 3\n").fault();
    CHECK(in_samples.message == "line 2, column 5: X2 has 3 values, and they count from 0");
    CHECK(in_samples.hint.starts_with("it was read as a number of samples"));
    CHECK(read("4 1 0").fault().message ==
          "line 1, column 1: 2 numbers follow, which is neither a list of 4 observations nor a list of 4 samples");
    CHECK(read("2 1 0 1 1").fault().message == "line 1, column 7: X1 is observed with two values");
    CHECK(read("1 3 0").fault().message == "line 1, column 3: there are 3 variables, and they count from 0");
}

TEST_CASE("the networks of the public repository load, and survive every format") {
    if (!have_data()) return;
    std::size_t nets = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder + "networks")) {
        if (entry.path().extension() != ".bif" || entry.file_size() > 300'000) continue;  // the large ones: see the benchmark
        INFO(entry.path());
        const auto read = read_net(entry.path().string(), *find_net_format(".bif"));
        REQUIRE(read);
        ++nets;
        for (const auto ending : {".bif", ".xml", ".net", ".uai", ".dsc"}) {
            const auto text = find_net_format(ending)->write(read->net);
            REQUIRE(text);
            check_same(read->net, must_read(*text, ending), std::string_view(ending) != ".uai", 1e-15);
        }
    }
    CHECK(nets == 14);
}

TEST_CASE("undirected models of the competition agree with the published marginals") {
    if (!have_data()) return;
    for (const std::string name : {"Promedus_24", "Pedigree_11"}) {
        const std::string path = data_folder + "uai/" + name + ".uai";
        const auto read = read_net(path, *find_net_format(".uai"));
        REQUIRE(read);
        const auto model = make_markov_model(std::make_shared<const MarkovNet>(*read->undirected));
        std::ifstream marginals(path + ".MAR");
        std::string kind;
        std::size_t n = 0;
        marginals >> kind >> n;
        REQUIRE(n == model->variables().size());
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t size = 0;
            marginals >> size;
            std::vector<double> expected(size);
            for (double& p : expected) marginals >> p;
            if (i % 40 != 0) continue;  // a few of them: elimination starts again for each
            Query query;
            query.targets.free = {static_cast<VarId>(i)};
            Run run;
            const auto answer = model->ask(query, run);
            REQUIRE(answer);
            for (std::size_t k = 0; k < size; ++k) CHECK(factor(*answer).at(k).real() == Approx(expected[k]).margin(2e-6));
        }
        std::ifstream partition(path + ".PR");
        double log10_z = 0;
        partition >> kind >> log10_z;
        Run run;
        CHECK(model->log_partition(run)->real() / std::log(10) == Approx(log10_z).epsilon(1e-6));
    }
}

TEST_CASE("XMLBIF files with entities, CDATA, small letters, comments and a byte order mark") {
    const auto read = read_xmlbif(
        "\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<!DOCTYPE BIF [ <!ELEMENT BIF (NETWORK)*> ]>\r\n<bif><network><name>a &amp; b</name>"
        "<variable type='nature'><name>X</name><outcome>&lt;5</outcome><outcome>&#228;</outcome><property>p</property></variable>"
        "<definition><for>X</for><table><!-- half --><![CDATA[0.25]]> 0.75</table></definition></network></bif>",
        "other");
    REQUIRE(read);
    CHECK(read->net.name == "a & b");
    const auto& node = read->net.nodes[0];
    CHECK((*node.variable.domain)[0].text() == "<5");
    CHECK((*node.variable.domain)[1].text() == "\xC3\xA4");
    CHECK(node.entry(0) == Number(Rational(1, 4)));
    CHECK(node.entry(1) == Number(Rational(3, 4)));
}
