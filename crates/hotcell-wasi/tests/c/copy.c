// Reads and writes with the calls themselves, in pieces of a size, so many times: for pipes, and for large pieces.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096;
    char *buffer = malloc(size);
    if (!buffer) return 2;
    for (long times = argc > 2 ? atol(argv[2]) : -1; times; times--) {
        ssize_t count = read(0, buffer, size);
        if (count < 0) return perror("read"), 1;
        if (count == 0) return 0;
        ssize_t written = write(1, buffer, count);
        if (written != count)
            return fprintf(stderr, "write: %zd of %zd: %s\n", written, count, strerror(errno)), 1;
    }
    return 0;
}
