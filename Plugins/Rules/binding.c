/* binding.c - a control reads through a binding when it likes: what a getter over a captured copy answers then. */
#include "rules.h"

#include <stdlib.h>

/* The control keeps what it was given when it was made. */
struct control {
    seam_binding binding;
};

static const char *const inputs[] = {"isOn", NULL};

/* Reads through the binding and shows what it gives. */
static seam_status show_bound(struct instance *self, struct control *control)
{
    seam_str value;
    seam_status status = self->binding->binding_get(self->ctx, control->binding, &value);
    return status < 0 ? status : rules_show(self, "isOn", value);
}

static seam_status make(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                        const seam_args_v1 *inputs, uint32_t why, seam_obj **view)
{
    (void)bridge, (void)coord, (void)inputs, (void)why;
    struct instance *self = rules_of(inst);
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL)
        return rules_fail(self, "there is no memory for a switch");
    *view = (seam_obj *)control;
    /* Binding(get: { parent.isOn }, ...) over the copy of the parent, or $isOn of the storage. */
    uint32_t kind = self->rule->is_fault ? SEAM_BINDING_SNAPSHOT : SEAM_BINDING_LIVE;
    return self->binding->binding_make(self->ctx, m, kind, TEXT("isOn"), NO_VALUE, &control->binding);
}

static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)m, (void)coord, (void)inputs, (void)why;
    return show_bound(rules_of(inst), (struct control *)*view);
}

static void dismantle(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                      uint32_t why)
{
    struct control *control = (struct control *)view;
    if (control != NULL && control->binding != 0)
        rules_of(inst)->binding->binding_unbind(rules_of(inst)->ctx, control->binding);
    rules_dismantle(bridge, inst, m, coord, view, why);
}

/* The control lays itself out again: it asks its binding, not the parent. */
static seam_status native(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                          uint32_t event, const seam_args_v1 *args)
{
    (void)bridge, (void)m, (void)coord, (void)event, (void)args;
    return show_bound(rules_of(inst), (struct control *)view);
}

static const char *const policies[] = {"updates=manual", NULL};
static const seam_bridge_v1 toggle = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = "toggle",
    .title = "A switch that reads through a binding", .inputs = inputs, .make = make, .update = update,
    .dismantle = dismantle, .native = native, .policies = policies};
static const seam_bridge_v1 *const bridges[] = {&toggle};
static const seam_field_v1 fields[] = {FIELD("isOn", "Whether it is on")};
static const seam_screen_v1 screens[] = {SCREEN("Switch", SEAM_SIDE_DECLARATIVE, fields)};
static const seam_event_v1 events[] = {
    {.id = "layout", .title = "The switch lays itself out again", .origin = SEAM_FROM_NATIVE, .bridge = 0}};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "isOn", "false");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

static const struct rule live = {.size = sizeof(struct instance), .start = start};
static const struct rule snapshot = {.size = sizeof(struct instance), .start = start, .is_fault = true};

static const char *const keys[] = {"isOn"};
static const char *const matching[] = {"matching"};
static const char *const stale[] = {"stale"};
static const seam_check_v1 checks_live[] = {
    CHECK("binding-laid-out", 0, keys, matching), CHECK("binding-updated", 0, keys, matching)};
static const seam_check_v1 checks_snapshot[] = {
    CHECK("binding-laid-out", 0, keys, stale), CHECK("binding-updated", 0, keys, stale)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_MODEL_SET, .key = "isOn", .value = "true"},
    {.kind = SEAM_STEP_EVENT, .event = 0},
    {.kind = SEAM_STEP_CHECK, .key = "binding-laid-out"},
    {.kind = SEAM_STEP_UPDATE, .bridge = 0},
    {.kind = SEAM_STEP_CHECK, .key = "binding-updated"},
};

const seam_scenario_v1 rules_binding_live = {
    .id = "rules.binding-live",
    .title = "A switch reads the storage",
    .summary = "The switch holds a binding to the storage and reads through it whenever it lays itself out: it shows "
               "what is true now, whether its parent was evaluated or not. It repairs rules.binding-snapshot.",
    EVENTS(events),
    PARTS(screens, bridges, script, checks_live, live, &rules_calls),
};

const seam_scenario_v1 rules_binding_snapshot = {
    .id = "rules.binding-snapshot",
    .title = "A switch reads a captured copy",
    .summary = "The getter of the switch's binding has captured a copy of the parent when the switch was made. It "
               "goes on answering from that copy, also after an update, since nobody made another binding.",
    EVENTS(events),
    PARTS(screens, bridges, script, checks_snapshot, snapshot, &rules_calls),
};
