#pragma once
// Rule → builder.

#include "lang/syntax/build.hpp"
#include "lang/syntax/grammar.hpp"

namespace credence::lang {

/// Thrown through PEGTL when a statement is given up; the report has been made. Caught in parse.
struct GiveUp {};

/// Counts the rules under way, however they end.
class Nesting {
public:
    explicit Nesting(Builder& builder) : builder_(builder) { ++builder_.frames; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --builder_.frames; }

private:
    Builder& builder_;
};

void too_deep(Builder& builder, std::size_t token);

/// Runs a rule in a frame of its own, and its builder on success.
template <void (*build)(Frame&)>
struct builds : tao::pegtl::maybe_nothing {
    template <class Rule, tao::pegtl::apply_mode A, tao::pegtl::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& in, Builder& builder) {
        if constexpr (A == tao::pegtl::apply_mode::nothing) {
            return tao::pegtl::match<Rule, A, M, Action, Control>(in, builder);
        } else {
            const Nesting nesting(builder);
            const auto mark = builder.stack.size();
            const auto first = builder.chunk.first + in.byte();
            if (builder.frames > max_frames) too_deep(builder, first);
            if (!tao::pegtl::match<Rule, A, M, Action, Control>(in, builder)) {
                builder.drop(mark);
                return false;
            }
            Frame frame(builder, mark, first, builder.chunk.first + in.byte());
            build(frame);
            if (builder.gave_up) throw GiveUp{};
            return true;
        }
    }
};

template <class Rule>
struct action : tao::pegtl::nothing<Rule> {};

#define RULE(rule, builder) \
    template <>             \
    struct action<grammar::rule> : builds<build::builder> {};
#include "lang/syntax/rules.def"

}  // namespace credence::lang
