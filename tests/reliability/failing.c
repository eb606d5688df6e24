/* LD_PRELOAD: the n-th allocation fails (FAIL_AT=n), or all of at least FAIL_FROM bytes from the n-th on. COUNT_TO names a file for the
   number of allocations there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static atomic_long count;
static long fail_at, fail_from;

__attribute__((constructor)) static void start(void) {
    if (getenv("FAIL_FROM")) fail_from = atol(getenv("FAIL_FROM"));
    if (getenv("FAIL_AT")) fail_at = atol(getenv("FAIL_AT"));
}

static int fails(size_t size) {
    if ((long)size < fail_from) return 0;
    const long n = atomic_fetch_add(&count, 1) + 1;
    if (fail_at == 0 || (fail_from > 0 ? n < fail_at : n != fail_at)) return 0;
    errno = ENOMEM;
    return 1;
}

void* malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return fails(n * size) ? NULL : __libc_calloc(n, size); }
void* realloc(void* p, size_t size) { return fails(size) ? NULL : __libc_realloc(p, size); }

__attribute__((destructor)) static void tell(void) {
    const char* path = getenv("COUNT_TO");
    if (!path) return;
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, text, (size_t)length) >= 0) close(file);
}
