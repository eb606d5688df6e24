// The arrows between the rooms point one way: runtime <- lang <- stdlib <- cli.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

namespace fs = std::filesystem;

template <class F>
void each_include(const std::string& room, F f) {
    const std::regex include("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CREDENCE_SOURCE_DIR) / room)) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            std::smatch match;
            if (std::regex_search(line, match, include)) f(fs::relative(entry.path(), CREDENCE_SOURCE_DIR).string(), match[1].str());
        }
    }
}

bool starts(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

/// The programs may include everything: the one of the command line, and the one of the page.
bool is_program(const std::string& file) { return starts(file, "lang/cli/") || starts(file, "lang/web/"); }

}  // namespace

TEST_CASE("runtime knows nothing of the language") {
    each_include("runtime", [](const std::string& file, const std::string& header) {
        INFO(file << " includes " << header);
        CHECK_FALSE((starts(header, "lang/") || starts(header, "stdlib/")));
    });
}

TEST_CASE("the rooms of the runtime include only what ARCHITECTURE.md says") {
    const std::map<std::string, std::string> more = {
        // of all rooms but core, data and plot: core, prob, data
        {"core", ""},
        {"plot", "core "},
        {"data", "core "},
        {"continuous", "core prob data latent "},
        {"features", "core prob data classify judge "},
    };
    each_include("runtime", [&](const std::string& file, const std::string& header) {
        if (!starts(header, "runtime/")) return;
        const auto room_of = [](const std::string& path) { return path.substr(8, path.find('/', 8) - 8); };
        const std::string room = room_of(file);
        const auto said = more.find(room);
        const std::string allowed = room + " " + (said == more.end() ? "core prob data " : said->second);
        INFO(file << " includes " << header);
        CHECK(allowed.find(room_of(header) + " ") != std::string::npos);
    });
}

TEST_CASE("a room of runtime/prob includes itself and the rooms before it") {
    const std::vector<std::string> order = {"terms", "distributions", "factors", "model.hpp", "queries", "models", "declared", "learning"};
    const auto place = [&](const std::string& path) {
        const std::string prefix = "runtime/prob/";
        const auto found = std::find(order.begin(), order.end(), path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
        INFO(path << " is in no room");
        REQUIRE(found != order.end());
        return found;
    };
    each_include("runtime/prob", [&](const std::string& file, const std::string& header) {
        INFO(file << " includes " << header);
        if (starts(header, "runtime/prob/")) CHECK(place(header) <= place(file));
    });
}

TEST_CASE("the language knows values, no algorithm") {
    each_include("lang", [](const std::string& file, const std::string& header) {
        INFO(file << " includes " << header);
        if (is_program(file)) return;
        CHECK_FALSE(starts(header, "stdlib/"));
        CHECK_FALSE(is_program(header));
        const bool allowed = !starts(header, "runtime/") || starts(header, "runtime/core/") || starts(header, "runtime/prob/") ||
                             starts(header, "runtime/data/");
        CHECK(allowed);
    });
}

TEST_CASE("the rooms of the language include only what ARCHITECTURE.md says") {
    const std::map<std::string, std::string> below = {
        {"text", ""},
        {"syntax", "text "},
        {"value", "text "},
        {"builtin", "text value "},
        {"world", "text syntax value builtin "},
        {"check", "text syntax value builtin world "},
        {"eval", "text syntax value builtin world "},
        {"driver", "text syntax value builtin world check eval "},
        {"service", "text syntax value builtin world driver "},
    };
    each_include("lang", [&](const std::string& file, const std::string& header) {
        if (!starts(header, "lang/") || is_program(file)) return;
        const auto room_of = [](const std::string& path) { return path.substr(5, path.find('/', 5) - 5); };
        const std::string room = room_of(file);
        INFO(file << " includes " << header);
        REQUIRE(below.count(room) == 1);
        CHECK((" " + room + " " + below.at(room)).find(" " + room_of(header) + " ") != std::string::npos);
    });
}

TEST_CASE("the language asks a model what it can, and not which class it is") {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CREDENCE_SOURCE_DIR) / "lang")) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            INFO(entry.path().string() << ": " << line);
            CHECK(line.find("dynamic_cast<const rt::") == std::string::npos);
        }
    }
}

TEST_CASE("PEGTL stays in lang/syntax") {
    for (const std::string room : {"lang", "runtime", "stdlib"})
        each_include(room, [](const std::string& file, const std::string& header) {
            INFO(file << " includes " << header);
            CHECK_FALSE((starts(header, "tao/") && !starts(file, "lang/syntax/")));
        });
}

TEST_CASE("the library does not reach into the program") {
    each_include("stdlib", [](const std::string& file, const std::string& header) {
        INFO(file << " includes " << header);
        CHECK_FALSE(is_program(header));
    });
}

TEST_CASE("no two headers define a type of one name in one namespace") {  // the linker would take either for both
    const std::regex space("^namespace ([\\w:]+) \\{");
    const std::regex type("^(struct|class|enum class) (\\[\\[\\w+\\]\\] )?(\\w+)( final)?( :[^;]*)? \\{");
    std::map<std::string, std::string> home;
    for (const std::string room : {"lang", "runtime", "stdlib"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(CREDENCE_SOURCE_DIR) / room)) {
            if (entry.path().extension() != ".hpp") continue;
            std::ifstream file(entry.path());
            std::string within;
            for (std::string line; std::getline(file, line);) {
                std::smatch match;
                if (std::regex_search(line, match, space)) within = match[1].str();
                if (!std::regex_search(line, match, type)) continue;
                const std::string name = within + "::" + match[3].str();
                const auto [first, fresh] = home.emplace(name, entry.path().string());
                INFO(name << " in " << entry.path().string() << " and " << first->second);
                CHECK(fresh);
            }
        }
    CHECK(home.size() > 300);
}
