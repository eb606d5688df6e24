// The language server through its protocol.

#include <catch2/catch.hpp>

#include "tests/editors/lsp_client.hpp"

namespace {

using namespace credence::test;

const std::string clinic =
    "## Should we treat?\n"                                                                     // 0
    "net Clinic {\n"                                                                            // 1
    "  Diagnosis        : { cancer: 0.008, healthy: 0.992 }\n"                                  // 2
    "  Test | Diagnosis : {\n"                                                                  // 3
    "    cancer : { pos: 0.98, neg: 0.02 }\n"                                                   // 4
    "    healthy: { pos: 0.03, neg: 0.97 }\n"                                                   // 5
    "  }\n"                                                                                     // 6
    "}\n"                                                                                       // 7
    "P(Diagnosis | Test = pos)\n"                                                               // 8
    "## The gain of an action.\n"                                                               // 9
    "fn gain(action, state) = if action == \"treat\" and state == cancer then 10 else 0\n"      // 10
    "let best_action = best([\"treat\", \"wait\"], a -> E(gain(a, Diagnosis) | Test = pos))\n"  // 11
    "best_action\n"                                                                             // 12
    "gain(action: \"wait\", state: \"cancer\")\n";                                              // 13

std::string hover_text(LspClient& client, int line, int character) {
    const Json found = client.result("textDocument/hover", at(line, character));
    return found.is_null() ? "" : found["contents"]["value"].get<std::string>();
}

Json renamed(LspClient& client, int line, int character, const std::string& name) {
    Json params = at(line, character);
    params["newName"] = name;
    return client.ask("textDocument/rename", params);
}

std::string after_rename(LspClient& client, const std::string& text, int line, int character, const std::string& name) {
    const Json answer = renamed(client, line, character, name);
    INFO(answer);
    REQUIRE(answer.contains("result"));
    return applied(text, answer["result"]["changes"]["file:///tmp/x.cred"]);
}

std::vector<std::string> labels(const Json& completion) {
    std::vector<std::string> out;
    for (const auto& item : completion.is_object() ? completion["items"] : completion) out.push_back(item["label"]);
    return out;
}

bool has(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

}  // namespace

TEST_CASE("a session begins and ends as the protocol says") {
    LspClient client;
    const Json early = client.ask("textDocument/hover", at(0, 0));
    CHECK(early["error"]["code"] == -32002);
    const Json hello = client.ask("initialize", {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", Json::object()}});
    const Json can = hello["result"]["capabilities"];
    CHECK(can["textDocumentSync"]["change"] == 2);
    CHECK(can["renameProvider"]["prepareProvider"] == true);
    CHECK(hello["result"]["serverInfo"]["name"] == "credence");
    CHECK(client.ask("initialize", Json::object())["error"]["code"] == -32600);
    CHECK(client.ask("no/such", Json::object())["error"]["code"] == -32601);
    CHECK(client.ask("shutdown", nullptr)["result"].is_null());
    CHECK(client.ask("textDocument/hover", at(0, 0))["error"]["code"] == -32600);
    client.notify("exit", nullptr);
    CHECK(client.program.status() == 0);
}

TEST_CASE("leaving without a shutdown is a failure") {
    LspClient client;
    client.start();
    SECTION("exit") { client.notify("exit", nullptr); }
    SECTION("the input ends") { client.program.end_input(); }
    CHECK(client.program.status() == 1);
}

TEST_CASE("diagnostics come while typing and go when the mistake goes") {
    LspClient client;
    client.start();
    CHECK(client.open(clinic).empty());
    client.change(range(8, 21, 24), "positive", 2);
    const Json found = client.diagnostics();
    REQUIRE(found.size() == 1);
    CHECK(found[0]["code"] == "E-LABEL");
    CHECK(found[0]["severity"] == 1);
    CHECK(found[0]["range"] == range(8, 21, 29));
    CHECK(found[0]["message"].get<std::string>().find("did you mean 'pos'?") != std::string::npos);
    const Json fixes = client.result(
        "textDocument/codeAction",
        {{"textDocument", {{"uri", "file:///tmp/x.cred"}}}, {"range", range(8, 22, 22)}, {"context", {{"diagnostics", found}}}});
    REQUIRE(fixes.size() == 1);
    CHECK(fixes[0]["edit"]["changes"]["file:///tmp/x.cred"][0]["newText"] == "pos");
    client.change(range(8, 21, 29), "pos", 3);
    CHECK(client.diagnostics().empty());
    client.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///tmp/x.cred"}}}});
    CHECK(client.diagnostics().empty());
    CHECK(client.ask("textDocument/hover", at(0, 0)).contains("error"));
}

TEST_CASE("nothing is run: a check neither prints nor loops nor writes") {
    LspClient client;
    client.start();
    CHECK(client.open("fn forever(n) = forever(n + 1)\nforever(1)\nsave(plot([1, 2]), \"/tmp/credence-lsp-must-not-exist.svg\")\n1 / 0\n")
              .empty());
    CHECK(access("/tmp/credence-lsp-must-not-exist.svg", F_OK) != 0);
}

TEST_CASE("positions are UTF-16 code units") {
    LspClient client;
    client.start();
    // 𝜃 is two units, é and ∅ one each.
    const Json found = client.open("let é = \"𝜃𝜃\" == nobody\nlet θ = 1\nθ + θ\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0]["range"] == range(0, 18, 24));
    const Json places = client.result("textDocument/documentHighlight", at(2, 4));
    REQUIRE(places.size() == 3);
    CHECK(places[0]["range"] == range(1, 4, 5));
    CHECK(places[2]["range"] == range(2, 4, 5));
    // An edit behind the wide characters.
    client.change(range(0, 18, 24), "1", 2);
    CHECK(client.diagnostics().empty());
    client.change(range(0, 9, 11), "x", 3);  // the first 𝜃
    CHECK(client.diagnostics().empty());
    client.change(range(0, 17, 18), "nobody", 4);
    const Json again = client.diagnostics();
    REQUIRE(again.size() == 1);
    CHECK(again[0]["range"] == range(0, 17, 23));
}

TEST_CASE("incremental changes may go over lines, insert, delete and replace all") {
    LspClient client;
    client.start();
    client.open("let a = 1\r\nlet b = 2\r\nb\r\n");
    client.change({{"start", place(0, 9)}, {"end", place(1, 9)}}, "", 2);  // the second line goes
    const Json found = client.diagnostics();
    REQUIRE(found.size() == 1);
    CHECK(found[0]["code"] == "E-NAME");
    CHECK(found[0]["range"] == range(1, 0, 1));
    client.change({{"start", place(1, 0)}, {"end", place(1, 0)}}, "let b = 3\n", 3);
    CHECK(client.diagnostics().empty());
    client.change(nullptr, "nobody\n", 4);
    CHECK(client.diagnostics().size() == 1);
    // Places beyond the text are its end.
    client.change({{"start", place(99, 0)}, {"end", place(99, 99)}}, "let nobody = 1\n", 5);
    CHECK(client.diagnostics().size() == 1);
}

TEST_CASE("hover tells of declarations, variables, labels, builtins and words") {
    LspClient client;
    client.start();
    client.open(clinic);
    CHECK(hover_text(client, 1, 5).find("Should we treat?") != std::string::npos);
    CHECK(hover_text(client, 1, 5).find("Test in {pos, neg}") != std::string::npos);
    CHECK(hover_text(client, 8, 3).find("Diagnosis in {cancer, healthy}") != std::string::npos);
    CHECK(hover_text(client, 8, 22).find("a value of Test of net Clinic") != std::string::npos);
    CHECK(hover_text(client, 8, 0).find("P(targets | evidence)") != std::string::npos);
    CHECK(hover_text(client, 11, 53).find("fn gain(action, state)") != std::string::npos);
    CHECK(hover_text(client, 11, 53).find("The gain of an action.") != std::string::npos);
    CHECK(hover_text(client, 11, 20).find("best(") != std::string::npos);
    CHECK(hover_text(client, 10, 30).find("parameter of gain") != std::string::npos);
    CHECK(hover_text(client, 12, 2).find("let best_action = ") != std::string::npos);
    CHECK(hover_text(client, 1, 1).find("net NAME") != std::string::npos);
    CHECK(hover_text(client, 7, 1) == "");
}

TEST_CASE("completion knows names, labels, columns, parameters and statements") {
    LspClient client;
    client.start();
    client.open(clinic + "table t { Wind -> Play ; Weak -> Yes ; Strong -> No }\n\n");
    const int line = 15;
    const auto typed = [&](const std::string& text) {
        static int version = 10;
        client.change({{"start", place(line, 0)}, {"end", place(line, 200)}}, text, ++version);
        return labels(client.result("textDocument/completion", at(line, static_cast<int>(text.size()))));
    };
    CHECK(has(typed("P(Diagnosis | Test = "), "pos"));
    CHECK_FALSE(has(typed("P(Diagnosis | Test = "), "cancer"));
    CHECK(has(typed("P(Di"), "Diagnosis"));
    CHECK(has(typed("t."), "Wind"));
    CHECK(has(typed("ga"), "gain"));
    CHECK(has(typed("hyp"), "hypotheses"));
    CHECK(has(typed("train naive_bayes("), "m:") + has(typed("train naive_bayes("), "m") + has(typed("train naive_bayes("), "m: ") > 0);
    CHECK(has(typed("gain("), "action: ") + has(typed("gain("), "action:") + has(typed("gain("), "action") > 0);
    CHECK(has(typed("cross_val"), "cross_validate"));
    CHECK(typed("# cross_val").empty());
}

TEST_CASE("the signature of the call and its parameter") {
    LspClient client;
    client.start();
    client.open(clinic + "choose(5, 2)\ngain(\"wait\", \n");
    const Json builtin = client.result("textDocument/signatureHelp", at(14, 10));
    CHECK(builtin["signatures"][0]["label"] == "choose(n, k)");
    CHECK(builtin["activeParameter"] == 1);
    const Json own = client.result("textDocument/signatureHelp", at(15, 13));
    CHECK(own["signatures"][0]["label"] == "gain(action, state)");
    CHECK(own["activeParameter"] == 1);
    CHECK(client.result("textDocument/signatureHelp", at(12, 3)).is_null());
}

TEST_CASE("go to definition finds lets, functions, parameters, models and variables") {
    LspClient client;
    client.start();
    client.open(clinic);
    const auto definition = [&](int line, int character) { return client.result("textDocument/definition", at(line, character))["range"]; };
    CHECK(definition(12, 3) == range(11, 4, 15));
    CHECK(definition(11, 53) == range(10, 3, 7));
    CHECK(definition(10, 30) == range(10, 8, 14));
    CHECK(definition(8, 3) == range(2, 2, 11));
    CHECK(definition(3, 12) == range(2, 2, 11));
    CHECK(definition(11, 60) == range(2, 2, 11));                           // inside E(…)
    CHECK(definition(11, 54) == range(11, 42, 43));                         // the lambda's a
    CHECK(definition(13, 7) == range(10, 8, 14));                           // the name of an argument
    CHECK(client.result("textDocument/definition", at(11, 20)).is_null());  // a builtin
}

TEST_CASE("imported files are found, and their mistakes are told where they are imported") {
    LspClient client;
    client.start();
    const std::string folder = std::string(CREDENCE_SOURCE_DIR) + "/tests/golden/language/";
    const std::string uri = "file://" + folder + "x.cred";
    CHECK(client.open("import \"lib/shapes.cred\"\nimport \"lib/nothing.cred\"\n", uri).size() == 1);
    const Json found = client.result("textDocument/definition", at(0, 12, uri));
    CHECK(found["uri"] == "file://" + folder + "lib/shapes.cred");
}

TEST_CASE("references with and without the declaration") {
    LspClient client;
    client.start();
    client.open(clinic);
    Json params = at(8, 3);
    params["context"] = {{"includeDeclaration", true}};
    CHECK(client.result("textDocument/references", params).size() == 4);
    params["context"] = {{"includeDeclaration", false}};
    CHECK(client.result("textDocument/references", params).size() == 3);
}

TEST_CASE("rename follows scopes") {
    LspClient client;
    client.start();
    SECTION("a let that a later one hides") {
        const std::string text = "let x = 1\nx + 1\nlet x = x + 2\nx\n";
        client.open(text);
        CHECK(after_rename(client, text, 1, 0, "y") == "let y = 1\ny + 1\nlet x = y + 2\nx\n");
        CHECK(after_rename(client, text, 3, 0, "y") == "let x = 1\nx + 1\nlet y = x + 2\ny\n");
    }
    SECTION("a parameter, with the calls that name it, and not its namesakes") {
        const std::string text = "let p = 1\nfn f(p, q) = p + q + r where r = p\nf(p: 2, q: p)\nmap([1], p -> p)\n";
        client.open(text);
        CHECK(after_rename(client, text, 1, 13, "z") == "let p = 1\nfn f(z, q) = z + q + r where r = z\nf(z: 2, q: p)\nmap([1], p -> p)\n");
        CHECK(after_rename(client, text, 3, 14, "z") == "let p = 1\nfn f(p, q) = p + q + r where r = p\nf(p: 2, q: p)\nmap([1], z -> z)\n");
        CHECK(after_rename(client, text, 0, 4, "z") == "let z = 1\nfn f(p, q) = p + q + r where r = p\nf(p: 2, q: z)\nmap([1], p -> p)\n");
    }
    SECTION("a comprehension inside another") {
        const std::string text = "[[x * y for x in 1..y] for y in 1..3]\nlet x = 1\n";
        client.open(text);
        CHECK(after_rename(client, text, 0, 2, "k") == "[[k * y for k in 1..y] for y in 1..3]\nlet x = 1\n");
        CHECK(after_rename(client, text, 0, 27, "k") == "[[x * k for x in 1..k] for k in 1..3]\nlet x = 1\n");
    }
    SECTION("a function used before its line") {
        const std::string text = "g(2)\nfn g(n) = if n == 0 then 0 else g(n - 1)\n[1, 2] |> map(g)\n";
        client.open(text);
        CHECK(after_rename(client, text, 0, 0, "h") == "h(2)\nfn h(n) = if n == 0 then 0 else h(n - 1)\n[1, 2] |> map(h)\n");
    }
    SECTION("a variable of one net, not of the other") {
        const std::string text =
            "net A { X : 0.5; Y | X : X }\nnet B { X : 0.5; Z | X : { true: 0.1, false: 0.2 } }\nP(Y | X = true)\nP(X = true) in B\nP(X, "
            "Z)\nE(X) in A\n";
        client.open(text);
        CHECK(after_rename(client, text, 0, 8, "W") ==
              "net A { W : 0.5; Y | W : W }\nnet B { X : 0.5; Z | X : { true: 0.1, false: 0.2 } }\nP(Y | W = true)\nP(X = true) in B\nP(X, "
              "Z)\nE(W) in A\n");
        CHECK(after_rename(client, text, 3, 2, "W") ==
              "net A { X : 0.5; Y | X : X }\nnet B { W : 0.5; Z | W : { true: 0.1, false: 0.2 } }\nP(Y | X = true)\nP(W = true) in B\nP(W, "
              "Z)\nE(X) in A\n");
    }
    SECTION("a variable with the table its net is trained on, and what came of it") {
        const std::string text =
            "net M { C in {a, b} : ?; Q in {yes, no} | C : ? }\ntable t { C Q ; a yes ; b no }\nlet m = train M on t\nP(C | Q = yes) in "
            "m\nt.Q\nindependent(C, Q, in: M)\n";
        client.open(text);
        CHECK(after_rename(client, text, 1, 12, "R") ==
              "net M { C in {a, b} : ?; R in {yes, no} | C : ? }\ntable t { C R ; a yes ; b no }\nlet m = train M on t\nP(C | R = yes) in "
              "m\nt.R\nindependent(C, R, in: M)\n");
    }
    SECTION("a space and its parameter") {
        const std::string text =
            "hypotheses Coin(theta in 0..1 step 1/4) { Flip -> { heads: theta, tails: 1 - theta } }\n(argmax P(Coin | Flip = "
            "[heads])).theta\nP(next Flip | Flip = [heads])\n";
        client.open(text);
        CHECK(after_rename(client, text, 0, 17, "p") ==
              "hypotheses Coin(p in 0..1 step 1/4) { Flip -> { heads: p, tails: 1 - p } }\n(argmax P(Coin | Flip = [heads])).p\nP(next "
              "Flip | Flip = [heads])\n");
        CHECK(after_rename(client, text, 1, 11, "Bias") ==
              "hypotheses Bias(theta in 0..1 step 1/4) { Flip -> { heads: theta, tails: 1 - theta } }\n(argmax P(Bias | Flip = "
              "[heads])).theta\nP(next Flip | Flip = [heads])\n");
        CHECK(after_rename(client, text, 2, 8, "Toss") ==
              "hypotheses Coin(theta in 0..1 step 1/4) { Toss -> { heads: theta, tails: 1 - theta } }\n(argmax P(Coin | Toss = "
              "[heads])).theta\nP(next Toss | Toss = [heads])\n");
    }
    SECTION("a net") {
        const std::string text = "net A { X : 0.5 }\nP(X) in A\nA.variables\n";
        client.open(text);
        CHECK(after_rename(client, text, 1, 8, "B") == "net B { X : 0.5 }\nP(X) in B\nB.variables\n");
        CHECK(after_rename(client, text, 0, 4, "my net") == "net `my net` { X : 0.5 }\nP(X) in `my net`\n`my net`.variables\n");
    }
    SECTION("inside a text") {
        const std::string text = "let n = 2\n\"n = {n}\"\n";
        client.open(text);
        CHECK(after_rename(client, text, 0, 4, "count_of") == "let count_of = 2\n\"n = {count_of}\"\n");
    }
    SECTION("what is refused") {
        client.open("let x = 1\nlet y = 2\nnet A { X : { u: 0.5, v: 0.5 } }\nx + y + sqrt(4)\n");
        CHECK(renamed(client, 0, 4, "y").contains("error"));
        CHECK(renamed(client, 0, 4, "u").contains("error"));
        CHECK(renamed(client, 0, 4, "").contains("error"));
        CHECK(renamed(client, 3, 9, "root").contains("error"));
        CHECK(client.ask("textDocument/prepareRename", at(3, 9)).contains("error"));
        CHECK(client.result("textDocument/prepareRename", at(3, 0))["placeholder"] == "x");
    }
}

TEST_CASE("formatting is what fmt makes, as an edit of what changes") {
    LspClient client;
    client.start();
    const std::string text = "let a = 1\nlet   b=2\nlet c = 3\n";
    client.open(text);
    const Json params{{"textDocument", {{"uri", "file:///tmp/x.cred"}}}, {"options", {{"tabSize", 2}, {"insertSpaces", true}}}};
    const Json edits = client.result("textDocument/formatting", params);
    REQUIRE(edits.size() == 1);
    CHECK(edits[0]["range"]["start"]["line"] == 1);
    CHECK(applied(text, edits) == "let a = 1\nlet b = 2\nlet c = 3\n");
    client.change(nullptr, "let a = 1\n", 2);
    CHECK(client.result("textDocument/formatting", params).empty());
    client.change(nullptr, "let a = (\n", 3);
    CHECK(client.ask("textDocument/formatting", params).contains("error"));
    for (const std::string odd : {"let a   = 1", "\n\n\nlet a = 1\n\n\n", "let a=1\n\n\n\nlet a=1\n", ""}) {
        client.change(nullptr, odd, 4);
        const Json more = client.result("textDocument/formatting", params);
        const std::string once = applied(odd, more);
        client.change(nullptr, once, 5);
        CHECK(client.result("textDocument/formatting", params).empty());
    }
}

TEST_CASE("the outline, folds and colours") {
    LspClient client;
    client.start();
    client.open(clinic);
    const Json params{{"textDocument", {{"uri", "file:///tmp/x.cred"}}}};
    const Json symbols = client.result("textDocument/documentSymbol", params);
    REQUIRE(symbols.size() == 3);
    CHECK(symbols[0]["name"] == "Clinic");
    REQUIRE(symbols[0]["children"].size() == 2);
    CHECK(symbols[0]["children"][1]["name"] == "Test");
    CHECK(symbols[0]["selectionRange"] == range(1, 4, 10));
    CHECK(symbols[1]["detail"] == "(action, state)");
    CHECK(client.result("textDocument/foldingRange", params)[0] == Json{{"startLine", 1}, {"endLine", 7}});
    const Json data = client.result("textDocument/semanticTokens/full", params)["data"];
    CHECK(data.size() % 5 == 0);
    CHECK(data.size() > 200);
}

TEST_CASE("what was taken back before its turn is not answered") {
    LspClient client;
    client.start();
    // A burst: while the first is worked on, the others wait and the cancellation overtakes them.
    std::string large;
    for (int i = 0; i < 20000; ++i) large += "let v" + std::to_string(i) + " = " + std::to_string(i) + "\n";
    client.notify("textDocument/didOpen",
                  {{"textDocument", {{"uri", "file:///tmp/x.cred"}, {"languageId", "credence"}, {"version", 1}, {"text", large}}}});
    const int first = client.request("textDocument/documentSymbol", {{"textDocument", {{"uri", "file:///tmp/x.cred"}}}});
    const int second = client.request("textDocument/hover", at(0, 4));
    client.notify("$/cancelRequest", {{"id", second}});
    client.notify("$/cancelRequest", {{"id", 999}});
    client.notify("$/cancelRequest", nullptr);
    CHECK(client.answer(first).contains("result"));
    CHECK(client.answer(second)["error"]["code"] == -32800);
    CHECK(client.result("textDocument/hover", at(0, 4))["range"] == range(0, 4, 6));
}

TEST_CASE("malformed messages are answered or passed over, and the server goes on") {
    LspClient client;
    client.start();
    client.raw("{this is no JSON");
    CHECK(client.message()["error"]["code"] == -32700);
    client.raw("[1, 2, 3]");
    CHECK(client.message()["error"]["code"] == -32600);
    client.raw(R"({"jsonrpc": "2.0", "id": 77})");
    CHECK(client.message()["error"]["code"] == -32600);
    client.raw(R"({"jsonrpc": "2.0", "method": 5})");
    client.raw(R"({"jsonrpc": "2.0", "id": 78, "result": null})");
    client.program.write("nonsense\r\n\r\nContent-Length: x\r\n\r\n");
    client.program.write("content-length: 2\r\nContent-Type: text\r\n\r\n{}");
    client.notify("textDocument/didOpen", nullptr);
    client.notify("textDocument/didOpen", {{"textDocument", 5}});
    client.notify("textDocument/didOpen", {{"textDocument", {{"uri", 5}}}});
    client.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///never/opened"}}}, {"contentChanges", 5}});
    client.open("let a = 1\n");
    client.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///tmp/x.cred"}}},
                                             {"contentChanges", {5, {{"range", 5}, {"text", "x"}}, {{"text", 5}}}}});
    CHECK(client.ask("textDocument/hover", nullptr)["error"]["code"] == -32602);
    CHECK(client.ask("textDocument/hover", {{"textDocument", {{"uri", "file:///tmp/x.cred"}}}})["error"]["code"] == -32602);
    CHECK(client.ask("textDocument/hover", {{"textDocument", {{"uri", "file:///tmp/x.cred"}}},
                                            {"position", {{"line", -1}, {"character", 0}}}})["error"]["code"] == -32602);
    CHECK(client.ask("textDocument/rename", at(0, 4))["error"]["code"] == -32602);
    CHECK(client.result("textDocument/hover", at(0, 4))["range"] == range(0, 4, 5));
}

TEST_CASE("huge and broken documents are borne") {
    LspClient client;
    client.start();
    const Json params{{"textDocument", {{"uri", "file:///tmp/x.cred"}}}};
    std::string bomb(100000, '(');
    std::string line = "[";
    for (int i = 0; i < 100000; ++i) line += "1, ";
    const std::string texts[] = {bomb,
                                 line + "1]",
                                 "let s = \"" + std::string(500000, 'x'),
                                 "net { | : } -> ) ] } \" ` \x01\n",
                                 std::string(200000, '\n'),
                                 "`",
                                 "P(",
                                 "\"{\"{\"{",
                                 "table t {",
                                 "### \n##\n#",
                                 "let 𝜃 = 𝜃 𝜃 𝜃",
                                 "step step step .. step"};
    for (const auto& text : texts) {
        INFO(text.substr(0, 40));
        client.open(text);
        for (const char* method : {"textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/semanticTokens/full"})
            CHECK(client.ask(method, params).contains("result"));
        for (const char* method : {"textDocument/hover", "textDocument/completion", "textDocument/signatureHelp", "textDocument/definition",
                                   "textDocument/documentHighlight"})
            CHECK(client.ask(method, at(0, 2)).contains("result"));
        client.ask("textDocument/formatting", params);
    }
    CHECK(client.ask("shutdown", nullptr).contains("result"));
}

TEST_CASE("labels are not renamed, and that is said") {
    LspClient client;
    client.start();
    client.open("net Sky { Weather : { sun: 0.7, rain: 0.3 } }\nP(Weather = sun)\n");
    const Json refused = renamed(client, 1, 13, "sunny");
    CHECK(refused["error"]["message"].get<std::string>().find("'sun' is a label") == 0);
}

TEST_CASE("an editor may say that it uses standard input and output") {
    LspClient client({"lsp", "--stdio"});
    client.start();
    CHECK(client.open("1 + 1\n").empty());
}
