// Models given evidence: their summary and their draws.

#include "lang/builtin/bind.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::Result;
using V = Value;

Result<V> table_value(Result<rt::TablePtr> table) {
    if (!table) return std::move(table).fault();
    return V(V::Node(*std::move(table)));
}

}  // namespace

void add_posteriors(Registry& r) {
    r.add(bind(
        {subject::nets,
         "summary",
         {{"m"}},
         "A table with one row for each unobserved variable of a model. A row has the most probable value, or the mean, standard "
         "deviation, 5 % quantile, median and 95 % quantile of a number. Sampled numbers also have R-hat and the effective number of "
         "draws.",
         "summary(P(* | Wet = true) in Weather).variable == [\"Rain\"]"},
        +[](CallContext& c, ModelValue m) -> Result<V> {
            c.run().rng = c.rng().child("query");
            return table_value(rt::summarize(*m.model, rt::open_variables(*m.model), c.run()));
        }));
    r.add_member("posterior", bind(
                                  {subject::nets,
                                   "draws",
                                   {{"m"}, {"n", "4000"}},
                                   "A table of draws from a posterior: the draws that sampled answers are computed from.",
                                   "rows((P(* | Wet = true) in Weather).draws(100)) == 100"},
                                  +[](CallContext& c, ModelValue m, std::optional<Count> n) -> Result<V> {
                                      c.run().rng = c.rng().child("query");
                                      return table_value(m.model->sample(n ? n->value : 4000, {}, c.run()));
                                  }));
}

}  // namespace credence::std_
