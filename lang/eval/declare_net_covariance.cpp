// Covariances that depend on variables: `y ~ multinormal(mean, [[s^2, r], …])`, `f ~ gaussian_process(xs, rbf(alpha, rho))`,
// `R ~ lkj(3, 2)`. Every engine sees normals and computed numbers alone: the Cholesky factor is computed entry by entry, so that small
// ones keep their closed forms, or as one list where it is larger.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "runtime/core/member_name.hpp"
#include "runtime/core/triangle.hpp"

namespace credence::lang {

namespace {

using rt::Term;
using rt::TermOp;

constexpr std::size_t largest_covariance = 400;  ///< rows: the factor takes a third of their cube in operations
constexpr std::size_t largest_written_out = 4;
constexpr double nugget = 1e-8;  ///< share that keeps the covariance of a smooth process positive definite

Term node_term(std::size_t position) { return rt::variable_term(static_cast<rt::VarId>(position)); }
Term product(const Term& a, const Term& b) { return rt::make_term(TermOp::multiply, {a, b}); }
Term difference(const Term& a, const Term& b) { return rt::make_term(TermOp::subtract, {a, b}); }
Term quotient(const Term& a, const Term& b) { return rt::make_term(TermOp::divide, {a, b}); }
Term root(const Term& a) { return rt::make_term(TermOp::sqrt, {a}); }

std::optional<Symbolic::List> items_of(const Symbolic& value) {
    if (const auto* list = std::get_if<Symbolic::List>(&value.node)) return *list;
    const List* plain = value.is_value() ? value.value().items() : nullptr;
    if (!plain) return std::nullopt;
    Symbolic::List out;
    for (const auto& item : *plain) out.push_back(Symbolic{item});
    return out;
}

}  // namespace

/// How many items a list has that may depend on variables; 0: not known.
std::size_t NetDeclaration::dimension_of(const Expr& list, const Node& like) {
    if (const auto* written = std::get_if<ListLit>(&list.node)) return written->items.size();
    const auto* each = std::get_if<Comprehension>(&list.node);
    if (each && (each->condition || each->flatten)) each = nullptr;
    const Expr& source = each ? *each->source : list;
    if (!evaluable(source)) return 0;
    Frame frame = like.outer;
    const auto value = self_.eval(source, frame);
    const List* items = value ? value->items() : nullptr;
    return items ? items->size() : 0;
}

std::size_t NetDeclaration::add_part(const std::shared_ptr<Joint>& joint, Part part, std::size_t row, std::size_t column, std::string name,
                                     const Node& like) {
    Node node = like;
    node.name = std::move(name);
    node.joint = joint;
    node.part = part;
    node.step = part != Part::correlation;
    node.position = row;
    node.column = column;
    by_name_.emplace(node.name, nodes_.size());
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
}

bool NetDeclaration::add_factors(const std::shared_ptr<Joint>& joint, std::size_t k, const NetNodeDecl& decl, const Node& like) {
    if (k > largest_covariance) {
        report(self_.fault("E-COST", fmt::format("{} has a covariance of {} rows that depends on variables", like.name, k), decl.span,
                           fmt::format("the limit is {} rows", largest_covariance)));
        return false;
    }
    joint->whole = joint->partial.empty() && k > largest_written_out;
    if (joint->whole) joint->factor.push_back(add_part(joint, Part::factor, 0, 0, fmt::format("factor of {}", like.name), like));
    for (std::size_t row = 0; joint->whole && row < k; ++row)
        joint->centre.push_back(add_part(joint, Part::centre, row, 0, fmt::format("mean of {} at {}", like.name, row + 1), like));
    for (std::size_t row = 0; !joint->whole && row < k; ++row)
        for (std::size_t column = 0; column <= row; ++column)
            joint->factor.push_back(
                add_part(joint, Part::factor, row, column, fmt::format("factor of {} at {}, {}", like.name, row + 1, column + 1), like));
    return true;
}

void NetDeclaration::add_factored(const Call& call, const Expr* mean, std::size_t k, const NetNodeDecl& decl, const Node& like) {
    auto joint = std::make_shared<Joint>();
    joint->family = &rt::multinormal_family;
    joint->mean = mean;
    joint->uncertain = &call;
    if (!add_factors(joint, k, decl, like)) return;
    for (std::size_t row = 0; row + 1 < k; ++row)
        joint->standard.push_back(add_part(joint, Part::standard, row, 0, fmt::format("standardised {} at {}", like.name, row + 1), like));
    add_parts(joint, k, decl, like);
}

void NetDeclaration::expand_uncertain(const Call& call, const Expr* mean, const NetNodeDecl& decl, const Node& like) {
    const Expr& covariance = *call.arguments[mean == call.arguments[0].value.get() ? 1 : 0].value;
    std::size_t k = dimension_of(covariance, like);
    if (k == 0) k = dimension_of(*mean, like);
    if (k == 0 || !names_known(covariance) || !names_known(*mean)) {
        whole_ = false;
        open_.insert(like.name);
        return;
    }
    add_factored(call, mean, k, decl, like);
}

void NetDeclaration::expand_process(const Call& call, const NetNodeDecl& decl, const Node& like) {
    const Expr* points = argument_of(call, "xs", 0);
    const bool fine = points && argument_of(call, "kernel", 1) && call.arguments.size() <= 3;
    if (!fine) {
        report(self_.fault("E-ARGUMENT", "gaussian_process takes xs, kernel and perhaps noise", decl.span));
        return;
    }
    if (!is_constant(*points) && names_known(*points)) {
        report(self_.fault("E-TYPE", "the points of a Gaussian process are known numbers", points->span, "this depends on a variable"));
        return;
    }
    const std::size_t k = dimension_of(*points, like);
    if (k == 0 || !names_known(*std::get<ExprPtr>(decl.table))) {
        whole_ = false;
        open_.insert(like.name);
        return;
    }
    add_factored(call, nullptr, k, decl, like);
}

/// R[i, j] from partial correlations that are independent of each other, each a beta stretched over -1 … 1 (Lewandowski, Kurowicka and Joe
/// 2009, section 2.4).
void NetDeclaration::expand_correlations(const Call& call, const NetNodeDecl& decl, const Node& like) {
    const Expr* size = argument_of(call, "k", 0);
    if (!size || call.arguments.size() > 2) {
        report(self_.fault("E-ARGUMENT", "lkj takes k, eta", decl.span));
        return;
    }
    if (!evaluable(*size)) {
        whole_ = false;
        open_.insert(like.name);
        return;
    }
    Frame frame = like.outer;
    const auto value = self_.eval(*size, frame);
    const auto* number = value ? value->get<rt::Number>() : nullptr;
    const auto whole = number && number->is_exact() ? number->exact().to_int64() : std::nullopt;
    if (!whole || *whole < 2 || *whole > 40) {
        report(self_.fault("E-PARAMETER", "lkj: k must be a whole number from 2 to 40", size->span, "the rows of the matrix"));
        return;
    }
    const auto k = static_cast<std::size_t>(*whole);
    auto joint = std::make_shared<Joint>();
    joint->uncertain = &call;
    joint->rows = *whole;
    for (std::size_t row = 1; row < k; ++row)
        for (std::size_t column = 0; column < row; ++column)
            joint->partial.push_back(add_part(joint, Part::partial, row, column,
                                              fmt::format("partial correlation of {} at {}, {}", like.name, row + 1, column + 1), like));
    if (!add_factors(joint, k, decl, like)) return;
    for (std::size_t row = 0; row < k; ++row)
        for (std::size_t column = 0; column < k; ++column)
            plates_[decl.name.name.text].push_back(add_part(joint, Part::correlation, std::max(row, column), std::min(row, column),
                                                            rt::member_name(rt::member_name(like.name, row + 1), column + 1), like));
}

rt::Term NetDeclaration::factor_term(const Joint& joint, std::size_t row, std::size_t column) const {
    const std::size_t place = rt::place_in_triangle(row, column);
    if (!joint.whole) return node_term(joint.factor[place]);
    return rt::make_term(TermOp::entry, {node_term(joint.factor[0]), rt::constant_term(static_cast<int>(place))});
}

/// m_i + Σ L_ij z_j: the mean of a part given those before it.
rt::Term NetDeclaration::centre_term(const Joint& joint, const std::vector<Term>& means, std::size_t row) const {
    Term out = means[row];
    for (std::size_t j = 0; j < row; ++j)
        out = rt::make_term(TermOp::add, {out, product(factor_term(joint, row, j), node_term(joint.standard[j]))});
    return out;
}

/// z_i = (X_i − m_i − Σ L_ij z_j) / L_ii
rt::Term NetDeclaration::standard_term(const Joint& joint, const std::vector<Term>& means, std::size_t row) const {
    if (joint.whole) return quotient(difference(node_term(joint.nodes[row]), node_term(joint.centre[row])), factor_term(joint, row, row));
    Term rest = difference(node_term(joint.nodes[row]), means[row]);
    for (std::size_t j = 0; j < row; ++j) rest = difference(rest, product(factor_term(joint, row, j), node_term(joint.standard[j])));
    return quotient(rest, factor_term(joint, row, row));
}

/// The factor of a correlation matrix: each partial correlation takes its share of what those before it leave of 1.
rt::Term NetDeclaration::correlation_factor(const Joint& joint, std::size_t row, std::size_t column) const {
    Term left = rt::constant_term(1);
    for (std::size_t j = 0; j < column; ++j) {
        const Term entry = factor_term(joint, row, j);
        left = difference(left, product(entry, entry));
    }
    if (row == 0) return rt::constant_term(1);
    if (row == column) return root(left);
    const Term share = node_term(joint.partial[row * (row - 1) / 2 + column]);
    const Term partial = difference(product(rt::constant_term(2), share), rt::constant_term(1));
    return column == 0 ? partial : product(partial, root(left));
}

Status NetDeclaration::lower_process(Joint& joint, TermLowering& lowering, SymbolicFrame& frame) {
    const Expr& points = *argument_of(*joint.uncertain, "xs", 0);
    const Expr& written = *argument_of(*joint.uncertain, "kernel", 1);
    const Expr* noise = argument_of(*joint.uncertain, "noise", 2);
    const auto lowered = TRY(lowering.lower(points, frame));
    const auto xs = items_of(lowered);
    const auto kernel = TRY(lowering.lower(written, frame));
    Term sigma = rt::constant_term(0);
    if (noise) sigma = TRY(lowering.number(*noise, frame));
    std::vector<std::vector<Term>> triangle;  // whole, or not at all
    for (std::size_t i = 0; xs && i < xs->size(); ++i) {
        triangle.emplace_back();
        for (std::size_t j = 0; j <= i; ++j) {
            const auto entry = TRY(lowering.applied(kernel, {(*xs)[i], (*xs)[j]}, written.span));
            auto term = TRY(lowering.as_number(entry, written.span));
            if (i == j) {
                term = product(term, rt::constant_term(rt::Number::real(1 + nugget)));
                term = rt::make_term(TermOp::add, {term, product(sigma, sigma)});
            }
            triangle.back().push_back(std::move(term));
        }
    }
    joint.covariance = std::move(triangle);
    return rt::Done{};
}

/// The lower triangle of the covariance as terms, once for all parts.
Status NetDeclaration::lower_covariance(const Node& node, TermLowering& lowering, SymbolicFrame& frame) {
    Joint& joint = *node.joint;
    if (!joint.covariance.empty()) return rt::Done{};
    if (!joint.mean) return lower_process(joint, lowering, frame);
    const Expr& written = *joint.uncertain->arguments[joint.mean == joint.uncertain->arguments[0].value.get() ? 1 : 0].value;
    const auto lowered = TRY(lowering.lower(written, frame));
    const auto rows = items_of(lowered);
    const std::size_t k = joint.nodes.size();
    const Fault wrong = self_.fault("E-TYPE", fmt::format("a covariance matrix is a list of {} rows of {} numbers", k, k), written.span);
    if (!rows || rows->size() != k) return wrong;
    std::vector<std::vector<Term>> triangle;
    for (std::size_t i = 0; i < k; ++i) {
        const auto row = items_of((*rows)[i]);
        if (!row || row->size() != k) return wrong;
        triangle.emplace_back();
        for (std::size_t j = 0; j <= i; ++j) {
            auto term = TRY(lowering.as_number((*row)[j], written.span));
            triangle.back().push_back(std::move(term));
        }
    }
    joint.covariance = std::move(triangle);
    return rt::Done{};
}

/// What is computed of the covariance, and the partial correlations that an lkj draws.
std::optional<Fault> NetDeclaration::lower_part(Node& node, TermLowering& lowering, SymbolicFrame& frame) {
    const Joint& joint = *node.joint;
    const std::size_t row = node.position;
    const std::size_t column = node.column;
    const bool correlations = !joint.partial.empty();
    switch (node.part) {
        case Part::partial: {
            const Expr* written = argument_of(*joint.uncertain, "eta", 1);
            Term eta = rt::constant_term(1);
            if (written) eta = TRY(lowering.number(*written, frame));
            const auto given = static_cast<std::int64_t>(column);  // of so many others
            const Term shape = rt::make_term(TermOp::add, {eta, rt::constant_term(rt::Rational(joint.rows - 2 - given, 2))});
            node.drawn = Drawn{rt::Family::beta, {shape, shape}, {}, {node.decl->span, node.decl->span}};
            return std::nullopt;
        }
        case Part::factor: {
            if (correlations) {
                node.computed = correlation_factor(joint, row, column);
                break;
            }
            TRY(lower_covariance(node, lowering, frame));
            if (joint.whole) {
                std::vector<Term> triangle;
                for (const auto& entries : joint.covariance) triangle.insert(triangle.end(), entries.begin(), entries.end());
                node.computed = rt::make_term(TermOp::factor, std::move(triangle));
                break;
            }
            Term rest = joint.covariance[row][column];
            for (std::size_t j = 0; j < column; ++j)
                rest = difference(rest, product(factor_term(joint, row, j), factor_term(joint, column, j)));
            node.computed = row == column ? root(rest) : quotient(rest, factor_term(joint, column, column));
            break;
        }
        case Part::centre:
        case Part::standard: {
            const auto means = TRY(list_of(joint, joint.mean, lowering, frame));
            node.computed = node.part == Part::centre ? centre_term(joint, means, row) : standard_term(joint, means, row);
            break;
        }
        case Part::correlation: {
            Term sum = rt::constant_term(0);
            for (std::size_t j = 0; j <= column; ++j)
                sum = rt::make_term(TermOp::add, {sum, product(factor_term(joint, row, j), factor_term(joint, column, j))});
            node.computed = row == column ? rt::constant_term(1) : sum;
            break;
        }
        case Part::whole:
            break;
    }
    for (const auto id : rt::variables_of(node.computed))
        if (rt::index(id) >= nodes_.size())
            return self_.fault("E-HOLE", "a covariance cannot be learned in a net", node.decl->span, "it has a ?",
                               "give it a prior: s ~ half_normal(1)");
    node.continuous = true;
    return std::nullopt;
}

}  // namespace credence::lang
