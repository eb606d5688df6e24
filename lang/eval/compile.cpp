// From the tree to code.

#include <algorithm>

#include "lang/eval/code_nodes.hpp"

namespace credence::lang {

namespace {

class CodeCompiler {
public:
    CodeCompiler(const Registry& registry, Code& code) : registry_(registry), code_(code) {}

    CodePtr node(const Expr& expr) {
        struct Visitor {
            CodeCompiler& self;
            const Expr& expr;
            CodePtr operator()(const NumberLit& n) const {
                // Under `set numbers real` a literal that is no whole number becomes real.
                return n.value.is_integer() ? self.constant(expr, Value(rt::Number(n.value))) : self.evaluated(expr);
            }
            CodePtr operator()(const BoolLit& b) const { return self.constant(expr, Value::boolean(b.value)); }
            CodePtr operator()(const SignLit& s) const { return self.constant(expr, Value::text(std::string(1, s.sign))); }
            CodePtr operator()(const TextLit& t) const { return self.text(expr, t); }
            CodePtr operator()(const NameExpr& n) const { return self.name(expr, n); }
            CodePtr operator()(const ListLit& l) const { return std::make_unique<ItemsNode>(expr, self.nodes(l.items)); }
            CodePtr operator()(const Comprehension& c) const { return self.comprehension(expr, c); }
            CodePtr operator()(const RecordLit& r) const { return self.record(expr, r); }
            CodePtr operator()(const Unary& u) const {
                if (u.op == UnaryOp::not_) return std::make_unique<NotNode>(expr, self.node(*u.operand));
                if (u.op == UnaryOp::negate) return std::make_unique<NegateNode>(expr, self.node(*u.operand));
                return self.evaluated(expr);
            }
            CodePtr operator()(const Binary& b) const {
                // The range may be the limits of a distribution: `normal(0, s) in 0..∞`. Then it is not a list.
                if (b.op == BinaryOp::in && std::holds_alternative<Range>(b.right->node)) return self.evaluated(expr);
                return binary_code(expr, b.op, self.node(*b.left), self.node(*b.right));
            }
            CodePtr operator()(const Range& r) const {
                return std::make_unique<RangeNode>(expr, r, self.node(*r.from), self.node(*r.to), self.maybe(r.step));
            }
            CodePtr operator()(const If& i) const {
                return std::make_unique<IfNode>(expr, self.node(*i.condition), self.node(*i.then_), self.node(*i.else_));
            }
            CodePtr operator()(const Lambda& l) const { return std::make_unique<LambdaNode>(expr, l); }
            CodePtr operator()(const Call& c) const { return self.call(expr, c, nullptr); }
            CodePtr operator()(const Index& i) const { return self.index(expr, i); }
            CodePtr operator()(const Member& m) const { return std::make_unique<MemberNode>(expr, m, self.node(*m.base)); }
            CodePtr operator()(const Pipe& p) const { return self.pipe(expr, p); }
            CodePtr operator()(const HoleLit&) const { return self.evaluated(expr); }
            CodePtr operator()(const SetLit&) const { return self.evaluated(expr); }
            CodePtr operator()(const InstanceLit&) const { return self.evaluated(expr); }
            CodePtr operator()(const Explain&) const { return self.evaluated(expr); }
            CodePtr operator()(const Train&) const { return self.evaluated(expr); }
            CodePtr operator()(const Sample&) const { return self.evaluated(expr); }
            CodePtr operator()(const QueryExpr&) const { return self.evaluated(expr); }
            CodePtr operator()(const GraphLit&) const { return self.evaluated(expr); }
        };
        return std::visit(Visitor{*this, expr}, expr.node);
    }

    void need(std::uint32_t slot) { code_.size = std::max(code_.size, slot + 1); }

private:
    CodePtr maybe(const ExprPtr& expr) { return expr ? node(*expr) : nullptr; }
    std::vector<CodePtr> nodes(const std::vector<ExprPtr>& exprs) {
        std::vector<CodePtr> out;
        for (const auto& expr : exprs) out.push_back(node(*expr));
        return out;
    }
    CodePtr constant(const Expr& expr, Value value) { return std::make_unique<ConstantNode>(expr, std::move(value)); }
    CodePtr evaluated(const Expr& expr) { return std::make_unique<EvaluatedNode>(expr, code_); }

    CodePtr name(const Expr& expr, const NameExpr& n) {
        switch (n.resolved.kind) {
            case Resolution::Kind::local:
                need(n.resolved.slot);
                return std::make_unique<LocalNode>(expr, n.resolved.slot);
            case Resolution::Kind::global:
            case Resolution::Kind::model:
                return std::make_unique<GlobalNode>(expr, n);
            case Resolution::Kind::label:
                return constant(expr, Value::label(rt::Label::of_text(n.name)));
            case Resolution::Kind::builtin:
                return constant(expr, Value(Value::Node(std::make_shared<const Function>(Function{registry_.find(n.name)}))));
            case Resolution::Kind::data_label:
            case Resolution::Kind::option:
            case Resolution::Kind::unresolved:
                break;
        }
        return evaluated(expr);
    }

