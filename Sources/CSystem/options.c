#include "CSystem.h"

#include <stddef.h>

struct csystem_option csystem_next_option(int count, char *const arguments[], const struct option *table) {
    struct csystem_option found = {.at = optind};
    opterr = 0;
    /* The leading ':' tells a missing value from an unknown option. */
    found.code = getopt_long(count, arguments, ":", table, NULL);
    found.next = optind;
    found.value = optarg;
    return found;
}
