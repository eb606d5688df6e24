// `X ~ multinormal(mean, covariance)` and the like in a net: the variables X[1] … X[k], each drawn given those before it. How, the record
// of the family says.

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "runtime/core/member_name.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

/// Of a list of rows, or of a multinormal, which has passed its checks.
Result<std::vector<std::vector<rt::Number>>> matrix_of(const Value& value) {
    std::vector<std::vector<rt::Number>> out;
    if (const auto* d = value.get<rt::DistributionPtr>()) {
        const auto parameters = (*d)->parameters();
        return std::get<std::vector<std::vector<rt::Number>>>(parameters[1].value);
    }
    const List* rows = value.items();
    bool fine = rows && !rows->empty();
    for (std::size_t i = 0; fine && i < rows->size(); ++i) {
        const List* row = (*rows)[i].items();
        out.emplace_back();
        fine = row && row->size() == rows->size();
        for (std::size_t j = 0; fine && j < row->size(); ++j) {
            const auto* n = (*row)[j].get<rt::Number>();
            fine = n != nullptr;
            if (n) out.back().push_back(*n);
        }
    }
    if (!fine) return Fault{.code = "E-TYPE", .message = "a covariance matrix is a list of k rows of k numbers"};
    TRY(rt::make_multinormal(std::vector<rt::Number>(out.size(), rt::Number(0)), out));
    return out;
}

}  // namespace

const Call* NetDeclaration::drawn_call_of(const NetNodeDecl& decl) {
    const auto* expr = std::get_if<ExprPtr>(&decl.table);
    const auto* call = decl.distributed && expr ? std::get_if<Call>(&(*expr)->node) : nullptr;
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    return callee && callee->resolved.kind == Resolution::Kind::builtin ? call : nullptr;
}

const Call* NetDeclaration::drawn_from(const NetNodeDecl& decl, std::string_view family) {
    const Call* call = drawn_call_of(decl);
    return call && std::get<NameExpr>(call->callee->node).name == family ? call : nullptr;
}

const rt::FamilyInfo* NetDeclaration::family_of(const NetNodeDecl& decl) {
    const Call* call = drawn_call_of(decl);
    return call ? rt::find_family(std::get<NameExpr>(call->callee->node).name) : nullptr;
}

const Expr* NetDeclaration::argument_of(const Call& call, std::string_view name, std::size_t position) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const auto& argument = call.arguments[i];
        if (argument.name ? argument.name->text == name : i == position) return argument.value.get();
    }
    return nullptr;
}

bool NetDeclaration::expand_joint(const NetNodeDecl& decl, const Node& like) {
    if (const Call* call = drawn_from(decl, "lkj")) {
        expand_correlations(*call, decl, like);
        return true;
    }
    auto joint = std::make_shared<Joint>();
    if (const Call* process = drawn_from(decl, "gaussian_process")) {
        const Expr& covariance = *std::get<ExprPtr>(decl.table);
        joint->family = &rt::multinormal_family;
        joint->arguments = {nullptr, &covariance};
        if (evaluable(covariance))
            expand_known(std::move(joint), covariance, decl, like);
        else
            expand_process(*process, decl, like);
        return true;
    }
    joint->family = family_of(decl);
    if (!joint->family || !joint->family->has_parts()) return false;
    const Call& call = *drawn_call_of(decl);
    const auto& parameters = joint->family->parameters;
    std::size_t longest = 0;  // the parameter that tells how many parts there are
    bool whole = call.arguments.size() == parameters.size();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        joint->arguments.push_back(argument_of(call, parameters[i].name, i));
        whole = whole && joint->arguments.back();
        if (parameters[i].form > parameters[longest].form) longest = i;
    }
    if (!whole) {
        report(self_.fault("E-ARGUMENT", fmt::format("{} takes {}", joint->family->name, rt::joined(joint->family->names(), ", ")),
                           decl.span));
        return true;
    }
    const Expr& list = *joint->arguments[longest];
    if (parameters[longest].form != rt::Form::matrix)
        expand_list(std::move(joint), list, decl, like);
    else if (evaluable(list))
        expand_known(std::move(joint), list, decl, like);
    else
        expand_uncertain(call, joint->arguments[0], decl, like);
    return true;
}

void NetDeclaration::expand_known(std::shared_ptr<Joint> joint, const Expr& covariance, const NetNodeDecl& decl, const Node& like) {
    Frame frame = like.outer;
    auto value = self_.eval(covariance, frame);
    auto rows = value ? matrix_of(*value) : Result<std::vector<std::vector<rt::Number>>>(std::move(value).fault());
    if (!rows) {
        report(self_.at(std::move(rows).fault(), covariance.span));
        return;
    }
    joint->known = *std::move(rows);
    const std::size_t k = joint->known.size();
    add_parts(std::move(joint), k, decl, like);
}

void NetDeclaration::add_parts(std::shared_ptr<Joint> joint, std::size_t k, const NetNodeDecl& decl, const Node& like) {
    for (std::size_t j = 0; j < k; ++j) joint->nodes.push_back(nodes_.size() + j);
    for (std::size_t j = 0; j < k; ++j) {
        Node node = like;
        node.name = rt::member_name(like.name, j + 1);
        node.joint = joint;
        node.position = j;
        if (by_name_.contains(node.name))
            report(self_.fault("E-DUPLICATE", fmt::format("{} is declared twice in net {}", node.name, statement_.name.text),
                               decl.name.span, "declared already"));
        by_name_.emplace(node.name, nodes_.size());
        plates_[decl.name.name.text].push_back(nodes_.size());
        nodes_.push_back(std::move(node));
    }
}

