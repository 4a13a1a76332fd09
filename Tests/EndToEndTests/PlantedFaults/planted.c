// A plug-in with one fault, which -DFAULT=name plants; without one it is clean. Each is what `seam plugin check` has to
// find under one number: PluginCheckTests says which.
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "seam_plugin.h"

enum fault {
    none,
    unresolved, no_entry, needs_library, exports_more, slow_constructor, other_answer, any_major, any_magic,
    signal_handler, prints, starts_thread, sets_locale, sets_umask, sets_environment, any_interface, size, flags,
    bad_utf8, same_ids, blank_id, initial, bad_bound, bridge_screen, no_draw, edits_itself, leaks, leaks_files, global,
    null_parameter, null_argument, hangs, exits, after_unmount, misbehaves, ignores_failure, crashes_on_failure,
    any_event, unknown_event, off_thread, late, thread_left, undeclared, wall_clock, own_random, by_address, silent_create, forgets, crashes,
    any_table, hooks_size, hooks_missing, hook_fails, step_activity, step_interim,
};
#ifndef FAULT
#define FAULT none
#endif
#define IS(name) (FAULT == name)

#define TEXT(literal) ((seam_str){.ptr = (literal), .len = sizeof(literal) - 1})
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct card {
    seam_ctx *ctx;
    const seam_host_v1 *host;
    seam_mount mount;
    char *scratch;
    pthread_t thread;
    int has_thread;
};

static struct card *card(seam_obj *inst) { return (struct card *)inst; }
static seam_str text(const char *string) { return (seam_str){.ptr = string, .len = strlen(string)}; }

// What threads wait for, so that nothing here waits by the clock: a byte that destroy writes, or nobody.
static int gate[2] = {-1, -1};

static void *call_later(void *argument) {
    struct card self = *(struct card *)argument;
    free(argument);
    char byte;
    if (IS(late) || IS(thread_left)) {
        ssize_t ignored = read(gate[0], &byte, 1);
        (void)ignored;
    }
    if (IS(off_thread)) self.host->model_set(self.ctx, TEXT("name"), TEXT("from a thread"));
    while (IS(late)) {
        self.host->log(self.ctx, SEAM_INFO, TEXT("still here"));
        sched_yield();
    }
    return NULL;
}

static void start_thread(struct card *self) {
    struct card *copy = malloc(sizeof *copy);
    *copy = *self;
    self->has_thread = pthread_create(&self->thread, NULL, call_later, copy) == 0;
}

static seam_status create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                          const seam_args_v1 *params, seam_obj **out) {
    (void)scenario;
    if (IS(silent_create) && params->values[0].ptr == NULL) return SEAM_E_DATA;
    if (IS(null_parameter)) {
        volatile char first = params->values[0].ptr[0];
        (void)first;
    }
    struct card *self = calloc(1, sizeof *self);
    if (self == NULL) return host->fail(ctx, SEAM_E_PLUGIN, TEXT("no memory"));
    self->ctx = ctx;
    self->host = host;
    self->scratch = malloc(100);
    if (IS(leaks_files)) self->has_thread = dup(0) < 0;
    *out = (seam_obj *)self;
    return SEAM_OK;
}

static int presses; // of all instances: what IS(global) shows

static seam_status start(seam_obj *inst) {
    struct card *self = card(inst);
    if (IS(crashes)) abort();
    seam_status status = self->host->model_set(self->ctx, TEXT("name"), TEXT("Ann"));
    if (status < 0) return status;
    if (IS(off_thread) || IS(late) || IS(thread_left)) {
        if (gate[0] < 0 && pipe(gate) != 0) abort();
        start_thread(self);
        if (IS(off_thread)) pthread_join(self->thread, NULL);
    }
    seam_token token = 0;
    status = self->host->own(self->ctx, 0, TEXT("observer"), &token);
    if (IS(crashes_on_failure) && status < 0) abort();
    if (status < 0 && !IS(ignores_failure)) return status;
    if (status == SEAM_OK) self->host->disown(self->ctx, token);
    return self->host->mount(self->ctx, 0, &self->mount);
}

static void edit_itself(void);

