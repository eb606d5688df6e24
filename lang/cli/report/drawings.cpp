#include "lang/cli/report/drawings.hpp"

#include "stdlib/plots/drawing.hpp"

namespace credence::cli {

std::map<std::string, rt::PicturePtr> drawings_of(const lang::Session& session) {
    constexpr std::size_t most_nodes = 40;
    std::map<std::string, rt::PicturePtr> out;
    const auto& world = session.world();
    if (!world.scope) return out;
    for (const lang::Symbol* symbol : world.scope->models())
        if (const auto& value = world.globals[symbol->slot])
            if (auto picture = std_::drawing_of(*value, most_nodes)) out[symbol->name] = *std::move(picture);
    return out;
}

}  // namespace credence::cli
