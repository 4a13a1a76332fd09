/* environment.c - a value that a tree inherits, and a host in the middle of it that does not hand it on. */
#include "rules.h"

enum { OUTER = 0, INNER = 1 }; /* the bridges */

enum { PAIRS = 8 };

/* Which inner view each outer one has made. A client may mount many; more than a few at once are not told apart. */
struct nested {
    struct instance base;
    struct pair {
        seam_mount outer, inner;
    } pairs[PAIRS];
    uint32_t last; /* the pair that was made last */
};

/* The pair of an outer view, with inner 0 when it is drawn first. */
static struct pair *pair_of(struct nested *self, seam_mount outer)
{
    for (int i = 0; i < PAIRS; i++)
        if (self->pairs[i].outer == outer)
            return &self->pairs[i];
    self->last = (self->last + 1) % PAIRS;
    self->pairs[self->last] = (struct pair){.outer = outer};
    return &self->pairs[self->last];
}

/* The view that hosts the other one: it makes it when it is drawn first, and, in the repair, hands on what it inherits
 * itself. Its own read is tracked, so a change of the environment draws it again and is handed on in turn. */
static seam_status draw_outer(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                              uint32_t why)
{
    (void)bridge, (void)inputs, (void)why;
    struct instance *base = rules_of(inst);
    struct pair *pair = pair_of((struct nested *)inst, m);
    seam_status status = SEAM_OK;
    if (pair->inner == NO_MOUNT)
        status = base->placement->mount_in(base->ctx, m, INNER, NULL, NO_VALUE, &pair->inner);
    if (status < 0 || base->rule->is_fault)
        return status;
    seam_str locale;
    status = base->environment->environment_get(base->ctx, m, TEXT("locale"), &locale);
    return status < 0 ? status : base->environment->environment_set(base->ctx, pair->inner, TEXT("locale"), locale);
}

static seam_status draw_inner(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                              uint32_t why)
{
    (void)bridge, (void)inputs, (void)why;
    struct instance *self = rules_of(inst);
    seam_str locale;
    seam_status status = self->environment->environment_get(self->ctx, m, TEXT("locale"), &locale);
    return status < 0 ? status : rules_show(self, "locale", locale);
}

static const char *const none[] = {NULL};
static const char *const own[] = {"environment=own", NULL};
static const seam_bridge_v1 outer = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED, .id = "outer", .screen = 1,
    .title = "The screen's own hosting controller", .inputs = none, .draw = draw_outer};
static const seam_bridge_v1 inner = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED, .id = "inner", .screen = 0,
    .title = "A hosting controller inside it, with an environment of its own", .inputs = none, .draw = draw_inner,
    .policies = own};
static const seam_bridge_v1 *const bridges[] = {[OUTER] = &outer, [INNER] = &inner};
static const seam_field_v1 fields[] = {FIELD("locale", "The language of the inner view")};
static const seam_screen_v1 screens[] = {
    SCREEN("Inner", SEAM_SIDE_IMPERATIVE, fields),
    {.id = "Outer", .title = "Outer", .side = SEAM_SIDE_IMPERATIVE},
};

/* At the root a model key of the same name follows: it is what should be shown. */
static seam_status start(struct instance *self)
{
    seam_status status = self->environment->environment_set(self->ctx, NO_MOUNT, TEXT("locale"), TEXT("en"));
    return status < 0 ? status : self->host->mount(self->ctx, OUTER, &self->mount);
}

static const struct rule handing_on = {.size = sizeof(struct nested), .start = start};
static const struct rule cutting = {.size = sizeof(struct nested), .start = start, .is_fault = true};

static const char *const keys[] = {"locale"};
static const char *const matching[] = {"matching"};
static const char *const missing[] = {"missing"};
static const seam_check_v1 checks_handed_on[] = {
    CHECK("environment-first", 0, keys, matching), CHECK("environment-changed", 0, keys, matching)};
static const seam_check_v1 checks_cut[] = {
    CHECK("environment-first", 0, keys, missing), CHECK("environment-changed", 0, keys, missing)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_CHECK, .key = "environment-first"},
    {.kind = SEAM_STEP_ENVIRONMENT, .bridge = SEAM_NONE, .key = "locale", .value = "de"},
    {.kind = SEAM_STEP_CHECK, .key = "environment-changed"},
};

const seam_scenario_v1 rules_environment_handed_on = {
    .id = "rules.environment-handed-on",
    .title = "The environment is handed on to a hosting controller",
    .summary = "A hosting controller inside another one inherits nothing. Whoever makes it hands the language on, "
               "and does so again whenever it changes. It repairs rules.environment-cut.",
    PARTS(screens, bridges, script, checks_handed_on, handing_on, &rules_calls),
};

const seam_scenario_v1 rules_environment_cut = {
    .id = "rules.environment-cut",
    .title = "The environment ends at a hosting controller",
    .summary = "The same two hosting controllers, and nobody hands anything on: the inner view reads a language and "
               "finds none. Neither side of the border shows where it got lost.",
    PARTS(screens, bridges, script, checks_cut, cutting, &rules_calls),
};
