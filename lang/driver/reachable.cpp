#include "lang/driver/reachable.hpp"

#include <algorithm>

#include "lang/value/function.hpp"

namespace credence::lang {

namespace {

void add_slots(const Statement& statement, std::vector<std::uint32_t>& out) {
    out.push_back(statement.slot);
    if (const auto* expect = std::get_if<ExpectErrorStmt>(&statement.node)) add_slots(*expect->statement, out);
}

/// Whether it is a function of the program that nothing else holds.
bool is_own_function(const std::optional<Value>& value, const Program& program) {
    const auto* function = value ? value->get<FunctionPtr>() : nullptr;
    if (!function || function->use_count() != 1) return false;
    const auto* closure = std::get_if<Closure>(&(*function)->node);
    const auto* net = std::get_if<NetFunction>(&(*function)->node);
    const auto& source = closure ? closure->source : net ? net->source : nullptr;
    return source == program.source;
}

}  // namespace

void Reachable::tidy(World& world, Scope& scope) {
    constexpr std::size_t share = 8;
    const std::lock_guard lock(world.globals_mutex);
    take_in(world);
    for (const std::uint32_t slot : scope.take_hidden()) {
        hidden_.insert(slot);
        if (used_.contains(slot))
            ++changes_;
        else
            release(world, slot);
    }
    while (changes_ > 0 && changes_ * share >= known_) look_at_programs(world);
}

/// The programs of the text that ran: most point to nothing that stays.
void Reachable::take_in(World& world) {
    auto& programs = world.programs;
    for (std::size_t i = first_ + known_; i < programs.size();) {
        if (programs[i].use_count() == 1) {
            programs.erase(programs.begin() + static_cast<std::ptrdiff_t>(i));
            continue;
        }
        for (const auto& statement : programs[i]->statements)  // a function may call itself, and those after it
            if (std::holds_alternative<FnStmt>(statement->node)) programs[i]->uses.insert(statement->slot);
        for (const std::uint32_t slot : programs[i]->uses) ++used_[slot];
        ++known_;
        ++i;
    }
}

void Reachable::release(World& world, std::uint32_t slot) {
    hidden_.erase(slot);
    world.globals[slot].reset();
    ++changes_;
}

/// A function that calls itself is held by its own text. The slots of such functions, where nothing but these holds the program.
std::vector<std::uint32_t> Reachable::only_holders(const World& world, const std::shared_ptr<Program>& program) const {
    std::vector<std::uint32_t> own;
    for (const auto& statement : program->statements) add_slots(*statement, own);
    std::vector<std::uint32_t> out;
    for (const std::uint32_t slot : own) {
        const auto used = used_.find(slot);
        const std::size_t by_others = used == used_.end() ? 0 : used->second - (program->uses.contains(slot) ? 1 : 0);
        if (hidden_.contains(slot) && by_others == 0 && is_own_function(world.globals[slot], *program)) out.push_back(slot);
    }
    if (static_cast<std::size_t>(program.use_count()) != out.size() + 1) out.clear();
    return out;
}

void Reachable::look_at_programs(World& world) {
    changes_ = 0;
    auto& programs = world.programs;
    for (std::size_t i = first_; i < first_ + known_;) {
        if (programs[i].use_count() > 1)
            for (const std::uint32_t slot : only_holders(world, programs[i])) release(world, slot);
        if (programs[i].use_count() > 1) {
            ++i;
            continue;
        }
        const std::shared_ptr<Program> gone = std::exchange(programs[i], programs[first_ + known_ - 1]);
        programs.erase(programs.begin() + static_cast<std::ptrdiff_t>(first_ + known_ - 1));
        --known_;
        for (const std::uint32_t slot : gone->uses) {
            const auto used = used_.find(slot);
            if (--used->second > 0) continue;
            used_.erase(used);
            if (hidden_.contains(slot)) release(world, slot);
        }
    }
}

}  // namespace credence::lang
