#include "runtime/core/parcels.hpp"

namespace credence::rt {

void pack(Parcel& out, const Rational& value) { out.put(value.text()); }

void unpack(ParcelReader& in, Rational& value) {
    std::string text;
    in.get(text);
    value = *Rational::parse(text);
}

void pack(Parcel& out, const Number& number) {
    out.put(number.is_exact());
    if (number.is_exact())
        out.put(number.exact());
    else
        out.put(number.real());
}

void unpack(ParcelReader& in, Number& number) {
    bool exact = false;
    in.get(exact);
    if (exact) {
        Rational value;
        in.get(value);
        number = Number(std::move(value));
    } else {
        double value = 0;
        in.get(value);
        number = Number::real(value);
    }
}

void pack(Parcel& out, const Label& label) {
    out.put(label.number());
    if (!label.is_number()) out.put(label.text());
}

void unpack(ParcelReader& in, Label& label) {
    std::optional<Number> number;
    in.get(number);
    if (number) {
        label = Label::of_number(*number);
        return;
    }
    std::string text;
    in.get(text);
    label = Label::of_text(text);
}

void pack(Parcel& out, const DomainPtr& domain) {
    out.put(domain != nullptr);
    if (domain) out.put(domain->labels());
}

void unpack(ParcelReader& in, DomainPtr& domain) {
    bool there = false;
    in.get(there);
    domain = nullptr;
    if (!there) return;
    std::vector<Label> labels;
    in.get(labels);
    domain = make_domain(std::move(labels));
}

void pack(Parcel& out, const Fault& fault) { out.put(fault.code).put(fault.message).put(fault.origin).put(fault.label).put(fault.hint); }

void unpack(ParcelReader& in, Fault& fault) { in.get(fault.code).get(fault.message).get(fault.origin).get(fault.label).get(fault.hint); }

std::string packed(const Status& status) {
    Parcel out;
    if (!status) out.put(status.fault());
    return out.bytes();
}

Status unpacked_status(std::string_view bytes) {
    if (bytes.empty()) return Done{};
    Fault fault;
    ParcelReader(bytes).get(fault);
    return fault;
}

}  // namespace credence::rt
