/* The page that seam-gate serves, inside the program: no file is needed at run time. */
#ifndef SEAM_CGATEPAGE_H
#define SEAM_CGATEPAGE_H

#include <stddef.h>

struct seam_page_file {
    /* As it is asked for: "/app.js". */
    const char *path;
    const unsigned char *bytes;
    size_t count;
};

extern const size_t seam_page_file_count;

/* `index` is below seam_page_file_count. */
const struct seam_page_file *seam_page_file_at(size_t index);

#endif
