#pragma once
// What libcredence_mpi.so gives the program: MPI behind plain functions, so that the program does without its library and headers.

#include <stddef.h>

extern "C" {

struct CredenceMpi {
    int rank;
    int size;
    char host[256];
    char library[256];  // "Open MPI v4.1.4"
    /// As RankLink::gather.
    void (*gather)(const char* own, const size_t* sizes, char* all);
    void (*finish)(void);
};

/// Starts MPI; null where it could not be started. Called once.
typedef const CredenceMpi* (*CredenceMpiStart)(void);
}
