// Calls, lists, records and texts in compiled code.

#include "lang/eval/code_nodes.hpp"

#include <alloca.h>

#include <fmt/format.h>

#include "lang/eval/cell_frame.hpp"
#include "lang/value/table_value.hpp"

namespace credence::lang {

const Code& CallNode::code_of(Machine& m, const Closure& closure) const {
    const void* key = closure.lambda ? static_cast<const void*>(closure.lambda) : closure.fn;
    if (key != last_) {
        last_code_ = &m.code_of(closure);
        last_ = key;
    }
    return *last_code_;
}

/// The arguments are worked out in the frame of the function.
bool CallNode::run_closure(Machine& m, const Closure& closure, Cell* frame, Cell& out) const {
    const Code& code = code_of(m, closure);
    const std::size_t size = std::max<std::size_t>(code.size, arguments_.size());
    CellFrame inner(alloca(size * sizeof(Cell)), size);
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (!arguments_[i]->run(m, frame, inner.cells()[i])) return false;
    if (arguments_.size() != code.parameters) {
        if (m.stopped()) return m.fail(rt::stopped_fault());
        return m.wrong_count(code.parameters, arguments_.size(), span());
    }
    return m.run(closure, code, inner.cells(), span(), out);
}

bool pass_arguments(const std::vector<CodePtr>& arguments, Machine& m, Cell* frame, Machine::Passed& out) {
    for (const auto& argument : arguments) {
        Cell value;
        if (!argument->run(m, frame, value)) return false;
        out.values.push_back(value.value());
        out.spans.push_back(argument->span());
    }
    return true;
}

bool CallNode::run(Machine& m, Cell* frame, Cell& out) const {
    Cell room;
    const Cell* callee = callee_->seen(m, frame, room);
    return callee && run_callee(m, *callee, frame, out);
}

bool CallNode::run_callee(Machine& m, const Cell& callee, Cell* frame, Cell& out) const {
    const auto* f = callee.get<FunctionPtr>();
    if (const auto* closure = f ? std::get_if<Closure>(&(*f)->node) : nullptr; closure && names_.empty())
        return run_closure(m, *closure, frame, out);
    Machine::Passed passed;
    passed.names = names_;
    if (!pass_arguments(arguments_, m, frame, passed)) return false;
    if (!f)
        return m.fail(
            m.fault("E-CALL", fmt::format("{} cannot be called", (*CellValue(callee)).kind()), callee_->span(), "only functions can"));
    return m.apply_values(callee, std::move(passed), span(), out);
}

bool CallNode::finish(Machine& m, Cell* frame, const Closure& running, Cell& out, bool& again) const {
    Cell room;
    const Cell* callee = callee_->seen(m, frame, room);
    if (!callee) return false;
    const auto* f = callee->get<FunctionPtr>();
    const std::size_t count = arguments_.size();
    if (!f || std::get_if<Closure>(&(*f)->node) != &running || !names_.empty() || count != code_of(m, running).parameters)
        return run_callee(m, *callee, frame, out);
    CellFrame next(alloca(count * sizeof(Cell)), count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!arguments_[i]->run(m, frame, next.cells()[i])) return false;
        next.cells()[i].keep();  // the frame that it may look at is written over
    }
    for (std::size_t i = 0; i < count; ++i) frame[i] = std::move(next.cells()[i]);
    again = true;
    return true;
}

bool LambdaNode::run(Machine& m, Cell* frame, Cell& out) const {
    Closure closure;
    closure.lambda = lambda_;
    closure.source = m.source();
    for (const auto& capture : lambda_->frame.captures) {
        closure.captured.push_back(frame[capture.from].value());
        closure.extent.contain(closure.captured.back().extent());
    }
    out.own(Value(Value::Node(std::make_shared<const Function>(Function{std::move(closure)}))));
    return m.bounded(out, span());
}

bool IndexNode::run(Machine& m, Cell* frame, Cell& out) const {
    Cell rooms[2];
    const Cell* base = base_->seen(m, frame, rooms[0]);
    if (!base) return false;
    const auto* list = base->get<ListPtr>();
    if (at_ == nullptr || m.has_plates() || !(list || base->is_wholes()))
        return m.index_into(*base, *index_, span(), frame, code_->size, out);
    const Cell* at = at_->seen(m, frame, rooms[1]);
    if (!at) return false;
    const std::size_t count = list ? (*list)->size() : base->wholes().size();
    if (!at->is_whole() || at->whole() < 1 || static_cast<std::size_t>(at->whole()) > count)
        return m.item(*base, *at, *index_, span(), out);
    const auto position = static_cast<std::size_t>(at->whole() - 1);
    if (!list) {
        out.set_whole(base->wholes()[position]);
        return true;
    }
    out.borrow((**list)[position]);
    if (rooms[0].kind() == Cell::Kind::owned) out.keep();
    return true;
}

bool MemberNode::run(Machine& m, Cell* frame, Cell& out) const {
    Cell base;
    if (!base_->run(m, frame, base)) return false;
    const auto* record = base.get<RecordPtr>();
    const Value* found = record ? (*record)->find(member_->name.text) : nullptr;
    if (!found) return m.member(base, *member_, span(), out);
    out.borrow(*found);
    if (base.kind() == Cell::Kind::owned) out.keep();
    return true;
}

