// fd_fdstat_get, fd_fdstat_set_flags, fd_fdstat_set_rights, fd_filestat_get, fd_prestat_get, fd_prestat_dir_name.
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

int main(void) {
    __wasi_fdstat_t stat;
    __wasi_filestat_t about;
    __wasi_prestat_t first;
    __wasi_fd_t fd;
    __wasi_size_t count;
    __wasi_filesize_t at;
    uint8_t name[8] = {0};

    // The first directories, one after the other, and then no more.
    IS(__wasi_fd_prestat_get(ROOT, &first), 0);
    IS(first.tag, __WASI_PREOPENTYPE_DIR);
    IS(first.u.dir.pr_name_len, 1);
    IS(__wasi_fd_prestat_dir_name(ROOT, name, 1), 0);
    CHECK(name[0] == '/');
    IS(__wasi_fd_prestat_dir_name(HERE, name, 1), 0);
    CHECK(name[0] == '.');
    IS(__wasi_fd_prestat_dir_name(HERE, name, 0), __WASI_ERRNO_NAMETOOLONG);
    IS(__wasi_fd_prestat_get(5, &first), __WASI_ERRNO_BADF);
    IS(__wasi_fd_prestat_get(1, &first), __WASI_ERRNO_BADF);
    IS(__wasi_fd_prestat_dir_name(1, name, 1), __WASI_ERRNO_BADF);
    IS(__wasi_fd_prestat_get(ROOT, (__wasi_prestat_t *)0xfffffffe), __WASI_ERRNO_FAULT);

    // A directory.
    IS(__wasi_fd_fdstat_get(ROOT, &stat), 0);
    IS(stat.fs_filetype, __WASI_FILETYPE_DIRECTORY);
    CHECK(stat.fs_rights_base & __WASI_RIGHTS_PATH_OPEN);
    CHECK(!(stat.fs_rights_base & __WASI_RIGHTS_FD_READ));
    IS(__wasi_fd_filestat_get(ROOT, &about), 0);
    IS(about.filetype, __WASI_FILETYPE_DIRECTORY);

    // A file.
    IS(open_here("file", __WASI_OFLAGS_CREAT, &fd), 0);
    IS(__wasi_fd_fdstat_get(fd, &stat), 0);
    IS(stat.fs_filetype, __WASI_FILETYPE_REGULAR_FILE);
    CHECK(stat.fs_rights_base & __WASI_RIGHTS_FD_SEEK);
    CHECK(!(stat.fs_rights_base & __WASI_RIGHTS_PATH_OPEN));
    IS(stat.fs_flags, 0);
    IS(__wasi_fd_fdstat_set_flags(fd, __WASI_FDFLAGS_APPEND | __WASI_FDFLAGS_NONBLOCK), 0);
    IS(__wasi_fd_fdstat_get(fd, &stat), 0);
    IS(stat.fs_flags, __WASI_FDFLAGS_APPEND | __WASI_FDFLAGS_NONBLOCK);
    IS(__wasi_fd_fdstat_set_flags(fd, 1 << 5), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_fdstat_set_flags(99, 0), __WASI_ERRNO_BADF);
    IS(__wasi_fd_fdstat_get(99, &stat), __WASI_ERRNO_BADF);
    IS(__wasi_fd_filestat_get(99, &about), __WASI_ERRNO_BADF);
    IS(__wasi_fd_fdstat_get(fd, (__wasi_fdstat_t *)0xfffffff0), __WASI_ERRNO_FAULT);
    IS(__wasi_fd_filestat_get(fd, (__wasi_filestat_t *)0xfffffff0), __WASI_ERRNO_FAULT);

    // Rights are given up for good.
    __wasi_rights_t fewer = __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_TELL;
    IS(__wasi_fd_fdstat_set_rights(fd, fewer, 0), 0);
    IS(__wasi_fd_fdstat_set_rights(fd, fewer | __WASI_RIGHTS_FD_WRITE, 0), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_fd_fdstat_set_rights(99, 0, 0), __WASI_ERRNO_BADF);
    IS(write_text(fd, "x", &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_tell(fd, &at), 0);
    IS(__wasi_fd_seek(fd, 0, __WASI_WHENCE_SET, &at), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_fd_filestat_get(fd, &about), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_fd_sync(fd), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_fd_close(fd), 0);

    // What a directory does not hand on, nobody below it gets.
    __wasi_fd_t dir;
    IS(__wasi_path_create_directory(HERE, "box"), 0);
    IS(__wasi_path_open(HERE, 0, "box", __WASI_OFLAGS_DIRECTORY,
                        __WASI_RIGHTS_PATH_OPEN | __WASI_RIGHTS_PATH_CREATE_FILE, __WASI_RIGHTS_FD_READ, 0, &dir), 0);
    IS(__wasi_path_open(dir, 0, "f", __WASI_OFLAGS_CREAT, __WASI_RIGHTS_FD_WRITE, 0, 0, &fd), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_path_open(dir, 0, "f", __WASI_OFLAGS_CREAT, __WASI_RIGHTS_FD_READ, 0, 0, &fd), 0);

    // As a C library sees it.
    int file = open("file", O_RDONLY);
    IS(fcntl(file, F_GETFL) & O_ACCMODE, O_RDONLY);
    IS(write(file, "x", 1), -1);
    file = open("file", O_WRONLY | O_APPEND);
    IS(fcntl(file, F_GETFL) & (O_ACCMODE | O_APPEND), O_WRONLY | O_APPEND);
    IS(isatty(1), 0);
    return end();
}
