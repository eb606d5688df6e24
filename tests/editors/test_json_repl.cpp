// `credence --json-repl`: one request and one reply a line.

#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/editors/program.hpp"

namespace {

using Json = nlohmann::json;

struct Conversation {
    credence::test::Piped program{{"--json-repl"}};
    int id = 0;
    void send(Json request) {
        request["id"] = ++id;
        program.write(request.dump() + "\n");
    }
    Json ask(const Json& request) {
        send(request);
        Json reply = Json::parse(program.line());
        CHECK(reply["id"] == id);
        return reply;
    }
    Json run(const std::string& code) { return ask({{"op", "execute"}, {"code", code}}); }
};

}  // namespace

TEST_CASE("json-repl: results are text and JSON, pictures SVG") {
    Conversation with;
    const Json reply =
        with.run("net Coin { Face : { heads: 1/4, tails: 3/4 } }\nP(Face)\n1/2 + 1/3\nexplain P(Face = heads)\nplot(P(Face))");
    CHECK(reply["status"] == "ok");
    REQUIRE(reply["outputs"].size() == 4);
    CHECK(reply["outputs"][0]["kind"] == "value");
    CHECK(reply["outputs"][0]["text"] == "P(Face)\n  heads  1/4  0.25\n  tails  3/4  0.75\n");
    CHECK(reply["outputs"][0]["json"]["entries"][0]["exact"] == "1/4");
    CHECK(reply["outputs"][1]["text"] == "5/6  0.833333\n");
    CHECK(reply["outputs"][2]["kind"] == "derivation");
    CHECK(reply["outputs"][3]["svg"].get<std::string>().rfind("<svg", 0) == 0);
    CHECK_FALSE(reply["outputs"][0].contains("svg"));
    CHECK(reply["outputs"][0]["html"].get<std::string>().find("<mn>1</mn><mo>/</mo><mn>4</mn>") != std::string::npos);
    CHECK_FALSE(reply["outputs"][1].contains("html"));  // text says as much
    CHECK(reply["outputs"][2]["html"].get<std::string>().find("<div class=\"derivation\">") != std::string::npos);
    CHECK_FALSE(reply["outputs"][3].contains("html"));
}

TEST_CASE("json-repl: names survive, errors end nothing, _ is the last value") {
    Conversation with;
    CHECK(with.run("let x = 20")["outputs"].empty());
    const Json wrong = with.run("x + nobody");
    CHECK(wrong["status"] == "error");
    CHECK(wrong["outputs"][0]["json"]["code"] == "E-NAME");
    CHECK(with.run("1 / 0")["status"] == "error");
    CHECK(with.run("x + 1")["outputs"][0]["json"]["value"] == 21);
    CHECK(with.run("_ + 1")["outputs"][0]["json"]["value"] == 22);
}

TEST_CASE("json-repl: completion and inspection count characters") {
    Conversation with;
    with.run("net Coin { Face : { heads: 1/4, tails: 3/4 } }\n## Twice as much.\nfn twice(n) = 2 * n\nlet θ = 1/2");
    const Json labels = with.ask({{"op", "complete"}, {"code", "θ; P(Face = he"}, {"cursor", 14}});
    CHECK(labels["start"] == 12);
    CHECK(labels["end"] == 14);
    REQUIRE(labels["matches"].size() >= 1);
    CHECK(labels["matches"][0]["text"] == "heads");
    const Json own = with.ask({{"op", "inspect"}, {"code", "θ + twice(1)"}, {"cursor", 6}});
    CHECK(own["found"] == true);
    CHECK(own["text"] == "twice(n)\nTwice as much.\n");
    CHECK(with.ask({{"op", "inspect"}, {"code", "θ"}, {"cursor", 0}})["text"] == "1/2  0.5\n");
    CHECK(with.ask({{"op", "inspect"}, {"code", "choose(3, 2)"}, {"cursor", 2}})["text"].get<std::string>().find("choose(n, k)") !=
          std::string::npos);
    CHECK(with.ask({{"op", "inspect"}, {"code", "nobody"}})["found"] == false);
}

TEST_CASE("json-repl: is_complete") {
    Conversation with;
    const auto status = [&](const std::string& code) { return with.ask({{"op", "is_complete"}, {"code", code}})["status"]; };
    CHECK(status("1 + 1") == "complete");
    CHECK(status("net A {") == "incomplete");
    CHECK(status("let x =") == "incomplete");
    CHECK(status("let = 5") == "invalid");
    CHECK(status("") == "complete");
}

TEST_CASE("json-repl: an interrupt stops the statement and keeps the names") {
    Conversation with;
    with.run("let x = 1");
    with.send({{"op", "execute"}, {"code", "sum([a * b for a in 1..100000 if for b in 1..2])"}});
    const Json refused = Json::parse(with.program.line());
    CHECK(refused["status"] == "error");
    with.send({{"op", "execute"}, {"code", "sum([sum([c for c in 1..100000]) for a in 1..100000])"}});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    with.program.interrupt();
    const auto begin = std::chrono::steady_clock::now();
    const Json stopped = Json::parse(with.program.line());
    CHECK(stopped["status"] == "error");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    with.program.interrupt();  // between statements it means nothing
    CHECK(with.run("x")["outputs"][0]["json"]["value"] == 1);
}

TEST_CASE("json-repl: what is not a request is refused, and shutdown ends it") {
    Conversation with;
    with.program.write("not JSON\n\n[1]\n");
    CHECK(Json::parse(with.program.line())["status"] == "error");
    CHECK(Json::parse(with.program.line())["status"] == "error");
    CHECK(with.ask({{"op", "dance"}})["status"] == "error");
    CHECK(with.ask({{"op", "execute"}})["status"] == "error");
    CHECK(with.ask({{"op", "execute"}, {"code", 5}})["status"] == "error");
    CHECK(with.ask({{"op", "info"}})["name"] == "credence");
    CHECK(with.ask({{"op", "shutdown"}})["status"] == "ok");
    CHECK(with.program.status() == 0);
}
