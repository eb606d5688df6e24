// `X ~ multinormal(mean, covariance)` and `X ~ multinomial(n, p)` in a net: the variables X[1] … X[k], each normal, or binomial, given
// those before it.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "runtime/core/member_name.hpp"

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

const Call* NetDeclaration::drawn_from(const NetNodeDecl& decl, std::string_view family) {
    const auto* expr = std::get_if<ExprPtr>(&decl.table);
    const auto* call = decl.distributed && expr ? std::get_if<Call>(&(*expr)->node) : nullptr;
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const bool named = callee && callee->resolved.kind == Resolution::Kind::builtin && callee->name == family;
    return named ? call : nullptr;
}

const Expr* NetDeclaration::argument_of(const Call& call, std::string_view name, std::size_t position) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const auto& argument = call.arguments[i];
        if (argument.name ? argument.name->text == name : i == position) return argument.value.get();
    }
    return nullptr;
}

bool NetDeclaration::expand_joint(const NetNodeDecl& decl, const Node& like) {
    if (const Call* call = drawn_from(decl, "multinomial")) {
        expand_counts(*call, decl, like);
        return true;
    }
    if (const Call* call = drawn_from(decl, "lkj")) {
        expand_correlations(*call, decl, like);
        return true;
    }
    const Call* process = drawn_from(decl, "gaussian_process");
    const Call* call = process ? process : drawn_from(decl, "multinormal");
    if (!call) return false;
    if (process && !evaluable(*std::get<ExprPtr>(decl.table))) {
        expand_process(*process, decl, like);
        return true;
    }
    const Expr* mean = process ? nullptr : argument_of(*call, "mean", 0);
    const Expr* covariance = process ? std::get<ExprPtr>(decl.table).get() : argument_of(*call, "covariance", 1);
    if (!process && (!mean || !covariance || call->arguments.size() != 2)) {
        report(self_.fault("E-ARGUMENT", "multinormal takes mean, covariance", decl.span));
        return true;
    }
    if (!evaluable(*covariance)) {
        expand_uncertain(*call, mean, decl, like);
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
    add_parts(std::move(joint), k, decl, like);
    return true;
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

void NetDeclaration::expand_counts(const Call& call, const NetNodeDecl& decl, const Node& like) {
    auto joint = std::make_shared<Joint>();
    joint->trials = argument_of(call, "n", 0);
    joint->shares = argument_of(call, "p", 1);
    if (!joint->trials || !joint->shares || call.arguments.size() != 2) {
        report(self_.fault("E-ARGUMENT", "multinomial takes n, p", decl.span));
        return;
    }
    auto size = entries_of(*joint->shares, like);
    if (!size) {
        report(std::move(size).fault());
    } else if (*size == 0) {  // its names have no values yet
        whole_ = false;
        open_.insert(like.name);
    } else {
        add_parts(std::move(joint), *size, decl, like);
    }
}

/// How many entries a list has: as written, as its value, or as the dirichlet that it names has. 0: not known yet.
Result<std::size_t> NetDeclaration::entries_of(const Expr& list, const Node& like) {
    std::size_t out = 0;
    const auto* name = std::get_if<NameExpr>(&list.node);
    const auto found = name ? by_name_.find(name->name) : by_name_.end();
    const Call* dirichlet = found == by_name_.end() ? nullptr : drawn_from(*nodes_[found->second].decl, "dirichlet");
    if (const auto* written = std::get_if<ListLit>(&list.node)) {
        out = written->items.size();
    } else if (dirichlet && !dirichlet->arguments.empty()) {
        return entries_of(*dirichlet->arguments[0].value, like);
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
                           "the p of a multinomial is a list of at least two probabilities, or a variable drawn from a dirichlet before it",
                           list.span);
    return out;
}

/// X[j] is binomial over the trials that are left, with the share of p[j] in what p has left.
Result<NetDeclaration::Drawn> NetDeclaration::drawn_count(const Node& node, TermLowering& lowering, SymbolicFrame& frame) {
    const Joint& joint = *node.joint;
    const rt::Term most = TRY(lowering.number(*joint.trials, frame));
    const auto whole = rt::is_constant(most) && most->value.is_exact() ? most->value.exact().to_int64() : std::nullopt;
    if (!whole || *whole < 0)
        return self_.fault("E-TYPE", "the n of a multinomial in a net is a whole number", joint.trials->span,
                           "not a variable, and not below 0");
    rt::Term trials = most;
    auto lowered = TRY(lowering.lower(*joint.shares, frame));
    std::vector<rt::Term> shares;
    if (const auto* list = std::get_if<Symbolic::List>(&lowered.node))
        for (const auto& item : *list) {
            auto term = TRY(lowering.as_number(item, joint.shares->span));
            shares.push_back(std::move(term));
        }
    if (const List* plain = lowered.is_value() ? lowered.value().items() : nullptr)
        for (const auto& item : *plain) {
            auto term = TRY(lowering.as_number(Symbolic{item}, joint.shares->span));
            shares.push_back(std::move(term));
        }
    if (const auto* vector = std::get_if<rt::Term>(&lowered.node); vector && (*vector)->op == rt::TermOp::variable)
        for (std::size_t j = 1; j <= joint.nodes.size(); ++j) shares.push_back(rt::component_term((*vector)->variable, j));
    if (shares.size() != joint.nodes.size())
        return self_.fault("E-TYPE", fmt::format("p has {} entries, not {}", shares.size(), joint.nodes.size()), joint.shares->span);
    rt::Term rest = rt::constant_term(1);
    rt::Number known(0);
    bool constant = true;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        constant = constant && rt::is_constant(shares[i]);
        if (constant) known += shares[i]->value;
        if (constant && shares[i]->value.sign() < 0)
            return self_.fault("E-NEGATIVE", fmt::format("p[{}] is below 0", i + 1), joint.shares->span);
        if (i >= node.position) continue;
        trials = rt::make_term(rt::TermOp::subtract, {trials, rt::variable_term(static_cast<rt::VarId>(joint.nodes[i]))});
        rest = rt::make_term(rt::TermOp::subtract, {rest, shares[i]});
    }
    if (constant && !rt::sums_to_one(known))
        return self_.fault("E-SUM", "the probabilities of a multinomial do not sum to 1", joint.shares->span,
                           fmt::format("their sum is {}", show_number(known, self_.show_)));
    Drawn out;
    out.family = rt::Family::binomial;
    out.most = most;
    if (node.position > 0)
        trials = rt::make_term(rt::TermOp::max, {trials, rt::constant_term(0)});  // where the counts before it are too many
    const bool last = node.position + 1 == joint.nodes.size();
    const bool nothing_left = rt::is_constant(rest) && rest->value.sign() <= 0;
    out.parameters = {trials, last           ? rt::constant_term(1)
                              : nothing_left ? rt::constant_term(0)
                                             : rt::make_term(rt::TermOp::divide, {shares[node.position], rest})};
    out.spans.assign(2, node.decl->span);
    return out;
}

Result<std::vector<rt::Term>> NetDeclaration::means_of(const Joint& joint, TermLowering& lowering, SymbolicFrame& frame) {
    if (!joint.mean) return std::vector<rt::Term>(joint.nodes.size(), rt::constant_term(0));
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
    return terms;
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_part(const Node& node, TermLowering& lowering, SymbolicFrame& frame) {
    const Joint& joint = *node.joint;
    if (joint.trials) return drawn_count(node, lowering, frame);
    const auto terms = TRY(means_of(joint, lowering, frame));
    Drawn out;
    out.family = rt::Family::normal;
    out.spans.assign(2, node.decl->span);
    if (joint.uncertain) {
        const rt::Term mean =
            joint.whole ? rt::variable_term(static_cast<rt::VarId>(joint.centre[node.position])) : centre_term(joint, terms, node.position);
        out.parameters = {mean, factor_term(joint, node.position, node.position)};
        return out;
    }
    rt::Term mean = terms[node.position];
    for (std::size_t i = 0; i < node.position; ++i) {
        const auto before = rt::variable_term(static_cast<rt::VarId>(joint.nodes[i]));
        const auto off = rt::make_term(rt::TermOp::subtract, {before, terms[i]});
        mean = rt::make_term(rt::TermOp::add,
                             {mean, rt::make_term(rt::TermOp::multiply, {rt::constant_term(joint.slopes[node.position][i]), off})});
    }
    out.parameters = {mean, rt::make_term(rt::TermOp::sqrt, {rt::constant_term(joint.variances[node.position])})};
    return out;
}

}  // namespace credence::lang
