/* writeback.c - an edit reaches the model half a second later: with the text of then, or with that of now. */
#include "rules.h"

static const char *const inputs[] = {"query", NULL};
enum { DELAY_NS = 500 * 1000 * 1000 };

/* A control that somebody types in is not written: the caret would jump. What is under way will bring the rest. */
static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)m, (void)coord, (void)view;
    return why == SEAM_WHY_FIRST ? rules_show(rules_of(inst), "query", inputs->values[0]) : SEAM_OK;
}

/* Typed: the control shows it at once; the model hears of it when nobody has typed for a while. One write at a time is
 * on its way. */
static seam_status native(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                          uint32_t event, const seam_args_v1 *args)
{
    (void)bridge, (void)coord, (void)view, (void)event;
    struct instance *self = rules_of(inst);
    uint32_t waiting = 0;
    seam_status status = self->control->native_change(self->ctx, m, TEXT("query"), args->values[0]);
    if (status >= 0)
        status = self->late->in_flight(self->ctx, m, TEXT("query"), &waiting);
    if (status < 0 || waiting > 0)
        return status;
    uint32_t how = self->rule->is_fault ? SEAM_WRITE_CAPTURED : SEAM_WRITE_REREAD;
    return self->late->write_later(self->ctx, m, TEXT("query"), args->values[0], how, DELAY_NS);
}

static const seam_bridge_v1 search = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = "search", .title = "A search field",
    .inputs = inputs, .make = rules_make, .update = update, .dismantle = rules_dismantle, .native = native};
static const seam_bridge_v1 *const bridges[] = {&search};
static const seam_field_v1 fields[] = {FIELD("query", "What is searched for")};
static const seam_screen_v1 screens[] = {SCREEN("SearchField", SEAM_SIDE_DECLARATIVE, fields)};
static const seam_param_v1 args[] = {
    {.id = "text", .title = "What stands in it now", .kind = "text", .initial = "sea"}};
static const seam_event_v1 events[] = {
    {.id = "type", .title = "Somebody types", .origin = SEAM_FROM_NATIVE, .bridge = 0, .arg_count = COUNT(args),
     .args = args}};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "query", "");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

static const struct rule reread = {.size = sizeof(struct instance), .start = start};
static const struct rule captured = {.size = sizeof(struct instance), .start = start, .is_fault = true};

static const char *const sea[] = {"sea"};
static const char *const seam[] = {"seam"};
static const char *const keys[] = {"query"};
static const char *const matching[] = {"matching"};
static const char *const stale[] = {"stale"};
static const seam_check_v1 checks_reread[] = {
    CHECK("write-back-waiting", 0, keys, stale), CHECK("write-back-arrived", 0, keys, matching)};
static const seam_check_v1 checks_captured[] = {
    CHECK("write-back-waiting", 0, keys, stale), CHECK("write-back-arrived", 0, keys, stale)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_EVENT, .event = 0, .arg_count = COUNT(sea), .args = sea},
    {.kind = SEAM_STEP_ADVANCE, .virtual_ns = 200 * 1000 * 1000},
    {.kind = SEAM_STEP_EVENT, .event = 0, .arg_count = COUNT(seam), .args = seam},
    {.kind = SEAM_STEP_CHECK, .key = "write-back-waiting"},
    {.kind = SEAM_STEP_ADVANCE, .virtual_ns = 300 * 1000 * 1000},
    {.kind = SEAM_STEP_CHECK, .key = "write-back-arrived"},
};

const seam_scenario_v1 rules_write_back_reread = {
    .id = "rules.write-back-reread",
    .title = "A late write reads the control when it arrives",
    .summary = "Somebody types, and half a second later the model gets what stands in the field by then, whatever "
               "has been typed meanwhile. It repairs rules.write-back-captured.",
    EVENTS(events),
    PARTS(screens, bridges, script, checks_reread, reread, &rules_calls),
};

const seam_scenario_v1 rules_write_back_captured = {
    .id = "rules.write-back-captured",
    .title = "A late write brings the text that it was started with",
    .summary = "The same field, but the write takes the text along when it is started. What is typed while it is on "
               "its way never reaches the model.",
    EVENTS(events),
    PARTS(screens, bridges, script, checks_captured, captured, &rules_calls),
};
