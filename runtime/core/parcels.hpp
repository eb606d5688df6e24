#pragma once
// Numbers, labels and faults as bytes (parcel.hpp), to the last bit.

#include "runtime/core/number.hpp"
#include "runtime/core/parcel.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/variable.hpp"

namespace credence::rt {

void pack(Parcel& out, const Rational& value);
void unpack(ParcelReader& in, Rational& value);
void pack(Parcel& out, const Number& number);
void unpack(ParcelReader& in, Number& number);
void pack(Parcel& out, const Label& label);
void unpack(ParcelReader& in, Label& label);
void pack(Parcel& out, const DomainPtr& domain);  ///< null too
void unpack(ParcelReader& in, DomainPtr& domain);
void pack(Parcel& out, const Fault& fault);
void unpack(ParcelReader& in, Fault& fault);

/// A status as bytes: nothing where all is well.
std::string packed(const Status& status);
Status unpacked_status(std::string_view bytes);

}  // namespace credence::rt
