// `X ~ multinormal(mean, covariance)` in a net: the variables X[1] … X[k], each normal given those before it.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"

namespace credence::lang {

namespace {

/// The call, where the node is drawn from a multinormal.
const Call* multinormal_call(const NetNodeDecl& decl) {
    const auto* expr = std::get_if<ExprPtr>(&decl.table);
    const auto* call = decl.distributed && expr ? std::get_if<Call>(&(*expr)->node) : nullptr;
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const bool named = callee && callee->resolved.kind == Resolution::Kind::builtin && callee->name == "multinormal";
    return named ? call : nullptr;
}

const Expr* argument_of(const Call& call, std::string_view name, std::size_t position) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const auto& argument = call.arguments[i];
        if (argument.name ? argument.name->text == name : i == position) return argument.value.get();
    }
    return nullptr;
}

Result<std::vector<std::vector<rt::Number>>> matrix_of(const Value& value) {
    std::vector<std::vector<rt::Number>> out;
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

bool NetDeclaration::expand_joint(const NetNodeDecl& decl, const Node& like) {
    const Call* call = multinormal_call(decl);
    if (!call) return false;
    const Expr* mean = argument_of(*call, "mean", 0);
    const Expr* covariance = argument_of(*call, "covariance", 1);
    if (!mean || !covariance || call->arguments.size() != 2) {
        report(self_.fault("E-ARGUMENT", "multinormal takes mean, covariance", decl.span));
        return true;
    }
    if (!evaluable(*covariance)) {
        whole_ = false;
        open_.insert(like.name);
        return true;
    }
    Frame frame = like.outer;
    auto value = self_.eval(*covariance, frame);
    auto rows = value ? matrix_of(*value) : Result<std::vector<std::vector<rt::Number>>>(std::move(value).fault());
    if (!rows) {
        report(self_.at(std::move(rows).fault(), covariance->span));
        return true;
    }
    // Given those before it, X[j] has mean m_j + Σ b_i (X[i] − m_i): eliminating i from the rows below leaves both b and what variance is
    // left (the LDLᵀ decomposition).
    auto a = *std::move(rows);
    const std::size_t k = a.size();
    auto joint = std::make_shared<Joint>();
    joint->mean = mean;
    std::vector<std::vector<rt::Number>> lower(k, std::vector<rt::Number>(k, rt::Number(0)));
    for (std::size_t i = 0; i < k; ++i) {
        joint->variances.push_back(a[i][i]);
        for (std::size_t r = i + 1; r < k; ++r) {
            lower[r][i] = a[r][i] / a[i][i];
            for (std::size_t c = i + 1; c < k; ++c) a[r][c] = a[r][c] - lower[r][i] * a[i][c];
        }
    }
    // X − m = L z with independent z; what of L is on the X before it, from the last of them to the first.
    for (std::size_t j = 0; j < k; ++j) {
        std::vector<rt::Number> b(lower[j].begin(), lower[j].begin() + static_cast<std::ptrdiff_t>(j));
        for (std::size_t i = j; i-- > 0;)
            for (std::size_t r = i + 1; r < j; ++r) b[i] = b[i] - b[r] * lower[r][i];
        joint->slopes.push_back(std::move(b));
    }
    for (std::size_t j = 0; j < k; ++j) joint->nodes.push_back(nodes_.size() + j);
    for (std::size_t j = 0; j < k; ++j) {
        Node node = like;
        node.name = fmt::format("{}[{}]", like.name, j + 1);
        node.joint = joint;
        node.position = j;
        if (by_name_.contains(node.name))
            report(self_.fault("E-DUPLICATE", fmt::format("{} is declared twice in net {}", node.name, statement_.name.text),
                               decl.name.span, "declared already"));
        by_name_.emplace(node.name, nodes_.size());
        plates_[like.name].push_back(nodes_.size());
        nodes_.push_back(std::move(node));
    }
    return true;
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_part(const Node& node, TermLowering& lowering, SymbolicFrame& frame) {
    const Joint& joint = *node.joint;
    auto lowered = TRY(lowering.lower(*joint.mean, frame));
    Symbolic::List means;
    if (const auto* list = std::get_if<Symbolic::List>(&lowered.node)) means = *list;
    if (const List* plain = lowered.is_value() ? lowered.value().items() : nullptr)
        for (const auto& item : *plain) means.push_back(Symbolic{item});
    if (means.size() != joint.nodes.size())
        return self_.fault(
            "E-TYPE",
            fmt::format("the mean is a list of {} numbers, as the covariance has {} rows", joint.nodes.size(), joint.nodes.size()),
            joint.mean->span);
    std::vector<rt::Term> terms;
    for (const auto& mean : means) {
        auto term = TRY(lowering.as_number(mean, joint.mean->span));
        terms.push_back(std::move(term));
    }
    for (const auto& term : terms)
        for (const auto id : rt::variables_of(term))
            if (rt::index(id) >= nodes_.size())
                return self_.fault("E-HOLE", "nothing of a multinormal can be learned in a net", joint.mean->span, "not a hole here",
                                   "write the variables one by one: X ~ normal(?, ?), Y ~ normal(? + ? * X, ?)");
    rt::Term mean = terms[node.position];
    for (std::size_t i = 0; i < node.position; ++i) {
        const auto before = rt::variable_term(static_cast<rt::VarId>(joint.nodes[i]));
        const auto off = rt::make_term(rt::TermOp::subtract, {before, terms[i]});
        mean = rt::make_term(rt::TermOp::add,
                             {mean, rt::make_term(rt::TermOp::multiply, {rt::constant_term(joint.slopes[node.position][i]), off})});
    }
    Drawn out;
    out.family = rt::Family::normal;
    out.parameters = {mean, rt::make_term(rt::TermOp::sqrt, {rt::constant_term(joint.variances[node.position])})};
    out.spans.assign(2, node.decl->span);
    return out;
}

}  // namespace credence::lang
