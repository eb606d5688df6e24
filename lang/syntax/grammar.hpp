#pragma once
// The grammar of language.md §4 and §6, over tokens: one byte of the input is one token, so there is no white space here.
// Every alternative is decided by a token or two; once decided, the rest is `must`, and a failure has its message (rules.def).
// That makes parsing linear: nothing long is ever read twice.

#include <tao/pegtl.hpp>

#include "lang/syntax/token.hpp"

namespace credence::lang::grammar {

using tao::pegtl::at;
using tao::pegtl::eof;
using tao::pegtl::list;
using tao::pegtl::list_must;
using tao::pegtl::must;
using tao::pegtl::not_at;
using tao::pegtl::one;
using tao::pegtl::opt;
using tao::pegtl::plus;
using tao::pegtl::seq;
using tao::pegtl::sor;
using tao::pegtl::star;

template <Tok... kinds>
using t = one<static_cast<char>(kinds)...>;
template <Tok first, Tok last>
using between = tao::pegtl::range<static_cast<char>(first), static_cast<char>(last)>;

// clang-format off

// --- words and punctuation -----------------------------------------------------------------------------------------

using free_word = between<Tok::name, Tok::likelihood>;             // not reserved
using any_word  = between<Tok::name, Tok::false_>;
using comma     = t<Tok::comma>;
using gap       = star<t<Tok::newline, Tok::semicolon>>;
using sep       = sor<seq<plus<t<Tok::newline, Tok::semicolon>>, opt<comma, gap>>, seq<comma, gap>>;

struct colon         : t<Tok::colon> {};
struct equal         : t<Tok::equal> {};
struct arrow         : t<Tok::arrow> {};
struct open_paren    : t<Tok::left_paren> {};
struct close_paren   : t<Tok::right_paren> {};
struct close_bracket : t<Tok::right_bracket> {};
struct close_angle   : t<Tok::right_angle> {};
struct open_brace    : t<Tok::left_brace> {};
struct close_brace   : t<Tok::right_brace> {};
struct close_splice  : t<Tok::splice_close> {};
struct close_text    : t<Tok::text_close> {};


// A block's own closing brace, so that its message can list what it may contain.
struct close_entries    : close_brace {};
struct close_set        : close_brace {};
struct close_rows       : close_brace {};
struct close_nodes      : close_brace {};
struct close_hypotheses : close_brace {};
struct close_outcome    : close_brace {};
struct close_components : close_brace {};
struct close_states     : close_brace {};
struct close_sections   : close_brace {};
struct close_rules      : close_brace {};
struct close_graph      : close_brace {};
struct close_case       : close_brace {};
struct close_cases      : close_brace {};

template <class Element, class Close>
using braces = seq<open_brace, gap, opt<Element, star<sep, Element>, opt<sep>>, must<Close>>;
template <class Element, class Close>                              // nothing is needed between its elements
using sequence = seq<open_brace, gap, star<Element, opt<sep>>, must<Close>>;

struct name       : free_word {};
struct word       : any_word {};                                   // members, arguments
struct key        : sor<seq<t<Tok::plus_prefix, Tok::minus_prefix>, t<Tok::number>>, any_word,
                        t<Tok::number, Tok::text, Tok::plus_label, Tok::minus_label, Tok::plus_prefix, Tok::minus_prefix, Tok::plus, Tok::minus>> {};
struct plain_text : t<Tok::text> {};
struct params     : list_must<name, comma> {};

// --- expressions ------------------------------------------------------------------------------------------------------

struct expr;
struct paren;
struct sum;
struct product;
struct unary;
struct postfix;
struct graph_body;
struct if_;

struct number       : t<Tok::number> {};
struct text         : t<Tok::text> {};
struct text_run     : t<Tok::text_run> {};
struct splice       : seq<t<Tok::splice_open>, must<expr>, must<close_splice>> {};
struct spliced_text : seq<t<Tok::text_open>, star<sor<text_run, splice>>, must<close_text>> {};
struct boolean      : t<Tok::true_, Tok::false_> {};
struct sign_label   : t<Tok::plus_label, Tok::minus_label> {};
struct hole         : t<Tok::hole> {};
struct name_expr    : free_word {};

// A reserved word where only a label makes sense: `P(Switch = on)`, `f[in]`, `{on, off}`.
struct label_alone : seq<between<Tok::net, Tok::mod>,
                         at<sor<t<Tok::comma, Tok::right_paren, Tok::right_bracket, Tok::right_brace, Tok::right_angle, Tok::bar,
                                  Tok::semicolon, Tok::newline, Tok::and_, Tok::or_>, eof>>> {};
struct element     : sor<label_alone, expr> {};

struct list_close    : close_bracket {};
struct for_in        : t<Tok::in> {};
struct for_clause    : seq<t<Tok::for_>, must<name, for_in, expr>, opt<t<Tok::if_>, must<expr>>> {};
struct comprehension : plus<for_clause> {};
struct list_         : seq<t<Tok::left_bracket>, opt<element, sor<comprehension, seq<star<comma, element>, opt<comma>>>>, must<list_close>> {};

// {(x + 1): 1/2}: parentheses that close before a colon hold a key. They are read over once to see that, without recursion.
struct closed_parens {
    using rule_t = closed_parens;
    using subs_t = tao::pegtl::empty_list;
    template <class Input>
    static bool match(Input& in) {
        std::size_t depth = 0;
        for (std::size_t i = 0; i < in.size(i + 1); ++i) {
            const auto token = static_cast<Tok>(in.peek_char(i));
            if (token == Tok::left_paren) ++depth;
            if (depth == 0) return false;
            if (token == Tok::right_paren && --depth == 0) {
                in.bump(i + 1);
                return true;
            }
        }
        return false;
    }
};
struct computed_key : at<closed_parens, colon> {};
struct entry    : seq<sor<seq<computed_key, paren>, key>, must<colon, expr>> {};
struct entries  : braces<entry, close_entries> {};
struct record   : seq<at<open_brace, gap, sor<close_brace, seq<key, colon>, computed_key>>, entries> {};
struct set_     : braces<element, close_set> {};

struct instance_element : sor<t<Tok::hole, Tok::nothing>, label_alone, sum> {};
struct instance         : seq<t<Tok::left_angle>, must<instance_element>, star<comma, must<instance_element>>, must<close_angle>> {};
struct paren            : seq<open_paren, must<expr, close_paren>> {};
struct graph            : seq<t<Tok::graph>, must<graph_body>> {};

struct train_on    : t<Tok::on> {};
struct by_clause   : seq<t<Tok::by>, must<postfix>> {};
struct in_clause   : seq<t<Tok::in>, must<postfix>> {};
struct from_clause : seq<t<Tok::from>, must<unary>> {};
struct trained     : seq<unary, star<t<Tok::pipe>, must<postfix>>> {};  // preparations may precede the learner
struct train       : seq<t<Tok::train>, must<trained, train_on, unary>, opt<by_clause>> {};
struct sample      : seq<t<Tok::sample>, opt<unary>, must<from_clause>, opt<by_clause>> {};

// --- queries ----------------------------------------------------------------------------------------------------------

// Whether a parenthesis holds an event, as in (A = a or B = b), and not the start of a quantity, as in (A + B) * 2 = 6: the token after
// the closing one decides. Only brackets are scanned; nothing is parsed twice.
struct event_paren_ahead {
    using rule_t = event_paren_ahead;
    using subs_t = tao::pegtl::type_list<>;
    template <class Input>
    static bool match(Input& in) {
        const std::size_t count = in.size(0);
        const auto kind = [&](std::size_t i) { return static_cast<Tok>(in.peek_char(i)); };
        if (count == 0 || kind(0) != Tok::left_paren) return false;
        std::size_t depth = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (kind(i) == Tok::left_paren) ++depth;
            if (kind(i) != Tok::right_paren || --depth > 0) continue;
            if (i + 1 == count) return true;
            const Tok after = kind(i + 1);
            return after == Tok::comma || after == Tok::right_paren || after == Tok::bar || after == Tok::semicolon ||
                   after == Tok::and_ || after == Tok::or_;
        }
        return true;
    }
};