static seam_status event(seam_obj *inst, uint32_t event, const seam_args_v1 *args) {
    struct card *self = card(inst);
    const seam_host_v1 *host = self->host;
    if (IS(unknown_event) && event > 0) {
        static seam_status (*const handlers[1])(void) = {NULL};
        return handlers[event % 1]();
    }
    if (event != 0 && !IS(any_event)) return host->fail(self->ctx, SEAM_E_ARG, TEXT("no such event"));
    if (event != 0) return SEAM_OK;
    seam_str name = args->values[0];
    if (IS(null_argument)) {
        volatile char first = name.ptr[0];
        (void)first;
    }
    if (IS(hangs) && name.ptr != NULL && name.len == 0)
        for (volatile int i = 0;; i++) {}
    if (IS(exits) && name.ptr != NULL && name.len == 0) exit(0);
    if (IS(misbehaves) && name.ptr != NULL && name.len == 0) host->disown(self->ctx, 12345);
    if (IS(after_unmount)) {
        seam_str shown;
        if (host->screen_get(self->ctx, 0, TEXT("name"), &shown) == SEAM_ABSENT) abort();
    }
    char number[80] = "";
    if (IS(global)) snprintf(number, sizeof number, "%d", ++presses);
    if (IS(wall_clock)) snprintf(number, sizeof number, "%ld", (long)time(NULL));
    if (IS(own_random)) {
        static unsigned state = 7;
        snprintf(number, sizeof number, "%d", rand_r(&state));
    }
    // The same in one process, another in the next: what an order by address comes to.
    if (IS(by_address)) snprintf(number, sizeof number, "%p", (void *)&presses);
    if (number[0] != 0) name = text(number);
    if (IS(edits_itself)) edit_itself();
    if (IS(undeclared)) host->screen_set(self->ctx, 0, TEXT("colour"), TEXT("red"));
    seam_status status = host->model_set(self->ctx, TEXT("name"), name);
    return status < 0 || IS(forgets) ? status : host->assign_root(self->ctx, self->mount);
}

static void destroy(seam_obj *inst) {
    struct card *self = card(inst);
    if (!IS(leaks)) free(self->scratch);
    free(self);
    if (IS(late)) {
        ssize_t ignored = write(gate[1], "", 1);
        (void)ignored;
    }
}

static seam_status draw(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                        uint32_t why) {
    (void)m, (void)why;
    return card(inst)->host->screen_set(card(inst)->ctx, bridge->screen, TEXT("name"), inputs->values[0]);
}

static const char *const keys[] = {"name", NULL};
static const seam_param_v1 params[] = {{.id = "kind", .title = "Kind", .kind = IS(initial) ? "integer" : "text",
                                        .initial = IS(initial) ? "11" : "card", .maximum = IS(initial) ? "10" : NULL}};
static const seam_param_v1 args[] = {{.id = "name", .title = "Name", .kind = IS(bad_bound) ? "number" : "text",
                                      .initial = IS(bad_bound) ? "1" : "Anna",
                                      .minimum = IS(bad_bound) ? "nothing" : NULL}};
static const seam_field_v1 fields[] = {{.key = "name", .title = "Name", .kind = "text"}};
static const seam_screen_v1 screens[] = {{.id = "Card", .title = IS(bad_utf8) ? "caf\xe9" : "Card",
                                          .side = SEAM_SIDE_IMPERATIVE, .field_count = 1, .fields = fields}};
static const seam_bridge_v1 host_bridge = {.size = IS(size) ? 8 : sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED,
                                           .screen = IS(bridge_screen) ? 5 : 0, .id = "host", .title = "Host",
                                           .inputs = keys, .draw = IS(no_draw) ? NULL : draw};
static const seam_bridge_v1 *const bridges[] = {&host_bridge};
static const seam_event_v1 events[] = {{.id = "rename", .title = "Rename", .origin = SEAM_FROM_MODEL,
                                        .bridge = SEAM_NONE, .arg_count = 1, .args = args}};
// A number for the sake of bad_bound.
#ifndef VALUE
#define VALUE "1"
#endif
static const char *const anna[] = {VALUE};
static const seam_step_v1 script[] = {
    {.kind = IS(step_activity) ? SEAM_STEP_ACTIVITY : IS(step_interim) ? SEAM_STEP_ADVANCE : SEAM_STEP_EVENT,
     .value = "window=maybe", .arg_count = 1, .args = anna},
    {.kind = SEAM_STEP_CHECK, .key = IS(step_interim) ? "@renamed" : "renamed"}};
