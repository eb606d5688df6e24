#pragma once
// Rule → what was expected where it failed. A rule under `must` without a line here does not build.

#include "lang/syntax/grammar.hpp"
#include "lang/syntax/messages.hpp"

namespace credence::lang {

template <class Rule>
inline constexpr Expected expected = {};

// clang-format off
template <> inline constexpr Expected expected<grammar::name>             = {Expects::name, "a name"};
template <> inline constexpr Expected expected<grammar::word>             = {Expects::name, "a name"};
template <> inline constexpr Expected expected<grammar::params>           = {Expects::name, "a name"};
template <> inline constexpr Expected expected<grammar::key>              = {Expects::name, "a label"};
template <> inline constexpr Expected expected<grammar::plain_text>       = {Expects::text, "a text in double quotes"};
template <> inline constexpr Expected expected<grammar::colon>            = {Expects::colon, "':'"};
template <> inline constexpr Expected expected<grammar::equal>            = {Expects::other, "'='"};
template <> inline constexpr Expected expected<grammar::arrow>            = {Expects::other, "'->'"};
template <> inline constexpr Expected expected<grammar::open_paren>       = {Expects::other, "'('"};
template <> inline constexpr Expected expected<grammar::close_paren>      = {Expects::close, "')'"};
template <> inline constexpr Expected expected<grammar::call_close>       = {Expects::close, "',' or ')'"};
template <> inline constexpr Expected expected<grammar::query_close>      = {Expects::query, "',', '|' or ')'"};
template <> inline constexpr Expected expected<grammar::close_bracket>    = {Expects::close, "',' or ']'"};
template <> inline constexpr Expected expected<grammar::list_close>       = {Expects::close, "',' or ']'"};
template <> inline constexpr Expected expected<grammar::index_close>      = {Expects::close, "',' or ']'"};
template <> inline constexpr Expected expected<grammar::close_angle>      = {Expects::close, "',' or '>'"};
template <> inline constexpr Expected expected<grammar::close_entries>    = {Expects::close_block, "a key and its value, as in a: 1,"};
template <> inline constexpr Expected expected<grammar::close_set>        = {Expects::close_block, "a value"};
template <> inline constexpr Expected expected<grammar::close_rows>       = {Expects::close_block, "a row, as in a, b : 1/2,"};
template <> inline constexpr Expected expected<grammar::close_nodes>      = {Expects::close_block, "a node, as in X | Y : …,"};
template <> inline constexpr Expected expected<grammar::close_hypotheses> = {Expects::close_block, "a hypothesis, as in h1: 1/2 -> a,"};
template <> inline constexpr Expected expected<grammar::close_outcome>    = {Expects::close_block, "nothing more"};
template <> inline constexpr Expected expected<grammar::close_components> = {Expects::close_block, "a component, as in 1/2: normal(0, 1),"};
template <> inline constexpr Expected expected<grammar::close_states>     = {Expects::close_block, "a state"};
template <> inline constexpr Expected expected<grammar::close_sections>   = {Expects::close_block, "states, start, move, emit"};
template <> inline constexpr Expected expected<grammar::close_rules>      = {Expects::close_block, "a rule, as in S -> A B: 1/2,"};
template <> inline constexpr Expected expected<grammar::close_graph>      = {Expects::close_block, "arrows, as in A ->+ B, kinds, as in A, B : flow,"};
template <> inline constexpr Expected expected<grammar::close_case>       = {Expects::close_block, "structure, function, an attribute, as in cost: 3,"};
template <> inline constexpr Expected expected<grammar::close_cases>      = {Expects::close_block, "a case"};
template <> inline constexpr Expected expected<grammar::close_splice>     = {Expects::close, "'}'"};
template <> inline constexpr Expected expected<grammar::close_text>       = {Expects::close, "\""};
template <> inline constexpr Expected expected<grammar::table_close>      = {Expects::table, "a cell, a line end or '}'"};
template <> inline constexpr Expected expected<grammar::table_line>       = {Expects::table, "the column names"};
template <> inline constexpr Expected expected<grammar::table_body>       = {Expects::block, "'{' and the rows of the table"};

template <> inline constexpr Expected expected<grammar::expr>             = {Expects::operand, "an expression"};
template <> inline constexpr Expected expected<grammar::element>          = {Expects::operand, "an expression"};
template <> inline constexpr Expected expected<grammar::argument>         = {Expects::operand, "an argument"};
template <> inline constexpr Expected expected<grammar::instance_element> = {Expects::operand, "a value, ? or ∅"};
template <> inline constexpr Expected expected<grammar::sum>              = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::product>          = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::unary>            = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::trained>          = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::postfix>          = {Expects::operand, "a name or a call"};
template <> inline constexpr Expected expected<grammar::range>            = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::not_term>         = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::and_>             = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::no_chain>         = {Expects::no_chain, "no second comparison"};
template <> inline constexpr Expected expected<grammar::if_then>          = {Expects::then, "then"};
template <> inline constexpr Expected expected<grammar::if_else>          = {Expects::else_, "else"};
template <> inline constexpr Expected expected<grammar::for_in>           = {Expects::other, "'in'"};
template <> inline constexpr Expected expected<grammar::train_on>         = {Expects::other, "'on' and the data"};
template <> inline constexpr Expected expected<grammar::from_clause>      = {Expects::other, "'from' and what to sample"};
template <> inline constexpr Expected expected<grammar::graph_body>       = {Expects::block, "'{' and the arrows of the graph"};

template <> inline constexpr Expected expected<grammar::item>             = {Expects::event, "a variable or an event such as X = a"};
template <> inline constexpr Expected expected<grammar::event_item>       = {Expects::event, "an event such as X = a"};
template <> inline constexpr Expected expected<grammar::event>            = {Expects::event, "an event such as X = a"};
template <> inline constexpr Expected expected<grammar::event_and>        = {Expects::event, "an event such as X = a"};
template <> inline constexpr Expected expected<grammar::event_term>       = {Expects::event, "an event such as X = a"};
template <> inline constexpr Expected expected<grammar::event_value>      = {Expects::operand, "a value"};
template <> inline constexpr Expected expected<grammar::variable>         = {Expects::name, "a variable"};

template <> inline constexpr Expected expected<grammar::row_value>        = {Expects::operand, "a distribution, a number, a label or ?"};
template <> inline constexpr Expected expected<grammar::row_key>          = {Expects::name, "a label of the next parent"};
template <> inline constexpr Expected expected<grammar::domain>           = {Expects::block, "the labels, as in {yes, no}"};
template <> inline constexpr Expected expected<grammar::node_body>        = {Expects::node, "':' and a table, '|' and parents, or '~' and a distribution"};
template <> inline constexpr Expected expected<grammar::net_items>        = {Expects::block, "'{' and the nodes"};
template <> inline constexpr Expected expected<grammar::outcome>          = {Expects::operand, "a label or a distribution"};
template <> inline constexpr Expected expected<grammar::hypothesis_list>  = {Expects::block, "'{' and the hypotheses"};
template <> inline constexpr Expected expected<grammar::parameter>        = {Expects::name, "a parameter and its range, as in theta in 0..1 step 1/10"};
template <> inline constexpr Expected expected<grammar::parametric_body>  = {Expects::block, "'{' and the outcome"};
template <> inline constexpr Expected expected<grammar::hypotheses_body>  = {Expects::other, "'->' and the outcome, or '(' and parameters"};
template <> inline constexpr Expected expected<grammar::component_list>   = {Expects::block, "'{' and the components"};
template <> inline constexpr Expected expected<grammar::state_list>       = {Expects::block, "'{' and the states"};
template <> inline constexpr Expected expected<grammar::by_state>         = {Expects::block, "? or '{' and a line for each state"};
template <> inline constexpr Expected expected<grammar::sections>         = {Expects::block, "'{' and the sections states, start, move, emit"};
template <> inline constexpr Expected expected<grammar::alternative>      = {Expects::other, "symbols, or words in quotes"};
template <> inline constexpr Expected expected<grammar::productions>      = {Expects::block, "'{' and the rules"};
template <> inline constexpr Expected expected<grammar::influence>        = {Expects::other, "the sign of the arrow, as in ->+ or ->-"};
template <> inline constexpr Expected expected<grammar::case_body>        = {Expects::block, "'{' and the case's structure and function"};
template <> inline constexpr Expected expected<grammar::case_list>        = {Expects::block, "'{' and the cases"};

template <> inline constexpr Expected expected<grammar::where_binding>    = {Expects::name, "a name"};
template <> inline constexpr Expected expected<grammar::statement>        = {Expects::operand, "a statement"};
template <> inline constexpr Expected expected<grammar::end_of_statement> = {Expects::end, "the end of the statement"};
// clang-format on

}  // namespace credence::lang
