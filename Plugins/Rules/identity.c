/* identity.c - another thing in the same place: a control of its own, or the old one with the old one's state. */
#include "rules.h"

enum { OPEN = 0, WRITE = 1 }; /* the events */

static const char *const inputs[] = {"contact", "note", NULL};

/* The note is state of the view's own, as a text view has its text: it begins with the contact's and is then changed
 * by whoever writes in it. */
static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)coord, (void)view, (void)why;
    struct instance *self = rules_of(inst);
    seam_str note;
    seam_status status = rules_show(self, "contact", inputs->values[0]);
    if (status < 0)
        return status;
    status = self->ownership->state_start(self->ctx, m, TEXT("note"), inputs->values[1], &note);
    return status < 0 ? status : rules_show(self, "note", note);
}

static seam_status native(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                          uint32_t event, const seam_args_v1 *args)
{
    (void)bridge, (void)coord, (void)view, (void)event;
    struct instance *self = rules_of(inst);
    seam_status status = self->ownership->state_set(self->ctx, m, TEXT("note"), args->values[0]);
    return status < 0 ? status : self->host->model_set(self->ctx, TEXT("note"), args->values[0]);
}

static const seam_bridge_v1 detail = {
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = "detail", .title = "A contact and a note on it",
    .inputs = inputs, .make = rules_make, .update = update, .dismantle = rules_dismantle, .native = native,
};
static const seam_bridge_v1 *const bridges[] = {&detail};
static const seam_field_v1 fields[] = {FIELD("contact", "Whose note it is"), FIELD("note", "The note")};
static const seam_screen_v1 screens[] = {SCREEN("Detail", SEAM_SIDE_DECLARATIVE, fields)};

static seam_status start(struct instance *self)
{
    const seam_item_v1 ann = {.id = TEXT("Ann"), .value = NO_VALUE};
    seam_status status = rules_set(self, "contact", "Ann");
    if (status >= 0)
        status = rules_set(self, "note", "");
    if (status >= 0)
        status = self->placement->mount_in(self->ctx, NO_MOUNT, 0, &ann, NO_VALUE, &self->mount);
    return status < 0 ? status : self->placement->identify(self->ctx, self->mount, ann.id);
}

/* A client may have taken the view away: then there is nothing to give another identity to, which is no error. */
static seam_status unless_gone(seam_status status) { return status == SEAM_E_ARG ? SEAM_OK : status; }

/* Another contact is chosen; nobody has written a note on it yet. */
static seam_status event(struct instance *self, uint32_t event, const seam_args_v1 *args)
{
    if (event != OPEN || args->count != 1)
        return rules_fail(self, "an event was sent that this scenario does not declare");
    seam_str contact = args->values[0];
    seam_status status = self->host->model_set(self->ctx, TEXT("contact"), contact);
    if (status >= 0)
        status = rules_set(self, "note", "");
    if (status < 0 || contact.ptr == NULL)
        return status;
    if (self->rule->is_fault) /* the place is given to somebody else, and goes on being the same view */
        return unless_gone(self->placement->rebind(self->ctx, self->mount, contact, NO_VALUE));
    return unless_gone(self->placement->identify(self->ctx, self->mount, contact)); /* .id(contact) */
}

static const struct rule with_id = {.size = sizeof(struct instance), .start = start, .event = event};
static const struct rule without = {
    .size = sizeof(struct instance), .start = start, .event = event, .is_fault = true};

static const char *const contacts[] = {"Ann", "Bo", "Cy", NULL};
static const seam_param_v1 open_args[] = {
    {.id = "contact", .title = "Who is chosen", .kind = "text", .initial = "Bo", .choices = contacts}};
static const seam_param_v1 write_args[] = {{.id = "note", .title = "The note", .kind = "text", .initial = "Call back"}};
static const seam_event_v1 events[] = {
    [OPEN] = {.id = "open", .title = "Another contact is chosen", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE,
              .arg_count = COUNT(open_args), .args = open_args},
    [WRITE] = {.id = "write", .title = "Somebody writes a note", .origin = SEAM_FROM_NATIVE, .bridge = 0,
               .arg_count = COUNT(write_args), .args = write_args},
};

static const char *const call_back[] = {"Call back"};
static const char *const bo[] = {"Bo"};
static const char *const keys[] = {"contact", "note"};
static const char *const both[] = {"matching", "matching"};
static const char *const carried[] = {"matching", "stale"};
static const seam_check_v1 checks[] = {
    CHECK("identity-written", 0, keys, both), CHECK("identity-opened", 0, keys, both)};
static const seam_check_v1 checks_kept[] = {
    CHECK("identity-written", 0, keys, both), CHECK("identity-opened", 0, keys, carried)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_EVENT, .event = WRITE, .arg_count = COUNT(call_back), .args = call_back},
    {.kind = SEAM_STEP_CHECK, .key = "identity-written"},
    {.kind = SEAM_STEP_EVENT, .event = OPEN, .arg_count = COUNT(bo), .args = bo},
    {.kind = SEAM_STEP_CHECK, .key = "identity-opened"},
};

const seam_scenario_v1 rules_identity = {
    .id = "rules.identity",
    .title = "The detail has the identity of what it shows",
    .summary = "A note is state of the detail's own. When another contact is chosen, the detail gets that contact's "
               "id, so it is made anew and its state begins anew. It repairs rules.identity-kept.",
    EVENTS(events),
    PARTS(screens, bridges, script, checks, with_id, &rules_calls_with_event),
};

const seam_scenario_v1 rules_identity_kept = {
    .id = "rules.identity-kept",
    .title = "The detail keeps its identity, and so its state",
    .summary = "The same detail, but another contact is only shown in it: nothing tells it that it is another one. "
               "The name changes, and the note is still that of the former contact.",
    EVENTS(events),
    PARTS(screens, bridges, script, checks_kept, without, &rules_calls_with_event),
};
