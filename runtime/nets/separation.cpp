// d-separation, path by path (Pearl 1988): a path is blocked at a chain or fork that is observed, and at a collider unless it or a
// descendant of it is observed.

#include "runtime/nets/separation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_paths = 12;

/// Simple paths of an undirected walk over the arcs, at most so many.
class PathSearch {
public:
    PathSearch(const Net& net, std::span<const VarId> x, std::span<const VarId> y)
        : x_(x), y_(y), on_path_(net.nodes.size(), 0), neighbours_(net.nodes.size()) {
        for (std::size_t i = 0; i < net.nodes.size(); ++i)
            for (const auto parent : net.nodes[i].parents) {
                neighbours_[i].push_back(parent);
                neighbours_[index(parent)].push_back(static_cast<VarId>(i));
            }
        for (auto& all : neighbours_) std::sort(all.begin(), all.end());
    }

    /// The paths that no other member of either side lies on; one more than are shown where there are more.
    std::vector<std::vector<VarId>> find() {
        for (const auto start : x_) extend(start);
        return std::move(found_);
    }

private:
    void extend(VarId at) {
        if (found_.size() > most_paths || ++steps_ > most_steps) return;
        path_.push_back(at);
        on_path_[index(at)] = 1;
        if (contains(y_, at)) {
            found_.push_back(path_);
        } else {
            for (const auto next : neighbours_[index(at)])
                if (!on_path_[index(next)] && !contains(x_, next)) extend(next);
        }
        on_path_[index(at)] = 0;
        path_.pop_back();
    }

    static constexpr std::size_t most_steps = 100'000;
    std::span<const VarId> x_;
    std::span<const VarId> y_;
    std::vector<char> on_path_;
    std::vector<std::vector<VarId>> neighbours_;
    std::vector<VarId> path_;
    std::vector<std::vector<VarId>> found_;
    std::size_t steps_ = 0;
};

bool is_parent(const Net& net, VarId parent, VarId child) { return contains(net.nodes[index(child)].parents, parent); }

}  // namespace

Result<Derivation> explain_separation(const Net& net, std::span<const VarId> x, std::span<const VarId> y, std::span<const VarId> given) {
    const auto name = [&](VarId v) -> const std::string& { return net.nodes[index(v)].variable.name; };
    DerivationWriter out;
    out.formula("a path is blocked at a chain or fork whose middle is observed, and at a collider unless it or a descendant is observed");
    auto paths = PathSearch(net, x, y).find();
    const bool more = paths.size() > most_paths;
    if (more) paths.resize(most_paths);
    for (const auto& path : paths) {
        std::string text = name(path[0]);
        for (std::size_t i = 1; i < path.size(); ++i)
            text += fmt::format(" {} {}", is_parent(net, path[i - 1], path[i]) ? "->" : "<-", name(path[i]));
        std::string blocked;
        std::string open;
        for (std::size_t i = 1; i + 1 < path.size(); ++i) {
            const VarId at = path[i];
            const bool into = is_parent(net, path[i - 1], at);
            const bool collider = into && is_parent(net, path[i + 1], at);
            const bool observed = contains(given, at);
            const auto below = [&]() -> std::optional<VarId> {
                for (const auto z : given)
                    if (contains(net.ancestors(z), at)) return z;
                return std::nullopt;
            }();
            if (collider && !observed && !below)
                blocked +=
                    fmt::format("{}{} is a collider, and neither it nor a descendant is observed", blocked.empty() ? "" : "; ", name(at));
            else if (collider)
                open += fmt::format("{}{} is a collider, and {} observed", open.empty() ? "" : "; ", name(at),
                                    observed ? "it is" : fmt::format("its descendant {} is", name(*below)));
            else if (observed)
                blocked += fmt::format("{}{} is observed in a {}", blocked.empty() ? "" : "; ", name(at),
                                       !into && !is_parent(net, path[i + 1], at) ? "fork" : "chain");
        }
        if (!blocked.empty())
            out.note(fmt::format("{}: blocked, {}", text, blocked));
        else
            out.note(fmt::format("{}: open{}", text, open.empty() ? "" : ", " + open));
    }
    if (more) out.note("… and more paths");
    if (paths.empty()) out.note("no path joins them");
    out.note(d_separated(net, x, y, given) ? (paths.empty() ? "they are independent" : "every path is blocked: they are independent")
                                           : "a path is open: the graph does not make them independent");
    return std::move(out).take();
}

}  // namespace credence::rt
