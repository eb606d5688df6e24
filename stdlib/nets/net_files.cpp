// Nets in files: BIF, XMLBIF, Hugin, UAI, DSC, and Credence source to write.

#include "lang/builtin/bind.hpp"
#include "runtime/data/text_file.hpp"
#include "runtime/nets/formats/net_formats.hpp"
#include "runtime/prob/declared/net.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

/// A net of tables: those of numbers have no place in these formats.
const rt::NetModel* net_in(const Value& value) {
    const auto* m = value.get<ModelValue>();
    return m ? dynamic_cast<const rt::NetModel*>(m->model.get()) : nullptr;
}

const rt::MarkovModel* undirected_in(const Value& value) {
    const auto* m = value.get<ModelValue>();
    return m ? dynamic_cast<const rt::MarkovModel*>(m->model.get()) : nullptr;
}

Result<Value> load_net(CallContext& c, const rt::NetFormat& format, const rt::FilePath& path) {
    auto read = TRY(rt::read_net(path, format));
    for (auto& note : read.notes) c.note(std::move(note));
    if (read.undirected) {
        const std::string name = read.undirected->name;
        return Value(
            Value::Node(ModelValue{rt::make_markov_model(std::make_shared<const rt::MarkovNet>(*std::move(read.undirected))), name}));
    }
    const std::string name = read.net.name;
    return Value(Value::Node(ModelValue{rt::make_net_model(std::make_shared<const rt::Net>(std::move(read.net))), name}));
}

}  // namespace

void add_net_files(Registry& r) {
    for (const auto& format : rt::net_formats()) {
        FileFormat out;
        out.endings = {std::string(format.ending)};
        if (format.read) out.load = [&format](CallContext& c, const rt::FilePath& path) { return load_net(c, format, path); };
        const bool undirected = format.ending == ".uai";
        out.saves = [undirected](const Value& v) { return net_in(v) != nullptr || (undirected && undirected_in(v) != nullptr); };
        out.save = [&format](CallContext&, const Value& v, const rt::FilePath& path) -> rt::Status {
            if (const auto* net = net_in(v)) return rt::write_net(*net->net(), path, format);
            return rt::write_file(path, rt::write_uai_markov(*undirected_in(v)->markov()));
        };
        r.add_format(std::move(out));
    }
    FileFormat evidence;
    evidence.endings = {".evid"};
    evidence.saves = [](const Value&) { return false; };
    evidence.load = [](CallContext&, const rt::FilePath& path) -> Result<Value> {
        auto samples = TRY(rt::read_uai_samples(path));
        return Value(Value::Node(std::move(samples)));
    };
    r.add_format(std::move(evidence));
    r.add_member("markov", bind(
                               {"nets",
                                "log_partition",
                                {{"m"}},
                                "The natural logarithm of an undirected model's normalising sum.",
                                "load(\"pair.uai\").log_partition == ln(8) within 1e-12"},
                               +[](CallContext& c, ModelValue m) -> Result<Value> {
                                   auto sum = TRY(dynamic_cast<const rt::MarkovModel&>(*m.model).log_partition(c.run()));
                                   return Value(std::move(sum));
                               }));
}

}  // namespace credence::std_
