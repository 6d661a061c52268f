/* Counts what a process does to files below $FAULT_BELOW, and lets the one with the number $FAULT_AT go wrong in the way
   that $FAULT_HOW names: before, torn, after (all three end in SIGKILL), enospc, eio (once), full, readonly (from then on).
   With $FAULT_COUNT the number of all of them is written to that file at the end, with $FAULT_UNFLUSHED how many writes to
   session logs were not flushed by then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long done, unflushed;

static int below(const char *path) {
    const char *root = getenv("FAULT_BELOW");
    return root && strncmp(path, root, strlen(root)) == 0;
}

static int ours(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return below(path);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* 0: go on as usual; 1: die half way; 2: die afterwards; 3: fail with errno. */
static int fate(void) {
    long at = atoi(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
    const char *how = getenv("FAULT_HOW") ? getenv("FAULT_HOW") : "";
    long now = atomic_fetch_add(&done, 1) + 1;
    int readonly = strcmp(how, "readonly") == 0;
    int lasts = readonly || strcmp(how, "full") == 0;
    if (at == 0 || now < at || (now > at && !lasts)) return 0;
    if (strcmp(how, "before") == 0) die();
    if (strcmp(how, "torn") == 0) return 1;
    if (strcmp(how, "after") == 0) return 2;
    errno = readonly ? EROFS : strcmp(how, "eio") == 0 ? EIO : ENOSPC;
    return 3;
}

static void note(const char *name, long number) {
    const char *file = getenv(name);
    FILE *out = file ? fopen(file, "w") : NULL;
    if (out) {
        fprintf(out, "%ld", number);
        fclose(out);
    }
}

__attribute__((destructor)) static void tell(void) {
    note("FAULT_COUNT", atomic_load(&done));
    note("FAULT_UNFLUSHED", atomic_load(&unflushed));
}

static int is_log(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return below(path) && strstr(path, "/sessions/") && (strstr(path, ".jsonl") || strstr(path, ".new"));
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    int what = ours(fd) ? fate() : 0;
    if (what == 1) die();
    if (what == 3) return -1;
    long seen = atomic_load(&unflushed);
    int result = real(fd);
    if (result == 0 && is_log(fd)) atomic_fetch_sub(&unflushed, seen);
    if (what == 2) die();
    return result;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (!ours(fd)) return real(fd, bytes, length);
    if (is_log(fd)) atomic_fetch_add(&unflushed, 1);
    switch (fate()) {
    case 1:
        real(fd, bytes, length / 2);
        die();
    case 2:
        real(fd, bytes, length);
        die();
    case 3:
        /* A disk that fills takes what still fits. */
        if (errno == ENOSPC && length > 1) {
            int wrong = errno;
            real(fd, bytes, length / 2);
            errno = wrong;
        }
        return -1;
    }
    return real(fd, bytes, length);
}

#define PATH_CALL(name, type, args, pass, path)                          \
    type name args {                                                     \
        static type(*real) args;                                         \
        if (!real) real = dlsym(RTLD_NEXT, #name);                       \
        if (!below(path)) return real pass;                              \
        int what = fate();                                               \
        if (what == 1) die();                                            \
        if (what == 3) return -1;                                        \
        type result = real pass;                                         \
        if (what == 2) die();                                            \
        return result;                                                   \
    }

PATH_CALL(rename, int, (const char *from, const char *to), (from, to), to)
PATH_CALL(unlink, int, (const char *path), (path), path)
PATH_CALL(mkdir, int, (const char *path, mode_t mode), (path, mode), path)
