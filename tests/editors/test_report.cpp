// `credence report`: the page is sound HTML, nothing of the script is missing, and the same run gives the same bytes.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/editors/program.hpp"
#include "tests/support/folder.hpp"

namespace {

using credence::test::contents;
using credence::test::Piped;
namespace fs = std::filesystem;

struct Page {
    std::string html;
    int status = 0;
};

Page page_of(const std::string& script, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"report", script};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Piped program(arguments);
    program.end_input();
    Page out{program.rest()};
    out.status = program.status();
    return out;
}

class Script {
public:
    explicit Script(const std::string& text) : folder_(fs::temp_directory_path() / ("credence-report-" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        std::ofstream(path()) << text;
    }
    ~Script() { fs::remove_all(folder_); }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;
    std::string path() const { return (folder_ / "page.cred").string(); }

private:
    fs::path folder_;
};

/// Every element that is opened is closed, in order; no bare & or <. The problem, or nothing.
std::string unsound(const std::string& html) {
    static const std::vector<std::string> empty{"meta", "br", "hr", "input", "!DOCTYPE"};
    std::vector<std::string> open;
    for (std::size_t i = 0; i < html.size(); ++i) {
        if (html[i] == '&') {
            const auto end = html.find(';', i);
            const bool style = !open.empty() && open.back() == "style";
            if (!style && (end == std::string::npos || end - i > 8)) return "a bare & at " + html.substr(i, 40);
        }
        if (html[i] != '<') continue;
        const auto end = html.find('>', i);
        if (end == std::string::npos) return "an open tag at the end";
        const std::string tag = html.substr(i + 1, end - i - 1);
        const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" \n/", 1) - (tag[0] == '/' ? 1 : 0));
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1))
                return "</" + tag.substr(1) + "> closes " + (open.empty() ? "nothing" : open.back());
            open.pop_back();
        } else if (tag.back() != '/' && std::find(empty.begin(), empty.end(), name) == empty.end()) {
            open.push_back(name);
        }
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "quotes in " + tag;
        i = end;
    }
    return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

std::string without_tags(const std::string& html) {
    std::string out;
    bool tag = false;
    for (const char c : html) {
        if (c == '<') tag = true;
        if (!tag) out += c;
        if (c == '>') tag = false;
    }
    const std::pair<const char*, const char*> entities[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
    for (const auto& [entity, sign] : entities)
        for (auto at = out.find(entity); at != std::string::npos; at = out.find(entity, at + 1))
            out.replace(at, std::string(entity).size(), sign);
    return out;
}

}  // namespace

TEST_CASE("a report of every example is sound and has every line of its source") {
    // One script of each subject: all of them would take minutes.
    std::vector<fs::path> scripts;
    for (const auto& folder : fs::directory_iterator(fs::path(CREDENCE_SOURCE_DIR) / "examples")) {
        if (!folder.is_directory()) continue;
        std::vector<fs::path> here;
        for (const auto& file : fs::directory_iterator(folder))
            if (file.path().extension() == ".cred" && fs::file_size(file) < 4000) here.push_back(file.path());
        std::sort(here.begin(), here.end());
        if (!here.empty()) scripts.push_back(here.front());
    }
    REQUIRE(scripts.size() >= 10);
    for (const auto& script : scripts) {
        INFO(script);
        const auto page = page_of(script.string());
        CHECK(page.status == 0);
        CHECK(unsound(page.html) == "");
        const std::string text = without_tags(page.html);
        std::istringstream lines(contents(script));
        for (std::string line; std::getline(lines, line);)
            if (!line.starts_with("##")) CHECK(text.find(line) != std::string::npos);
        CHECK(page.html.find("<script") == std::string::npos);
        CHECK(page.html.find("src=") == std::string::npos);
        CHECK(page.html.find("url(") == std::string::npos);
    }
}

