/* instance.c - one instance of a scenario: what all of them do alike. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

struct instance *rules_of(seam_obj *inst) { return (struct instance *)inst; }

seam_str rules_text(const char *text) { return (seam_str){.ptr = text, .len = strlen(text)}; }

bool rules_equal(seam_str one, seam_str other)
{
    if (one.ptr == NULL || other.ptr == NULL)
        return one.ptr == other.ptr;
    return one.len == other.len && memcmp(one.ptr, other.ptr, one.len) == 0;
}

seam_status rules_fail(struct instance *self, const char *why)
{
    return self->host->fail(self->ctx, SEAM_E_PLUGIN, rules_text(why));
}

seam_status rules_set(struct instance *self, const char *key, const char *value)
{
    return self->host->model_set(self->ctx, rules_text(key), value == NULL ? NO_VALUE : rules_text(value));
}

/* Compared first: a control takes an equal value for a new one (caret, selection, undo). */
static seam_status show_on(struct instance *self, uint32_t screen, seam_str key, seam_str value)
{
    seam_str shown;
    seam_status status = self->host->screen_get(self->ctx, screen, key, &shown);
    if (status < 0 || rules_equal(shown, value))
        return status;
    return self->host->screen_set(self->ctx, screen, key, value);
}

seam_status rules_show(struct instance *self, const char *key, seam_str value)
{
    return show_on(self, 0, rules_text(key), value);
}

/* ---- Life ---- */

/* A host of an earlier day has no such table: the scenario says so, and is not created. */
static bool find_tables(struct instance *self)
{
    const seam_host_v1 *host = self->host;
    self->placement = host->get_interface(self->ctx, SEAM_PLACEMENT);
    self->control = host->get_interface(self->ctx, SEAM_CONTROL);
    self->environment = host->get_interface(self->ctx, SEAM_ENVIRONMENT);
    self->ownership = host->get_interface(self->ctx, SEAM_OWNERSHIP);
    self->binding = host->get_interface(self->ctx, SEAM_BINDING);
    self->late = host->get_interface(self->ctx, SEAM_LATE);
    return self->placement != NULL && self->control != NULL && self->environment != NULL && self->ownership != NULL &&
           self->binding != NULL && self->late != NULL;
}

seam_status rules_create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                         const seam_args_v1 *params, seam_obj **out)
{
    (void)params;
    const struct rule *rule = scenario->user;
    struct instance *self = calloc(1, rule->size);
    if (self == NULL)
        return host->fail(ctx, SEAM_E_PLUGIN, TEXT("there is no memory for one more instance"));
    self->ctx = ctx;
    self->host = host;
    self->rule = rule;
    if (!find_tables(self)) {
        free(self);
        return host->fail(ctx, SEAM_E_UNSUPPORTED,
                          TEXT("this host does not offer the tables of the engine (seam.placement/1 and its like)"));
    }
    *out = (seam_obj *)self;
    return SEAM_OK;
}

static seam_status start(seam_obj *inst) { return rules_of(inst)->rule->start(rules_of(inst)); }

static seam_status event(seam_obj *inst, uint32_t event, const seam_args_v1 *args)
{
    return rules_of(inst)->rule->event(rules_of(inst), event, args);
}

static void destroy(seam_obj *inst) { free(inst); }

static seam_status hook(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                        uint32_t hook)
{
    (void)bridge, (void)coord, (void)view;
    struct instance *self = rules_of(inst);
    return self->rule->hook == NULL ? SEAM_OK : self->rule->hook(self, m, hook);
}

static const seam_hooks_v1 hooks = {.size = sizeof(seam_hooks_v1), .hook = hook};

static const void *get_interface(seam_obj *inst, const char *id)
{
    (void)inst;
    return strcmp(id, SEAM_HOOKS) == 0 ? &hooks : NULL;
}

const seam_inst_v1 rules_calls = {
    .size = sizeof(seam_inst_v1),
    .start = start,
    .destroy = destroy,
    .get_interface = get_interface,
};

const seam_inst_v1 rules_calls_with_event = {
    .size = sizeof(seam_inst_v1),
    .start = start,
    .event = event,
    .destroy = destroy,
    .get_interface = get_interface,
};

/* ---- Bodies ---- */

seam_status rules_make(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                       const seam_args_v1 *inputs, uint32_t why, seam_obj **view)
{
    (void)bridge, (void)m, (void)coord, (void)inputs, (void)why;
    *view = malloc(1); /* nothing is in it: the host tells one control from another by its address */
    return *view == NULL ? rules_fail(rules_of(inst), "there is no memory for a control") : SEAM_OK;
}

void rules_dismantle(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                     uint32_t why)
{
    (void)bridge, (void)inst, (void)m, (void)coord, (void)why;
    free(view);
}

static seam_status show_inputs(const seam_bridge_v1 *bridge, struct instance *self, const seam_args_v1 *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        seam_status status = show_on(self, bridge->screen, rules_text(bridge->inputs[i]), inputs->values[i]);
        if (status < 0)
            return status;
    }
    return SEAM_OK;
}

seam_status rules_update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                         const seam_args_v1 *inputs, uint32_t why)
{
    (void)m, (void)coord, (void)view, (void)why;
    return show_inputs(bridge, rules_of(inst), inputs);
}

seam_status rules_draw(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                       uint32_t why)
{
    (void)m, (void)why;
    return show_inputs(bridge, rules_of(inst), inputs);
}
