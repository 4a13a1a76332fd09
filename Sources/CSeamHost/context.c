#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "seam_host.h"

_Thread_local bool seam_is_main_thread = false;

struct seam_slot *seam_chunks[SEAM_CHUNKS];

enum { SLOTS = SEAM_SLOTS_PER_CHUNK * SEAM_CHUNKS, POSTS_WAITING_MAX = 65536 };

// The free slots are a stack threaded through `instance` (as index + 1); those never used begin at `used`.
static uint32_t free_top = 0;
static uint32_t used = 0;

static struct seam_slot *slot_at(uint32_t index) {
    return &seam_chunks[index / SEAM_SLOTS_PER_CHUNK][index % SEAM_SLOTS_PER_CHUNK];
}

seam_ctx *seam_ctx_open(void *instance) {
    uint32_t index;
    if (free_top != 0) {
        index = free_top - 1;
        free_top = (uint32_t)(uintptr_t)slot_at(index)->instance;
    } else {
        if (used == SLOTS) return NULL;
        index = used;
        if (index % SEAM_SLOTS_PER_CHUNK == 0) {
            struct seam_slot *chunk = calloc(SEAM_SLOTS_PER_CHUNK, sizeof *chunk);
            if (chunk == NULL) return NULL;
            __atomic_store_n(&seam_chunks[index / SEAM_SLOTS_PER_CHUNK], chunk, __ATOMIC_RELEASE);
        }
        used += 1;
    }
    struct seam_slot *slot = slot_at(index);
    slot->instance = instance;
    __atomic_store_n(&slot->waiting, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->reported, 0, __ATOMIC_RELAXED);
    uint64_t generation = slot->generation + 1;
    __atomic_store_n(&slot->generation, generation, __ATOMIC_RELEASE);
    return (seam_ctx *)(uintptr_t)(generation << 20 | index);
}

void seam_ctx_close(seam_ctx *ctx) {
    struct seam_slot *slot = seam_ctx_slot(ctx);
    if (slot == NULL) return;
    __atomic_store_n(&slot->generation, slot->generation + 1, __ATOMIC_RELEASE);
    uint32_t index = (uint32_t)((uintptr_t)ctx & (SLOTS - 1));
    slot->instance = (void *)(uintptr_t)free_top;
    free_top = index + 1;
}

// Between the look-up and the count the slot may pass to another simulation: then that one counts a post too many
// until the main thread delivers it, to nobody, and takes the same count back. Off by one, never wrong for long.
seam_status seam_ctx_post_begin(const seam_ctx *ctx) {
    struct seam_slot *slot = seam_ctx_slot(ctx);
    if (slot == NULL) return SEAM_E_STATE;
    if (__atomic_fetch_add(&slot->waiting, 1, __ATOMIC_RELAXED) < POSTS_WAITING_MAX) return SEAM_OK;
    __atomic_fetch_sub(&slot->waiting, 1, __ATOMIC_RELAXED);
    return SEAM_E_LIMIT;
}

void seam_ctx_post_end(const seam_ctx *ctx) {
    struct seam_slot *slot = seam_ctx_slot(ctx);
    if (slot != NULL) __atomic_fetch_sub(&slot->waiting, 1, __ATOMIC_RELAXED);
}

bool seam_ctx_report_begin(const seam_ctx *ctx) {
    struct seam_slot *slot = seam_ctx_slot(ctx);
    return slot != NULL && __atomic_exchange_n(&slot->reported, 1, __ATOMIC_RELAXED) == 0;
}

void seam_ctx_report_end(const seam_ctx *ctx) {
    struct seam_slot *slot = seam_ctx_slot(ctx);
    if (slot != NULL) __atomic_store_n(&slot->reported, 0, __ATOMIC_RELAXED);
}

bool seam_find_bytes(const void *bytes, size_t size, const void *needle, size_t needle_size) {
    return memmem(bytes, size, needle, needle_size) != NULL;
}

uint64_t seam_library_bytes(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    uint64_t bytes = 0;
    Elf64_Ehdr head;
    if (pread(file, &head, sizeof head, 0) == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr)) {
        bytes = head.e_phoff + (uint64_t)head.e_phnum * sizeof(Elf64_Phdr);
        for (uint16_t index = 0; index < head.e_phnum; index++) {
            Elf64_Phdr part;
            off_t place = (off_t)(head.e_phoff + index * sizeof part);
            if (pread(file, &part, sizeof part, place) != sizeof part) break;
            uint64_t end = part.p_offset + part.p_filesz;
            if (part.p_type != PT_NULL && end > bytes) bytes = end;
        }
        // Nothing of them is mapped, but they stand last: without them the file is not whole either.
        uint64_t sections = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
        if (head.e_shoff != 0 && sections > bytes) bytes = sections;
    }
    close(file);
    return bytes;
}

int32_t seam_thread_id(void) { return (int32_t)gettid(); }
