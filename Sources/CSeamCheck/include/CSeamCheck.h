// What the checker of plug-ins needs from C: a process that leaves nothing behind, the surroundings that a library
// must not change, and the host's services with faults between them and the plug-in.
#ifndef SEAM_CHECK_H
#define SEAM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam_plugin.h"

// MARK: The process

/// First thing in the process: it dies with its parent, writes no core, and `results` moves to where no plug-in
/// meets it by accident. Answers its new number, or -1 when it is not open.
int check_begin(int results);

/// Runs what waits on Dispatch's main queue; waits for something up to so many milliseconds. Whether anything ran.
bool check_run_main_queue(int milliseconds);

/// Bytes in use on the heap; 0 when another allocator has taken malloc's place and nobody counts.
size_t check_heap_bytes(void);
/// Open descriptors, and threads, of this process.
int check_descriptor_count(void);
int check_thread_count(void);
/// Lets time pass that somebody else may use.
void check_let_pass(int milliseconds);

// MARK: Surroundings

/// Notes signal actions and mask, locale, umask, working folder, rounding and trapping, environment, descriptors and
/// threads, and puts a file in the place of standard output.
void check_surroundings_note(void);
/// What has changed since, a line each; 0 bytes when nothing has. Ends with NUL within `size`.
size_t check_surroundings_changes(char *into, size_t size);

// MARK: Services with faults

/// A table that leads on to `real` and watches. One for the process.
const seam_host_v1 *check_services(const seam_host_v1 *real);
/// Begins anew: nothing watched so far, nothing fails.
void check_services_reset(void);
/// The so manyth call of a service that can fail answers SEAM_E_LIMIT, and nothing else happens; 0 = none does.
void check_services_fail_at(uint64_t call);
/// How many such calls there were.
uint64_t check_services_calls(void);
/// The service that was made to fail, and the callback that it was called in; NULL when none was.
const char *check_services_failed(void);
const char *check_services_failed_in(void);
/// From now on every call is one too late.
void check_services_over(void);

/// What must not happen, counted with the service (and the key) of the first.
enum check_breach {
    CHECK_OFF_THREAD, // a service but log and post, from another thread
    CHECK_LATE,       // any service after the end
    CHECK_UNDECLARED, // a field, screen or model key that was not declared
    CHECK_BREACHES
};
uint64_t check_services_breaches(enum check_breach breach);
const char *check_services_first_breach(enum check_breach breach);

#endif
