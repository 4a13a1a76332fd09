#include "CGatePage.h"

/* #embed came with C23; the toolchain's clang has it for every standard, and notes each file as something that this one
 * is made from. (SwiftPM's own .embedInCode writes Swift array literals: half a minute for 128 KB.) The file names below
 * and what is listed at the end are held to the folder by a test. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* The zero behind each is not counted; it lets a file be empty. */
static const unsigned char index_html[] = {
#embed "../seam-gate/page/index.html" suffix(, )
    0};

#define FILE_AT(path, bytes) {path, bytes, sizeof bytes - 1}

static const struct seam_page_file files[] = {
    FILE_AT("/index.html", index_html),
};

const size_t seam_page_file_count = sizeof files / sizeof files[0];

const struct seam_page_file *seam_page_file_at(size_t index) { return &files[index]; }
