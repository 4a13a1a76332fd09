/* passes.c - when in a turn, or in which turn, the other side gets a value. */
#include "rules.h"

static const char *const inputs[] = {"title", NULL};
static const seam_field_v1 fields[] = {FIELD("title", "The title")};
static const char *const keys[] = {"title"};
static const char *const matching[] = {"matching"};
static const char *const stale[] = {"stale"};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "title", "Draft");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

static const struct rule rule = {.size = sizeof(struct instance), .start = start};

/* ---- rules.layout-pass: the assignment is not the drawing ---- */

static const char *const layout[] = {"draw=layout", NULL};
static const seam_bridge_v1 host = {EMBEDDING("host", "A hosting controller that draws when it is laid out", inputs),
                                    .policies = layout};
static const seam_bridge_v1 *const hosts[] = {&host};
static const seam_screen_v1 hosting[] = {SCREEN("HostingController", SEAM_SIDE_IMPERATIVE, fields)};
static const seam_check_v1 layout_checks[] = {
    CHECK("@before", 0, keys, stale), CHECK("layout-settled", 0, keys, matching)};
static const seam_step_v1 layout_script[] = {
    {.kind = SEAM_STEP_MODEL_SET, .key = "title", .value = "Final"},
    {.kind = SEAM_STEP_ASSIGN, .bridge = 0},
    {.kind = SEAM_STEP_CHECK, .key = "@before"},
    {.kind = SEAM_STEP_CHECK, .key = "layout-settled"},
};

const seam_scenario_v1 rules_layout_pass = {
    .id = "rules.layout-pass",
    .title = "Read right after the assignment, the screen is still the old one",
    .summary = "The root view is assigned, and drawn in the layout pass of the same turn. An interim read in between "
               "(@before) sees the old title, the check after it the new one: a test that does not wait for the "
               "layout reports a fault that is none.",
    PARTS(hosting, hosts, layout_script, layout_checks, rule, &rules_calls),
};

/* ---- rules.root-built: what a builder returns is no assignment ---- */

static const seam_bridge_v1 built = {EMBEDDING("host", "A hosting controller whose root view somebody builds", inputs)};
static const seam_bridge_v1 *const built_hosts[] = {&built};
static const seam_check_v1 built_checks[] = {
    CHECK("root-built", 0, keys, stale),
    CHECK("root-drawn", 0, keys, stale),
    CHECK("root-assigned", 0, keys, matching),
};
static const seam_step_v1 built_script[] = {
    {.kind = SEAM_STEP_MODEL_SET, .key = "title", .value = "Final"},
    {.kind = SEAM_STEP_BUILD, .bridge = 0},
    {.kind = SEAM_STEP_CHECK, .key = "root-built"},
    {.kind = SEAM_STEP_UPDATE_FOR, .bridge = 0, .value = "unrelated"},
    {.kind = SEAM_STEP_CHECK, .key = "root-drawn"},
    {.kind = SEAM_STEP_ASSIGN_BUILT, .bridge = 0},
    {.kind = SEAM_STEP_CHECK, .key = "root-assigned"},
};

const seam_scenario_v1 rules_root_built = {
    .id = "rules.root-built",
    .title = "A root view is built, and nobody assigns it",
    .summary = "A builder makes a root view with the new title, and its value is thrown away: the controller goes on "
               "with the old one, also when it is drawn again for another reason. Assigning what was built repairs "
               "it.",
    PARTS(hosting, built_hosts, built_script, built_checks, rule, &rules_calls),
};

/* ---- rules.async: the other side answers one turn later ---- */

static const char *const next_turn[] = {"inward=next-turn", NULL};
static const seam_bridge_v1 remote = {
    WRAPPING("remote", "A control behind an asynchronous bridge", inputs), .policies = next_turn};
static const seam_bridge_v1 *const remotes[] = {&remote};
static const seam_screen_v1 native[] = {SCREEN("NativeTitle", SEAM_SIDE_DECLARATIVE, fields)};
static const seam_check_v1 async_checks[] = {
    CHECK("async-sent", 0, keys, stale), CHECK("async-arrived", 0, keys, matching)};
static const seam_step_v1 async_script[] = {
    {.kind = SEAM_STEP_MODEL_SET, .key = "title", .value = "Final"},
    {.kind = SEAM_STEP_CHECK, .key = "async-sent"},
    {.kind = SEAM_STEP_ADVANCE, .virtual_ns = 0},
    {.kind = SEAM_STEP_CHECK, .key = "async-arrived"},
};

const seam_scenario_v1 rules_async = {
    .id = "rules.async",
    .title = "An asynchronous bridge is one turn behind",
    .summary = "A changed title goes over a queue: the turn that changed it ends with the old one on the screen, "
               "which is reported as what it is, and the next turn shows it.",
    PARTS(native, remotes, async_script, async_checks, rule, &rules_calls),
};
