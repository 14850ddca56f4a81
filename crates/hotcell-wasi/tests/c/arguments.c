// args_get, args_sizes_get, environ_get, environ_sizes_get.
#include "check.h"

extern char **environ;

int main(int argc, char **argv) {
    __wasi_size_t count, size;
    IS(__wasi_args_sizes_get(&count, &size), 0);
    IS(count, argc);
    uint8_t **list = malloc(count * sizeof *list), *buffer = malloc(size);
    IS(__wasi_args_get(list, buffer), 0);
    size_t sum = 0;
    for (int i = 0; i < argc; i++) {
        CHECK(strcmp((char *)list[i], argv[i]) == 0);
        sum += strlen(argv[i]) + 1;
        printf("[%s]", argv[i]);
    }
    IS(sum, size);
    puts("");

    IS(__wasi_environ_sizes_get(&count, &size), 0);
    list = malloc(count * sizeof *list), buffer = malloc(size);
    IS(__wasi_environ_get(list, buffer), 0);
    for (size_t i = 0; i < count; i++) CHECK(strchr((char *)list[i], '=') != NULL);
    printf("NAME=%s PWD=%s NONE=%s\n", getenv("NAME"), getenv("PWD"), getenv("NONE") ? "there" : "no");

    IS(__wasi_args_get((uint8_t **)0xfffffff0, buffer), __WASI_ERRNO_FAULT);
    IS(__wasi_args_get(list, (uint8_t *)0xfffffff0), __WASI_ERRNO_FAULT);
    IS(__wasi_args_sizes_get((__wasi_size_t *)0xfffffffe, &size), __WASI_ERRNO_FAULT);
    IS(__wasi_environ_get((uint8_t **)0xfffffff0, buffer), __WASI_ERRNO_FAULT);
    IS(__wasi_environ_sizes_get(&count, (__wasi_size_t *)0xfffffffe), __WASI_ERRNO_FAULT);
    return end();
}
