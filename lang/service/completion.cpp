#include "lang/service/completion.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lang/service/calls.hpp"
#include "lang/service/escapes.hpp"
#include "lang/service/help.hpp"
#include "lang/syntax/token.hpp"
#include "lang/value/show.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/core/words.hpp"

namespace credence::lang {

namespace {

using Kind = Completion::Kind;
using Place = Cursor::Place;

/// "yes, no", cut where there are many.
std::string values_text(const VariableShape& variable) {
    constexpr std::size_t most = 6;
    if (!variable.labels) return variable.numeric ? "a number" : "";
    const auto& labels = *variable.labels;
    return rt::joined(std::span(labels).first(std::min(most, labels.size())), ", ") + (labels.size() > most ? ", …" : "");
}

class Collector {
public:
    Collector(const Known& known, const Cursor& cursor) : known_(known), cursor_(cursor) {}

    std::vector<Completion> collect() {
        switch (cursor_.place) {
            case Place::nowhere:
                return {};
            case Place::escape:
                escapes();
                return std::move(found_);
            case Place::text:
                files();
                return std::move(found_);
            case Place::label:
                labels_of(cursor_.variable);
                break;
            case Place::member:
                members();
                return std::move(found_);
            case Place::index:
                keys_of(cursor_.base);
                break;
            case Place::setting:
                for (const auto* word : {"digits", "lines", "numbers", "seed", "threads"}) offer(word, Kind::word);
                return std::move(found_);
            case Place::value:
                if (cursor_.base == "numbers")
                    for (const auto* word : {"automatic", "exact", "real"}) offer(word, Kind::word);
                if (cursor_.base == "lines")
                    for (const auto* word : {"all", "auto"}) offer(word, Kind::word);
                if (cursor_.base == "numbers" || cursor_.base == "lines") return std::move(found_);
                break;
            case Place::method:
                methods();
                return std::move(found_);
            case Place::model:
                symbols([](const Symbol& s) { return s.shape.has_value(); });
                values([](const Value& v) {
                    return v.is<ModelValue>() || v.is<rt::TablePtr>() || v.is<rt::DistributionPtr>() || v.is<FactorPtr>();
                });
                break;
            case Place::learner:
                for (const auto& [name, overloads] : known_.registry.builtins())
                    if (overloads.forms.front().learner) offer(name, Kind::learner, signature_text(overloads.forms.front()));
                symbols([](const Symbol& s) { return s.kind == Symbol::Kind::model && s.shape && s.shape->kind != "table"; });
                values([](const Value& v) { return v.is<LearnerValuePtr>(); });
                break;
            case Place::data:
                symbols([](const Symbol& s) { return s.shape && s.shape->kind == "table"; });
                values([](const Value& v) { return v.is<rt::TablePtr>() || v.is<ListPtr>(); });
                break;
            case Place::statement:
            case Place::expression:
                if (cursor_.call) arguments(*cursor_.call);
                break;
        }
        // Where nothing special fits what was typed, everything is possible.
        if (found_.empty() || cursor_.place == Place::statement || (cursor_.place == Place::expression && !only_words_)) anything();
        return std::move(found_);
    }

private:
    void offer(std::string_view text, Kind kind, std::string detail = {}) {
        if (!text.starts_with(cursor_.word) || text.size() <= cursor_.word.size()) return;
        if (seen_.emplace(text).second) found_.push_back({std::string(text), kind, std::move(detail)});
    }
    void offer_label(const std::string& label) {
        if (cursor_.quoted) return offer(label, Kind::label);
        const std::string text = show_label(label);
        offer(text, Kind::label);
    }
    const Value* value_of(std::string_view name) const { return known_.value_of ? known_.value_of(name) : nullptr; }

    template <class F>
    void symbols(F fits) {
        std::set<std::string> names;
        for (const auto& s : known_.scope.symbols())
            if (known_.scope.find(s.name) == &s && fits(s)) names.insert(s.name);
        for (const auto& name : names) offer_symbol(*known_.scope.find(name));
    }
    template <class F>
    void values(F fits) {
        symbols([&](const Symbol& s) {
            const Value* v = value_of(s.name);
            return v && fits(*v);
        });
    }
    void offer_symbol(const Symbol& s) {
        const std::string name = show_name(s.name);
        if (s.kind == Symbol::Kind::function)
            return offer(name, Kind::function, fmt::format("{}({})", s.name, rt::joined(s.parameters, ", ")));
        if (s.shape)
            return offer(name, s.shape->kind == "table" ? Kind::table : Kind::model,
                         fmt::format("{}: {}", s.shape->kind, rt::joined(s.shape->names(), ", ")));
        const Value* v = value_of(s.name);
        offer(name,
              v && v->is<rt::TablePtr>() ? Kind::table
              : v && v->is<ModelValue>() ? Kind::model
                                         : Kind::name,
              v ? std::string(v->kind()) : "");
    }

