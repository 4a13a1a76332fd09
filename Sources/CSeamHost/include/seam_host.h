// What the plug-in host needs from C: a thread flag, the breadcrumb and the crash report that reads it, signal
// actions that survive a plug-in's constructor, and contexts that are recognised when they are over.
#ifndef SEAM_HOST_H
#define SEAM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam_plugin.h"

// MARK: The main thread

// A flag of the thread itself: reading it costs about 1 ns, where `MainActor.assumeIsolated` costs 108 and traps.
extern _Thread_local bool seam_is_main_thread;

/// Makes the calling thread the one that runs simulations. Once, at the start of the process. (A test process,
/// whose main thread is parked, gives the flag to the thread that plays the host for the moment.)
static inline void seam_set_main_thread(bool is_main) { seam_is_main_thread = is_main; }

/// Whether the calling thread runs simulations.
static inline bool seam_on_main_thread(void) { return seam_is_main_thread; }

// MARK: The breadcrumb

/// Where the main thread is inside foreign code. Its texts live to the end of the process. The stall watch reads it
/// from another thread: `calls` counts up before the rest is written anew, so that whoever finds the same count before
/// and after has read one call's texts.
struct seam_breadcrumb {
    const char *plugin;    // file
    const char *scenario;  // id
    const char *callback;  // NULL = in no plug-in
    uint64_t turn;
    uint64_t calls;
};
extern struct seam_breadcrumb seam_breadcrumb;

/// The stall watch sleeps until somebody wakes it.
extern uint32_t seam_stall_watch_sleeps;
void seam_stall_watch_wake(void);

// A trap in Swift or an abort faults inside libswiftCore or libc: the address names nobody. These stores do, so they
// must be in memory before the call and not be moved over it. Plain moves, all of them, on the machines we know.
static inline void seam_breadcrumb_drop(const char *plugin, const char *scenario, const char *callback,
                                        uint64_t turn) {
    __atomic_store_n(&seam_breadcrumb.calls, seam_breadcrumb.calls + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&seam_breadcrumb.plugin, plugin, __ATOMIC_RELAXED);
    __atomic_store_n(&seam_breadcrumb.scenario, scenario, __ATOMIC_RELAXED);
    __atomic_store_n(&seam_breadcrumb.turn, turn, __ATOMIC_RELAXED);
    __atomic_store_n(&seam_breadcrumb.callback, callback, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&seam_stall_watch_sleeps, __ATOMIC_RELAXED) != 0, 0)) seam_stall_watch_wake();
}

static inline void seam_breadcrumb_pick_up(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&seam_breadcrumb.callback, NULL, __ATOMIC_RELEASE);
}

// MARK: The stall watch

/// Starts a thread that says on stderr, once a call into a plug-in has lasted `milliseconds`, which one it is, again
/// whenever it has lasted twice as long, and when it is over. The thread sleeps while no plug-in is called. Once.
/// 0, or the errno of what failed.
int seam_stall_watch_start(uint64_t milliseconds);

// MARK: Crash report

/// Reports a crash (SEGV, BUS, ILL, FPE, ABRT, TRAP, SYS) on stderr with the breadcrumb, on a stack of its own, then
/// lets the previous action have the signal, so that Swift's backtrace or a core still comes. Also reports an
/// `exit` called by a plug-in, which then ends the process with status 70. For the calling thread's stack; once,
/// from the main thread. 0, or the errno of what failed.
int seam_crash_report_install(void);

// MARK: Signal actions around a dlopen

/// Notes the action of every signal. [main thread]
void seam_signals_note(void);

/// Puts back each action that has changed since the note: bit n set = signal n had been replaced. [main thread]
uint64_t seam_signals_restore(void);

/// "SIGSEGV", or NULL for one without a name here.
const char *seam_signal_name(int number);

// MARK: What Swift's Glibc leaves out

/// memmem: whether `needle` occurs in the bytes.
bool seam_find_bytes(const void *bytes, size_t size, const void *needle, size_t needle_size);

/// How long a shared library for this kind of machine has to be by its own headers; 0 for a file that is none, which dlopen()
/// refuses in words. It does not refuse one that was cut off: it maps it, and the first touch behind the end is a SIGBUS.
uint64_t seam_library_bytes(const char *path);

/// gettid.
int32_t seam_thread_id(void);

// MARK: Contexts

// A `seam_ctx *` is no pointer but slot number and generation, and its slot is never freed: a plug-in's thread may
// still use it when its simulation is long gone, and then must be told so, not be served another simulation. A
// heap block each would have to be kept for ever for the same reason.

/// A context that leads to `instance`; NULL when 2^20 are open or memory is out. [main thread]
seam_ctx *seam_ctx_open(void *instance);

/// From now on the context is over. [main thread]
void seam_ctx_close(seam_ctx *ctx);

struct seam_slot {
    uint64_t generation;  // read by any thread; odd = open
    void *instance;       // [main thread]
    uint32_t waiting;     // posts not yet delivered; any thread
    uint32_t reported;    // a breach on another thread waits to be reported; any thread
};
enum { SEAM_SLOTS_PER_CHUNK = 1024, SEAM_CHUNKS = 1024 };
extern struct seam_slot *seam_chunks[SEAM_CHUNKS];

/// The slot of a context, NULL for one that is over or none at all. Any thread may ask; only the main thread
/// may believe the answer a moment later.
static inline struct seam_slot *seam_ctx_slot(const seam_ctx *ctx) {
    uint64_t handle = (uint64_t)(uintptr_t)ctx;
    uint64_t index = handle & (SEAM_SLOTS_PER_CHUNK * SEAM_CHUNKS - 1);
    struct seam_slot *chunk = __atomic_load_n(&seam_chunks[index / SEAM_SLOTS_PER_CHUNK], __ATOMIC_ACQUIRE);
    if (chunk == NULL) return NULL;
    struct seam_slot *slot = &chunk[index % SEAM_SLOTS_PER_CHUNK];
    // Odd, so that no made-up pointer fits a slot never used. 2^43 of them: 279 years at a thousand a second.
    uint64_t generation = handle >> 20;
    if (generation % 2 == 0) return NULL;
    return __atomic_load_n(&slot->generation, __ATOMIC_ACQUIRE) == generation ? slot : NULL;
}

/// What the context leads to, NULL for one that is over. [main thread]
static inline void *seam_ctx_instance(const seam_ctx *ctx) {
    struct seam_slot *slot = seam_ctx_slot(ctx);
    return slot == NULL ? NULL : slot->instance;
}

/// Takes a place for one more post: SEAM_E_STATE for a context that is over, SEAM_E_LIMIT when 65,536 wait. [any]
seam_status seam_ctx_post_begin(const seam_ctx *ctx);
/// That post was delivered. [main thread]
void seam_ctx_post_end(const seam_ctx *ctx);
/// Whether the caller is the first to report a breach since the last `taken`. [any]
bool seam_ctx_report_begin(const seam_ctx *ctx);
void seam_ctx_report_end(const seam_ctx *ctx);

#endif
