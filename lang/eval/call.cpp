// Calls: builtins with their overloads, closures, members.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/code.hpp"
#include "lang/eval/evaluator.hpp"
#include "lang/eval/stack.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::lang {

namespace {

/// Of a function of the script.
const std::vector<Word>& parameters_of(const Function& function) {
    if (const auto* net = std::get_if<NetFunction>(&function.node)) return net->net->params;
    const auto& closure = std::get<Closure>(function.node);
    return closure.lambda ? closure.lambda->params : closure.fn->params;
}

/// Whether the parameter that an argument is passed to is an interval.
bool takes_interval(const Overloads& builtin, const Argument& argument, std::size_t position) {
    for (const auto& form : builtin.forms)
        for (std::size_t i = 0; i < form.parameters.size(); ++i)
            if (form.parameters[i].type == Type::interval &&
                (argument.name ? argument.name->text == form.parameters[i].name : i == position))
                return true;
    return false;
}

/// Whether some form has a table as its first parameter.
bool takes_table(std::span<const Builtin* const> forms) {
    return std::any_of(forms.begin(), forms.end(),
                       [](const Builtin* form) { return !form->parameters.empty() && form->parameters[0].type == Type::table; });
}

}  // namespace

Result<Evaluator::Passed> Evaluator::pass(const std::vector<Argument>& arguments, Frame& frame, const Value* first, Span first_span,
                                          const Overloads* builtin) {
    Passed out;
    if (first) {
        out.values.push_back(*first);
        out.spans.push_back(first_span);
    }
    for (const auto& argument : arguments) {
        const auto* range = std::get_if<Range>(&argument.value->node);
        const bool ends = range && !range->step && builtin && takes_interval(*builtin, argument, out.values.size());
        auto value = TRY(ends ? ends_of(*range, frame) : eval(*argument.value, frame));
        out.values.push_back(std::move(value));
        out.spans.push_back(argument.value->span);
        if (argument.name) out.names.push_back(argument.name->text);
    }
    return out;
}

Result<Value> Evaluator::eval_call(const Call& call, Span span, Frame& frame, const Value* piped, Span piped_span) {
    if (const auto* member = std::get_if<Member>(&call.callee->node); member && !piped) {
        auto base = eval(*member->base, frame);
        if (!base) return base;
        return member_of(*base, member->name, span, &call.arguments, frame);
    }
    const auto* name = std::get_if<NameExpr>(&call.callee->node);
    if (name && name->resolved.kind == Resolution::Kind::option) {
        auto passed = TRY(pass(call.arguments, frame, nullptr, {}));
        Option out{name->name, {}, {}};
        const std::size_t positional = passed.values.size() - passed.names.size();
        for (std::size_t i = 0; i < passed.values.size(); ++i) {
            if (i < positional)
                out.positional.push_back(std::move(passed.values[i]));
            else
                out.named.emplace_back(std::move(passed.names[i - positional]), std::move(passed.values[i]));
        }
        return Value(Value::Node(std::make_shared<const Option>(std::move(out))));
    }
    if (name && name->resolved.kind == Resolution::Kind::builtin) {
        if (tracing_ > 0 && !piped)
            if (auto distinct = TRY(trace_distinct(call, frame).or_nothing())) return *std::move(distinct);
        const Overloads& overloads = *world_.registry.find(name->name);
        auto passed = TRY(pass(call.arguments, frame, piped, piped_span, &overloads));
        std::vector<const Builtin*> forms;
        for (const auto& form : overloads.forms) forms.push_back(&form);
        return apply_builtin(forms, overloads.name, passed, span);
    }
    auto function = eval(*call.callee, frame);
    if (!function) return function;
    auto passed = TRY(pass(call.arguments, frame, piped, piped_span));
    if (!function->is<FunctionPtr>())
        return fault(
            "E-CALL", fmt::format("{} cannot be called", function->kind()), call.callee->span, "only functions can",
            name && name->resolved.kind == Resolution::Kind::label ? fmt::format("there is no function named {}", name->name) : "");
    return apply(*function, std::move(passed), span);
}