struct event;
struct range;
struct event_value : sor<label_alone, range> {};
struct index_close : close_bracket {};
struct variable    : seq<name, opt<t<Tok::left_bracket>, must<expr>, star<comma, must<expr>>, must<index_close>>> {};
struct event_op    : t<Tok::equal, Tok::equal_equal, Tok::not_equal, Tok::less, Tok::less_equal, Tok::greater, Tok::greater_equal, Tok::in, Tok::tilde,
                       Tok::likelihood> {};
struct event_atom  : seq<sor<if_, sum>, opt<event_op, must<event_value>>> {};
struct event_paren : seq<open_paren, must<event, close_paren>> {};
struct event_term;
struct event_not   : seq<t<Tok::not_>, must<event_term>> {};
struct event_term  : sor<event_not, seq<event_paren_ahead, event_paren>, event_atom> {};
struct event_and   : seq<event_term, star<t<Tok::and_>, must<event_term>>> {};
struct event       : seq<event_and, star<t<Tok::or_>, must<event_and>>> {};

// Whether what E is asked of is an event, as in E(D1 = 3): an expression has no single `=`.
struct event_ahead {
    using rule_t = event_ahead;
    using subs_t = tao::pegtl::type_list<>;
    template <class Input>
    static bool match(Input& in) {
        std::size_t depth = 0;
        for (std::size_t i = 0; i < in.size(i + 1); ++i) {
            const auto token = static_cast<Tok>(in.peek_char(i));
            if (is_opener(token)) ++depth;
            if (depth == 0 && (is_closer(token) || token == Tok::bar)) return false;
            if (depth == 0 && token == Tok::equal) return true;
            if (is_closer(token)) --depth;
        }
        return false;
    }
};

