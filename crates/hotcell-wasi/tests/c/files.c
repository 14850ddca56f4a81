// Reading, writing, positions, sizes: fd_read, fd_write, fd_pread, fd_pwrite, fd_seek, fd_tell, fd_filestat_set_size, fd_allocate,
// fd_advise, fd_sync, fd_datasync, fd_close, fd_renumber.
#include "check.h"

static void positions(void) {
    __wasi_fd_t fd;
    __wasi_size_t count;
    __wasi_filesize_t at;
    char text[64];
    IS(open_here("new.txt", __WASI_OFLAGS_CREAT, &fd), 0);
    IS(write_text(fd, "hello, world", &count), 0);
    IS(count, 12);
    IS(__wasi_fd_tell(fd, &at), 0);
    IS(at, 12);
    IS(__wasi_fd_seek(fd, 7, __WASI_WHENCE_SET, &at), 0);
    IS(at, 7);
    IS(read_text(fd, text, sizeof text, &count), 0);
    CHECK(strcmp(text, "world") == 0);
    IS(read_text(fd, text, sizeof text, &count), 0);
    IS(count, 0);
    IS(__wasi_fd_seek(fd, -5, __WASI_WHENCE_END, &at), 0);
    IS(at, 7);
    IS(__wasi_fd_seek(fd, -2, __WASI_WHENCE_CUR, &at), 0);
    IS(at, 5);
    IS(__wasi_fd_seek(fd, -6, __WASI_WHENCE_CUR, &at), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_seek(fd, -1, __WASI_WHENCE_SET, &at), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_seek(fd, 0, 3, &at), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_seek(99, 0, __WASI_WHENCE_SET, &at), __WASI_ERRNO_BADF);
    IS(__wasi_fd_seek(ROOT, 0, __WASI_WHENCE_SET, &at), __WASI_ERRNO_ISDIR);
    IS(__wasi_fd_seek(1, 0, __WASI_WHENCE_SET, &at), __WASI_ERRNO_SPIPE);
    IS(__wasi_fd_tell(1, &at), __WASI_ERRNO_SPIPE);
    IS(__wasi_fd_tell(99, &at), __WASI_ERRNO_BADF);

    // Several buffers at once, some of them empty; positions stay for those with an offset.
    char one[3], two[4];
    __wasi_iovec_t in[] = {{(uint8_t *)one, 3}, {NULL, 0}, {(uint8_t *)two, 4}};
    IS(__wasi_fd_pread(fd, in, 3, 0, &count), 0);
    IS(count, 7);
    CHECK(memcmp(one, "hel", 3) == 0 && memcmp(two, "lo, ", 4) == 0);
    __wasi_ciovec_t out[] = {{(const uint8_t *)"W", 1}, {(const uint8_t *)"ORLD!", 5}};
    IS(__wasi_fd_pwrite(fd, out, 2, 7, &count), 0);
    IS(count, 6);
    IS(__wasi_fd_tell(fd, &at), 0);
    IS(at, 5);
    IS(__wasi_fd_pread(fd, in, 1, 1000, &count), 0);
    IS(count, 0);
    IS(__wasi_fd_pread(fd, in, 1, UINT64_MAX, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_pwrite(fd, out, 1, UINT64_MAX, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_pread(0, in, 1, 0, &count), __WASI_ERRNO_SPIPE);
    IS(__wasi_fd_pwrite(1, out, 1, 0, &count), __WASI_ERRNO_SPIPE);
    IS(__wasi_fd_pread(99, in, 1, 0, &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_pwrite(99, out, 1, 0, &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_read(99, in, 1, &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_write(99, out, 1, &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_read(ROOT, in, 1, &count), __WASI_ERRNO_ISDIR);
    IS(__wasi_fd_write(ROOT, out, 1, &count), __WASI_ERRNO_ISDIR);
    IS(__wasi_fd_read(fd, in, 1025, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_read(fd, in, 0, &count), 0);
    IS(count, 0);

    // Bad addresses leave the position where it was.
    __wasi_iovec_t wild = {(uint8_t *)0xfffff000, 0x2000};
    IS(__wasi_fd_read(fd, &wild, 1, &count), __WASI_ERRNO_FAULT);
    IS(__wasi_fd_read(fd, in, 1, (__wasi_size_t *)0xfffffffe), __WASI_ERRNO_FAULT);
    IS(__wasi_fd_read(fd, (__wasi_iovec_t *)0xfffffffc, 1, &count), __WASI_ERRNO_FAULT);
    IS(__wasi_fd_tell(fd, &at), 0);
    IS(at, 5);
    IS(__wasi_fd_close(fd), 0);
    IS(__wasi_fd_close(fd), __WASI_ERRNO_BADF);
    IS(__wasi_fd_close(12345678), __WASI_ERRNO_BADF);
}

static void sizes(void) {
    __wasi_fd_t fd;
    __wasi_size_t count;
    __wasi_filestat_t stat;
    IS(open_here("sized", __WASI_OFLAGS_CREAT | __WASI_OFLAGS_EXCL, &fd), 0);
    IS(open_here("sized", __WASI_OFLAGS_CREAT | __WASI_OFLAGS_EXCL, &fd), __WASI_ERRNO_EXIST);
    IS(write_text(fd, "12345678", &count), 0);
    IS(__wasi_fd_filestat_set_size(fd, 4), 0);
    IS(__wasi_fd_filestat_get(fd, &stat), 0);
    IS(stat.size, 4);
    IS(stat.filetype, __WASI_FILETYPE_REGULAR_FILE);
    IS(stat.nlink, 1);
    IS(__wasi_fd_filestat_set_size(fd, 100), 0);
    IS(__wasi_fd_allocate(fd, 50, 100), 0);
    IS(__wasi_fd_filestat_get(fd, &stat), 0);
    IS(stat.size, 150);
    IS(__wasi_fd_allocate(fd, 0, 10), 0);
    IS(__wasi_fd_filestat_get(fd, &stat), 0);
    IS(stat.size, 150);
    IS(__wasi_fd_allocate(fd, 0, 0), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_allocate(fd, UINT64_MAX, 2), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_allocate(99, 0, 1), __WASI_ERRNO_BADF);
    IS(__wasi_fd_allocate(1, 0, 1), __WASI_ERRNO_NOTCAPABLE);
    CHECK(__wasi_fd_allocate(fd, 0, 1ULL << 60) != 0);
    IS(__wasi_fd_filestat_set_size(fd, UINT64_MAX), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_filestat_set_size(1, 0), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_filestat_set_size(ROOT, 0), __WASI_ERRNO_ISDIR);
    IS(__wasi_fd_filestat_set_size(99, 0), __WASI_ERRNO_BADF);

    IS(__wasi_fd_advise(fd, 0, 10, __WASI_ADVICE_SEQUENTIAL), 0);
    IS(__wasi_fd_advise(fd, 0, 10, 6), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_advise(fd, UINT64_MAX, 10, 0), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_advise(99, 0, 0, 0), __WASI_ERRNO_BADF);
    IS(__wasi_fd_advise(1, 0, 0, 0), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_fd_sync(fd), 0);
    IS(__wasi_fd_datasync(fd), 0);
    IS(__wasi_fd_sync(99), __WASI_ERRNO_BADF);
    IS(__wasi_fd_datasync(99), __WASI_ERRNO_BADF);
    IS(__wasi_fd_sync(1), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_sync(ROOT), 0);
    IS(__wasi_fd_close(fd), 0);
}

static void appending(void) {
    __wasi_fd_t fd;
    __wasi_size_t count;
    __wasi_filesize_t at;
    IS(open_here("log", __WASI_OFLAGS_CREAT, &fd), 0);
    IS(write_text(fd, "one\n", &count), 0);
    IS(__wasi_fd_fdstat_set_flags(fd, __WASI_FDFLAGS_APPEND | __WASI_FDFLAGS_SYNC), 0);
    IS(__wasi_fd_seek(fd, 0, __WASI_WHENCE_SET, &at), 0);
    IS(write_text(fd, "two\n", &count), 0);
    IS(__wasi_fd_tell(fd, &at), 0);
    IS(at, 8);
    IS(__wasi_fd_fdstat_set_flags(fd, 0), 0);
    IS(__wasi_fd_seek(fd, 0, __WASI_WHENCE_SET, &at), 0);
    IS(write_text(fd, "ONE", &count), 0);
    IS(__wasi_fd_close(fd), 0);
    IS(__wasi_path_open(HERE, FOLLOW, "log", 0, ALL_RIGHTS, 0, __WASI_FDFLAGS_APPEND, &fd), 0);
    IS(write_text(fd, "three\n", &count), 0);
    IS(__wasi_fd_close(fd), 0);
}

static void renumbering(void) {
    __wasi_fd_t one, two;
    __wasi_size_t count;
    IS(open_here("one", __WASI_OFLAGS_CREAT, &one), 0);
    IS(open_here("two", __WASI_OFLAGS_CREAT, &two), 0);
    IS(__wasi_fd_renumber(one, two), 0);
    IS(write_text(two, "to one", &count), 0);
    IS(write_text(one, "", &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_renumber(two, two), 0);
    IS(__wasi_fd_renumber(99, two), __WASI_ERRNO_BADF);
    IS(__wasi_fd_renumber(two, 1000000000), __WASI_ERRNO_BADF);
    IS(__wasi_fd_close(two), 0);
    // The lowest number that is free is the next.
    __wasi_fd_t again;
    IS(open_here("one", 0, &again), 0);
    IS(again, one);
    IS(__wasi_fd_close(again), 0);
}

static void too_many(void) {
    __wasi_fd_t fd, opened[2000];
    int count = 0;
    __wasi_errno_t error = 0;
    while (count < 2000 && (error = open_here("one", 0, &fd)) == 0) opened[count++] = fd;
    IS(error, __WASI_ERRNO_MFILE);
    CHECK(count > 100 && count < 2000);
    while (count) IS(__wasi_fd_close(opened[--count]), 0);
}

int main(void) {
    positions();
    sizes();
    appending();
    renumbering();
    too_many();
    return end();
}
