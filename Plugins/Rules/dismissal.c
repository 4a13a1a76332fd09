/* dismissal.c - a sheet that the model presents is closed by the user: who tells the model. */
#include "rules.h"

static const char *const inputs[] = {"sheet", NULL};
static const char *const writes[] = {"presented-by=sheet", NULL};
static const char *const silent[] = {"presented-by=sheet", "dismissal=silent", NULL};
#define SHEET EMBEDDING("sheet", "A sheet, up as long as the model has one", inputs)
static const seam_bridge_v1 telling = {SHEET, .policies = writes};
static const seam_bridge_v1 keeping = {SHEET, .policies = silent};
static const seam_bridge_v1 *const bridges[] = {&telling};
static const seam_bridge_v1 *const bridges_silent[] = {&keeping};
static const seam_field_v1 fields[] = {FIELD("sheet", "What the sheet is about")};
static const seam_screen_v1 screens[] = {SCREEN("Sheet", SEAM_SIDE_IMPERATIVE, fields)};

static seam_status start(struct instance *self)
{
    seam_status status = rules_set(self, "sheet", "Share");
    return status < 0 ? status : self->host->mount(self->ctx, 0, &self->mount);
}

static const struct rule rule = {.size = sizeof(struct instance), .start = start};

static const char *const keys[] = {"sheet"};
static const char *const matching[] = {"matching"};
static const char *const closed[] = {"out-of-scope"};
static const char *const missing[] = {"missing"};
static const seam_check_v1 checks[] = {
    CHECK("dismissal-up", 0, keys, matching), CHECK("dismissal-closed", 0, keys, closed)};
static const seam_check_v1 checks_silent[] = {
    CHECK("dismissal-up", 0, keys, matching), CHECK("dismissal-closed", 0, keys, missing)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_CHECK, .key = "dismissal-up"},
    {.kind = SEAM_STEP_DISMISS, .bridge = 0},
    {.kind = SEAM_STEP_CHECK, .key = "dismissal-closed"},
};

const seam_scenario_v1 rules_dismissal = {
    .id = "rules.dismissal",
    .title = "A sheet that is closed tells the model",
    .summary = "The model presents a sheet, the user swipes it away. The dismissal writes the key that presented it, "
               "so both sides know that there is none. It repairs rules.dismissal-silent.",
    PARTS(screens, bridges, script, checks, rule, &rules_calls),
};

const seam_scenario_v1 rules_dismissal_silent = {
    .id = "rules.dismissal-silent",
    .title = "A sheet is closed, and the model goes on presenting it",
    .summary = "The same sheet, closed without a word to the model: it believes that a sheet is up, and setting the "
               "same value again presents nothing.",
    PARTS(screens, bridges_silent, script, checks_silent, rule, &rules_calls),
};
