// The parents that an expression names: `Sum : D1 + D2`, `X[t] : … X[t - 1] …`, `x ~ normal(mu[z], 1)`.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

namespace {

bool is_noisy(const std::string& name) { return name == "noisy_or" || name == "noisy_max"; }

/// Whether some local it uses is not among the known ones; those of functions inside it are their own.
bool uses_unknown(const Expr& expr, const std::function<bool(std::uint32_t)>& known) {
    bool out = false;
    walk(expr, [&](const Expr& part) {
        if (const auto* name = std::get_if<NameExpr>(&part.node); name && name->resolved.kind == Resolution::Kind::local)
            out = out || !known(name->resolved.slot);
        if (const auto* lambda = std::get_if<Lambda>(&part.node)) {
            for (const auto& capture : lambda->frame.captures) out = out || !known(capture.from);
            return false;
        }
        return !out;
    });
    return out;
}

}  // namespace

bool NetDeclaration::names_known(const Expr& expr) const { return !before_run_ || names_have_values(expr, self_.world_); }

bool NetDeclaration::is_constant(const Expr& expr) const {
    bool out = names_known(expr);
    walk(expr, [&](const Expr& part) {
        const auto* name = std::get_if<NameExpr>(&part.node);
        out = out && !(name && name->resolved.kind == Resolution::Kind::unresolved && !is_noisy(name->name));
        return out;
    });
    return out;
}

bool NetDeclaration::evaluable(const Expr& expr) const {
    return is_constant(expr) && !uses_unknown(expr, [&](std::uint32_t slot) { return slot >= unknown_; });
}

bool NetDeclaration::evaluable(const Node& node) const {
    const auto& listed = node.decl->parents;
    const auto fits = [&](const Expr& expr) {
        bool out = names_known(expr) && !uses_unknown(expr, [&](std::uint32_t slot) { return slot >= unknown_; });
        walk(expr, [&](const Expr& part) {
            const auto* name = std::get_if<NameExpr>(&part.node);
            if (!name || name->resolved.kind != Resolution::Kind::unresolved || is_noisy(name->name)) return out;
            // A variable has its value when the row is worked out; another name that means nothing has been reported.
            const bool parent =
                std::any_of(listed.begin(), listed.end(), [&](const VariableRef& ref) { return ref.name.text == name->name; });
            const bool variable = by_name_.contains(name->name) || plates_.contains(name->name);
            out = out && (listed.empty() ? variable : parent);
            return out;
        });
        return out;
    };
    if (const auto* expr = std::get_if<ExprPtr>(&node.decl->table)) return fits(**expr);
    for (const auto& row : std::get<CptBlock>(node.decl->table).rows) {
        if (!fits(*row.value)) return false;
        for (const auto& key : row.keys)
            if (key.computed && !fits(*key.computed)) return false;
    }
    return true;
}

bool NetDeclaration::mentions_parents(const Node& node, const Expr& expr) const {
    const std::size_t first = node.outer.size();
    const std::size_t last = first + node.decl->parents.size();
    bool out = uses_unknown(expr, [&](std::uint32_t slot) { return slot < first || slot >= last; });
    walk(expr, [&](const Expr& part) {
        const auto* name = std::get_if<NameExpr>(&part.node);
        if (name && name->resolved.kind == Resolution::Kind::unresolved && !is_noisy(name->name)) out = true;
        return !out;
    });
    return out;
}

/// The parent that a bare name stands for.
const NetDeclaration::Node* NetDeclaration::parent_named(const Node& node, const Expr& expr) const {
    const auto* name = std::get_if<NameExpr>(&expr.node);
    if (!name) return nullptr;
    if (name->resolved.kind == Resolution::Kind::unresolved) {
        const auto found = by_name_.find(name->name);
        return found == by_name_.end() ? nullptr : &nodes_[found->second];
    }
    if (name->resolved.kind != Resolution::Kind::local || name->resolved.slot < node.outer.size()) return nullptr;
    const auto found = std::find(node.slots.begin(), node.slots.end(), name->resolved.slot - node.outer.size());
    return found == node.slots.end() ? nullptr : &nodes_[node.parents[static_cast<std::size_t>(found - node.slots.begin())]];
}