    /// The variables of everything that has any: declared models and tables, and the values of names.
    template <class F>
    void each_variable(F f) {
        for (const auto& s : known_.scope.symbols()) {
            if (known_.scope.find(s.name) != &s) continue;
            if (s.shape) {
                for (const auto& v : s.shape->variables) f(s, v);
            } else if (const Value* value = value_of(s.name)) {
                if (const auto* model = value->get<ModelValue>())
                    for (const auto& v : shape_of(*model->model).variables) f(s, v);
                else if (const auto* table = value->get<rt::TablePtr>())
                    for (const auto& column : (*table)->columns) f(s, shape_of_variable({column->name, column->domain}));
                else if (const auto* factor = value->get<FactorPtr>())
                    for (const auto& v : (*factor)->variables()) f(s, shape_of_variable(v));
            }
        }
    }
    static VariableShape shape_of_variable(const rt::Variable& variable) {
        VariableShape out{.name = variable.name, .labels = std::nullopt, .numeric = !variable.domain};
        if (!variable.domain) return out;
        out.labels.emplace();
        for (const auto& label : variable.domain->labels()) out.labels->push_back(label.text());
        return out;
    }

    void labels_of(const std::string& variable) {
        each_variable([&](const Symbol&, const VariableShape& v) {
            if (v.name != variable || !v.labels) return;
            for (const auto& label : *v.labels) offer_label(label);
        });
    }
    void variables() {
        each_variable([&](const Symbol& s, const VariableShape& v) {
            const bool column = (s.shape && s.shape->kind == "table") || !s.shape;
            offer(show_name(v.name), column ? Kind::column : Kind::variable, values_text(v));
        });
    }
    void columns_of(const std::string& name) {
        each_variable([&](const Symbol& s, const VariableShape& v) {
            if (s.name == name) offer(show_name(v.name), Kind::column, values_text(v));
        });
    }
    void keys_of(const std::string& name) {
        const Value* v = value_of(name);
        if (!v) return;
        if (const auto* factor = v->get<FactorPtr>()) {
            if (cursor_.position >= (*factor)->variables().size()) return;
            for (const auto& label : (*factor)->variables()[cursor_.position].domain->labels()) offer_label(label.text());
        } else if (const auto* record = v->get<RecordPtr>()) {
            for (const auto& [key, item] : (*record)->entries) offer_label(key);
        }
    }

    void members() {
        const Value* v = cursor_.base.empty() ? nullptr : value_of(cursor_.base);
        const Symbol* s = cursor_.base.empty() ? nullptr : known_.scope.find(cursor_.base);
        if (v) {
            if (const auto* record = v->get<RecordPtr>()) {
                for (const auto& [key, item] : (*record)->entries) offer(show_name(key), Kind::member, std::string(item.kind()));
                return;
            }
            if (v->is<rt::TablePtr>()) columns_of(cursor_.base);
            std::string kind(v->kind());
            if (const auto* model = v->get<ModelValue>()) kind = model->model->kind();
            for (const std::string_view article : {"a ", "an "})
                if (kind.starts_with(article)) kind.erase(0, article.size());
            members_of(kind);
            if (v->is<ModelValue>()) members_of("model");
        } else if (s && s->shape) {
            if (s->shape->kind == "table") columns_of(s->name);
            members_of(s->shape->kind);
            if (s->shape->kind != "table") members_of("model");
        } else {
            for (const auto& [key, member] : known_.registry.members()) offer(key.second, Kind::member, signature_text(member));
            std::sort(found_.begin(), found_.end(), [](const Completion& a, const Completion& b) { return a.text < b.text; });
        }
    }
    void members_of(std::string_view kind) {
        for (const auto& name : known_.registry.member_names(kind))
            offer(name, Kind::member, signature_text(*known_.registry.find_member(kind, name)));
    }

    /// What the models of the script have; without models, everything.
    void methods() {
        const MethodUse use = cursor_.training ? MethodUse::training : MethodUse::answering;
        std::map<std::string, std::string> found;
        const auto add = [&](const std::vector<rt::MethodInfo>& methods) {
            for (const auto& method : methods) found.emplace(method.name, signature_text(signature_of(method)));
        };
        for (const auto& s : known_.scope.symbols()) {
            const Value* v = value_of(s.name);
            if (const auto* model = v ? v->get<ModelValue>() : nullptr)
                add(use == MethodUse::training ? model->model->training_methods() : model->model->engines());
            else if (s.shape)
                add(use == MethodUse::training ? s.shape->training_methods : s.shape->engines);
        }
        if (found.empty())
            for (const auto& [name, forms] : known_.registry.methods(use)) found.emplace(name, signature_text(forms.front().form));
        for (const auto& [name, signature] : found) offer(name, Kind::word, signature);
    }

