// A plug-in whose work comes back later: from a thread of its own, and by timers, with seeded randomness. With -DADDRESS
// what the thread hands over is the address of its result, which nobody but this instance may be given.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seam_plugin.h"

#define TEXT(literal) ((seam_str){.ptr = (literal), .len = sizeof(literal) - 1})
#define THREADS 4096
// A token of a timer, which cannot be an address.
#define TIMER ((seam_token)1 << 62)

struct desk {
    seam_ctx *ctx;
    const seam_host_v1 *host;
    pthread_t threads[THREADS];
    int count;
    uint64_t timers;
};

struct errand {
    struct desk *desk;
    uint64_t number;
};

static struct desk *desk(seam_obj *inst) { return (struct desk *)inst; }
static seam_str text(const char *string) { return (seam_str){.ptr = string, .len = strlen(string)}; }

static void *run(void *argument) {
    struct errand *errand = argument;
    struct desk *self = errand->desk;
#ifdef ADDRESS
    self->host->post(self->ctx, (seam_token)(uintptr_t)errand);
#else
    uint64_t number = errand->number;
    free(errand);
    self->host->post(self->ctx, number);
#endif
    return NULL;
}

static seam_status create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                          const seam_args_v1 *args, seam_obj **out) {
    (void)scenario, (void)args;
    struct desk *self = calloc(1, sizeof *self);
    if (self == NULL) return SEAM_E_PLUGIN;
    self->ctx = ctx;
    self->host = host;
    *out = (seam_obj *)self;
    return SEAM_OK;
}

static seam_status event(seam_obj *inst, uint32_t event, const seam_args_v1 *args) {
    struct desk *self = desk(inst);
    if (event == 0) {
        if (self->count == THREADS) return self->host->fail(self->ctx, SEAM_E_LIMIT, TEXT("too many errands"));
        struct errand *errand = malloc(sizeof *errand);
        if (errand == NULL) return SEAM_E_PLUGIN;
        *errand = (struct errand){.desk = self, .number = (uint64_t)self->count + 1};
        if (pthread_create(&self->threads[self->count], NULL, run, errand) != 0) return SEAM_E_PLUGIN;
        self->count++;
        return SEAM_OK;
    }
    // A text of the host ends where its length says, not with NUL.
    char delay[24] = "";
    if (args->values[0].len < sizeof delay) memcpy(delay, args->values[0].ptr, args->values[0].len);
    int64_t moment = self->host->now(self->ctx) + strtol(delay, NULL, 10) * 1000000;
    seam_timer timer = 0;
    return self->host->at_time(self->ctx, moment, TIMER | ++self->timers, &timer);
}

static seam_status tick(seam_obj *inst, seam_token token) {
    struct desk *self = desk(inst);
    char words[64];
    if (token & TIMER) {
        snprintf(words, sizeof words, "%llu drew %llu", (unsigned long long)(token & ~TIMER),
                 (unsigned long long)(self->host->random(self->ctx) % 1000));
        self->host->model_set(self->ctx, TEXT("drawn"), text(words));
        return self->host->screen_set(self->ctx, 0, TEXT("drawn"), text(words));
    }
#ifdef ADDRESS
    struct errand *errand = (struct errand *)(uintptr_t)token;
    uint64_t number = errand->number;
    free(errand);
#else
    uint64_t number = token;
#endif
    snprintf(words, sizeof words, "errand %llu", (unsigned long long)number);
    return self->host->model_set(self->ctx, TEXT("fetched"), text(words));
}

static void destroy(seam_obj *inst) {
    struct desk *self = desk(inst);
    for (int i = 0; i < self->count; i++) pthread_join(self->threads[i], NULL);
    free(self);
}

static const seam_param_v1 args[] = {{.id = "ms", .title = "Delay", .kind = "integer", .initial = "100"}};
static const seam_field_v1 fields[] = {{.key = "fetched", .title = "Fetched", .kind = "text"},
                                       {.key = "drawn", .title = "Drawn", .kind = "text"}};
static const seam_screen_v1 screens[] = {{.id = "Desk", .title = "Desk", .side = SEAM_SIDE_IMPERATIVE,
                                          .field_count = 2, .fields = fields}};
static const seam_event_v1 events[] = {
    {.id = "fetch", .title = "Fetch", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE},
    {.id = "later", .title = "Later", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE, .arg_count = 1, .args = args}};
static const seam_inst_v1 calls = {.size = sizeof(seam_inst_v1), .event = event, .tick = tick, .destroy = destroy};
static const seam_scenario_v1 scenario = {
    .size = sizeof(seam_scenario_v1), .id = "later.desk", .title = "Desk", .summary = "Work that comes back later.",
    .screens = screens, .screen_count = 1, .events = events, .event_count = 2, .calls = &calls, .create = create};
static const seam_scenario_v1 *const scenarios[] = {&scenario};
static const seam_plugin_v1 plugin = {
    .magic = SEAM_MAGIC, .size = sizeof(seam_plugin_v1), .abi = SEAM_ABI_MAJOR, .scenario_count = 1, .id = "later",
    .name = "Later", .version = "1", .scenarios = scenarios};

SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer);
const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer) {
    return offer->magic == SEAM_MAGIC && offer->abi_min <= SEAM_ABI_MAJOR && offer->abi_max >= SEAM_ABI_MAJOR
               ? &plugin : NULL;
}
