#include "runtime/core/opened_library.hpp"

#include <dlfcn.h>

namespace credence::rt {

OpenedLibrary::OpenedLibrary(const char* name) : library_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (library_) return;
    const char* said = dlerror();
    missing_ = said ? said : name;
}

void* OpenedLibrary::address(const char* name) {
    if (!library_) return nullptr;
    void* const found = dlsym(library_, name);
    if (found || !missing_.empty()) return found;
    const char* said = dlerror();
    missing_ = said ? said : name;
    return nullptr;
}

}  // namespace credence::rt