struct star_item   : t<Tok::star> {};
struct do_item     : seq<t<Tok::do_>, must<open_paren>, must<event>, star<comma, must<event>>, must<close_paren>> {};
struct event_item  : sor<seq<t<Tok::next>, must<event>>, seq<event, opt<t<Tok::as>, must<name>>>> {};
struct item        : sor<star_item, do_item, event_item> {};
struct next_mark   : t<Tok::next> {};
struct bar_mark    : t<Tok::bar> {};
struct side_mark   : t<Tok::semicolon> {};
struct query_close : close_paren {};
struct query       : seq<sor<seq<t<Tok::query>, open_paren, must<item>, star<sor<comma, side_mark>, must<item>>>,
                             seq<t<Tok::expectation>, open_paren, sor<seq<event_ahead, must<event_item>>, seq<opt<next_mark>, must<expr>>>>>,
                         opt<bar_mark, must<item>, star<comma, must<item>>>, must<query_close>, opt<in_clause>, opt<by_clause>> {};

// --- expressions, from the tightest binding outward ----------------------------------------------------------------------

struct primary  : sor<number, text, spliced_text, sign_label, query, name_expr, list_, record, set_, instance, paren, hole, boolean,
                      train, sample, graph> {};
struct index_sum : plus<sor<any_word, t<Tok::number, Tok::plus, Tok::minus>>> {};
struct indexed_name : at<any_word, t<Tok::left_bracket>, index_sum, t<Tok::right_bracket>, t<Tok::colon>> {};  // noisy_or(C[i]: 0.8)
struct argument : sor<seq<at<any_word, t<Tok::colon>>, word, colon, must<expr>>,
                      seq<indexed_name, word, t<Tok::left_bracket>, sum, t<Tok::right_bracket>, colon, must<expr>>, expr> {};
struct call_close : close_paren {};
struct call     : seq<open_paren, opt<argument, star<comma, must<argument>>>, must<call_close>> {};
struct index    : seq<t<Tok::left_bracket>, must<element>, star<comma, must<element>>, must<index_close>> {};
struct member   : seq<t<Tok::dot>, must<word>> {};
struct postfix  : seq<primary, star<sor<call, index, member>>> {};

struct power_op   : t<Tok::caret> {};
struct product_op : t<Tok::star, Tok::slash, Tok::mod> {};
struct sum_op     : t<Tok::plus, Tok::minus> {};
struct compare_op : t<Tok::equal_equal, Tok::not_equal, Tok::less, Tok::less_equal, Tok::greater, Tok::greater_equal, Tok::in> {};
struct and_op     : t<Tok::and_> {};
struct or_op      : t<Tok::or_> {};
struct no_chain   : not_at<compare_op> {};

