#pragma once
// The nodes of compiled code.

#include "lang/eval/code.hpp"

namespace credence::lang {

class ConstantNode : public CodeNode {
public:
    ConstantNode(const Expr& expr, Value value) : CodeNode(expr), value_(std::move(value)) {
        cell_.borrow(value_);
        constant_ = &cell_;
    }
    bool run(Machine&, Cell*, Cell& out) const override {
        out.borrow(cell_);
        return true;
    }

private:
    Value value_;
    Cell cell_;
};

class LocalNode : public CodeNode {
public:
    LocalNode(const Expr& expr, std::uint32_t slot) : CodeNode(expr) { slot_ = static_cast<std::int32_t>(slot); }
    bool run(Machine&, Cell* frame, Cell& out) const override {
        out.borrow(frame[slot_]);
        return true;
    }
};

/// A name, with what the message about a missing value needs.
class GlobalNode : public CodeNode {
public:
    GlobalNode(const Expr& expr, const NameExpr& name) : CodeNode(expr), name_(&name) {}
    bool run(Machine& m, Cell*, Cell& out) const override { return m.global(*name_, span(), out); }

private:
    const NameExpr* name_;
};

/// What has no node of its own.
class EvaluatedNode : public CodeNode {
public:
    EvaluatedNode(const Expr& expr, const Code& code) : CodeNode(expr), code_(&code) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override { return m.evaluate(expr(), frame, code_->size, out); }
    bool is_evaluated() const override { return true; }

private:
    const Code* code_;
};

class NotNode : public CodeNode {
public:
    NotNode(const Expr& expr, CodePtr operand) : CodeNode(expr), operand_(std::move(operand)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;
    bool test(Machine& m, Cell* frame, bool& truth) const override;

private:
    CodePtr operand_;
};

class NegateNode : public CodeNode {
public:
    NegateNode(const Expr& expr, CodePtr operand) : CodeNode(expr), operand_(std::move(operand)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    CodePtr operand_;
};

/// and, or: the right side only where it matters.
class EitherNode : public CodeNode {
public:
    EitherNode(const Expr& expr, bool decides, CodePtr left, CodePtr right)
        : CodeNode(expr), decides_(decides), left_(std::move(left)), right_(std::move(right)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;
    bool test(Machine& m, Cell* frame, bool& truth) const override;

private:
    bool decides_;
    CodePtr left_;
    CodePtr right_;
};

CodePtr binary_code(const Expr& expr, BinaryOp op, CodePtr left, CodePtr right);

class IfNode : public CodeNode {
public:
    IfNode(const Expr& expr, CodePtr condition, CodePtr then, CodePtr otherwise)
        : CodeNode(expr), condition_(std::move(condition)), then_(std::move(then)), else_(std::move(otherwise)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;
    bool finish(Machine& m, Cell* frame, const Closure& running, Cell& out, bool& again) const override;

private:
    CodePtr condition_;
    CodePtr then_;
    CodePtr else_;
};

/// A call of a value: a function of the script mostly.
/// Adds the values of a call's arguments and their places; false if one of them fails.
bool pass_arguments(const std::vector<CodePtr>& arguments, Machine& m, Cell* frame, Machine::Passed& out);

class CallNode : public CodeNode {
public:
    CallNode(const Expr& expr, CodePtr callee, std::vector<CodePtr> arguments, std::vector<std::string> names)
        : CodeNode(expr), callee_(std::move(callee)), arguments_(std::move(arguments)), names_(std::move(names)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;
    bool finish(Machine& m, Cell* frame, const Closure& running, Cell& out, bool& again) const override;

private:
    bool run_callee(Machine& m, const Cell& callee, Cell* frame, Cell& out) const;
    bool run_closure(Machine& m, const Closure& closure, Cell* frame, Cell& out) const;
    const Code& code_of(Machine& m, const Closure& closure) const;

    CodePtr callee_;
    std::vector<CodePtr> arguments_;
    std::vector<std::string> names_;
    mutable const void* last_ = nullptr;  // the tree of the function called last, and its code
    mutable const Code* last_code_ = nullptr;
};

/// What is left of |>, as the first argument of the call on the right.
class PipedNode : public CodeNode {
public:
    PipedNode(const Expr& expr, CodePtr left) : CodeNode(expr), left_(std::move(left)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override { return left_->run(m, frame, out) && m.prepare(out); }

private:
    CodePtr left_;
};

class LambdaNode : public CodeNode {
public:
    LambdaNode(const Expr& expr, const Lambda& lambda) : CodeNode(expr), lambda_(&lambda) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    const Lambda* lambda_;
};

class IndexNode : public CodeNode {
public:
    IndexNode(const Expr& expr, const Index& index, CodePtr base, CodePtr at, const Code& code)
        : CodeNode(expr), index_(&index), base_(std::move(base)), at_(std::move(at)), code_(&code) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    const Index* index_;
    CodePtr base_;
    CodePtr at_;
    const Code* code_;
};

class MemberNode : public CodeNode {
public:
    MemberNode(const Expr& expr, const Member& member, CodePtr base) : CodeNode(expr), member_(&member), base_(std::move(base)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    const Member* member_;
    CodePtr base_;
};

class ItemsNode : public CodeNode {
public:
    ItemsNode(const Expr& expr, std::vector<CodePtr> items) : CodeNode(expr), items_(std::move(items)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    std::vector<CodePtr> items_;
};

class RecordNode : public CodeNode {
public:
    RecordNode(const Expr& expr, const RecordLit& record, std::vector<CodePtr> keys, std::vector<CodePtr> values)
        : CodeNode(expr), record_(&record), keys_(std::move(keys)), values_(std::move(values)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    const RecordLit* record_;
    std::vector<CodePtr> keys_;  ///< null if the key is written
    std::vector<CodePtr> values_;
};

class TextNode : public CodeNode {
public:
    TextNode(const Expr& expr, const TextLit& text, std::vector<CodePtr> parts) : CodeNode(expr), text_(&text), parts_(std::move(parts)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    const TextLit* text_;
    std::vector<CodePtr> parts_;  ///< null if a piece is written
};

class ComprehensionNode : public CodeNode {
public:
    ComprehensionNode(const Expr& expr, const Comprehension& c, CodePtr source, CodePtr condition, CodePtr body)
        : CodeNode(expr), c_(&c), source_(std::move(source)), condition_(std::move(condition)), body_(std::move(body)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    bool add(Machine& m, Cell* frame, ListBuilder& out) const;

    const Comprehension* c_;
    CodePtr source_;
    CodePtr condition_;
    CodePtr body_;
};

class RangeNode : public CodeNode {
public:
    RangeNode(const Expr& expr, const Range& range, CodePtr from, CodePtr to, CodePtr step)
        : CodeNode(expr), range_(&range), from_(std::move(from)), to_(std::move(to)), step_(std::move(step)) {}
    bool run(Machine& m, Cell* frame, Cell& out) const override;

private:
    const Range* range_;
    CodePtr from_;
    CodePtr to_;
    CodePtr step_;
};

}  // namespace credence::lang
