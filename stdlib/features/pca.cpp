// pca(t, …): principal components of a table.

#include "runtime/features/preparations.hpp"

#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

rt::PcaOptions pca_options(const std::optional<Count>& k, const std::optional<Probability>& share, bool standard, bool whiten) {
    rt::PcaOptions options;
    if (k) options.k = k->value;
    if (share) options.share = share->value.real();
    options.standard = standard;
    options.whiten = whiten;
    return options;
}

template <class T>
Result<std::optional<T>> optional_argument(const std::optional<Value>& v) {
    if (!v) return std::optional<T>();
    auto taken = TRY(Take<T>::from(*v, {}));
    return std::optional<T>(std::move(taken));
}

Result<rt::Derivation> explain_pca(CallContext& c, Arguments arguments) {
    const auto k = TRY(optional_argument<Count>(arguments[1]));
    const auto share = TRY(optional_argument<Probability>(arguments[2]));
    const auto scale = TRY(optional_argument<Choice>(arguments[3]));
    rt::Run run = c.run();
    return rt::explain_components(**arguments[0]->get<rt::TablePtr>(), pca_options(k, share, scale && scale->text == "standard", false),
                                  run);
}

Result<const rt::PrincipalComponents*> components_of(const ModelValue& m, std::string_view member) {
    return model_as<rt::PrincipalComponents>(m, member);
}

void add_analyses(Registry& r) {
    Builtin analysing = bind(
        {subject::features,
         "pca",
         {{"t"}, {"k", "all"}, {"share", "none"}, {"scale", "none", {"none", "standard"}}, {"whiten", "false"}},
         "The principal components of a table's numeric columns, excluding the target: k of them, or as many as explain a share of the "
         "variance.",
         "abs(pca(line).eigenvalues[1] - 1) < 1e-9"},
        +[](CallContext& c, rt::TablePtr t, std::optional<Count> k, std::optional<Probability> share, std::optional<Choice> scale,
            std::optional<bool> whiten) -> Result<Value> {
            if (k && share) return Fault{.code = "E-PARAMETER", .message = "give k or share, not both", .origin = c.argument(2)};
            const auto options = pca_options(k, share, scale && scale->text == "standard", whiten.value_or(false));
            rt::Run& run = c.run();
            run.note = [&c](std::string text) { c.note(std::move(text)); };
            auto made = rt::principal_components(*t, options, run);
            run.note = {};
            if (!made) {
                Fault fault = std::move(made).fault();
                if (fault.origin == rt::Origin::none) fault.origin = c.argument(0);
                return fault;
            }
            return Value(Value::Node(ModelValue{*std::move(made), {}}));
        });
    analysing.explain = explain_pca;
    r.add(std::move(analysing));
    r.add_preparation(bind(
        {subject::features,
         "pca",
         {{"k", "all"}, {"share", "none"}, {"scale", "none", {"none", "standard"}}, {"whiten", "false"}},
         "Without a table: a preparation, for the learner that it is piped into. The components are those of the training rows, in each "
         "fold "
         "of a cross-validation too; pc1, pc2 … take the place of the numeric columns.",
         "abs(predict(train (pca(k: 1) |> regression()) on line, <2>) - 5) < 1e-9"},
        +[](CallContext& c, std::optional<Count> k, std::optional<Probability> share, std::optional<Choice> scale,
            std::optional<bool> whiten) -> Result<Value> {
            if (k && share) return Fault{.code = "E-PARAMETER", .message = "give k or share, not both", .origin = c.argument(1)};
            return learner_value(
                rt::make_component_analysis(pca_options(k, share, scale && scale->text == "standard", whiten.value_or(false))));
        }));
}

void add_pca_members(Registry& r) {
    r.add_member("pca", bind(
                            {subject::features,
                             "eigenvalues",
                             {{"model"}},
                             "The variances along the components kept, the largest first.",
                             "count(pca(line).eigenvalues) == 1"},
                            +[](CallContext&, ModelValue m) -> Result<Value> {
                                auto pc = TRY(components_of(m, "eigenvalues"));
                                return numbers_value(std::span(pc->eigenvalues).first(pc->kept()));
                            }));
    r.add_member("pca", bind(
                            {subject::features,
                             "explained",
                             {{"model"}},
                             "The share of the total variance along each component kept.",
                             "pca(line).explained == [1]"},
                            +[](CallContext&, ModelValue m) -> Result<Value> {
                                auto pc = TRY(components_of(m, "explained"));
                                return numbers_value(std::span(pc->explained).first(pc->kept()));
                            }));
    r.add_member("pca",
                 bind(
                     {subject::features,
                      "components",
                      {{"model"}},
                      "The components kept. Each is a unit vector, a list with one number for each column; its largest number is positive.",
                      "pca(line).components == [[1]]"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto pc = TRY(components_of(m, "components"));
                         List out;
                         for (std::size_t k = 0; k < pc->kept(); ++k) out.push_back(numbers_value(pc->components.row(k)));
                         return Value::list(std::move(out));
                     }));
    const auto transform = +[](CallContext&, ModelValue m, rt::TablePtr t) -> Result<Value> {
        auto pc = TRY(components_of(m, "transform"));
        auto out = TRY(pc->transform(*t));
        return Value(Value::Node(std::move(out)));
    };
    const char* transforms = "The table with pc1, pc2 … in place of the columns.";
    r.add_member(
        "pca",
        bind({subject::features, "transform", {{"model"}, {"t"}}, transforms, "pca(line).transform(line).pc1 == [-1, 0, 1]"}, transform));
    r.add(
        bind({subject::features, "transform", {{"model"}, {"t"}}, transforms, "transform(pca(line), line).pc1 == [-1, 0, 1]"}, transform));
    r.add_member("pca", bind(
                            {subject::features,
                             "back",
                             {{"model"}, {"t"}},
                             "A table with the original columns, computed back from pc1, pc2 …",
                             "pca(line).back(pca(line).transform(line)).x == [1, 2, 3]"},
                            +[](CallContext&, ModelValue m, rt::TablePtr t) -> Result<Value> {
                                auto pc = TRY(components_of(m, "back"));
                                auto out = TRY(pc->back(*t));
                                return Value(Value::Node(std::move(out)));
                            }));
}

}  // namespace

void add_pca(Registry& r) {
    add_analyses(r);
    add_pca_members(r);
    r.add_loader("pca", rt::load_pca);
}

}  // namespace credence::std_
