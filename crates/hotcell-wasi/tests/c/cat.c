// Copies standard input, or files, to standard output.
#include <stdio.h>
#include <string.h>
#include <errno.h>

static int copy(FILE *from) {
    char buffer[65536];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, from)) > 0)
        if (fwrite(buffer, 1, count, stdout) != count) return 1;
    return 0;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc == 1) failed = copy(stdin);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "r");
        if (!file) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            failed = 1;
            continue;
        }
        failed |= copy(file);
        fclose(file);
    }
    return failed;
}
