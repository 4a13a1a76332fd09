/* pool.c - a control goes into a pool and comes back for another item: what it still holds of the former one. */
#include "rules.h"

static const char *const inputs[] = {"title", "badge", NULL};
static const char *const policies[] = {"host-detach=pool", "hooks=told", NULL};

/* The badge is written where there is one: "hidden if empty" was never needed on a control that was new. */
static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)m, (void)coord, (void)view, (void)why;
    struct instance *self = rules_of(inst);
    seam_status status = rules_show(self, "title", inputs->values[0]);
    if (status < 0 || inputs->values[1].ptr == NULL)
        return status;
    return rules_show(self, "badge", inputs->values[1]);
}

static const seam_bridge_v1 cell = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = "cell", .title = "A cell from a pool",
    .inputs = inputs, .make = rules_make, .update = update, .dismantle = rules_dismantle, .policies = policies,
};
static const seam_bridge_v1 *const bridges[] = {&cell};
static const seam_field_v1 fields[] = {FIELD("title", "The title"), FIELD("badge", "The number beside it, if any")};
static const seam_screen_v1 screens[] = {SCREEN("Cell", SEAM_SIDE_DECLARATIVE, fields)};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "title", "Inbox");
    if (status >= 0)
        status = rules_set(self, "badge", "3");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

/* prepareForReuse */
static seam_status reset(struct instance *self, seam_mount m, uint32_t hook)
{
    (void)m;
    if (hook != SEAM_HOOK_RESET || self->rule->is_fault)
        return SEAM_OK;
    /* Off screen by now, it shows nothing and holds all of it. */
    seam_status status = self->host->screen_clear(self->ctx, 0, TEXT("title"));
    return status < 0 ? status : self->host->screen_clear(self->ctx, 0, TEXT("badge"));
}

static const struct rule with_reset = {.size = sizeof(struct instance), .start = start, .hook = reset};
static const struct rule without = {
    .size = sizeof(struct instance), .start = start, .hook = reset, .is_fault = true};

static const char *const keys[] = {"title", "badge"};
static const char *const clean[] = {"matching", "out-of-scope"};
static const char *const left[] = {"matching", "leftover"};
static const seam_check_v1 checks_reset[] = {CHECK("pool-reset", 0, keys, clean)};
static const seam_check_v1 checks_leak[] = {CHECK("pool-leak", 0, keys, left)};
#define SCRIPT(label)                                                                                        \
    {                                                                                                        \
        {.kind = SEAM_STEP_UNMOUNT, .bridge = 0},                                                            \
        {.kind = SEAM_STEP_MODEL_SET, .key = "title", .value = "Archive"},                                   \
        {.kind = SEAM_STEP_MODEL_CLEAR, .key = "badge"},                                                     \
        {.kind = SEAM_STEP_MOUNT, .bridge = 0},                                                              \
        {.kind = SEAM_STEP_CHECK, .key = label},                                                             \
    }
static const seam_step_v1 script_reset[] = SCRIPT("pool-reset");
static const seam_step_v1 script_leak[] = SCRIPT("pool-leak");

const seam_scenario_v1 rules_pool_reset = {
    .id = "rules.pool-reset",
    .title = "A cell is cleared before it is used again",
    .summary = "Reset clears all that update may leave out, so a cell from the pool shows nothing of its former "
               "item. It repairs rules.pool-leak.",
    PARTS(screens, bridges, script_reset, checks_reset, with_reset, &rules_calls),
};

const seam_scenario_v1 rules_pool_leak = {
    .id = "rules.pool-leak",
    .title = "A cell from the pool still shows the former badge",
    .summary = "A cell with a badge goes into the pool and is taken out for an item without one. Update writes a "
               "badge only where there is one, reset does nothing, and so the old number is shown beside the new "
               "title.",
    PARTS(screens, bridges, script_leak, checks_leak, without, &rules_calls),
};
