// What paths mean to a program that knows only its C library: reads, writes and lists what it is told to.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *what = argv[i], *path = argv[i + 1];
        char line[256] = "";
        if (!strcmp(what, "read")) {
            FILE *file = fopen(path, "r");
            if (file && fgets(line, sizeof line, file)) line[strcspn(line, "\n")] = 0;
            printf("%s: %s\n", path, file ? line : strerror(errno));
            if (file) fclose(file);
        } else if (!strcmp(what, "write")) {
            FILE *file = fopen(path, "w");
            if (file) fprintf(file, "by places\n"), fclose(file);
            printf("%s: %s\n", path, file ? "written" : strerror(errno));
        } else if (!strcmp(what, "list")) {
            DIR *dir = opendir(path);
            printf("%s:", path);
            for (struct dirent *entry; dir && (entry = readdir(dir));)
                if (entry->d_name[0] != '.') printf(" %s", entry->d_name);
            puts(dir ? "" : strerror(errno));
#ifdef GOES
        } else if (!strcmp(what, "go")) {
            int failed = chdir(path);
            printf("%s: %s\n", path, failed ? strerror(errno) : getcwd(line, sizeof line));
#endif
        }
    }
    return 0;
}
