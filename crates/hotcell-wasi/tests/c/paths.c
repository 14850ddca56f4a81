// path_*, and what opening can come to.
#include "check.h"

static void opening(void) {
    __wasi_fd_t fd, sub;
    __wasi_size_t count;
    char text[16];
    IS(open_here("missing", 0, &fd), __WASI_ERRNO_NOENT);
    IS(open_here("", 0, &fd), __WASI_ERRNO_NOENT);
    IS(open_here("given.txt/more", 0, &fd), __WASI_ERRNO_NOTDIR);
    IS(open_here("given.txt", __WASI_OFLAGS_DIRECTORY, &fd), __WASI_ERRNO_NOTDIR);
    IS(open_here("given.txt", 16, &fd), __WASI_ERRNO_INVAL);
    IS(__wasi_path_open(HERE, 2, "given.txt", 0, 0, 0, 0, &fd), __WASI_ERRNO_INVAL);
    IS(__wasi_path_open(HERE, 0, "given.txt", 0, 0, 0, 64, &fd), __WASI_ERRNO_INVAL);
    IS(__wasi_path_open(99, 0, "given.txt", 0, 0, 0, 0, &fd), __WASI_ERRNO_BADF);
    IS(__wasi_path_open(1, 0, "given.txt", 0, 0, 0, 0, &fd), __WASI_ERRNO_NOTDIR);
    IS(open_here("given.txt", 0, (__wasi_fd_t *)0xfffffffe), __WASI_ERRNO_FAULT);
    static char longest[5001];
    memset(longest, 'x', sizeof longest - 1);
    IS(open_here(longest, 0, &fd), __WASI_ERRNO_NAMETOOLONG);
    longest[256] = 0;
    IS(open_here(longest, __WASI_OFLAGS_CREAT, &fd), __WASI_ERRNO_NAMETOOLONG);

    // A directory can be opened to look at, and to open what is in it, but not to be written.
    IS(open_here("dir", 0, &fd), __WASI_ERRNO_ISDIR);
    __wasi_rights_t look = __WASI_RIGHTS_PATH_OPEN | __WASI_RIGHTS_FD_READDIR | __WASI_RIGHTS_PATH_FILESTAT_GET;
    IS(__wasi_path_open(HERE, 0, "dir", __WASI_OFLAGS_DIRECTORY, look, ALL_RIGHTS, 0, &fd), 0);
    IS(__wasi_path_open(fd, 0, "inner.txt", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), 0);
    IS(read_text(sub, text, sizeof text, &count), 0);
    CHECK(strcmp(text, "inner") == 0);
    IS(write_text(sub, "x", &count), __WASI_ERRNO_BADF);
    IS(__wasi_fd_close(sub), 0);
    IS(__wasi_path_open(fd, 0, "new", __WASI_OFLAGS_CREAT, 0, 0, 0, &sub), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_path_create_directory(fd, "new"), __WASI_ERRNO_NOTCAPABLE);
    // What leads out of it is what it is outside.
    IS(__wasi_path_open(fd, 0, "../given.txt", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), 0);
    IS(read_text(sub, text, 5, &count), 0);
    CHECK(memcmp(text, "given", 5) == 0);
    IS(__wasi_fd_close(sub), 0);
    IS(__wasi_path_open(fd, 0, "/work/given.txt", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), 0);
    IS(__wasi_fd_close(sub), 0);
    IS(__wasi_path_open(fd, 0, "../../../../../etc/passwd", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), __WASI_ERRNO_NOENT);
    // Another directory of its name is not the one that was opened.
    IS(__wasi_path_rename(HERE, "dir", HERE, "moved"), 0);
    IS(__wasi_path_open(fd, 0, "inner.txt", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), __WASI_ERRNO_NOENT);
    IS(__wasi_path_create_directory(HERE, "dir"), 0);
    IS(__wasi_path_open(fd, 0, "inner.txt", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), __WASI_ERRNO_NOENT);
    IS(__wasi_path_remove_directory(HERE, "dir"), 0);
    IS(__wasi_path_rename(HERE, "moved", HERE, "dir"), 0);
    IS(__wasi_path_open(fd, 0, "inner.txt", 0, __WASI_RIGHTS_FD_READ, 0, 0, &sub), 0);
    IS(__wasi_fd_close(sub), 0);
    IS(__wasi_fd_close(fd), 0);

    IS(open_here("given.txt", __WASI_OFLAGS_TRUNC, &fd), 0);
    __wasi_filestat_t stat;
    IS(__wasi_fd_filestat_get(fd, &stat), 0);
    IS(stat.size, 0);
    IS(write_text(fd, "given", &count), 0);
    IS(__wasi_fd_close(fd), 0);
}

