// svm_text: linear machines over the words of texts.

#include "stdlib/margins/text_margins.hpp"
#include "runtime/margin/text_svm.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

Value words_value(std::span<const std::string> words) {
    List out;
    for (const auto& word : words) out.push_back(Value::text(word));
    return Value::list(std::move(out));
}

}  // namespace

void add_text_margins(Registry& r) {
    const std::string trained = "(train svm_text(min_count: 1) on weather)";
    r.add_learner(bind(
        {subject::learning,
         "svm_text",
         {{"column", "the only column besides the target"}, {"C", "1"}, {"min_count", "2"}},
         "A learner of linear support vector machines over the words of a text column, one machine for each label against the rest. Texts "
         "become tf-idf vectors of length 1. Words in fewer than min_count texts are left out.",
         "predict(train svm_text(min_count: 1) on weather, <\"cold wind\">) == \"yes\""},
        +[](CallContext&, std::optional<ColumnName> column, std::optional<Positive> cost, std::optional<Count> min_count) -> Result<Value> {
            rt::TextSvmOptions options;
            if (column) options.column = column->text;
            if (cost) options.c = cost->value.real();
            if (min_count) options.min_count = min_count->value;
            return learner_value(rt::make_text_svm(std::move(options)));
        }));
    r.add_member(
        "svm_text",
        bind(
            {subject::learning, "vocabulary", {{"model"}}, "The words that the model uses.", "count(" + trained + ".vocabulary) == 2"},
            +[](CallContext&, ModelValue m) -> Result<Value> {
                auto svm = TRY(model_as<rt::TextSvmModel>(m, "vocabulary"));
                return words_value(svm->weights().words());
            }));
    r.add_member("svm_text", bind(
                                 {subject::learning,
                                  "top",
                                  {{"model"}, {"class"}, {"n", "10"}},
                                  "The words with the largest weights for a label.",
                                  trained + ".top(\"yes\", 1) == [\"cold\"]"},
                                 +[](CallContext& c, ModelValue m, rt::Label label, std::optional<Count> n) -> Result<Value> {
                                     auto svm = TRY(model_as<rt::TextSvmModel>(m, "top"));
                                     const auto& target = svm->schema().target;
                                     const auto found = target.domain->find(label);
                                     if (!found)
                                         return Fault{.code = "E-LABEL",
                                                      .message = fmt::format("{} has no value '{}'", target.name, label.text()),
                                                      .origin = c.argument(1)};
                                     return words_value(svm->top(*found, n ? n->value : 10));
                                 }));
    r.add_loader("svm_text", rt::load_text_svm);
}

}  // namespace credence::std_