struct power       : seq<postfix, opt<power_op, must<unary>>> {};
struct negation    : seq<t<Tok::minus_prefix>, must<unary>> {};
struct extremum    : seq<t<Tok::argmax, Tok::argmin>, must<sum>> {};
struct unary       : sor<negation, seq<t<Tok::plus_prefix>, must<unary>>, extremum, power> {};
struct product     : seq<unary, star<product_op, must<unary>>> {};
struct sum         : seq<product, star<sum_op, must<product>>> {};
struct step_clause : seq<t<Tok::step>, must<sum>> {};
struct range       : seq<sum, opt<t<Tok::dots>, must<sum>, opt<step_clause>>> {};
struct comparison  : seq<range, opt<compare_op, must<range, no_chain>>> {};
struct not_term;
struct not_        : seq<t<Tok::not_>, must<not_term>> {};
struct not_term    : sor<not_, comparison> {};
struct and_        : seq<not_term, star<and_op, must<not_term>>> {};
struct or_         : seq<and_, star<or_op, must<and_>>> {};
struct pipe        : seq<or_, star<t<Tok::pipe>, must<postfix>>> {};

struct lambda  : seq<at<sor<seq<free_word, arrow>, seq<open_paren, opt<list<free_word, comma>>, t<Tok::right_paren>, arrow>>>,
                     sor<name, seq<open_paren, opt<params>, t<Tok::right_paren>>>, arrow, must<expr>> {};
struct if_then : t<Tok::then> {};
struct if_else : t<Tok::else_> {};
struct if_     : seq<t<Tok::if_>, must<expr, if_then, expr, if_else, expr>> {};
struct explain : seq<t<Tok::explain>, must<expr>> {};
struct expr    : sor<explain, if_, lambda, pipe> {};

// --- declarations -------------------------------------------------------------------------------------------------------

struct row_value  : sor<label_alone, expr> {};
struct row_key    : sor<seq<open_paren, must<expr, close_paren>>, key> {};
struct row        : sor<seq<at<t<Tok::else_>, colon>, t<Tok::else_>, colon, must<row_value>>,
                        seq<list_must<row_key, comma>, must<colon, row_value>>> {};
struct cpt        : braces<row, close_rows> {};
struct domain     : braces<element, close_set> {};
struct tilde_mark : t<Tok::tilde> {};
struct node_body  : sor<seq<bar_mark, must<variable>, star<comma, must<variable>>, must<colon>, sor<cpt, must<expr>>>,
                        seq<colon, must<expr>>> {};
struct node       : seq<variable, sor<seq<tilde_mark, must<expr>>, seq<t<Tok::in>, must<domain, node_body>>, must<node_body>>> {};
struct net_items;
struct plate      : seq<t<Tok::for_>, must<name, for_in, range, net_items>> {};
struct net_item   : sor<seq<plus<plate>, opt<node>>, node> {};     // after the } of a plate nothing is needed
struct net_items  : braces<net_item, close_nodes> {};
struct net_params : seq<open_paren, must<params, close_paren>> {};
struct net        : seq<t<Tok::net>, must<name>, opt<net_params>, must<net_items>> {};

struct outcome       : sor<label_alone, expr> {};
struct hypothesis    : seq<key, opt<t<Tok::colon>, must<sum>>, must<arrow, outcome>> {};
struct hypothesis_list : braces<hypothesis, close_hypotheses> {};
struct explicit_     : seq<arrow, must<name>, opt<bar_mark, must<params>>, must<hypothesis_list>> {};
struct parameter     : seq<name, must<for_in, range>> {};
struct prior_clause  : seq<t<Tok::prior>, not_at<t<Tok::arrow, Tok::bar>>, must<sum>> {};
struct parametric_body : seq<open_brace, gap, opt<prior_clause, opt<sep>>, must<name>, opt<bar_mark, must<params>>, must<arrow, expr>, gap,
                             must<close_outcome>> {};
