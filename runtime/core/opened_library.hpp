#pragma once
// A library that is opened when it is first needed: linked, it and those behind it would cost every start of the program.

#include <string>
#include <type_traits>

namespace credence::rt {

class OpenedLibrary {
public:
    explicit OpenedLibrary(const char* name);

    /// The function of that name, also of the libraries behind it.
    template <class F>
    void find(const char* name, F& function) {
        function = reinterpret_cast<std::remove_reference_t<F>>(address(name));
    }
    const std::string& missing() const { return missing_; }  ///< why it cannot be used, in the words of the loader; empty: it can

private:
    void* address(const char* name);

    void* library_ = nullptr;
    std::string missing_;
};

}  // namespace credence::rt
