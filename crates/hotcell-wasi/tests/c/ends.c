// How a program can end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_raise"))) int raise_signal(int signal);

static volatile int zero;

__attribute__((noinline)) static int deep(int depth) {
    volatile char frame[64];
    frame[depth & 63] = (char)depth;
    return deep(depth + 1) + frame[(depth + 1) & 63];
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    printf("before\n");
    fflush(stdout);
    if (!strcmp(how, "exit")) exit(atoi(argv[2]));
    if (!strcmp(how, "return")) return atoi(argv[2]);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "raise")) {
        int code = raise_signal(atoi(argv[2]));
        printf("after, %d\n", code);
        return 0;
    }
    if (!strcmp(how, "divide")) return argc * 1000 / zero;
    if (!strcmp(how, "outside")) return *(volatile int *)0xfffffff0;
    if (!strcmp(how, "null-call")) return ((int (*)(void))(uintptr_t)zero)();
    if (!strcmp(how, "recurse")) return deep(0);
    if (!strcmp(how, "loop")) for (;;) zero++;
    if (!strcmp(how, "eat")) {
        for (size_t total = 0;; total += 1 << 20) {
            char *volatile piece = malloc((1 << 20) - 256);
            if (!piece) {
                printf("no more after %zu MiB\n", total >> 20);
                return 3;
            }
            memset(piece, 1, (1 << 20) - 256);
        }
    }
    return 0;
}