static void directories(void) {
    IS(__wasi_path_create_directory(HERE, "made"), 0);
    IS(__wasi_path_create_directory(HERE, "made"), __WASI_ERRNO_EXIST);
    IS(__wasi_path_create_directory(HERE, "no/such"), __WASI_ERRNO_NOENT);
    IS(__wasi_path_create_directory(HERE, "given.txt/x"), __WASI_ERRNO_NOTDIR);
    IS(__wasi_path_create_directory(99, "x"), __WASI_ERRNO_BADF);
    IS(__wasi_path_remove_directory(HERE, "dir"), __WASI_ERRNO_NOTEMPTY);
    IS(__wasi_path_remove_directory(HERE, "given.txt"), __WASI_ERRNO_NOTDIR);
    IS(__wasi_path_remove_directory(HERE, "made"), 0);
    IS(__wasi_path_remove_directory(HERE, "made"), __WASI_ERRNO_NOENT);
    IS(__wasi_path_unlink_file(HERE, "dir"), __WASI_ERRNO_ISDIR);
    IS(__wasi_path_unlink_file(HERE, "made"), __WASI_ERRNO_NOENT);
}

static void links(void) {
    __wasi_fd_t fd;
    __wasi_size_t count;
    __wasi_filestat_t stat, other;
    uint8_t text[64];
    IS(__wasi_path_symlink("given.txt", HERE, "link"), 0);
    IS(__wasi_path_symlink("given.txt", HERE, "link"), __WASI_ERRNO_EXIST);
    IS(__wasi_path_readlink(HERE, "link", text, sizeof text, &count), 0);
    CHECK(count == 9 && memcmp(text, "given.txt", 9) == 0);
    IS(__wasi_path_readlink(HERE, "link", text, 5, &count), 0);
    IS(count, 5);
    IS(__wasi_path_readlink(HERE, "given.txt", text, sizeof text, &count), __WASI_ERRNO_INVAL);
    IS(__wasi_path_readlink(HERE, "missing", text, sizeof text, &count), __WASI_ERRNO_NOENT);
    IS(__wasi_path_readlink(HERE, "link", (uint8_t *)0xfffffff0, 64, &count), __WASI_ERRNO_FAULT);

    IS(__wasi_path_filestat_get(HERE, 0, "link", &stat), 0);
    IS(stat.filetype, __WASI_FILETYPE_SYMBOLIC_LINK);
    IS(stat.size, 9);
    IS(__wasi_path_filestat_get(HERE, FOLLOW, "link", &stat), 0);
    IS(stat.filetype, __WASI_FILETYPE_REGULAR_FILE);
    IS(__wasi_path_filestat_get(HERE, 4, "link", &stat), __WASI_ERRNO_INVAL);
    IS(__wasi_path_filestat_get(HERE, 0, "missing", &stat), __WASI_ERRNO_NOENT);
    IS(__wasi_path_filestat_get(HERE, 0, "link", (__wasi_filestat_t *)0xfffffff0), __WASI_ERRNO_FAULT);
    IS(__wasi_path_open(HERE, 0, "link", 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd), __WASI_ERRNO_LOOP);
    IS(__wasi_path_open(HERE, FOLLOW, "link", 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd), 0);
    IS(__wasi_fd_close(fd), 0);
    IS(__wasi_path_symlink("circle", HERE, "circle"), 0);
    IS(__wasi_path_open(HERE, FOLLOW, "circle", 0, __WASI_RIGHTS_FD_READ, 0, 0, &fd), __WASI_ERRNO_LOOP);

    // Hard links: of the link itself, or of what it leads to.
    IS(__wasi_path_link(HERE, 0, "given.txt", HERE, "second"), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "second", &stat), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "given.txt", &other), 0);
    IS(stat.nlink, 2);
    CHECK(stat.ino == other.ino && stat.dev == other.dev);
    IS(__wasi_path_link(HERE, FOLLOW, "link", HERE, "third"), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "third", &stat), 0);
    IS(stat.ino, other.ino);
    IS(__wasi_path_link(HERE, 0, "given.txt", HERE, "second"), __WASI_ERRNO_EXIST);
    IS(__wasi_path_link(HERE, 0, "missing", HERE, "fourth"), __WASI_ERRNO_NOENT);
    IS(__wasi_path_link(HERE, 0, "dir", HERE, "fourth"), __WASI_ERRNO_PERM);
    IS(__wasi_path_unlink_file(HERE, "second"), 0);
    IS(__wasi_path_unlink_file(HERE, "third"), 0);
    IS(__wasi_path_unlink_file(HERE, "link"), 0);
    IS(__wasi_path_unlink_file(HERE, "circle"), 0);
}

