/* scenarios.c - what the host reads before anything is created: nothing but tables, and the entry.
 *
 * They are constant and live as long as the library, as the ABI asks. All six scenarios have the same screen, the
 * same key and the same events; parts that are equal are one table.
 */
#include "counter.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Parameters ---- */

#define START                                                                                                \
    {                                                                                                        \
        .id = "start", .title = "The count at the start; none when it is not given", .kind = "integer",      \
        .minimum = "0", .maximum = "1000000000"                                                              \
    }
#define STORYBOARD(identifier)                                                                               \
    {                                                                                                        \
        .id = "segue", .title = "What the segue is called in the storyboard; the code expects " SEGUE,       \
        .kind = "text", .initial = identifier                                                                \
    }
#define HOLDER                                                                                               \
    {                                                                                                        \
        .id = "holder",                                                                                      \
        .title = "Who holds the count: the hosting controller, or an object that the screen reaches without it", \
        .kind = "text", .initial = "controller", .choices = holders                                          \
    }

static const char *const holders[] = {"controller", "shared", NULL};

static const seam_param_v1 params_captured[] = {START, STORYBOARD(SEGUE), HOLDER};
static const seam_param_v1 params_not_captured[] = {START, STORYBOARD("embedCounter"), HOLDER};
static const seam_param_v1 params_controller[] = {START, STORYBOARD(SEGUE)};
static const seam_param_v1 params_notification[] = {START};
static const seam_param_v1 params_environment[] = {
    START,
    {.id = "provided", .title = "Whether environmentObject(_:) was called", .kind = "boolean", .initial = "true"},
};

/* ---- Screen and events ---- */

static const seam_field_v1 fields[] = {{.key = KEY, .title = "The text of the label", .kind = "text"}};

static const seam_screen_v1 screens[] = {
    [SCREEN] = {.id = "CounterHostingController", .title = "The screen with the button and the hosted label",
                .side = SEAM_SIDE_IMPERATIVE, .field_count = COUNT(fields), .fields = fields},
};

static const seam_param_v1 prepare_args[] = {
    {.id = "segue", .title = "The identifier of the segue", .kind = "text", .initial = SEGUE},
};

/* A scenario in which nobody needs the controller takes only the first. */
static const seam_event_v1 events[] = {
    [INCREASE] = {.id = "increase", .title = "The button is pressed", .origin = SEAM_FROM_MODEL,
                  .bridge = SEAM_NONE},
    [PREPARE] = {.id = "prepare", .title = "The storyboard performs a segue to the hosting controller",
                 .origin = SEAM_FROM_LIFECYCLE, .bridge = SEAM_NONE, .arg_count = COUNT(prepare_args),
                 .args = prepare_args},
};

/* ---- Bridges: the same embedding, with another body and with or without observing ---- */

static const char *const inputs[] = {KEY, NULL};

#define EMBEDDING(title_, flags_, draw_)                                                                     \
    {                                                                                                        \
        .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED, .screen = SCREEN, .flags = flags_, .id = "host", \
        .title = title_, .inputs = inputs, .draw = draw_                                                     \
    }

static const seam_bridge_v1 embed_observed =
    EMBEDDING("The hosting controller; its view observes the state", SEAM_BRIDGE_OBSERVED, draw_given);
static const seam_bridge_v1 embed_copied =
    EMBEDDING("The hosting controller; its view has a copy of the count", 0, draw_given);
/* Observed too, but not SEAM_BRIDGE_OBSERVED: that says that the object is the model. This one can fall behind it. */
static const seam_bridge_v1 embed_own_state =
    EMBEDDING("The hosting controller; its view observes a state of the controller's own", 0, draw_own_state);
static const seam_bridge_v1 embed_environment =
    EMBEDDING("The hosting controller; its view finds the state in the environment", SEAM_BRIDGE_OBSERVED,
              draw_environment);
static const seam_bridge_v1 embed_controller =
    EMBEDDING("The hosting controller; its view observes the controller", SEAM_BRIDGE_OBSERVED, draw_controller);

static const seam_bridge_v1 *const bridges_observed[] = {[HOST] = &embed_observed};
static const seam_bridge_v1 *const bridges_copied[] = {[HOST] = &embed_copied};
static const seam_bridge_v1 *const bridges_own_state[] = {[HOST] = &embed_own_state};
static const seam_bridge_v1 *const bridges_environment[] = {[HOST] = &embed_environment};
static const seam_bridge_v1 *const bridges_controller[] = {[HOST] = &embed_controller};

/* ---- Script and checks: two presses; where it works, a look after each ---- */

static const char *const checked[] = {KEY};
static const char *const matching[] = {"matching"};
static const char *const stale[] = {"stale"};

#define PRESS {.kind = SEAM_STEP_EVENT, .event = INCREASE}
#define LOOK(label_) {.kind = SEAM_STEP_CHECK, .key = label_}
#define EXPECT(label_, verdict)                                                                              \
    {                                                                                                        \
        .label = label_, .screen = SCREEN, .key_count = COUNT(checked), .keys = checked, .expected = verdict \
    }

#define LOOK_AFTER_EACH(name, label)                                                                         \
    static const seam_step_v1 script_##name[] = {PRESS, LOOK(label "-once"), PRESS, LOOK(label "-twice")};   \
    static const seam_check_v1 checks_##name[] = {EXPECT(label "-once", matching), EXPECT(label "-twice", matching)}