Result<Value> Evaluator::apply(const Value& function, Passed passed, Span span) {
    const auto* f = function.get<FunctionPtr>();
    if (!f) return fault("E-CALL", fmt::format("{} cannot be called", function.kind()), span, "only functions can");
    if (const auto* overloads = std::get_if<const Overloads*>(&(*f)->node)) {
        std::vector<const Builtin*> forms;
        for (const auto& form : (*overloads)->forms) forms.push_back(&form);
        return apply_builtin(forms, (*overloads)->name, passed, span);
    }
    const auto* closure = std::get_if<Closure>(&(*f)->node);
    const auto* net = std::get_if<NetFunction>(&(*f)->node);
    if (!passed.names.empty()) {
        // Parameters of script functions may be named too: f(x: 1).
        const auto& params = parameters_of(**f);
        const std::size_t positional = passed.values.size() - passed.names.size();
        std::vector<std::optional<Value>> ordered(params.size());
        for (std::size_t i = 0; i < passed.values.size(); ++i) {
            std::size_t target = i;
            if (i >= positional) {
                const auto found =
                    std::find_if(params.begin(), params.end(), [&](const Word& p) { return p.text == passed.names[i - positional]; });
                if (found == params.end())
                    return fault("E-PARAMETER", fmt::format("the function has no parameter '{}'", passed.names[i - positional]),
                                 passed.spans[i]);
                target = static_cast<std::size_t>(found - params.begin());
            }
            if (target >= ordered.size() || ordered[target])
                return fault("E-ARGUMENT", "there is no parameter for this argument", passed.spans[i]);
            ordered[target] = std::move(passed.values[i]);
        }
        passed.values.clear();
        for (std::size_t i = 0; i < ordered.size(); ++i) {
            if (!ordered[i]) return fault("E-ARGUMENT", fmt::format("the function needs a value for '{}'", params[i].text), span);
            passed.values.push_back(*std::move(ordered[i]));
        }
    }
    return net ? apply_net(*net, passed.values, span) : apply_closure(*closure, passed.values, span);
}

Result<Value> Evaluator::apply_net(const NetFunction& function, std::span<Value> arguments, Span span) {
    if (run_.stopped()) return rt::stopped_fault();
    const auto& params = function.net->params;
    if (arguments.size() != params.size())
        return fault(
            "E-ARGUMENT",
            fmt::format("{} takes {}, found {}", function.net->name.text, rt::counted(params.size(), "argument"), arguments.size()), span);
    const SourcePtr here = std::exchange(source_, function.source);
    auto out = declare_net(*function.net, {arguments.begin(), arguments.end()});
    source_ = here;
    if (out) return out;
    Fault wrong = std::move(out).fault();
    if (wrong.hint.empty())
        for (std::size_t i = 0; i < params.size(); ++i)
            if (arguments[i].as_label())
                wrong.hint +=
                    fmt::format("{}{} is {}", wrong.hint.empty() ? "here " : ", ", params[i].text, show_inline(arguments[i], show_));
    return wrong;
}

