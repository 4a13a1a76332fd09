/* ways.c - how a press of the button reaches the label, and what the label's body reads.
 *
 * Each way has two ends. `press` is the screen's side, didPressIncreaseButton. `draw` is the other: CounterView.body,
 * whenever the host lets it run. What lies between them is the bridge in scenarios.c, and the fault is a link that
 * one of the three does not have.
 */
#include "counter.h"

/* The screen's counterController is implicitly unwrapped: to send it anything while it is nil stops the app. Here
 * that fails the simulation, with the reason. */
static seam_status unwrap_controller(struct counter *self)
{
    if (self->is_captured || self->is_shared)
        return SEAM_OK;
    return counter_fail(self, "counterController is nil and implicitly unwrapped, so the app stops here: no segue "
                              "was called " SEGUE ", and prepare(for:sender:) captured nothing");
}

/* The host answers SEAM_E_ARG for a mount that somebody has unmounted meanwhile, and reports it
 * (callback-after-dismantle). The screen itself is in order and goes on. */
static seam_status unless_gone(seam_status status) { return status == SEAM_E_ARG ? SEAM_OK : status; }

/* ---- counter.observed: the repair of the next two ----
 * CounterView has an @ObservedObject. incrementCounter changes a @Published property of it; nothing more need be
 * called, since the view is drawn again by itself. The model is that object: the bridge is SEAM_BRIDGE_OBSERVED. */

static seam_status press_captured(struct counter *self)
{
    seam_status status = unwrap_controller(self);
    return status < 0 ? status : counter_increase(self);
}

/* ---- counter.copied ----
 * CounterView has a plain `let counter: Int?`. incrementCounter counts on in the controller, and the root view keeps
 * the number that it was made with. */

static seam_status press_copied(struct counter *self)
{
    seam_status status = unwrap_controller(self);
    if (status == SEAM_OK)
        status = counter_increase(self);
    /* The line that carries the value is not there: rootView = CounterView(counter: counter)
     *     if (status == SEAM_OK)
     *         status = self->host->assign_root(self->ctx, self->mount);
     */
    return status;
}

/* What the view was given: the copy of its last assignment, or the values of now where it is observed. */
seam_status draw_given(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                       uint32_t why)
{
    (void)bridge, (void)m, (void)why;
    return counter_show(counter_of(inst), inputs->values[0]);
}

/* ---- counter.not-captured ----
 * The observed view of above, and a screen that captured nothing. It sends incrementCounter with `?.`, so it goes to
 * nobody, without an error. Somebody has pressed, though: the label should show one more. */

static seam_status press_not_captured(struct counter *self)
{
    seam_status status = counter_increase(self);
    if (status < 0 || !(self->is_captured || self->is_shared))
        return status;
    /* Captured after all. Presses that were lost before stay lost: the state never heard of them. The object is the
     * plug-in's own, and only it can see that it has changed; so it says so. */
    self->own_count = counter_after(self->own_count);
    return unless_gone(self->host->invalidate(self->ctx, self->mount, SEAM_WHY_INPUT));
}

/* The state object that the view observes; the host's copy of the inputs plays no part. */
seam_status draw_own_state(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                           uint32_t why)
{
    (void)bridge, (void)m, (void)inputs, (void)why;
    struct counter *self = counter_of(inst);
    return counter_show_count(self, self->own_count);
}

/* ---- counter.notification: works, through a global ----
 * The screen posts, and needs no controller for that. Whoever has registered makes a new root view. */

static seam_status press_notification(struct counter *self)
{
    seam_status status = counter_increase(self);
    /* NotificationCenter.default.post: the tick comes in the next round of this turn. */
    return status < 0 ? status : self->host->next_turn(self->ctx, self->observer);
}

static seam_status receive_notification(struct counter *self)
{
    return unless_gone(self->host->assign_root(self->ctx, self->mount)); /* rootView = CounterView(counter: ...) */
}

/* ---- counter.environment: works, as long as somebody puts it there ----
 * The screen holds the state and hands it to the view through the environment, by its type. */

static seam_status press_environment(struct counter *self)
{
    return counter_increase(self); /* the screen's own object, so there is nobody to unwrap */
}

/* An @EnvironmentObject that nobody provided stops the app when the body first reads it; the compiler can't tell. */
seam_status draw_environment(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m,
                             const seam_args_v1 *inputs, uint32_t why)
{
    if (!counter_of(inst)->is_provided)
        return counter_fail(counter_of(inst), "the view reads its state from the environment, and nobody called "
                                              "environmentObject(_:) above it");
    return draw_given(bridge, inst, m, inputs, why);
}

/* ---- counter.controller: works, the wrong way round ----
 * The hosting controller publishes the count itself and is handed to the view: now the view knows its controller,
 * and can be neither drawn nor previewed without one. The press goes the way of counter.observed. */

/* controller.counter: the view asks upwards instead of reading what it was given. */
seam_status draw_controller(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m,
                            const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)m, (void)inputs, (void)why;
    struct counter *controller = counter_of(inst);
    seam_str text;
    seam_status status = controller->host->model_get(controller->ctx, TEXT(KEY), &text);
    return status < 0 ? status : counter_show(controller, text);
}

const struct way way_observed = {.press = press_captured};
const struct way way_copied = {.press = press_copied};
const struct way way_not_captured = {.press = press_not_captured};
const struct way way_notification = {.press = press_notification, .receive = receive_notification};
const struct way way_environment = {.press = press_environment};
const struct way way_controller = {.press = press_captured};
