#include "lang/web/runner.hpp"

#include "lang/cli/report/drawings.hpp"
#include "lang/cli/report/page.hpp"

namespace credence::web {

Json Runner::run(const std::string& name, const std::string& code, const std::string& folder) {
    session_.reset();  // its memory is wanted
    session_ = std::make_shared<lang::Session>(registry_, lang::Settings{});
    folder_ = folder;
    const auto source = std::make_shared<const lang::Source>(name, code);
    EventOutput output(source, session_->world().settings.digits, send_);
    const bool ok = session_->run(source, folder, output);
    return {{"ok", ok}, {"met", session_->expectations_met()}, {"failed", session_->expectations_failed()}};
}

Json Runner::explain(const std::string& query) {
    if (!session_) session_ = std::make_shared<lang::Session>(registry_, lang::Settings{});
    const auto source = std::make_shared<const lang::Source>("explain", "explain " + query + "\n");
    EventOutput output(source, session_->world().settings.digits, send_);
    return {{"ok", session_->run(source, folder_, output)}};
}

std::string Runner::report(const std::string& name, const std::string& code, const std::string& folder) const {
    const auto source = std::make_shared<const lang::Source>(name, code);
    struct Silent : lang::Output {
        void value(const lang::ValueEvent&) override {}
        void derivation(const lang::DerivationEvent&) override {}
        void diagnostic(const lang::Diagnostic&) override {}
    } silent;
    const bool sound =
        std::make_shared<lang::Session>(registry_, lang::Settings{})->run(source, folder, silent, lang::Session::Mode::check);
    const auto session = std::make_shared<lang::Session>(registry_, lang::Settings{});
    cli::ReportOutput output(source, session->world().settings.digits);
    session->run(source, folder, output);
    return cli::report_page(source, output,
                            {.version = std::string("Credence ") + CREDENCE_VERSION,
                             .seed = lang::Settings{}.seed,
                             .last_seed = session->world().settings.seed,
                             .expectations_met = session->expectations_met(),
                             .expectations_failed = session->expectations_failed(),
                             .ran = sound,
                             .nets = cli::drawings_of(*session)});
}

}  // namespace credence::web
