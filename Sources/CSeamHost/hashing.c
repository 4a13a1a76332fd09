#include <stdbool.h>
#include <stdint.h>

/* What the Swift runtime seeds its sets and dictionaries with: random numbers and, per set, its address. Code that walks one of
 * them would go another way each time, and with it the order in which a plug-in's objects end: the same events would not
 * give the same turns, and a recording would differ from itself. SWIFT_DETERMINISTIC_HASHING does this from outside, and
 * is read before any code of a program runs. A client could choose keys that collide: it is the daemon's own user.
 * Weak, since the name is the runtime's own: without it the seeds stay as they are. */
struct seeds {
    uint64_t first, second;
    bool is_fixed;
};
extern struct seeds _swift_stdlib_Hashing_parameters __attribute__((weak));

__attribute__((constructor)) static void fix_seeds(void) {
    if (&_swift_stdlib_Hashing_parameters) _swift_stdlib_Hashing_parameters = (struct seeds){0, 0, true};
}
