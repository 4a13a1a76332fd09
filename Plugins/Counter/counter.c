/* counter.c - one instance of a counter scenario: the same code for all of them. */
#include "counter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char counted[] = "Counter: ";

struct counter *counter_of(seam_obj *inst) { return (struct counter *)inst; }

/* `return counter_fail(self, "...")` ends a callback with an error and the reason for it. */
seam_status counter_fail(struct counter *self, const char *why)
{
    return self->host->fail(self->ctx, SEAM_E_PLUGIN, (seam_str){.ptr = why, .len = strlen(why)});
}

/* ---- Texts. They come with a length and without a NUL, so nothing of <string.h> that looks for one fits. ---- */

static bool equals(seam_str text, const char *word)
{
    size_t length = strlen(word);
    return text.ptr != NULL && text.len == length && memcmp(text.ptr, word, length) == 0;
}

/* "Counter: 3" or "3" is 3; no value, "No counter" and whatever else a client may have written is no count. */
static int64_t count_in(seam_str text)
{
    size_t prefix = sizeof counted - 1;
    if (text.ptr == NULL)
        return NO_COUNT;
    if (text.len > prefix && memcmp(text.ptr, counted, prefix) == 0) {
        text.ptr += prefix;
        text.len -= prefix;
    }
    if (text.len == 0 || text.len > 18) /* 18 digits always fit */
        return NO_COUNT;
    int64_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return NO_COUNT;
        count = count * 10 + (text.ptr[i] - '0');
    }
    return count;
}

/* Room for any count in words. */
struct label {
    char text[40];
};

/* What the label shows for a count. The text lies in `into`, which has to outlive it. */
static seam_str words(int64_t count, struct label *into)
{
    if (count == NO_COUNT)
        return TEXT("No counter");
    int length = snprintf(into->text, sizeof into->text, "%s%" PRId64, counted, count);
    return (seam_str){.ptr = into->text, .len = (size_t)length};
}

int64_t counter_after(int64_t count) { return count == NO_COUNT ? 0 : count + 1; }

/* ---- Model and screen ---- */

static seam_status set_model(struct counter *self, int64_t count)
{
    struct label label;
    return self->host->model_set(self->ctx, TEXT(KEY), words(count, &label));
}

seam_status counter_increase(struct counter *self)
{
    seam_str text;
    seam_status status = self->host->model_get(self->ctx, TEXT(KEY), &text);
    if (status < 0)
        return status;
    /* SEAM_ABSENT, when a client has cleared it, leaves ptr NULL: no count. */
    return set_model(self, counter_after(count_in(text)));
}

seam_status counter_show(struct counter *self, seam_str text)
{
    return self->host->screen_set(self->ctx, SCREEN, TEXT(KEY), text);
}

seam_status counter_show_count(struct counter *self, int64_t count)
{
    struct label label;
    return counter_show(self, words(count, &label));
}

/* ---- The storyboard's story ---- */

/* prepare(for:sender:) of the screen: its switch knows one identifier. In the default branch nothing happens, so a
 * controller that was captured before stays so. */
static void prepare(struct counter *self, seam_str segue)
{
    if (equals(segue, SEGUE))
        self->is_captured = true;
}

/* A parameter by its name; no value when the scenario declares none of that name. */
static seam_str parameter(const seam_scenario_v1 *scenario, const seam_args_v1 *values, const char *id)
{
    for (uint32_t i = 0; i < scenario->param_count; i++)
        if (strcmp(scenario->params[i].id, id) == 0)
            return values->values[i];
    return (seam_str){.ptr = NULL, .len = 0};
}

seam_status counter_create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                           const seam_args_v1 *params, seam_obj **out)
{
    struct counter *self = calloc(1, sizeof *self);
    if (self == NULL)
        return host->fail(ctx, SEAM_E_PLUGIN, TEXT("there is no memory for one more counter"));
    self->ctx = ctx;
    self->host = host;
    self->way = scenario->user;
    /* The host has held them against the declaration: an integer in its range, one of the choices. The texts are
     * gone when this function returns, so what is needed of them is kept as something else. */
    self->start = count_in(parameter(scenario, params, "start"));
    self->own_count = self->start;
    self->is_shared = equals(parameter(scenario, params, "holder"), "shared");
    self->is_provided = equals(parameter(scenario, params, "provided"), "true");
    /* An embed segue is performed while the storyboard loads, before anybody can press anything. */
    prepare(self, parameter(scenario, params, "segue"));
    *out = (seam_obj *)self;
    return SEAM_OK;
}

/* The model first: init?(coder:) of the hosting controller makes its root view from what is there by then. */
static seam_status start(seam_obj *inst)
{
    struct counter *self = counter_of(inst);
    seam_status status = set_model(self, self->start);
    if (status < 0)
        return status;
    status = self->host->mount(self->ctx, HOST, &self->mount);
    if (status < 0 || self->way->receive == NULL)
        return status;
    /* addObserver(_:selector:name:object:). It belongs to the instance and not to the mount: an embedding has no
     * dismantle in which to take it back, the instance has destroy. */
    return self->host->own(self->ctx, 0, TEXT("observer"), &self->observer);
}

static seam_status event(seam_obj *inst, uint32_t event, const seam_args_v1 *args)
{
    struct counter *self = counter_of(inst);
    switch (event) {
    case INCREASE:
        return self->way->press(self);
    case PREPARE:
        if (args->count != 1) /* of a scenario that does not declare it */
            break;
        prepare(self, args->values[0]);
        return SEAM_OK;
    default:
        break;
    }
    return counter_fail(self, "an event was sent that this scenario does not declare");
}

/* The notification that press posted has come round. */
static seam_status tick(seam_obj *inst, seam_token token)
{
    struct counter *self = counter_of(inst);
    if (token != self->observer || self->way->receive == NULL)
        return counter_fail(self, "a tick came for a token that nobody asked for");
    return self->way->receive(self);
}

/* Also after a start that failed half-way: whatever is not there yet is 0. */
static void destroy(seam_obj *inst)
{
    struct counter *self = counter_of(inst);
    /* removeObserver(_:), in deinit. Without it the host reports a leaked-observer. */
    if (self->observer != 0)
        self->host->disown(self->ctx, self->observer);
    free(self);
}

const seam_inst_v1 counter_calls = {
    .size = sizeof(seam_inst_v1),
    .start = start,
    .event = event,
    .tick = tick,
    .destroy = destroy,
};