    CodePtr text(const Expr& expr, const TextLit& t) {
        if (t.parts.empty()) return constant(expr, Value::text(""));
        if (t.parts.size() == 1 && std::holds_alternative<std::string>(t.parts[0]))
            return constant(expr, Value::text(std::get<std::string>(t.parts[0])));
        std::vector<CodePtr> parts;
        for (const auto& part : t.parts) {
            const auto* inner = std::get_if<ExprPtr>(&part);
            parts.push_back(inner ? node(**inner) : nullptr);
        }
        return std::make_unique<TextNode>(expr, t, std::move(parts));
    }

    CodePtr comprehension(const Expr& expr, const Comprehension& c) {
        need(c.slot);
        return std::make_unique<ComprehensionNode>(expr, c, node(*c.source), maybe(c.condition), node(*c.body));
    }

    CodePtr record(const Expr& expr, const RecordLit& r) {
        std::vector<CodePtr> keys;
        std::vector<CodePtr> values;
        for (const auto& entry : r.entries) {
            keys.push_back(maybe(entry.computed));
            values.push_back(node(*entry.value));
        }
        return std::make_unique<RecordNode>(expr, r, std::move(keys), std::move(values));
    }

    CodePtr index(const Expr& expr, const Index& i) {
        const auto* plate = std::get_if<NameExpr>(&i.base->node);
        if (plate && plate->resolved.kind == Resolution::Kind::unresolved) return evaluated(expr);
        CodePtr at = i.indices.size() == 1 ? node(*i.indices[0]) : nullptr;
        return std::make_unique<IndexNode>(expr, i, node(*i.base), std::move(at), code_);
    }

    /// `piped`: the value that is piped in front of the arguments.
    CodePtr call(const Expr& expr, const Call& c, CodePtr piped) {
        if (std::holds_alternative<Member>(c.callee->node)) return evaluated(expr);
        const auto* callee = std::get_if<NameExpr>(&c.callee->node);
        const auto kind = callee ? callee->resolved.kind : Resolution::Kind::local;
        if (kind == Resolution::Kind::option || kind == Resolution::Kind::label || kind == Resolution::Kind::unresolved)
            return evaluated(expr);
        const Overloads* overloads = kind == Resolution::Kind::builtin ? registry_.find(callee->name) : nullptr;
        if (overloads && takes_ends_of_ranges(*overloads, c)) return evaluated(expr);
        std::vector<CodePtr> arguments;
        std::vector<std::string> names;
        if (piped) arguments.push_back(std::move(piped));
        for (const auto& argument : c.arguments) {
            arguments.push_back(node(*argument.value));
            if (argument.name) names.push_back(argument.name->text);
        }
        if (overloads) return builtin_call_code(expr, *overloads, std::move(arguments), std::move(names));
        return std::make_unique<CallNode>(expr, node(*c.callee), std::move(arguments), std::move(names));
    }

    /// Such a parameter sees the ends of a range that is written as its argument.
    static bool takes_ends_of_ranges(const Overloads& overloads, const Call& c) {
        const bool ranges = std::any_of(c.arguments.begin(), c.arguments.end(),
                                        [](const Argument& a) { return std::holds_alternative<Range>(a.value->node); });
        return ranges && std::any_of(overloads.forms.begin(), overloads.forms.end(), [](const Builtin& form) {
                   return std::any_of(form.parameters.begin(), form.parameters.end(),
                                      [](const Parameter& p) { return p.type == Type::interval; });
               });
    }

    CodePtr pipe(const Expr& expr, const Pipe& p) {
        const auto* right = std::get_if<Call>(&p.right->node);
        const auto* callee = right ? std::get_if<NameExpr>(&right->callee->node) : nullptr;
        const bool known =
            callee && (callee->resolved.kind == Resolution::Kind::builtin || callee->resolved.kind == Resolution::Kind::local ||
                       callee->resolved.kind == Resolution::Kind::global);
        if (!known) return evaluated(expr);
        if (const Overloads* overloads = callee->resolved.kind == Resolution::Kind::builtin ? registry_.find(callee->name) : nullptr)
            for (const auto& form : overloads->forms)
                if (form.learner || form.preparation) return evaluated(expr);
        CodePtr inner = call(expr, *right, std::make_unique<PipedNode>(*p.left, node(*p.left)));
        return inner->is_evaluated() ? evaluated(expr) : std::move(inner);
    }

    const Registry& registry_;
    Code& code_;
};

}  // namespace

std::unique_ptr<const Code> compiled(const Lambda& lambda, const Registry& registry) {
    auto out = std::make_unique<Code>();
    out->size = lambda.frame.size;
    out->parameters = lambda.params.size();
    out->layout = &lambda.frame;
    out->body = CodeCompiler(registry, *out).node(*lambda.body);
    return out;
}

std::unique_ptr<const Code> compiled(const FnStmt& fn, const Registry& registry) {
    auto out = std::make_unique<Code>();
    out->size = fn.frame.size;
    out->parameters = fn.params.size();
    out->layout = &fn.frame;
    CodeCompiler compiler(registry, *out);
    for (const auto& binding : fn.where) {
        compiler.need(binding.slot);
        out->where.emplace_back(binding.slot, compiler.node(*binding.value));
    }
    out->body = compiler.node(*fn.body);
    return out;
}

std::unique_ptr<const Code> compiled(const Expr& expr, const Registry& registry) {
    auto out = std::make_unique<Code>();
    out->body = CodeCompiler(registry, *out).node(expr);
    return out;
}

}  // namespace credence::lang