#define LOOK_AT_THE_END(name, label, verdict)                                                                \
    static const seam_step_v1 script_##name[] = {PRESS, PRESS, LOOK(label)};                                 \
    static const seam_check_v1 checks_##name[] = {EXPECT(label, verdict)}

LOOK_AFTER_EACH(observed, "observed");
LOOK_AT_THE_END(copied, "copied", stale);
LOOK_AT_THE_END(not_captured, "not-captured", stale);
LOOK_AFTER_EACH(notification, "notification");
LOOK_AFTER_EACH(environment, "environment");
LOOK_AFTER_EACH(controller, "controller");

/* ---- The scenarios ---- */

/* What is the same in each, and the counts, which have to fit their arrays. `user` is no pointer to const in the
 * ABI; nobody writes through this one. */
#define PARTS(params_, event_count_, bridges_, name)                                                         \
    .size = sizeof(seam_scenario_v1), .params = params_, .param_count = COUNT(params_), .screens = screens,  \
    .screen_count = COUNT(screens), .bridges = bridges_, .bridge_count = COUNT(bridges_), .events = events,  \
    .event_count = event_count_, .script = script_##name, .script_count = COUNT(script_##name),              \
    .checks = checks_##name, .check_count = COUNT(checks_##name), .calls = &counter_calls,                   \
    .create = counter_create, .user = (void *)&way_##name

static const seam_scenario_v1 observed = {
    .id = "counter.observed",
    .title = "The view observes the state",
    .summary = "A screen from a storyboard has a button and, in a hosting controller, a declarative label. The "
               "screen captures the hosting controller when the segue is prepared and asks it to count; the view "
               "observes the state that is counted in, so the label follows each press. It repairs counter.copied "
               "and counter.not-captured. With another segue=... the controller is nil when the button is pressed, "
               "and an implicitly unwrapped nil stops the app.",
    PARTS(params_captured, COUNT(events), bridges_observed, observed),
};

static const seam_scenario_v1 copied = {
    .id = "counter.copied",
    .title = "The view got a copied value",
    .summary = "The same screen, but the view was given the number and not the object that holds it. The controller "
               "counts on, nobody assigns a new root view, and the label still says what it said at the start. "
               "Assigning the bridge \"host\" carries the number across, once; counter.observed is the lasting "
               "repair.",
    PARTS(params_captured, COUNT(events), bridges_copied, copied),
};

static const seam_scenario_v1 not_captured = {
    .id = "counter.not-captured",
    .title = "The controller was never captured",
    .summary = "The view observes its state as it should, but in the storyboard the segue has another name than in "
               "the code, so the screen never got hold of the hosting controller. Each press is sent to nil and is "
               "gone, without an error. Repairs: segue=counterSegue, the event prepare, or holder=shared, which "
               "needs no controller at all; presses that were lost before stay lost.",
    PARTS(params_not_captured, COUNT(events), bridges_own_state, not_captured),
};

static const seam_scenario_v1 notification = {
    .id = "counter.notification",
    .title = "The count is sent by notification",
    .summary = "The button posts a notification; the hosting controller has registered for it and assigns a new root "
               "view. The label follows each press, and nobody has to know anybody, at the price of a global that "
               "everybody can post to and of a registration that has to be taken back.",
    PARTS(params_notification, INCREASE + 1, bridges_copied, notification),
};

static const seam_scenario_v1 environment = {
    .id = "counter.environment",
    .title = "The state comes from the environment",
    .summary = "The screen holds the state and puts it into the environment of the root view, where the view finds "
               "it by its type. The label follows each press. That somebody has put it there is checked by no "
               "compiler: with provided=false the body stops the app, and the field is missing.",
    PARTS(params_environment, INCREASE + 1, bridges_environment, environment),
};

static const seam_scenario_v1 controller = {
    .id = "counter.controller",
    .title = "The view is handed the controller",
    .summary = "The hosting controller publishes the count itself and is handed to its own root view, which observes "
               "it. The label follows each press, but the dependency is the wrong way round: a view that knows its "
               "controller can't be shown without one.",
    PARTS(params_controller, COUNT(events), bridges_controller, controller),
};

static const seam_scenario_v1 *const scenarios[] = {
    &observed, &copied, &not_captured, &notification, &environment, &controller,
};

static const seam_plugin_v1 plugin = {
    .magic = SEAM_MAGIC,
    .size = sizeof(seam_plugin_v1),
    .abi = SEAM_ABI_MAJOR,
    .scenario_count = COUNT(scenarios),
    .id = "seam.counter",
    .name = "Counter",
    .version = "1.0.0",
    .vendor = "Seam",
    .scenarios = scenarios,
};

SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer)
{
    /* Without these two the rest of the offer can't be trusted, `explain` least of all. */
    if (offer == NULL || offer->magic != SEAM_MAGIC || offer->size != sizeof(seam_offer_v1))
        return NULL;
    if (offer->abi_min > SEAM_ABI_MAJOR || offer->abi_max < SEAM_ABI_MAJOR) {
        if (offer->explain != NULL)
            offer->explain(offer->self, TEXT("it is built for ABI major 1"));
        return NULL;
    }
    return &plugin;
}
