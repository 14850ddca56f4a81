/* What the C library would ask of WASI, answered here, so that the image has no imports but our own.
 *
 * A cell has no files, no environment and no ambient clock. The stubs exist for code that is linked but never meant to
 * run (stdio behind the engine's dump functions) and for `clock_time_get`, which the engine calls while the image is
 * built, when there is no host to ask. */
#ifndef HOTCELL_PLATFORM_H
#define HOTCELL_PLATFORM_H

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <malloc.h>

#include <wasi/api.h>

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_size_t *written)
{
    (void)fd; (void)parts; (void)count; (void)written;
    return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *parts, size_t count, __wasi_size_t *read)
{
    (void)fd; (void)parts; (void)count; (void)read;
    return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t by, __wasi_whence_t whence, __wasi_filesize_t *at)
{
    (void)fd; (void)by; (void)whence; (void)at;
    return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd)
{
    (void)fd;
    return __WASI_ERRNO_NOSYS;
}

/* zig's own C library asks WASI from here, not through the function above. */
int close(int fd)
{
    (void)fd;
    return -1;
}

__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t fd, __wasi_fdstat_t *status)
{
    (void)fd; (void)status;
    return __WASI_ERRNO_NOSYS;
}

__wasi_errno_t __wasi_clock_time_get(__wasi_clockid_t clock, __wasi_timestamp_t precision, __wasi_timestamp_t *time)
{
    (void)clock; (void)precision;
    *time = 0;
    return __WASI_ERRNO_SUCCESS;
}

_Noreturn void __wasi_proc_exit(__wasi_exitcode_t code)
{
    (void)code;
    __builtin_trap();
}

#endif