static const char *const matching[] = {"matching"};
static const seam_check_v1 checks[] = {
    {.label = IS(step_interim) ? "@renamed" : "renamed", .screen = 0, .key_count = 1, .keys = keys, .expected = matching}};
static seam_status hook(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                        uint32_t hook) {
    (void)bridge, (void)inst, (void)m, (void)coord, (void)view, (void)hook;
    return IS(hook_fails) ? SEAM_E_PLUGIN : SEAM_OK;
}
static const seam_hooks_v1 hooks = {.size = IS(hooks_size) ? 8 : sizeof(seam_hooks_v1),
                                    .hook = IS(hooks_missing) ? NULL : hook};
static const void *inst_interface(seam_obj *inst, const char *id) {
    (void)inst;
    return IS(any_table) || strcmp(id, SEAM_HOOKS) == 0 ? &hooks : NULL;
}
static const seam_inst_v1 calls = {.size = sizeof(seam_inst_v1), .start = start, .event = event, .destroy = destroy,
                                   .get_interface = inst_interface};

static char title[] = "First";
#define SCENARIO(id_)                                                                                        \
    {.size = sizeof(seam_scenario_v1), .flags = IS(flags) ? 64 : 0, .id = id_, .title = title, .summary = "A card.", \
     .params = params, .param_count = 1, .screens = screens, .screen_count = 1, .bridges = bridges,         \
     .bridge_count = 1, .events = events, .event_count = 1, .script = script, .script_count = 2, .checks = checks, \
     .check_count = 1, .calls = &calls, .create = create}
static seam_scenario_v1 first = SCENARIO("planted.first");
static seam_scenario_v1 second = SCENARIO(IS(same_ids) ? "planted.first" : IS(blank_id) ? "planted.a b" : "planted.second");
static const seam_scenario_v1 *const scenarios[] = {&first, &second};

static void edit_itself(void) { title[0] = 'W'; }

static const void *get_interface(void *user, const char *id) {
    (void)user, (void)id;
    return IS(any_interface) ? user : NULL;
}

static seam_plugin_v1 plugin = {
    .magic = SEAM_MAGIC, .size = sizeof(seam_plugin_v1), .abi = SEAM_ABI_MAJOR, .scenario_count = 2, .id = "planted",
    .name = "Planted", .version = "1", .scenarios = scenarios, .user = &plugin, .get_interface = get_interface,
};

static void ignore(int number) { (void)number; }
static void *nothing(void *argument) {
    char byte;
    ssize_t ignored = read(gate[0], &byte, 1);
    (void)ignored;
    return argument;
}

__attribute__((constructor)) static void constructor(void) {
    if (IS(slow_constructor)) {
        struct timespec start, now;
        clock_gettime(CLOCK_MONOTONIC, &start);
        do clock_gettime(CLOCK_MONOTONIC, &now);
        while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 150);
    }
    if (IS(signal_handler)) signal(SIGSEGV, ignore);
    if (IS(prints)) printf("hello\n");
    if (IS(sets_locale)) setlocale(LC_ALL, "C.UTF-8");
    if (IS(sets_umask)) umask(077);
    if (IS(sets_environment)) setenv("PLANTED", "1", 1);
    if (IS(starts_thread)) {
        pthread_t thread;
        if (pipe(gate) == 0) pthread_create(&thread, NULL, nothing, NULL);
    }
}

#if defined(UNRESOLVED)
void nobody_defines_this(void);
SEAM_EXPORT void calls_nobody(void);
void calls_nobody(void) { nobody_defines_this(); }
#endif
#if defined(EXPORTS_MORE)
SEAM_EXPORT int one_more_name = 1;
#endif

#if defined(NO_ENTRY)
#define seam_plugin_entry seam_plugin_entrance
#endif
SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer);
const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer) {
    if (!IS(any_magic) && offer->magic != SEAM_MAGIC) return NULL;
    if (!IS(any_major) && (offer->abi_min > SEAM_ABI_MAJOR || offer->abi_max < SEAM_ABI_MAJOR)) {
        offer->explain(offer->self, TEXT("it is built for major 1"));
        return NULL;
    }
    if (IS(other_answer)) {
        seam_plugin_v1 *copy = malloc(sizeof *copy);
        *copy = plugin;
        return copy;
    }
    return &plugin;
}