    void arguments(const OpenCall& call) {
        if (call.query) return variables();
        const auto forms = forms_of(known_.registry, call);
        for (const Builtin* form : forms)
            if (const Parameter* p = parameter_at(*form, call)) argument(*p, call);
        if (!call.parameter.empty()) return;
        for (const Builtin* form : forms)
            for (std::size_t i = call.position + (call.member ? 1 : 0); i < form->parameters.size(); ++i) {
                const Parameter& p = form->parameters[i];
                if (p.rest || rt::contains(call.named, p.name)) continue;
                offer(p.name + ": ", Kind::parameter, parameter_text(p));
            }
        if (const Symbol* own = call.method ? nullptr : known_.scope.find(call.function))
            for (const auto& name : own->parameters) offer(name + ": ", Kind::parameter);
    }
    void argument(const Parameter& p, const OpenCall& call) {
        switch (p.type) {
            case Type::word:
                for (const auto& word : p.words) offer(word, Kind::word);
                break;
            case Type::option:
                for (const auto& form : p.options)
                    offer(form.name, Kind::word, fmt::format("{}({})", form.name, rt::joined(form.parameters, ", ")));
                break;
            case Type::column:
            case Type::columns:
                for (const auto& name : call.words) columns_of(name);
                if (found_.empty()) variables();
                break;
            case Type::variable:
            case Type::variables:
                for (const auto& name : call.words) columns_of(name);
                variables();
                break;
            case Type::boolean:
                for (const auto* word : {"false", "true"}) offer(word, Kind::word);
                break;
            case Type::any:
            case Type::number:
            case Type::quantity:
            case Type::integer:
            case Type::count:
            case Type::positive:
            case Type::probability:
            case Type::label:
            case Type::text:
            case Type::list:
            case Type::numbers:
            case Type::interval:
            case Type::record:
            case Type::set:
            case Type::instance:
            case Type::factor:
            case Type::distribution:
            case Type::table:
            case Type::model:
            case Type::learner:
            case Type::function:
            case Type::settings:
            case Type::start:
                return;
        }
        only_words_ = !found_.empty();
    }

    void escapes() {
        for (const auto& [text, symbol] : escapes_for(cursor_.word)) {
            // Where only one is left, or the name is whole, the sign itself.
            found_.push_back({std::string(symbol), Kind::symbol, std::string(text)});
        }
        if (found_.size() > 1)
            for (auto& item : found_) std::swap(item.text, item.detail);
    }

    void files() {
        namespace fs = std::filesystem;
        const auto slash = cursor_.word.rfind('/');
        const std::string typed_folder = slash == std::string::npos ? "" : cursor_.word.substr(0, slash + 1);
        const std::string last = cursor_.word.substr(typed_folder.size());
        const fs::path folder =
            typed_folder.starts_with('/') ? fs::path(typed_folder) : fs::path(known_.folder.empty() ? "." : known_.folder) / typed_folder;
        std::error_code ignored;
        std::set<std::string> names;
        for (auto it = fs::directory_iterator(folder, ignored); it != fs::directory_iterator(); it.increment(ignored)) {
            std::string name = it->path().filename().string();
            if (name.starts_with('.') != last.starts_with('.') || name.find_first_of("\"\\{}\n") != std::string::npos) continue;
            if (it->is_directory(ignored)) name += '/';
            names.insert(typed_folder + name);
        }
        for (const auto& name : names) offer(name, Kind::file);
    }

    void anything() {
        symbols([](const Symbol& s) { return s.name != "_"; });
        variables();
        for (const auto& label : known_.scope.labels())
            if (is_identifier(label)) offer(label, Kind::label);
        for (const auto& [name, overloads] : known_.registry.builtins())
            offer(name, overloads.forms.front().learner ? Kind::learner : Kind::builtin, signature_text(overloads.forms.front()));
        if (cursor_.place == Place::statement)
            for (const auto& word : rt::words)
                if (word.kind == rt::WordKind::statement) offer(word.text, Kind::keyword);
        for (const auto word : reserved_words()) offer(word, Kind::keyword);
    }

    const Known& known_;
    const Cursor& cursor_;
    std::vector<Completion> found_;
    std::set<std::string, std::less<>> seen_;
    bool only_words_ = false;  ///< the parameter takes nothing but words
};

}  // namespace

Known known_in(const Session& session, std::string folder) {
    return {session.world().registry, session.scope(), [&session](std::string_view name) { return session.value_of(name); },
            std::move(folder)};
}

Completions complete(const Known& known, std::string_view text, std::size_t at) {
    const Cursor cursor = cursor_at(text, at);
    return {cursor.start, Collector(known, cursor).collect()};
}

}  // namespace credence::lang
