#pragma once
// Tables from rank to rank.

#include "runtime/core/parcels.hpp"
#include "runtime/core/ranks.hpp"
#include "runtime/data/file_path.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

void pack(Parcel& out, const TablePtr& table);
void unpack(ParcelReader& in, TablePtr& table);

/// What the first rank reads, on all of them: for files that change while they are read. `read` gets the file as that of one process.
template <class Read>
auto by_first_reader(const FilePath& file, Read&& read) -> decltype(read(file)) {
    FilePath own = file;
    own.ranks = nullptr;
    if (!file.ranks || file.ranks->size() == 1) return read(own);
    Parcel parcel;
    if (file.ranks->is_first()) {
        auto result = read(own);
        parcel.put(static_cast<bool>(result));
        if (result)
            parcel.put(*result);
        else
            parcel.put(result.fault());
    }
    const std::string bytes = file.ranks->from_first(parcel.bytes(), purpose_of("read"));
    ParcelReader reader(bytes);
    bool well = false;
    reader.get(well);
    if (well) {
        auto value = std::decay_t<decltype(*read(own))>();
        reader.get(value);
        return value;
    }
    Fault fault;
    reader.get(fault);
    return fault;
}

}  // namespace credence::rt
