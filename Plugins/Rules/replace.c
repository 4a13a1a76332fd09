/* replace.c - a control takes another's place: whether the old one is gone before the new one is made. */
#include "rules.h"

struct camera {
    struct instance base;
    bool is_taken; /* the device is open, by one control alone */
};

static const char *const inputs[] = {"source", "state", NULL};

/* The control opens the device when it is made; the device is for one alone. */
static seam_status make(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                        const seam_args_v1 *inputs, uint32_t why, seam_obj **view)
{
    struct camera *self = (struct camera *)inst;
    seam_status status = rules_make(bridge, inst, m, coord, inputs, why, view);
    if (status >= 0)
        status = rules_show(&self->base, "source", inputs->values[0]);
    if (status >= 0)
        status = rules_show(&self->base, "state", self->is_taken ? TEXT("busy") : TEXT("open"));
    self->is_taken = true;
    return status;
}

static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)m, (void)coord, (void)view;
    return why == SEAM_WHY_FIRST ? SEAM_OK : rules_show(rules_of(inst), "source", inputs->values[0]);
}

static void dismantle(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                      uint32_t why)
{
    ((struct camera *)inst)->is_taken = false;
    rules_dismantle(bridge, inst, m, coord, view, why);
}

static const char *const told[] = {"hooks=told", NULL};
static const char *const overlapping[] = {"hooks=told", "replace-order=new-first", NULL};
#define PREVIEW                                                                                              \
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = "preview", .title = "A camera preview",  \
    .inputs = inputs, .make = make, .update = update, .dismantle = dismantle
static const seam_bridge_v1 preview = {PREVIEW, .policies = told};
static const seam_bridge_v1 preview_overlapping = {PREVIEW, .policies = overlapping};
static const seam_bridge_v1 *const bridges[] = {&preview};
static const seam_bridge_v1 *const bridges_overlapping[] = {&preview_overlapping};
static const seam_field_v1 fields[] = {FIELD("source", "Which camera"), FIELD("state", "What became of opening it")};
static const seam_screen_v1 screens[] = {SCREEN("Preview", SEAM_SIDE_DECLARATIVE, fields)};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "source", "front");
    if (status >= 0)
        status = rules_set(self, "state", "open");
    if (status >= 0)
        status = self->host->mount(self->ctx, 0, &self->mount);
    return status < 0 ? status : self->placement->identify(self->ctx, self->mount, TEXT("front"));
}

static const struct rule rule = {.size = sizeof(struct camera), .start = start};

static const char *const keys[] = {"source", "state"};
static const char *const both[] = {"matching", "matching"};
static const char *const busy[] = {"matching", "stale"};
static const seam_check_v1 checks[] = {CHECK("replace-first", 0, keys, both), CHECK("replace-next", 0, keys, both)};
static const seam_check_v1 checks_overlapping[] = {
    CHECK("replace-first", 0, keys, both), CHECK("replace-next", 0, keys, busy)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_CHECK, .key = "replace-first"},
    {.kind = SEAM_STEP_MODEL_SET, .key = "source", .value = "back"},
    {.kind = SEAM_STEP_IDENTIFY, .bridge = 0, .value = "back"},
    {.kind = SEAM_STEP_CHECK, .key = "replace-next"},
};

const seam_scenario_v1 rules_replace_order = {
    .id = "rules.replace-order",
    .title = "The old control is gone before the new one is made",
    .summary = "A preview gets another identity. The old control is dismantled first and gives the camera back, so "
               "the new one can open it. It repairs rules.replace-order-overlap.",
    PARTS(screens, bridges, script, checks, rule, &rules_calls),
};

const seam_scenario_v1 rules_replace_order_overlap = {
    .id = "rules.replace-order-overlap",
    .title = "The new control is made while the old one still lives",
    .summary = "The same preview where frameworks make first and dismantle afterwards: for a moment there are two, "
               "and the second finds the camera busy.",
    PARTS(screens, bridges_overlapping, script, checks_overlapping, rule, &rules_calls),
};
