// sock_*: there are none.
#include "check.h"

int main(void) {
    uint8_t byte;
    __wasi_iovec_t in = {&byte, 1};
    __wasi_ciovec_t out = {&byte, 1};
    __wasi_size_t count;
    __wasi_roflags_t flags;
    __wasi_fd_t fd;
    IS(__wasi_sock_recv(0, &in, 1, 0, &count, &flags), __WASI_ERRNO_NOTSOCK);
    IS(__wasi_sock_send(1, &out, 1, 0, &count), __WASI_ERRNO_NOTSOCK);
    IS(__wasi_sock_shutdown(1, __WASI_SDFLAGS_WR), __WASI_ERRNO_NOTSOCK);
    IS(__wasi_sock_accept(0, 0, &fd), __WASI_ERRNO_NOTSOCK);
    IS(__wasi_sock_recv(99, &in, 1, 0, &count, &flags), __WASI_ERRNO_BADF);
    IS(__wasi_sock_send(99, &out, 1, 0, &count), __WASI_ERRNO_BADF);
    IS(__wasi_sock_shutdown(99, 0), __WASI_ERRNO_BADF);
    IS(__wasi_sock_accept(99, 0, &fd), __WASI_ERRNO_BADF);
    return end();
}
