// `credence new NAME`: a folder with a script, data for it, and the golden of what it prints.

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "lang/cli/options.hpp"
#include "lang/driver/plain_output.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view data_text = R"(sky,wind,play
sunny,weak,yes
sunny,strong,no
cloudy,weak,yes
cloudy,strong,yes
rainy,weak,yes
rainy,strong,no
rainy,weak,yes
sunny,weak,yes
)";

constexpr std::string_view script_text = R"(# {name}: run it with `credence {file}`, test it with `credence test {folder}`.

# A table of data answers questions with its frequencies.
let days = load("days.csv", target: play)
P(play | wind) in days
expect P(play = yes | wind = weak) in days == 1 from "all five days of weak wind"

# A net says what depends on what; evidence comes after the bar.
net Lawn {{
  Rain : 0.2
  Sprinkler | Rain : {{ true: 0.01, false: 0.4 }}
  Wet | Rain, Sprinkler : {{
    true, true: 0.99
    false, false: 0
    else: 0.9
  }}
}}
P(Rain | Wet = true)
expect P(Wet = true | Rain = false, Sprinkler = false) == 0

# A learner makes a model of data.
let model = train naive_bayes(m: 1) on days
predict(model, <"cloudy", "weak">)
)";

int refuse(const std::string& message) {
    std::fprintf(stderr, "credence: %s\n", message.c_str());
    return failed;
}

}  // namespace

int new_project(const lang::Registry& registry, const Options& options) {
    const fs::path folder = fs::path(options.paths.front()).lexically_normal();
    const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    if (name.empty() || name == "." || name == "..")
        return refuse(fmt::format("'{}' is not a name for a new folder", options.paths.front()));
    std::error_code error;
    if (const auto there = rt::inside(options.settings.root, "", folder.string()); !there) return refuse(there.fault().message);
    if (fs::exists(folder, error)) return refuse(fmt::format("'{}' already exists; nothing was changed", folder.string()));
    fs::create_directories(folder, error);
    if (error) return refuse(fmt::format("cannot create '{}': {}", folder.string(), error.message()));

    const std::string script_path = (folder / (name + ".cred")).string();
    const std::string script =
        fmt::format(fmt::runtime(script_text), fmt::arg("name", name), fmt::arg("file", script_path), fmt::arg("folder", folder.string()));
    lang::Session session(registry, options.settings);
    std::string said;
    const auto write = [&](std::string_view text) { said += text; };
    lang::PlainOutput output(write, write, session.world().settings.digits, {});
    const std::pair<std::string, std::string_view> files[] = {{(folder / "days.csv").string(), data_text}, {script_path, script}};
    for (const auto& [path, text] : files)
        if (const rt::Status written = rt::write_file(path, text); !written) return refuse(written.fault().message);
    // The golden is what the script prints, so that it fits this version.
    if (!session.run(std::make_shared<lang::Source>(name + ".cred", script), folder.string(), output)) return refuse(said);
    if (const rt::Status written = rt::write_file((folder / (name + ".out")).string(), said); !written)
        return refuse(written.fault().message);
    if (!options.quiet)
        std::fputs(fmt::format("{0} is ready:\n  credence {1}\n  credence test {0}\n", folder.string(), script_path).c_str(), stdout);
    return fine;
}

}  // namespace credence::cli
