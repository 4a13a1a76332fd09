/* ownership.c - an object that a view makes in its body: the first one kept, or a new one at each evaluation. */
#include "rules.h"

#include <inttypes.h>
#include <stdio.h>

struct profile {
    struct instance base;
    seam_object store; /* the object that the view holds; 0 before the first evaluation */
    seam_mount drawn;  /* the view that was evaluated last, and holds it */
    int64_t visits;    /* what is in it */
};

static const char *const inputs[] = {"visits", NULL};

static seam_str words(int64_t count, char *into, size_t size)
{
    int length = snprintf(into, size, "%" PRId64, count);
    return (seam_str){.ptr = into, .len = (size_t)length};
}

/* The initialiser of the view's value runs at each evaluation, and so does the one of the object in it. Whether that
 * object is the one to go on with is what the property says: @StateObject or @ObservedObject. */
static seam_status draw(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                        uint32_t why)
{
    (void)bridge, (void)inputs, (void)why;
    struct profile *self = (struct profile *)inst;
    const seam_ownership_v1 *ownership = self->base.ownership;
    seam_object made, held;
    char text[24];
    seam_status status = ownership->object_make(self->base.ctx, &made);
    if (status < 0)
        return status;
    status = ownership->object_hold(self->base.ctx, m, TEXT("store"), made, self->base.rule->is_fault ? 0 : 1, &held);
    if (status < 0)
        return status;
    self->drawn = m;
    if (held != self->store) {
        self->store = held;
        self->visits = 0;
    }
    return rules_show(&self->base, "visits", words(self->visits, text, sizeof text));
}

static const seam_bridge_v1 profile = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED, .id = "profile",
    .title = "A view that makes its own object", .inputs = inputs, .draw = draw};
static const seam_bridge_v1 *const bridges[] = {&profile};
static const seam_field_v1 fields[] = {FIELD("visits", "How often it was visited")};
static const seam_screen_v1 screens[] = {SCREEN("Profile", SEAM_SIDE_IMPERATIVE, fields)};
static const seam_event_v1 events[] = {
    {.id = "visit", .title = "Somebody visits", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE}};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "visits", "0");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

/* One more visit, in the object that the view holds; the object signals, and the view is evaluated. */
static seam_status event(struct instance *base, uint32_t event, const seam_args_v1 *args)
{
    (void)args;
    if (event != 0)
        return rules_fail(base, "an event was sent that this scenario does not declare");
    struct profile *self = (struct profile *)base;
    char text[24];
    self->visits += 1;
    seam_status status = base->host->model_set(base->ctx, TEXT("visits"), words(self->visits, text, sizeof text));
    if (status < 0 || self->store == 0)
        return status;
    seam_activity_v1 activity;
    if (base->placement->activity_get(base->ctx, self->drawn, &activity) < 0) {
        self->store = 0; /* it went with the view that held it */
        return SEAM_OK;
    }
    return base->ownership->object_publish(base->ctx, self->store);
}

static const struct rule owned = {.size = sizeof(struct profile), .start = start, .event = event};
static const struct rule recreated = {
    .size = sizeof(struct profile), .start = start, .event = event, .is_fault = true};

static const char *const keys[] = {"visits"};
static const char *const matching[] = {"matching"};
static const char *const stale[] = {"stale"};
static const seam_check_v1 checks_owned[] = {CHECK("object-owned", 0, keys, matching)};
static const seam_check_v1 checks_recreated[] = {CHECK("object-recreated", 0, keys, stale)};
static const seam_step_v1 script_owned[] = {
    {.kind = SEAM_STEP_EVENT, .event = 0}, {.kind = SEAM_STEP_CHECK, .key = "object-owned"}};
static const seam_step_v1 script_recreated[] = {
    {.kind = SEAM_STEP_EVENT, .event = 0}, {.kind = SEAM_STEP_CHECK, .key = "object-recreated"}};

const seam_scenario_v1 rules_object_owned = {
    .id = "rules.object-owned",
    .title = "The view owns the object that it makes",
    .summary = "The body makes an object each time it runs, and the view goes on with its first one: that one "
               "belongs to its identity. It repairs rules.object-recreated.",
    EVENTS(events),
    PARTS(screens, bridges, script_owned, checks_owned, owned, &rules_calls_with_event),
};

const seam_scenario_v1 rules_object_recreated = {
    .id = "rules.object-recreated",
    .title = "The view observes an object that each evaluation makes anew",
    .summary = "The object signals a visit, the view is evaluated, and the evaluation makes another object, with "
               "nothing in it. What was counted is gone with the old one.",
    EVENTS(events),
    PARTS(screens, bridges, script_recreated, checks_recreated, recreated, &rules_calls_with_event),
};