TEST_CASE("a report escapes what HTML would read") {
    const Script script("# a < b & c > \"d\"\nlet x = \"<b>&amp;</b>\"\nx\n1 < 2\n{\"<i>\": 1/2, \"&\": 1/2}\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 0);
    CHECK(unsound(page.html) == "");
    CHECK(page.html.find("<b>") == std::string::npos);
    CHECK(page.html.find("<i>") == std::string::npos);
    CHECK(page.html.find("&lt;b&gt;&amp;amp;&lt;/b&gt;") != std::string::npos);
    CHECK(page.html.find("<title>a &lt; b &amp; c &gt; &quot;d&quot;</title>") != std::string::npos);
}

TEST_CASE("results stand where they arose, fractions as fractions") {
    const Script script("1/2 + 1/3\nnet Coin { Face : { heads: 1/2, tails: 1/2 } }\nP(Face)\nexplain P(Face = heads)\nplot(P(Face))\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 0);
    CHECK(unsound(page.html) == "");
    const auto first = page.html.find("<mfrac><mn>5</mn><mn>6</mn></mfrac>");
    const auto net = page.html.find("id=\"L2\"");
    const auto query = page.html.find("id=\"L3\"");
    const auto factor = page.html.find("<table class=\"factor\">");
    const auto derivation = page.html.find("<div class=\"derivation\">");
    const auto picture = page.html.find("<svg");
    REQUIRE(picture != std::string::npos);
    CHECK(first < net);
    CHECK(query < factor);
    CHECK(factor < derivation);
    CHECK(derivation < picture);
}

TEST_CASE("errors of the check are shown in place, and nothing ran") {
    const Script script("1 + 1\nlet x = undefined_word\nexpect 1 == 1\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 1);
    CHECK(unsound(page.html) == "");
    CHECK(page.html.find("E-NAME") != std::string::npos);
    CHECK(page.html.find("<mark>undefined_word</mark>") != std::string::npos);
    CHECK(page.html.find("The script did not run") != std::string::npos);
    CHECK(page.html.find("✓ holds") == std::string::npos);
}

TEST_CASE("an error of the run ends it there") {
    const Script script("expect 1 == 1\n1 / 0\nexpect 2 == 2\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 1);
    CHECK(page.html.find("E-ARITHMETIC") != std::string::npos);
    const auto holds = page.html.find("✓ holds");
    REQUIRE(holds != std::string::npos);
    CHECK(page.html.find("✓ holds", holds + 1) == std::string::npos);
    CHECK(page.html.find("The script stopped at the error") != std::string::npos);
}

TEST_CASE("failed expectations are told and stop nothing") {
    const Script script("expect 1 == 2\n1 + 1\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 1);
    CHECK(page.html.find("expectation failed") != std::string::npos);
    CHECK(page.html.find("<mn>2</mn>") != std::string::npos);
    CHECK(page.html.find("0 of 1 expectations hold") != std::string::npos);
}

TEST_CASE("the page says version and seed, and the same run gives the same bytes") {
    const Script script("sample 5 from {a: 1, b: 1}\n");
    const auto one = page_of(script.path(), {"--seed", "7"});
    const auto two = page_of(script.path(), {"--seed", "7", "--threads", "2"});
    CHECK(one.status == 0);
    CHECK(one.html == two.html);
    CHECK(one.html.find("seed 7") != std::string::npos);
    CHECK(one.html.find("Credence 0.") != std::string::npos);
    const Script other("set seed 9\n");
    CHECK(page_of(other.path(), {"--seed", "7"}).html.find("seed 7, then 9") != std::string::npos);
}

TEST_CASE("empty scripts, lone comments and carriage returns have pages") {
    for (const std::string text : {"", "# only a comment", "1 + 1\r\n# end\r\n", "1; 2; 3 # three\n", "let x = (\n",
                                   "\xEF\xBB\xBF"
                                   "1\n"}) {
        INFO(text);
        const Script script(text);
        const auto page = page_of(script.path());
        CHECK(unsound(page.html) == "");
        CHECK(page.html.find("</html>") != std::string::npos);
    }
}

TEST_CASE("prose is set: headings, lists, marks, links, formulas; nothing of it is HTML of its own") {
    const Script script(
        "## # A title & more\n## Some *words*, **strong** ones and `code < 1`; $P(A | B = b) = 1/2$.\n## "
        "[Good](https://example.org/a?b=1&c)\n"
        "## [bad](javascript:alert(1)) <script>alert(1)</script>\n##\n## ## First part\n## - one\n##   - inner\n## - two\n## 1 * 2 * 3, "
        "a_b_c, $5 and $6\n"
        "let x = 1\n## ## Second part\nx\nexpect x == 1\nexpect x == 1\n## The end.\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 0);
    CHECK(unsound(page.html) == "");
    const auto has = [&](const std::string& text) { return page.html.find(text) != std::string::npos; };
    CHECK(has("<h1>A title &amp; more</h1>"));
    CHECK_FALSE(has("<h2 id=\"a-title-more\">"));  // it is the title already
    CHECK(has("<em>words</em>, <strong>strong</strong> ones and <code>code &lt; 1</code>"));
    CHECK(has("<mfrac>"));
    CHECK(has("<a href=\"https://example.org/a?b=1&amp;c\">Good</a>"));
    CHECK_FALSE(has("href=\"javascript"));
    CHECK_FALSE(has("<script"));
    CHECK(has("<h3 id=\"first-part\">First part</h3>"));
    CHECK(has("<li class=\"level1\"><a href=\"#first-part\">First part</a></li>"));
    CHECK(has("<li>one<ul>"));
    CHECK(has("1 * 2 * 3, a_b_c, $5 and $6"));
    CHECK(has("<summary>2 checks hold</summary>"));
    CHECK(has("id=\"without-code\""));
    CHECK(has("<p>The end.</p>"));
}

TEST_CASE("a document numbers its pictures, draws its nets and says which checks failed") {
    const Script script(
        "## Text.\nnet Coin { Face : { heads: 1/2, tails: 1/2 }; Again | Face : { heads: { yes: 1, no: 0 }, tails: { yes: 0, no: 1 } } }\n"
        "plot([1, 2, 3])  # three *numbers*\nexpect 1 == 2\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 1);
    CHECK(unsound(page.html) == "");
    CHECK(page.html.find("<figcaption>Figure 1. <code>Coin</code></figcaption>") != std::string::npos);
    CHECK(page.html.find("<figcaption>Figure 2. three <em>numbers</em></figcaption>") != std::string::npos);
    CHECK(page.html.find(">Again</text>") != std::string::npos);
    CHECK(page.html.find("hold</summary>") == std::string::npos);
}

TEST_CASE("factors over two variables are matrices, and labels are escaped in them") {
    const Script script(
        "net N {\n  A : { \"<script>\": 1/2, b: 1/2 }\n  B | A : { \"<script>\": { x: 1/3, y: 2/3 }, b: { x: 1/4, y: 3/4 } }\n}\n"
        "P(B | A)\nplot(N)\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 0);
    CHECK(unsound(page.html) == "");
    CHECK(page.html.find("<table class=\"factor matrix\">") != std::string::npos);
    CHECK(page.html.find("<th scope=\"row\">&lt;script&gt;</th>") != std::string::npos);
    CHECK(page.html.find("<script") == std::string::npos);
    CHECK(page.html.find("<svg style=\"min-width:min(32rem,") != std::string::npos);  // a drawing shrinks on a telephone, but not too far
}

TEST_CASE("a record sets its factors and tables, and its other fields are lines without braces") {
    const Script script(
        "evaluate([\"dog\", \"cat\", \"cat\"], [\"dog\", \"cat\", \"dog\"])\n{n: 3, t: to_table({x: [1/3, 22/7000003]})}\n");
    const auto page = page_of(script.path());
    CHECK(page.status == 0);
    CHECK(unsound(page.html) == "");
    CHECK(page.html.find("<table class=\"factor matrix totals\">") != std::string::npos);
    CHECK(page.html.find("accuracy: 2/3  0.666667") != std::string::npos);
    CHECK(page.html.find(">n: 3</pre>") != std::string::npos);
    CHECK(page.html.find("0.333333") != std::string::npos);  // a column with a long fraction is one of decimals
    CHECK(page.html.find("22/7000003</td>") == std::string::npos);
}

TEST_CASE("the tables of a model are tables of the page, and aligned lines scroll") {
    const Script script(
        "table t { a b -> y\n 1 2 -> 3.1\n 2 1 -> 4.2\n 3 2 -> 6.9\n 4 3 -> 9.2\n 5 1 -> 6.8\n}\n"
        "train regression() on t\n"
        "evaluate(train knn(k: 1) on as_labels(t, y), as_labels(t, y))\n");
    const Page page = page_of(script.path());
    CHECK(page.status == 0);
    CHECK(unsound(page.html).empty());
    CHECK(page.html.find("<th scope=\"col\" class=\"number\">standard_error</th>") != std::string::npos);
    CHECK(page.html.find("regression: y from a, b (5 rows)") != std::string::npos);
    CHECK(std::regex_search(page.html, std::regex("<p class=\"aside\">R² [0-9.]+, sigma [0-9.]+, degrees 2, rows 5</p>")));
    CHECK(page.html.find("<pre class=\"value aligned\">") != std::string::npos);
}

TEST_CASE("--watch writes the page again for a change of the script, not for what the script itself saves") {
    using namespace std::chrono_literals;
    const credence::test::TemporaryFolder folder("watch");
    const std::string script = folder.write("page.cred", "save(to_table({x: [1, 2]}), \"out.csv\")\n\"as it was\"\n");
    const std::string page = folder.at("page.html");
    const Piped program({"report", script, "-o", page, "--watch"});
    const auto comes = [](const std::function<bool()>& true_then) {
        for (int i = 0; i < 600 && !true_then(); ++i) std::this_thread::sleep_for(100ms);
        return true_then();
    };
    const auto says = [&](const std::string& text) {
        return fs::exists(page) && contents(page).find("<pre class=\"value\">" + text) != std::string::npos;
    };
    REQUIRE(comes([&] { return says("as it was"); }));
    const auto saved = [&] { return fs::last_write_time(folder.at("out.csv")); };
    const auto written = fs::last_write_time(page);
    const auto first_saved = saved();
    std::this_thread::sleep_for(1500ms);  // five looks
    CHECK(fs::last_write_time(page) == written);
    CHECK(saved() == first_saved);
    std::ofstream(script) << "\"as it is\"\n";
    CHECK(comes([&] { return says("as it is"); }));
}