bool ItemsNode::run(Machine& m, Cell* frame, Cell& out) const {
    ListBuilder items;
    items.reserve(items_.size());
    for (const auto& node : items_) {
        Cell item;
        if (!node->run(m, frame, item)) return false;
        items.push(std::move(item));
    }
    out = items.finish();
    return m.bounded(out, span());
}

bool RecordNode::run(Machine& m, Cell* frame, Cell& out) const {
    Record made;
    made.entries.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto& entry = record_->entries[i];
        std::string key = entry.key.text;
        if (keys_[i]) {
            Cell computed;
            if (!keys_[i]->run(m, frame, computed)) return false;
            const CellValue seen(computed);
            const auto label = (*seen).as_label();
            if (!label) return m.fail(m.fault("E-TYPE", fmt::format("a key is a label, not {}", (*seen).kind()), entry.computed->span));
            key = label->text();
        }
        Cell value;
        if (!values_[i]->run(m, frame, value)) return false;
        if (keys_[i]) {
            if (auto added = m.add_entry(made, std::move(key), value.value(), entry.computed->span); !added)
                return m.fail(std::move(added).fault());
            continue;
        }
        made.entries.emplace_back(std::move(key), value.value());
    }
    out.own(Value::record(std::move(made)));
    return m.bounded(out, span());
}

bool TextNode::run(Machine& m, Cell* frame, Cell& out) const {
    std::string text;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (!parts_[i]) {
            text += std::get<std::string>(text_->parts[i]);
            continue;
        }
        Cell value;
        if (!parts_[i]->run(m, frame, value)) return false;
        m.append_text(value, text);
    }
    out.own(Value::text(std::move(text)));
    return true;
}

/// What the body gives for the item that is in the frame.
bool ComprehensionNode::add(Machine& m, Cell* frame, ListBuilder& out) const {
    if (m.stopped()) return m.fail(rt::stopped_fault());
    if (condition_) {
        bool truth = false;
        if (!condition_->test(m, frame, truth)) return false;
        if (!truth) return true;
    }
    Cell value;
    if (!body_->run(m, frame, value)) return false;
    if (!c_->flatten) {
        out.push(std::move(value));
    } else if (value.is_wholes()) {
        for (const auto n : value.wholes()) out.push_whole(n);
    } else {
        for (const auto& item : *value.look()->items()) out.push_value(item);
    }
    return true;
}

bool ComprehensionNode::run(Machine& m, Cell* frame, Cell& out) const {
    Cell source;
    if (!source_->run(m, frame, source)) return false;
    ListBuilder items;
    Cell& item = frame[c_->slot];
    bool good = true;
    if (const auto* table = source.get<rt::TablePtr>()) {
        for (std::size_t r = 0; good && r < (*table)->rows(); ++r) {
            item.own(row_value(**table, r));
            good = add(m, frame, items);
        }
    } else if (source.is_wholes()) {
        for (std::size_t i = 0; good && i < source.wholes().size(); ++i) {
            item.set_whole(source.wholes()[i]);
            good = add(m, frame, items);
        }
    } else if (const List* list = source.look() ? source.look()->items() : nullptr) {
        for (std::size_t i = 0; good && i < list->size(); ++i) {
            item.borrow((*list)[i]);
            good = add(m, frame, items);
        }
    } else {
        return m.fail(m.fault("E-TYPE",
                              fmt::format("for … in runs over a list, a set or a table's rows, not {}", (*CellValue(source)).kind()),
                              source_->span()));
    }
    item.clear();
    if (!good) return false;
    out = items.finish();
    return m.bounded(out, span());
}

bool RangeNode::run(Machine& m, Cell* frame, Cell& out) const {
    Cell ends[3];
    rt::Number numbers[3];
    const CodeNode* nodes[3] = {from_.get(), to_.get(), step_.get()};
    bool wholes = !m.rounds();
    for (std::size_t i = 0; i < 3 && nodes[i]; ++i) {
        if (!nodes[i]->run(m, frame, ends[i])) return false;
        wholes = wholes && ends[i].is_whole();
        if (!ends[i].is_whole() && !m.number(ends[i], nodes[i]->span(), numbers[i])) return false;
    }
    if (wholes && !step_) {
        const std::int64_t first = ends[0].whole();
        const std::int64_t last = ends[1].whole();
        const double length = static_cast<double>(last) - static_cast<double>(first);
        if (length < static_cast<double>(m.most_items())) {
            std::vector<std::int64_t> items(last < first ? 0 : static_cast<std::size_t>(last - first) + 1);
            for (std::size_t i = 0; i < items.size(); ++i) items[i] = first + static_cast<std::int64_t>(i);
            out.own(std::move(items));
            return true;
        }
    }
    for (std::size_t i = 0; i < 3 && nodes[i]; ++i)
        if (ends[i].is_whole()) numbers[i] = rt::Number(rt::Rational(ends[i].whole()));
    return m.range(*range_, numbers[0], numbers[1], step_ ? &numbers[2] : nullptr, out);
}

}  // namespace credence::lang