bool NetDeclaration::check_comparisons(const Node& node, const Expr& expr) {
    bool fine = true;
    walk(expr, [&](const Expr& part) {
        if (std::holds_alternative<Lambda>(part.node)) return false;  // its slots are its own
        const auto* binary = std::get_if<Binary>(&part.node);
        if (!fine || !binary || (binary->op != BinaryOp::equal && binary->op != BinaryOp::not_equal)) return fine;
        const bool left = parent_named(node, *binary->left) != nullptr;
        const Node* parent = parent_named(node, left ? *binary->left : *binary->right);
        const Expr& other = left ? *binary->right : *binary->left;
        if (!parent || !parent->domain || mentions_parents(node, other) || !evaluable(other)) return true;
        // Numbers may well be compared with one that is not reached; 1 and 0 stand for true and false.
        const auto numeric = [](const rt::Label& label) { return label.is_number(); };
        if (std::any_of(parent->domain->labels().begin(), parent->domain->labels().end(), numeric)) return true;
        bool locals = false;  // of a comprehension round it
        walk(other, [&](const Expr& inner) {
            const auto* name = std::get_if<NameExpr>(&inner.node);
            locals = locals || (name && name->resolved.kind == Resolution::Kind::local && name->resolved.slot >= node.outer.size());
            return true;
        });
        if (locals) return true;
        Frame frame = node.outer;
        const auto value = self_.eval(other, frame);
        const auto label = value ? value->as_label() : std::nullopt;
        if (!value || (label && parent->domain->find(rt::truth_of_number(*parent->domain, *label)))) return true;
        const auto* word = std::get_if<NameExpr>(&other.node);
        const bool spelled = word && parent->domain->find(rt::Label::of_text(word->name));
        Fault never = label
                          ? no_such_label({parent->name, parent->domain}, *label)
                          : self_.fault("E-TYPE", fmt::format("{} is compared with {}, which it never equals", parent->name, value->kind()),
                                        other.span);
        if (spelled) never.hint = fmt::format("{0} is a name of the script here: write \"{0}\" for the label", word->name);
        report(self_.at(std::move(never), other.span));
        fine = false;
        return false;
    });
    return fine;
}

/// Goes through an expression with the values that are known before any variable has one: indices are worked out where they depend on
/// no variable, and a branch that cannot be taken is left out (`if t == 1 then … else X[t - 1]`).
class NetDeclaration::ParentReader {
public:
    ParentReader(NetDeclaration& net, Node& node) : net_(net), node_(node) {}

    /// `known`: which slots of the frame have a value.
    void read(const Expr& expr, Frame& frame, std::vector<bool>& known) {
        walk(expr, [&](const Expr& part) { return visit(part, frame, known); });
    }

private:
    bool visit(const Expr& part, Frame& frame, std::vector<bool>& known) {
        if (const auto* name = std::get_if<NameExpr>(&part.node)) {
            if (name->resolved.kind == Resolution::Kind::unresolved && !is_noisy(name->name)) add(name->name);
            return false;
        }
        if (const auto* index = std::get_if<Index>(&part.node)) return !indexed(*index, part.span, frame, known);
        if (const auto* c = std::get_if<Comprehension>(&part.node)) {
            comprehension(*c, frame, known);
            return false;
        }
        if (const auto* choice = std::get_if<If>(&part.node)) {
            const auto taken = truth(*choice->condition, frame, known);
            if (taken) read(*taken ? *choice->then_ : *choice->else_, frame, known);
            return !taken;
        }
        if (const auto* binary = std::get_if<Binary>(&part.node); binary && binary->op <= BinaryOp::and_) {
            const auto left = truth(*binary->left, frame, known);
            return !left || *left != (binary->op == BinaryOp::or_);
        }
        if (const auto* lambda = std::get_if<Lambda>(&part.node)) {
            function(*lambda, frame, known);
            return false;
        }
        if (const auto* call = std::get_if<Call>(&part.node)) noisy(*call, frame, known);
        return true;
    }

    void add(const std::string& name) {
        const auto put = [&](std::size_t parent) {
            if (!rt::contains(node_.parents, parent)) node_.parents.push_back(parent);
        };
        if (const auto found = net_.by_name_.find(name); found != net_.by_name_.end()) {
            put(found->second);
        } else if (const auto plate = net_.plates_.find(name); plate != net_.plates_.end()) {
            for (const auto member : plate->second)
                if (&net_.nodes_[member] != &node_) put(member);
            node_.together.push_back(name);
        }
    }

    bool has_values(const Expr& expr, const std::vector<bool>& known) const {
        return net_.is_constant(expr) && !uses_unknown(expr, [&](std::uint32_t slot) { return slot < known.size() && known[slot]; });
    }