namespace {

/// Counts calls within calls while it lives.
class Deeper {
public:
    Deeper(int& depth, bool counts) : depth_(depth), step_(counts ? 1 : 0) { depth_ += step_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { depth_ -= step_; }

private:
    int& depth_;
    int step_;
};

}  // namespace

Result<Value> Evaluator::apply_closure(const Closure& closure, std::span<Value> arguments, Span span) {
    if (tracing_ == 0 && indexed_ == nullptr) return machine().call(closure, arguments, span);
    if (run_.stopped()) return rt::stopped_fault();
    const auto& params = closure.lambda ? closure.lambda->params : closure.fn->params;
    if (arguments.size() != params.size())
        return fault("E-ARGUMENT", fmt::format("the function takes {}, found {}", rt::counted(params.size(), "argument"), arguments.size()),
                     span);
    // Looked at a little before any expression would be, so that the call is named and not some part of its arguments.
    constexpr int deepest_trace = 64;  // a recursion that an uncertain value ends never ends while it is traced: it is worked out by cases
    if (!stack_left(world_.stack_floor + 256 * 1024) || (tracing_ > 0 && trace_depth_ >= deepest_trace))
        return fault("E-DEPTH", "too many nested calls: does a function call itself without end?", span);
    const Deeper deeper(trace_depth_, tracing_ > 0);
    const FrameLayout& layout = closure.lambda ? closure.lambda->frame : closure.fn->frame;
    Frame frame(layout.size);
    std::move(arguments.begin(), arguments.end(), frame.begin());
    for (std::size_t i = 0; i < closure.captured.size(); ++i) frame[layout.captures[i].to] = closure.captured[i];
    if (closure.source == source_ && closure.lambda) return eval(*closure.lambda->body, frame);

    const SourcePtr here = std::exchange(source_, closure.source);
    const auto body = [&]() -> Result<Value> {
        if (closure.lambda) return eval(*closure.lambda->body, frame);
        for (const auto& binding : closure.fn->where) {
            auto value = eval(*binding.value, frame);
            if (!value) return value;
            frame[binding.slot] = *std::move(value);
        }
        return eval(*closure.fn->body, frame);
    };
    auto out = body();
    source_ = here;
    if (out || !closure.fn) return out;
    Fault fault = std::move(out).fault();
    blame_call(fault, closure.fn->name.text, span);
    return fault;
}

/// The arguments of one form, in the order of its parameters.
Result<Evaluator::BoundArguments> Evaluator::bound_arguments(const Builtin& form, const Matching& matching, const Passed& passed,
                                                             std::string_view name, Span span) {
    const std::size_t positional = passed.values.size() - passed.names.size();
    BoundArguments out;
    out.arguments.resize(form.parameters.size());
    out.spans.assign(form.parameters.size(), span);
    for (std::size_t i = 0; i < form.parameters.size() && !out.refused; ++i) {
        const auto& parameter = form.parameters[i];
        if (parameter.rest) {
            List rest;
            for (std::size_t k = matching.rest_from.value_or(positional); k < positional; ++k) rest.push_back(passed.values[k]);
            out.arguments[i] = Value::list(std::move(rest));
            out.refused = refusal(*out.arguments[i], parameter);
            if (out.refused) out.refused = at(*std::move(out.refused), matching.rest_from ? passed.spans[*matching.rest_from] : span);
            continue;
        }
        if (!matching.argument_of[i]) continue;
        const std::size_t k = *matching.argument_of[i];
        out.spans[i] = passed.spans[k];
        Value given = passed.values[k];
        if (parameter.type == Type::learner && makes_learner(given)) {
            auto made = call(given, {});
            if (!made) return at(std::move(made).fault(), out.spans[i]);
            given = *std::move(made);
        }
        out.refused = refusal(given, parameter);
        if (out.refused) {
            out.refused->message = fmt::format("{}: {}", name, out.refused->message);
            if (given.is<TextPtr>() || given.is<ListPtr>() || given.is<rt::TablePtr>()) {
                const Type found = given.is<TextPtr>() ? Type::text : given.is<ListPtr>() ? Type::list : Type::table;
                if (auto hint = other_function(name, found); !hint.empty()) out.refused->hint = std::move(hint);
            }
            if (given.is<FunctionPtr>() && name == "filter") out.refused->hint = "the rows of a table are chosen by where(t, r -> r.x > 0)";
            out.refused = at(*std::move(out.refused), out.spans[i]);
        } else {
            out.arguments[i] = std::move(given);
        }
    }
    return out;
}

Result<Value> Evaluator::apply_builtin(std::span<const Builtin* const> forms, std::string_view name, const Passed& passed, Span span,
                                       rt::Derivation* derivation, std::span<const std::variant<Matching, Mismatch>> known) {
    if (tracing_ > 0) {
        auto out = TRY(trace_call(forms, name, passed, span).or_nothing());
        if (out) return *std::move(out);
    }
    const std::size_t positional = passed.values.size() - passed.names.size();
    if (positional > 0 && forms[0]->learner && passed.values[0].is<rt::TablePtr>() && !takes_table(forms)) {
        std::vector<std::string> rest;
        for (std::size_t i = 1; i < passed.values.size(); ++i)
            rest.push_back((i < positional ? "" : passed.names[i - positional] + ": ") + std::string(source_->text(passed.spans[i])));
        return at(table_goes_behind_on(name, rest, source_->text(passed.spans[0])), passed.spans[0]);
    }
    std::optional<Fault> first_fault;
    for (std::size_t f = 0; f < forms.size(); ++f) {
        const Builtin* form = forms[f];
        const auto found = known.empty() ? std::optional(match_arguments(*form, positional, passed.names)) : std::nullopt;
        const auto& matched = found ? *found : known[f];
        if (const auto* mismatch = std::get_if<Mismatch>(&matched)) {
            if (!first_fault) first_fault = at(mismatch->fault, mismatch->culprit ? passed.spans[*mismatch->culprit] : span);
            continue;
        }
        auto bound = TRY(bound_arguments(*form, std::get<Matching>(matched), passed, name, span));
        if (bound.refused) {
            // A value of the right kind but out of range is the more telling complaint.
            if (!first_fault || (first_fault->code != "E-PARAMETER" && bound.refused->code == "E-PARAMETER"))
                first_fault = std::move(bound.refused);
            continue;
        }
        const auto outer = std::exchange(argument_spans_, std::move(bound.spans));
        Result<Value> out = form->native(*this, bound.arguments);
        if (out && derivation && form->explain) {
            auto told = form->explain(*this, bound.arguments);
            if (told)
                *derivation = *std::move(told);
            else
                out = std::move(told).fault();
        }
        argument_spans_ = outer;
        if (!out) return at(std::move(out).fault(), span);
        return bounded(*std::move(out), span);
    }
    if (first_fault && first_fault->code == "E-TYPE")
        for (const auto& value : passed.values)
            if (const auto variable = variable_named(value); variable && first_fault->hint.empty())
                first_fault->hint =
                    fmt::format("{0} is a variable: P({0}) is its distribution, as in variance(P({0})); E({0}) is its mean", *variable);
    if (forms.size() > 1 && first_fault && first_fault->hint.empty()) {
        std::vector<std::string> texts;
        for (const Builtin* form : forms) texts.push_back(signature_text(*form));
        first_fault->hint = fmt::format("its forms are {}", rt::joined(texts, ", "));
    }
    return *std::move(first_fault);
}

Result<Value> Evaluator::call(const Value& function, std::span<const Value> arguments) {
    const Span span = statement_span_;
    if (const auto* f = function.get<FunctionPtr>())
        if (!std::holds_alternative<const Overloads*>((*f)->node)) {
            std::vector<Value> copy(arguments.begin(), arguments.end());
            if (const auto* net = std::get_if<NetFunction>(&(*f)->node)) return apply_net(*net, copy, span);
            return apply_closure(std::get<Closure>((*f)->node), copy, span);
        }
    return apply(function, {{arguments.begin(), arguments.end()}, {}, std::vector<Span>(arguments.size(), span)}, span);
}

std::function<Result<Value>(std::span<const Value>)> Evaluator::kept(const Value& function) {
    return [inner = std::make_shared<Evaluator>(world_, source_, folder_), function](std::span<const Value> arguments) -> Result<Value> {
        auto out = inner->call(function, arguments);
        if (out) return out;
        Fault f = std::move(out).fault();
        f.origin = rt::Origin::none;  // its marks end with the inner evaluator
        return f;
    };
}

rt::Origin Evaluator::argument(std::size_t i) { return origin(i < argument_spans_.size() ? argument_spans_[i] : statement_span_); }

std::string Evaluator::argument_text(std::size_t i) {
    return i < argument_spans_.size() ? std::string(source_->text(argument_spans_[i])) : std::string();
}

Result<rt::FilePath> Evaluator::file(const std::string& path) {
    auto found = rt::inside(world_.settings.root, folder_, path);
    if (found) {
        found->ranks = world_.settings.ranks;
        return found;
    }
    Fault fault = std::move(found).fault();
    fault.label = fmt::format("--root is {}", world_.settings.root);
    return fault;
}

void Evaluator::add_note(std::string text, bool counted) {
    for (auto& [known, count] : notes_)
        if (known.message == text) {
            if (counted) ++count;
            return;
        }
    Diagnostic d;
    d.severity = Severity::note;
    d.code = "N-NOTE";
    d.message = std::move(text);
    d.source = source_;
    d.span = statement_span_;
    notes_.emplace_back(std::move(d), 1);
}

void Evaluator::tell_notes() {
    for (auto& [d, count] : std::exchange(notes_, {})) {
        if (count > 1) d.message += fmt::format(" ({} times)", count);
        if (world_.output) world_.output->diagnostic(d);
    }
}

std::string describe(const Function& function) {
    if (const auto* overloads = std::get_if<const Overloads*>(&function.node)) return "builtin " + (*overloads)->name;
    const auto* closure = std::get_if<Closure>(&function.node);
    std::string out = !closure      ? "net " + std::get<NetFunction>(function.node).net->name.text + "("
                      : closure->fn ? "function " + closure->fn->name.text + "("
                                    : "function(";
    bool first = true;
    for (const auto& p : parameters_of(function)) {
        out += (first ? "" : ", ") + p.text;
        first = false;
    }
    return out + ")";
}

}  // namespace credence::lang
