#define _GNU_SOURCE
#include "CLibuv.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* What glibc does by itself under glibc.malloc.hugetlb=1, for those who have not heard of that, and only from where on it
   is worth its price: a daemon that holds little keeps small pages, and with them its size. */

enum {
    LARGE_PAGE = 2 << 20,
    /* How far the heap grows before it gets large pages. */
    SMALL_PAGES = 24 << 20,
    /* What malloc takes from the kernel at a time from then on: advised before most of it is touched. A large page does
       not go from one piece into the next, so the pieces are large too. */
    PIECE = 32 << 20,
    /* Smaller blocks come from the heap; malloc lets itself be told no more. */
    LARGEST_BLOCK = 32 << 20,
};

/* Where large pages begin, and up to where the heap has been advised. */
static uintptr_t first = 0;
static uintptr_t advised = 0;

static void take_large_pieces(void) {
    mallopt(M_TOP_PAD, PIECE);
    mallopt(M_TRIM_THRESHOLD, 2 * PIECE);
    mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK);
}

void seam_heap_advise(void) {
    uintptr_t end = (uintptr_t)sbrk(0);
    if (end == advised) return;
    if (first == 0) first = (end + SMALL_PAGES + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    if (end > first && end > advised) {
        if (advised < first) {
            take_large_pieces();
            advised = first;
        }
        madvise((void *)advised, end - advised, MADV_HUGEPAGE);
    }
    /* What a heap gives back and takes again is other memory, of which nothing was said. */
    advised = end;
}