void NetDeclaration::expand_list(std::shared_ptr<Joint> joint, const Expr& list, const NetNodeDecl& decl, const Node& like) {
    auto size = entries_of(list, *joint->family, like);
    if (!size) {
        report(std::move(size).fault());
    } else if (*size == 0) {  // its names have no values yet
        whole_ = false;
        open_.insert(like.name);
    } else {
        add_parts(std::move(joint), *size, decl, like);
    }
}

/// How many entries a list has: as written, as its value, or as the vector that it names has. 0: not known yet.
Result<std::size_t> NetDeclaration::entries_of(const Expr& list, const rt::FamilyInfo& family, const Node& like) {
    std::size_t out = 0;
    const auto* name = std::get_if<NameExpr>(&list.node);
    const auto found = name ? by_name_.find(name->name) : by_name_.end();
    const NetNodeDecl* named = found == by_name_.end() ? nullptr : nodes_[found->second].decl;
    const auto* of = named ? family_of(*named) : nullptr;
    if (const auto* written = std::get_if<ListLit>(&list.node)) {
        out = written->items.size();
    } else if (of && of->has_sticks() && !drawn_call_of(*named)->arguments.empty()) {
        return entries_of(*drawn_call_of(*named)->arguments[0].value, family, like);
    } else if (!evaluable(list)) {
        return out;
    } else {
        Frame frame = like.outer;
        auto value = TRY(self_.eval(list, frame));
        const List* items = value.items();
        out = items ? items->size() : 0;
    }
    if (out < 2)
        return self_.fault("E-TYPE",
                           fmt::format("a {} in a net takes a list of at least two numbers, or a vector drawn before it", family.name),
                           list.span);
    return out;
}

Result<std::vector<rt::Term>> NetDeclaration::list_of(const Joint& joint, const Expr* list, TermLowering& lowering, SymbolicFrame& frame) {
    const std::size_t k = joint.nodes.size();
    if (!list) return std::vector<rt::Term>(k, rt::constant_term(0));
    auto lowered = TRY(lowering.lower(*list, frame));
    std::vector<rt::Term> out;
    const auto add = [&](const Symbolic& item) -> Status {
        out.push_back(TRY(lowering.as_number(item, list->span)));
        return rt::Done{};
    };
    if (const auto* items = std::get_if<Symbolic::List>(&lowered.node))
        for (const auto& item : *items) TRY(add(item));
    if (const List* plain = lowered.is_value() ? lowered.value().items() : nullptr)
        for (const auto& item : *plain) TRY(add(Symbolic{item}));
    const auto* vector = std::get_if<rt::Term>(&lowered.node);
    if (vector && (*vector)->op == rt::TermOp::variable)
        for (std::size_t j = 1; j <= nodes_[rt::index((*vector)->variable)].dimension; ++j)
            out.push_back(rt::component_term((*vector)->variable, j));
    const bool covariance = joint.uncertain || !joint.known.empty();
    if (out.size() != k)
        return self_.fault("E-TYPE",
                           covariance ? fmt::format("the mean is a list of {} numbers, as the covariance has {} rows", k, k)
                                      : fmt::format("a list of {} numbers is needed here, found {}", k, out.size()),
                           list->span);
    for (const auto& term : out)
        for (const auto id : rt::variables_of(term))
            if (rt::index(id) >= nodes_.size())
                return self_.fault("E-HOLE", fmt::format("the parameters of a {} cannot be learned in a net", joint.family->name),
                                   list->span, "not a hole here",
                                   covariance ? "write the variables one by one: X ~ normal(?, ?), Y ~ normal(? + ? * X, ?)" : "");
    return out;
}

Result<std::vector<rt::VectorPart>> NetDeclaration::parts_of(const Joint& joint, TermLowering& lowering, SymbolicFrame& frame) {
    std::vector<rt::VectorArgument> arguments;
    for (std::size_t i = 0; i < joint.arguments.size(); ++i) {
        const Expr* written = joint.arguments[i];
        auto& out = arguments.emplace_back();
        if (written) out.origin = self_.origin(written->span);
        switch (joint.family->parameters[i].form) {
            case rt::Form::number:
                out.terms = {TRY(lowering.number(*written, frame))};
                break;
            case rt::Form::matrix:
                for (const auto& row : joint.known)
                    for (const auto& entry : row) out.terms.push_back(rt::constant_term(entry));
                break;
            case rt::Form::list:
            case rt::Form::weights:
                out.terms = TRY(list_of(joint, written, lowering, frame));
                break;
        }
    }
    std::vector<rt::Term> entries;
    for (const auto node : joint.nodes) entries.push_back(rt::variable_term(static_cast<rt::VarId>(node)));
    return joint.family->vector->parts(arguments, entries);
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_part(const Node& node, TermLowering& lowering, SymbolicFrame& frame) {
    Joint& joint = *node.joint;
    Drawn out;
    if (joint.uncertain) {  // m + L z
        const auto means = TRY(list_of(joint, joint.mean, lowering, frame));
        const rt::Term mean =
            joint.whole ? rt::variable_term(static_cast<rt::VarId>(joint.centre[node.position])) : centre_term(joint, means, node.position);
        out.family = rt::Family::normal;
        out.parameters = {mean, factor_term(joint, node.position, node.position)};
    } else {
        if (joint.parts.empty()) joint.parts = TRY(parts_of(joint, lowering, frame));
        const auto& part = joint.parts[node.position];
        out.family = *part.family;
        out.parameters = part.parameters;
        out.most = part.most;
    }
    out.spans.assign(out.parameters.size(), node.decl->span);
    return out;
}

}  // namespace credence::lang
