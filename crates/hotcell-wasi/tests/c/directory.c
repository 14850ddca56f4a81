// fd_readdir: cookies, small buffers, names that do not fit.
#include "check.h"

#include <dirent.h>

static int seen[300];

// Reads a whole directory through a buffer of a size; returns how many names there were.
static int list(__wasi_fd_t fd, __wasi_size_t room) {
    uint8_t buffer[4096];
    __wasi_dircookie_t cookie = 0;
    __wasi_size_t used;
    int names = 0;
    memset(seen, 0, sizeof seen);
    do {
        if (__wasi_fd_readdir(fd, buffer, room, cookie, &used) != 0) return -1;
        __wasi_size_t at = 0;
        int whole = 0;
        while (at + sizeof(__wasi_dirent_t) <= used) {
            __wasi_dirent_t entry;
            memcpy(&entry, buffer + at, sizeof entry);
            if (at + sizeof entry + entry.d_namlen > used) break;
            char name[256] = {0};
            memcpy(name, buffer + at + sizeof entry, entry.d_namlen);
            int number;
            if (sscanf(name, "f%d", &number) == 1) {
                seen[number]++;
                if (entry.d_type != __WASI_FILETYPE_REGULAR_FILE) return -2;
            } else if (entry.d_type != __WASI_FILETYPE_DIRECTORY) {
                return -3;
            }
            at += sizeof entry + entry.d_namlen;
            cookie = entry.d_next;
            names++, whole++;
        }
        if (used == room && !whole) return -4;
    } while (used == room);
    return names;
}

int main(void) {
    __wasi_fd_t fd, file;
    __wasi_size_t used;
    uint8_t buffer[64];
    IS(__wasi_path_create_directory(HERE, "many"), 0);
    for (int i = 0; i < 300; i++) {
        char path[32];
        sprintf(path, "many/f%d", i);
        IS(open_here(path, __WASI_OFLAGS_CREAT, &file), 0);
        IS(__wasi_fd_close(file), 0);
    }
    __wasi_rights_t look = __WASI_RIGHTS_FD_READDIR;
    IS(__wasi_path_open(HERE, 0, "many", __WASI_OFLAGS_DIRECTORY, look, 0, 0, &fd), 0);
    __wasi_size_t sizes[] = {32, 33, 57, 100, 1000, 4096};
    for (int i = 0; i < 6; i++) {
        IS(list(fd, sizes[i]), 302);
        for (int n = 0; n < 300; n++) IS(seen[n], 1);
    }
    IS(__wasi_fd_readdir(fd, buffer, 0, 0, &used), 0);
    IS(used, 0);
    IS(__wasi_fd_readdir(fd, buffer, sizeof buffer, 302, &used), 0);
    IS(used, 0);
    IS(__wasi_fd_readdir(fd, buffer, sizeof buffer, UINT64_MAX, &used), 0);
    IS(used, 0);
    IS(__wasi_fd_readdir(fd, (uint8_t *)0xfffffff0, 64, 0, &used), __WASI_ERRNO_FAULT);
    IS(__wasi_fd_readdir(99, buffer, sizeof buffer, 0, &used), __WASI_ERRNO_BADF);
    IS(__wasi_fd_readdir(1, buffer, sizeof buffer, 0, &used), __WASI_ERRNO_NOTCAPABLE);
    IS(__wasi_fd_close(fd), 0);

    // And as programs do it.
    int names = 0;
    DIR *dir = opendir("many");
    for (struct dirent *entry; (entry = readdir(dir));) names++;
    closedir(dir);
    IS(names, 302);
    CHECK(opendir("missing") == NULL);
    return end();
}
