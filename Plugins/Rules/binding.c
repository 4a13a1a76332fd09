/* binding.c - a control reads through a binding when it likes: what a getter over a captured copy answers then. */
#include "rules.h"

struct bound {
    struct instance base;
    seam_binding binding;
};

static const char *const inputs[] = {"isOn", NULL};

/* Reads through the binding and shows what it gives. */
static seam_status show_bound(struct bound *self)
{
    seam_str value;
    seam_status status = self->base.binding->binding_get(self->base.ctx, self->binding, &value);
    return status < 0 ? status : rules_show(&self->base, "isOn", value);
}

static seam_status make(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                        const seam_args_v1 *inputs, uint32_t why, seam_obj **view)
{
    struct bound *self = (struct bound *)inst;
    seam_status status = rules_make(bridge, inst, m, coord, inputs, why, view);
    if (status < 0)
        return status;
    /* Binding(get: { parent.isOn }, ...) over the copy of the parent, or $isOn of the storage. */
    uint32_t kind = self->base.rule->is_fault ? SEAM_BINDING_SNAPSHOT : SEAM_BINDING_LIVE;
    return self->base.binding->binding_make(self->base.ctx, m, kind, TEXT("isOn"), NO_VALUE, &self->binding);
}

static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)m, (void)coord, (void)view, (void)inputs, (void)why;
    return show_bound((struct bound *)inst);
}

static void dismantle(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                      uint32_t why)
{
    struct bound *self = (struct bound *)inst;
    if (self->binding != 0)
        self->base.binding->binding_unbind(self->base.ctx, self->binding);
    self->binding = 0;
    rules_dismantle(bridge, inst, m, coord, view, why);
}

/* The control lays itself out again: it asks its binding, not the parent. */
static seam_status native(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                          uint32_t event, const seam_args_v1 *args)
{
    (void)bridge, (void)m, (void)coord, (void)view, (void)event, (void)args;
    struct bound *self = (struct bound *)inst;
    return self->binding == 0 ? SEAM_OK : show_bound(self); /* its make failed */
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

static const struct rule live = {.size = sizeof(struct bound), .start = start};
static const struct rule snapshot = {.size = sizeof(struct bound), .start = start, .is_fault = true};

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
