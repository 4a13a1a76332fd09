/*
 * The few pieces of glibc and Linux that the command line and the options of the other programs need and Swift's Glibc module leaves out.
 *
 * getopt_long, inotify and signalfd come in as they are. Three functions are ours: getopt_long() with results in
 * the place of globals; a child that must die with its parent, which needs prctl() between fork() and exec(), where
 * posix_spawn() has no place for it; and a descriptor that tells its end, for which older versions of glibc have no
 * name.
 */
#ifndef SEAM_CSYSTEM_H
#define SEAM_CSYSTEM_H

#include <getopt.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/*
 * Starts `program` (an absolute path) in a process group of its own, so that a Ctrl-C at the terminal reaches
 * the caller alone, who then ends the child in order. stdin and stdout become /dev/null; stderr becomes
 * `error_fd`, or stays when that is -1. `ready_fd` arrives in the child as descriptor 3; everything else above
 * 2 is expected to be close-on-exec. The kernel sends the child SIGTERM when the calling thread dies, however
 * it dies. Signals are unblocked and have their default effect in the child.
 *
 * Returns the process id, or -errno when there is no child or exec failed.
 */
pid_t csystem_spawn_bound_to_parent(const char *program, char *const argv[], int ready_fd, int error_fd);

/*
 * The next long option. Swift takes a C global for shared between threads, so what getopt_long() leaves in three of
 * them comes as the result. `at` is the index of the argument looked at. `code` is the option's `val`, '?' for one
 * that is unknown, ':' for one without its value, -1 at the end.
 */
struct csystem_option {
    int code;
    int at;
    int next;
    const char *value;
};
struct csystem_option csystem_next_option(int count, char *const arguments[], const struct option *table);

/* A descriptor that can be read once this child has ended and is not yet reaped, or -1. Close-on-exec. */
int csystem_pidfd(pid_t child);

#endif
