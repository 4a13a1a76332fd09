/* park.c - a control is put away and comes back: which calls that takes, and in which order.
 *
 * First mount: make, update, attach. Parking: reset, then detach; what is parked hears of nothing. The return is where
 * frameworks differ: update, then attach, or the other way round. The hooks are told here under every profile, so that
 * `steps` lists them; the order is the profile's.
 */
#include "rules.h"

static const char *const inputs[] = {"text", NULL};
static const char *const policies[] = {"hooks=told", NULL};
static const seam_bridge_v1 row = {WRAPPING("row", "A row of a list, which is recycled", inputs), .policies = policies};
static const seam_bridge_v1 *const bridges[] = {&row};
static const seam_field_v1 fields[] = {FIELD("text", "The text of the row")};
static const seam_screen_v1 screens[] = {SCREEN("Row", SEAM_SIDE_DECLARATIVE, fields)};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "text", "Groceries");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

/* prepareForReuse: what the row held is gone, the next update brings all of it. */
static seam_status hook(struct instance *self, seam_mount m, uint32_t hook)
{
    (void)m;
    return hook == SEAM_HOOK_RESET ? self->host->screen_clear(self->ctx, 0, TEXT("text")) : SEAM_OK;
}

static const struct rule rule = {.size = sizeof(struct instance), .start = start, .hook = hook};

static const char *const keys[] = {"text"};
static const char *const matching[] = {"matching"};
static const char *const missing[] = {"missing"};
static const seam_check_v1 checks[] = {
    CHECK("park-mounted", 0, keys, matching),
    CHECK("park-parked", 0, keys, missing),
    CHECK("park-back", 0, keys, matching),
};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_CHECK, .key = "park-mounted"},
    {.kind = SEAM_STEP_ACTIVITY, .bridge = 0, .value = "parked=yes"},
    {.kind = SEAM_STEP_MODEL_SET, .key = "text", .value = "Garden"},
    {.kind = SEAM_STEP_CHECK, .key = "park-parked"},
    {.kind = SEAM_STEP_ACTIVITY, .bridge = 0, .value = "parked=no"},
    {.kind = SEAM_STEP_CHECK, .key = "park-back"},
};

const seam_scenario_v1 rules_park = {
    .id = "rules.park",
    .title = "A control is parked and comes back",
    .summary = "A row is made, parked and taken back. make, update, attach; reset, detach; and on return, by the "
               "policy on-return, update and then attach (lesson, uikit), or attach and then update (compose). A row "
               "that is parked shows nothing, and a change meanwhile reaches it when it is back.",
    PARTS(screens, bridges, script, checks, rule, &rules_calls),
};