static void renaming(void) {
    __wasi_filestat_t stat;
    IS(__wasi_path_rename(HERE, "given.txt", HERE, "dir/renamed"), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "given.txt", &stat), __WASI_ERRNO_NOENT);
    IS(__wasi_path_rename(HERE, "dir/renamed", HERE, "given.txt"), 0);
    IS(__wasi_path_rename(HERE, "missing", HERE, "x"), __WASI_ERRNO_NOENT);
    IS(__wasi_path_rename(HERE, "dir", HERE, "dir/inside"), __WASI_ERRNO_INVAL);
    IS(__wasi_path_rename(HERE, "dir", HERE, "given.txt"), __WASI_ERRNO_NOTDIR);
    IS(__wasi_path_rename(HERE, "given.txt", HERE, "dir"), __WASI_ERRNO_ISDIR);
    IS(__wasi_path_rename(99, "given.txt", HERE, "x"), __WASI_ERRNO_BADF);
    IS(__wasi_path_rename(HERE, "given.txt", 99, "x"), __WASI_ERRNO_BADF);
}

static void times(void) {
    __wasi_fd_t fd;
    __wasi_filestat_t stat;
    const __wasi_timestamp_t second = 1000000000;
    IS(__wasi_path_filestat_set_times(HERE, 0, "given.txt", 5 * second, 7 * second + 9,
                                      __WASI_FSTFLAGS_ATIM | __WASI_FSTFLAGS_MTIM), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "given.txt", &stat), 0);
    IS(stat.atim, 5 * second);
    IS(stat.mtim, 7 * second + 9);
    IS(open_here("given.txt", 0, &fd), 0);
    IS(__wasi_fd_filestat_set_times(fd, 0, 11 * second, __WASI_FSTFLAGS_MTIM), 0);
    IS(__wasi_fd_filestat_get(fd, &stat), 0);
    IS(stat.atim, 5 * second);
    IS(stat.mtim, 11 * second);
    IS(__wasi_fd_filestat_set_times(fd, 0, 0, __WASI_FSTFLAGS_ATIM_NOW | __WASI_FSTFLAGS_MTIM_NOW), 0);
    IS(__wasi_fd_filestat_get(fd, &stat), 0);
    CHECK(stat.mtim > 100 * second && stat.atim == stat.mtim);
    IS(__wasi_fd_filestat_set_times(fd, 0, 0, __WASI_FSTFLAGS_ATIM | __WASI_FSTFLAGS_ATIM_NOW), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_filestat_set_times(fd, 0, 0, 16), __WASI_ERRNO_INVAL);
    IS(__wasi_fd_filestat_set_times(99, 0, 0, 0), __WASI_ERRNO_BADF);
    IS(__wasi_fd_close(fd), 0);
    // A link itself, or what it leads to.
    IS(__wasi_path_symlink("given.txt", HERE, "link"), 0);
    IS(__wasi_path_filestat_set_times(HERE, 0, "link", 0, 3 * second, __WASI_FSTFLAGS_MTIM), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "link", &stat), 0);
    IS(stat.mtim, 3 * second);
    IS(__wasi_path_filestat_set_times(HERE, FOLLOW, "link", 0, 4 * second, __WASI_FSTFLAGS_MTIM), 0);
    IS(__wasi_path_filestat_get(HERE, 0, "given.txt", &stat), 0);
    IS(stat.mtim, 4 * second);
    IS(__wasi_path_filestat_set_times(HERE, 0, "missing", 0, 0, 0), __WASI_ERRNO_NOENT);
    IS(__wasi_path_unlink_file(HERE, "link"), 0);
}

int main(void) {
    opening();
    directories();
    links();
    renaming();
    times();
    return end();
}
