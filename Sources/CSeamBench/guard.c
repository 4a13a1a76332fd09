#include "CSeamBench.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Not inlined, for callgrind knows them by name; and with something behind the call, or it becomes a jump and the
 * function is over before the body begins. */
#define SPAN(name)                                                                  \
    __attribute__((noinline)) void name(void (*body)(void *), void *context) {      \
        body(context);                                                              \
        __asm__ volatile("" ::: "memory");                                          \
    }
SPAN(bench_guard_wire)
SPAN(bench_guard_kernel)
SPAN(bench_guard_encoder)

size_t bench_processor_features(char *text, size_t capacity) {
    size_t length = 0;
    text[0] = 0;
#if defined(__x86_64__)
    /* What simdjson and glibc choose their code by. */
    static const struct {
        unsigned leaf, reg, bit;
        const char *name;
    } known[] = {
        {1, 2, 1, "pclmulqdq"}, {1, 2, 9, "ssse3"}, {1, 2, 20, "sse4.2"}, {1, 2, 23, "popcnt"}, {1, 2, 28, "avx"},
        {1, 2, 12, "fma"}, {7, 1, 3, "bmi1"}, {7, 1, 5, "avx2"}, {7, 1, 8, "bmi2"}, {7, 1, 9, "erms"},
        {7, 3, 4, "fsrm"}, {7, 1, 16, "avx512f"}, {7, 1, 30, "avx512bw"}, {7, 2, 6, "avx512vbmi2"},
        {0x80000001u, 2, 5, "lzcnt"}, {7, 1, 11, "rtm"},
    };
    for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) {
        unsigned regs[4] = {0};
        if (!__get_cpuid_count(known[index].leaf, 0, &regs[0], &regs[1], &regs[2], &regs[3])) continue;
        if (!(regs[known[index].reg] >> known[index].bit & 1)) continue;
        int wrote = snprintf(text + length, capacity - length, "%s%s", length ? " " : "", known[index].name);
        if (wrote < 0 || (size_t)wrote >= capacity - length) break;
        length += (size_t)wrote;
    }
#else
    length = (size_t)snprintf(text, capacity, "not x86-64");
#endif
    return length;
}
