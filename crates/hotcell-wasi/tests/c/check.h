// What the programs here check, and how they tell.
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

static int failures;

#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("%s:%d: not so: %s\n", __FILE_NAME__, __LINE__, #what); \
            failures++; \
        } \
    } while (0)

#define IS(what, expected) \
    do { \
        long long got_ = (long long)(what), expected_ = (long long)(expected); \
        if (got_ != expected_) { \
            printf("%s:%d: %s is %lld, not %lld\n", __FILE_NAME__, __LINE__, #what, got_, expected_); \
            failures++; \
        } \
    } while (0)

// The directories that a program has from the beginning.
#define ROOT 3
#define HERE 4

#define ALL_RIGHTS ((1ULL << 30) - 1)
#define FOLLOW __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW

static int end(void) {
    if (!failures) puts("ok");
    return failures != 0;
}

// Opens a file of the working directory with everything that can be asked for.
static __wasi_errno_t open_here(const char *path, __wasi_oflags_t how, __wasi_fd_t *fd) {
    return __wasi_path_open(HERE, FOLLOW, path, how, ALL_RIGHTS, ALL_RIGHTS, 0, fd);
}

static __wasi_errno_t write_text(__wasi_fd_t fd, const char *text, __wasi_size_t *count) {
    __wasi_ciovec_t one = {(const uint8_t *)text, strlen(text)};
    return __wasi_fd_write(fd, &one, 1, count);
}

static __wasi_errno_t read_text(__wasi_fd_t fd, char *text, size_t room, __wasi_size_t *count) {
    __wasi_iovec_t one = {(uint8_t *)text, room};
    *count = 0;
    __wasi_errno_t error = __wasi_fd_read(fd, &one, 1, count);
    if (*count < room) text[*count] = 0;
    return error;
}
