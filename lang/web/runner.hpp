#pragma once
// Runs scripts for the page and keeps the session of the last one, so that its answers can be explained.

#include <memory>
#include <string>

#include "lang/driver/session.hpp"
#include "lang/web/events.hpp"

namespace credence::web {

class Runner {
public:
    Runner(const lang::Registry& registry, EventOutput::Send send) : registry_(registry), send_(std::move(send)) {}

    /// In a new session; file names in the script start at the folder.
    Json run(const std::string& name, const std::string& code, const std::string& folder);
    /// In the session of the last run.
    Json explain(const std::string& query);
    /// The page that `credence report` writes.
    std::string report(const std::string& name, const std::string& code, const std::string& folder) const;

private:
    const lang::Registry& registry_;
    EventOutput::Send send_;
    std::shared_ptr<lang::Session> session_;
    std::string folder_;
};

}  // namespace credence::web
