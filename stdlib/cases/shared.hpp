#pragma once
// What the functions on case libraries share.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/instance/casebase/retrieve.hpp"

namespace credence::std_ {

using CaseAttributes = std::vector<std::pair<std::string, rt::Label>>;

lang::Value whole_value(std::size_t n);
lang::Value graph_value(rt::FunctionGraph graph);
lang::Value texts_value(const std::vector<std::string>& all);
lang::Value library_value(rt::CaseLibrary library, const std::string& name);

/// Faults where the argument is something else.
rt::Result<const rt::CaseLibrary*> library_in(lang::CallContext& c, const lang::ModelValue& m);
rt::Result<const rt::FunctionGraph*> graph_in(lang::CallContext& c, const lang::Value& v, std::size_t parameter);
rt::Result<CaseAttributes> attributes_in(lang::CallContext& c, const lang::Record& record, std::size_t parameter);
rt::Result<std::size_t> case_place(lang::CallContext& c, const rt::CaseLibrary& library, const std::string& label, std::size_t parameter);

/// .case .covered .score .mapping .rewrites
lang::Value hit_value(const rt::CaseLibrary& library, const rt::Hit& hit);
/// A goal is a graph, or a record of attributes.
rt::Result<rt::Retrieval> retrieve_any(lang::CallContext& c, const rt::CaseLibrary& library, const lang::Value& goal,
                                       const rt::RetrieveOptions& options);
/// The graph of some influences of another, with the quantities they need.
rt::FunctionGraph part_of(const rt::FunctionGraph& graph, const std::vector<rt::FunctionGraph::Influence>& arcs);

void add_case_cycle(lang::Registry& r);
void add_case_members(lang::Registry& r);

}  // namespace credence::std_
