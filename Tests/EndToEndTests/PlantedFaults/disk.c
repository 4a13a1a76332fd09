/* A disk that fails when it is told to: preloaded into seamd, it reads "CALL ERRNO" from the file that $DISK_FAULT names,
 * at each call, and answers a write or a sync with that error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fault(const char *call) {
    const char *path = getenv("DISK_FAULT");
    FILE *order = path ? fopen(path, "re") : NULL;
    char name[32] = "";
    int error = 0;
    if (!order) return 0;
    if (fscanf(order, "%31s %d", name, &error) != 2 || strcmp(name, call) != 0) error = 0;
    fclose(order);
    errno = error;
    return error;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
    static ssize_t (*next)(int, const void *, size_t, off_t);
    if (fault("pwrite")) return -1;
    if (!next) next = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    return next(descriptor, bytes, count, place);
}

int fdatasync(int descriptor) {
    static int (*next)(int);
    if (fault("fdatasync")) return -1;
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return next(descriptor);
}
