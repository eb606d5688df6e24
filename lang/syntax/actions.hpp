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

// clang-format off
template <> struct action<grammar::name>             : builds<build::name> {};
template <> struct action<grammar::word>             : builds<build::name> {};
template <> struct action<grammar::key>              : builds<build::key> {};
template <> struct action<grammar::plain_text>       : builds<build::plain_text> {};
template <> struct action<grammar::number>           : builds<build::number> {};
template <> struct action<grammar::text>             : builds<build::text> {};
template <> struct action<grammar::text_run>         : builds<build::text_run> {};
template <> struct action<grammar::spliced_text>     : builds<build::spliced_text> {};
template <> struct action<grammar::boolean>          : builds<build::boolean> {};
template <> struct action<grammar::sign_label>       : builds<build::sign_label> {};
template <> struct action<grammar::hole>             : builds<build::hole> {};
template <> struct action<grammar::name_expr>        : builds<build::name_expr> {};
template <> struct action<grammar::label_alone>      : builds<build::name_expr> {};

template <> struct action<grammar::list_>            : builds<build::list> {};
template <> struct action<grammar::entry>            : builds<build::entry> {};
template <> struct action<grammar::entries>          : builds<build::entries> {};
template <> struct action<grammar::record>           : builds<build::record> {};
template <> struct action<grammar::set_>             : builds<build::set> {};
template <> struct action<grammar::instance_element> : builds<build::instance_element> {};
template <> struct action<grammar::instance>         : builds<build::instance> {};
template <> struct action<grammar::paren>            : builds<build::paren> {};
template <> struct action<grammar::graph>            : builds<build::graph> {};
template <> struct action<grammar::trained>          : builds<build::pipe> {};
template <> struct action<grammar::train>            : builds<build::train> {};
template <> struct action<grammar::sample>           : builds<build::sample> {};
template <> struct action<grammar::by_clause>        : builds<build::clause> {};
template <> struct action<grammar::in_clause>        : builds<build::clause> {};
template <> struct action<grammar::from_clause>      : builds<build::clause> {};
template <> struct action<grammar::step_clause>      : builds<build::clause> {};
template <> struct action<grammar::within_clause>    : builds<build::clause> {};
template <> struct action<grammar::prior_clause>     : builds<build::clause> {};

template <> struct action<grammar::variable>         : builds<build::variable> {};
template <> struct action<grammar::event_op>         : builds<build::event_op> {};
template <> struct action<grammar::event_atom>       : builds<build::event_atom> {};
template <> struct action<grammar::event_not>        : builds<build::event_not> {};
template <> struct action<grammar::event_and>        : builds<build::event_and> {};
template <> struct action<grammar::event>            : builds<build::event> {};
template <> struct action<grammar::event_paren>      : builds<build::event_paren> {};
template <> struct action<grammar::star_item>        : builds<build::star_item> {};
template <> struct action<grammar::do_item>          : builds<build::do_item> {};
template <> struct action<grammar::event_item>       : builds<build::event_item> {};
template <> struct action<grammar::next_mark>        : builds<build::mark> {};
template <> struct action<grammar::bar_mark>         : builds<build::mark> {};
template <> struct action<grammar::side_mark>        : builds<build::mark> {};
template <> struct action<grammar::tilde_mark>       : builds<build::mark> {};
template <> struct action<grammar::query>            : builds<build::query> {};

template <> struct action<grammar::argument>         : builds<build::argument> {};
template <> struct action<grammar::call>             : builds<build::call> {};
template <> struct action<grammar::index>            : builds<build::index> {};
template <> struct action<grammar::member>           : builds<build::member> {};
template <> struct action<grammar::postfix>          : builds<build::postfix> {};
template <> struct action<grammar::power_op>         : builds<build::operator_> {};
template <> struct action<grammar::product_op>       : builds<build::operator_> {};
template <> struct action<grammar::sum_op>           : builds<build::operator_> {};
template <> struct action<grammar::compare_op>       : builds<build::operator_> {};
template <> struct action<grammar::and_op>           : builds<build::operator_> {};
template <> struct action<grammar::or_op>            : builds<build::operator_> {};
template <> struct action<grammar::power>            : builds<build::fold> {};
template <> struct action<grammar::negation>         : builds<build::negation> {};
template <> struct action<grammar::extremum>         : builds<build::extremum> {};
template <> struct action<grammar::product>          : builds<build::fold> {};
template <> struct action<grammar::sum>              : builds<build::fold> {};
template <> struct action<grammar::range>            : builds<build::range> {};
template <> struct action<grammar::comparison>       : builds<build::fold> {};
template <> struct action<grammar::not_>             : builds<build::not_> {};
template <> struct action<grammar::and_>             : builds<build::fold> {};
template <> struct action<grammar::or_>              : builds<build::fold> {};
template <> struct action<grammar::pipe>             : builds<build::pipe> {};
template <> struct action<grammar::lambda>           : builds<build::lambda> {};
template <> struct action<grammar::if_>              : builds<build::if_> {};
template <> struct action<grammar::explain>          : builds<build::explain> {};

template <> struct action<grammar::row_key>          : builds<build::row_key> {};
template <> struct action<grammar::row>              : builds<build::row> {};
template <> struct action<grammar::cpt>              : builds<build::cpt> {};
template <> struct action<grammar::domain>           : builds<build::domain> {};
template <> struct action<grammar::node>             : builds<build::node> {};
template <> struct action<grammar::plate>            : builds<build::plate> {};
template <> struct action<grammar::net>              : builds<build::net> {};
template <> struct action<grammar::hypothesis>       : builds<build::hypothesis> {};
template <> struct action<grammar::parameter>        : builds<build::parameter> {};
template <> struct action<grammar::hypotheses>       : builds<build::hypotheses> {};
template <> struct action<grammar::component>        : builds<build::component> {};
template <> struct action<grammar::mixture>          : builds<build::mixture> {};
template <> struct action<grammar::section>          : builds<build::section> {};
template <> struct action<grammar::hmm>              : builds<build::hmm> {};
template <> struct action<grammar::symbol>           : builds<build::symbol> {};
template <> struct action<grammar::alternative>      : builds<build::alternative> {};
template <> struct action<grammar::production>       : builds<build::production> {};
template <> struct action<grammar::start_symbol>     : builds<build::start_symbol> {};
template <> struct action<grammar::grammar>          : builds<build::grammar> {};
template <> struct action<grammar::cell>             : builds<build::cell> {};
template <> struct action<grammar::table_line>       : builds<build::table_line> {};
template <> struct action<grammar::table>            : builds<build::table> {};
template <> struct action<grammar::chain>            : builds<build::chain> {};
template <> struct action<grammar::kind>             : builds<build::kind> {};
template <> struct action<grammar::graph_body>       : builds<build::graph_body> {};
template <> struct action<grammar::case_section>     : builds<build::case_section> {};
template <> struct action<grammar::case_>            : builds<build::case_> {};
template <> struct action<grammar::cases>            : builds<build::cases> {};

template <> struct action<grammar::let>              : builds<build::let> {};
template <> struct action<grammar::where_binding>    : builds<build::where_binding> {};
template <> struct action<grammar::fn>               : builds<build::fn> {};
template <> struct action<grammar::set_statement>    : builds<build::set_statement> {};
template <> struct action<grammar::import>           : builds<build::import> {};
template <> struct action<grammar::expect_error>     : builds<build::expect_error> {};
template <> struct action<grammar::expect>           : builds<build::expect> {};
template <> struct action<grammar::expression>       : builds<build::expression> {};
// clang-format on

}  // namespace credence::lang