struct parametric    : seq<open_paren, must<parameter>, star<comma, must<parameter>>, must<close_paren, parametric_body>> {};
struct hypotheses_body : sor<explicit_, parametric> {};
struct hypotheses    : seq<t<Tok::hypotheses>, must<name, hypotheses_body>> {};

struct component       : seq<sum, must<colon, expr>> {};
struct component_list  : braces<component, close_components> {};
struct mixture         : seq<t<Tok::mixture>, must<name, component_list>> {};

struct state_list   : braces<key, close_states> {};
struct by_state     : sor<hole, entries> {};
struct section      : sor<seq<t<Tok::states>, must<state_list>>, seq<t<Tok::start>, must<sum>>, seq<t<Tok::move, Tok::emit>, must<by_state>>> {};
struct sections     : sequence<section, close_sections> {};
struct hmm          : seq<t<Tok::hmm>, must<name, sections>> {};

struct symbol       : sor<t<Tok::text>, seq<not_at<any_word, t<Tok::arrow>>, any_word>> {};
struct alternative  : seq<plus<symbol>, opt<t<Tok::colon>, must<sum>>> {};
struct production   : seq<word, must<arrow, alternative>, star<t<Tok::bar>, must<alternative>>> {};
struct start_symbol : seq<t<Tok::start>, not_at<t<Tok::arrow>>, must<word>> {};
struct productions  : sequence<sor<start_symbol, production>, close_rules> {};
struct grammar      : seq<t<Tok::grammar>, must<name, productions>> {};

struct cell       : sor<t<Tok::cell, Tok::cell_text, Tok::cell_missing>, seq<open_paren, must<expr, close_paren>>> {};
struct table_line : plus<sor<cell, t<Tok::cell_arrow>>> {};
struct table_close : close_brace {};
struct table_body : seq<open_brace, must<table_line>, star<t<Tok::row_end>, table_line>, opt<t<Tok::row_end>>, must<table_close>> {};
struct table      : seq<t<Tok::table>, must<name, table_body>> {};

struct influence  : t<Tok::plus_label, Tok::minus_label, Tok::plus_prefix, Tok::minus_prefix> {};
struct chain      : seq<key, must<arrow, influence, key>, star<arrow, must<influence, key>>> {};
struct kind       : seq<list<key, comma>, colon, must<key>> {};
struct graph_body : braces<sor<kind, chain>, close_graph> {};

struct case_section : sor<seq<at<key, t<Tok::colon>>, entry>, seq<t<Tok::structure>, must<plain_text>>, seq<t<Tok::function>, must<graph_body>>> {};
struct case_body    : sequence<case_section, close_case> {};
struct case_        : seq<t<Tok::case_>, must<key, case_body>> {};
struct case_list    : sequence<case_, close_cases> {};
struct cases        : seq<t<Tok::cases>, must<name, case_list>> {};

// --- statements ---------------------------------------------------------------------------------------------------------

struct statement;
struct let            : seq<t<Tok::let>, must<name, equal, expr>> {};
struct where_binding  : seq<name, must<equal, expr>> {};
struct fn             : seq<t<Tok::fn>, must<name, open_paren>, opt<params>, must<close_paren, equal, expr>,
                            opt<t<Tok::where>, must<where_binding>, star<comma, must<where_binding>>>> {};
struct set_statement  : seq<t<Tok::set>, must<name, expr>> {};
struct import         : seq<t<Tok::import>, must<plain_text>, opt<t<Tok::as>, must<name>>> {};
struct expect_error   : seq<at<t<Tok::expect>, t<Tok::error>, t<Tok::text, Tok::text_open, Tok::colon>>, t<Tok::expect>, t<Tok::error>, opt<plain_text>,
                            must<colon, statement>> {};
struct within_clause  : seq<t<Tok::within>, must<sum>> {};
struct expect         : seq<t<Tok::expect>, must<expr>, opt<within_clause>, opt<t<Tok::from>, must<plain_text>>> {};
struct expression     : expr {};
struct statement      : sor<let, fn, net, hypotheses, mixture, hmm, grammar, table, cases, set_statement, import, expect_error, expect,
                            expression> {};
struct end_of_statement : eof {};
struct whole_statement : must<statement, end_of_statement> {};

// clang-format on

}  // namespace credence::lang::grammar