    std::optional<bool> truth(const Expr& expr, Frame& frame, const std::vector<bool>& known) {
        if (!has_values(expr, known)) return std::nullopt;
        const auto value = net_.self_.eval(expr, frame);
        const auto* b = value ? value->get<bool>() : nullptr;
        return b ? std::optional(*b) : std::nullopt;
    }

    /// Whether it is an index of a plate's variable, or of one with components.
    bool indexed(const Index& index, Span span, Frame& frame, std::vector<bool>& known) {
        const auto* base = std::get_if<NameExpr>(&index.base->node);
        if (!base || base->resolved.kind != Resolution::Kind::unresolved) return false;
        if (net_.by_name_.contains(base->name)) {
            add(base->name);
            for (const auto& one : index.indices) read(*one, frame, known);
            return true;
        }
        const bool values =
            std::all_of(index.indices.begin(), index.indices.end(), [&](const ExprPtr& one) { return has_values(*one, known); });
        const auto at = values ? net_.self_.plate_indices(index, frame) : Result<PlateIndices>(Fault{});
        if (!at) {  // a variable picks one: all can be picked
            for (const auto& one : index.indices) read(*one, frame, known);
            add(base->name);
            return true;
        }
        for (const auto& inside : at->texts) member(base->name + "[" + inside + "]", span);
        return true;
    }

    void member(const std::string& name, Span span) {
        if (const auto found = net_.variable_named(name)) return add(net_.nodes_[rt::index((*found)->variable)].name);
        node_.known = false;
        if (net_.whole_) {
            std::vector<std::string> names;
            for (const auto& other : net_.nodes_) names.push_back(other.name);
            net_.report(net_.self_.at(no_such_variable("net " + net_.statement_.name.text, names, name), span));
        }
        net_.whole_ = false;
    }

    void comprehension(const Comprehension& c, Frame& frame, std::vector<bool>& known) {
        read(*c.source, frame, known);
        if (frame.size() <= c.slot) frame.resize(c.slot + 1);
        if (known.size() <= c.slot) known.resize(c.slot + 1);
        List one{Value()};
        auto source = has_values(*c.source, known) ? net_.self_.eval(*c.source, frame) : Result<Value>(Fault{});
        const List* items = source ? source->items() : nullptr;
        known[c.slot] = items != nullptr;
        for (const auto& item : items ? *items : one) {
            frame[c.slot] = item;
            if (c.condition) {
                read(*c.condition, frame, known);
                if (const auto keep = truth(*c.condition, frame, known); keep && !*keep) continue;
            }
            read(*c.body, frame, known);
        }
        known[c.slot] = false;
    }

    void function(const Lambda& lambda, const Frame& frame, const std::vector<bool>& known) {
        Frame inner(lambda.frame.size);
        std::vector<bool> inner_known(lambda.frame.size);
        for (const auto& capture : lambda.frame.captures)
            if (capture.from < frame.size() && capture.from < known.size() && known[capture.from]) {
                inner[capture.to] = frame[capture.from];
                inner_known[capture.to] = true;
            }
        read(*lambda.body, inner, inner_known);
    }

    /// noisy_or(Flu: 0.6, C[i]: 0.4): the names of the arguments are the parents.
    void noisy(const Call& call, Frame& frame, const std::vector<bool>& known) {
        const auto* callee = std::get_if<NameExpr>(&call.callee->node);
        if (!callee || !is_noisy(callee->name)) return;
        for (const auto& argument : call.arguments) {
            if (!argument.name) continue;
            std::string name = argument.name->text;
            if (argument.index) {
                auto text =
                    has_values(*argument.index, known) ? net_.self_.index_text(*argument.index, frame) : Result<std::string>(Fault{});
                if (text) name += "[" + *text + "]";
            }
            if (net_.by_name_.contains(name)) add(name);
        }
    }

    NetDeclaration& net_;
    Node& node_;
};

void NetDeclaration::read_parents(Node& node) {
    const auto* expr = std::get_if<ExprPtr>(&node.decl->table);
    if (!expr) return;
    Frame frame = node.outer;
    std::vector<bool> known(frame.size(), true);
    for (std::size_t slot = 0; slot < unknown_; ++slot) known[slot] = false;
    ParentReader(*this, node).read(**expr, frame, known);
}

}  // namespace credence::lang
