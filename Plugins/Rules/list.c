/* list.c - the rows of a list belong to the ids of their items, or to their places: what a removal does to state. */
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPAND = 0, REMOVE = 1 }; /* the events */
enum { ROWS = 8 };

/* A row: the control, and what it has drawn last. */
struct row {
    seam_mount mount;
    char name[16];  /* the field of the item that it showed */
    char text[48];
};

struct list {
    struct instance base;
    struct row *rows[ROWS]; /* those that are made */
};

static const struct {
    const char *id, *name;
} people[] = {{"ann", "Ann"}, {"bo", "Bo"}, {"cy", "Cy"}};

/* Those alone have a field; a client may give a row any item. */
static bool has_field(seam_str id)
{
    for (size_t i = 0; i < COUNT(people); i++)
        if (rules_equal(id, rules_text(people[i].id)))
            return true;
    return false;
}

static bool is_expanded(struct instance *self, seam_mount m)
{
    seam_str value;
    return self->ownership->state_get(self->ctx, m, TEXT("isExpanded"), &value) == SEAM_OK &&
           rules_equal(value, TEXT("true"));
}

static seam_status make(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                        const seam_args_v1 *inputs, uint32_t why, seam_obj **view)
{
    (void)bridge, (void)coord, (void)inputs, (void)why;
    struct list *self = (struct list *)inst;
    struct row *row = calloc(1, sizeof *row);
    seam_str state;
    if (row == NULL)
        return rules_fail(&self->base, "there is no memory for a row");
    row->mount = m;
    *view = (seam_obj *)row;
    for (int i = 0; i < ROWS; i++)
        if (self->rows[i] == NULL) {
            self->rows[i] = row;
            return self->base.ownership->state_start(self->base.ctx, m, TEXT("isExpanded"), TEXT("false"), &state);
        }
    return rules_fail(&self->base, "the list has more rows than this demonstration can show");
}

/* Each item's row has a field of the item's name. A row that shows another item now leaves nothing behind, unless that
 * field has been written since by the row whose it is. */
static seam_status leave_field(struct instance *self, struct row *row)
{
    seam_str shown;
    if (row->name[0] == 0)
        return SEAM_OK;
    seam_status status = self->host->screen_get(self->ctx, 0, rules_text(row->name), &shown);
    if (status < 0 || !rules_equal(shown, rules_text(row->text)))
        return status;
    return self->host->screen_clear(self->ctx, 0, rules_text(row->name));
}

static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t why)
{
    (void)bridge, (void)coord, (void)inputs, (void)why;
    struct instance *self = rules_of(inst);
    struct row *row = (struct row *)*view;
    seam_item_v1 item;
    seam_status status = self->placement->item_get(self->ctx, m, &item);
    if (status != SEAM_OK) /* a row that a client mounted by itself shows no item */
        return status;
    if (!rules_equal(item.id, rules_text(row->name))) {
        status = leave_field(self, row);
        if (status < 0)
            return status;
        row->name[0] = 0;
        if (!has_field(item.id))
            return SEAM_OK;
        snprintf(row->name, sizeof row->name, "%.*s", (int)item.id.len, item.id.ptr);
    }
    int length = item.value.ptr == NULL ? 0 : (int)item.value.len;
    snprintf(row->text, sizeof row->text, "%.*s%s", length, length == 0 ? "" : item.value.ptr,
             is_expanded(self, m) ? ", expanded" : "");
    return rules_show(self, row->name, rules_text(row->text));
}

static void dismantle(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                      uint32_t why)
{
    (void)bridge, (void)m, (void)coord, (void)why;
    struct list *self = (struct list *)inst;
    for (int i = 0; i < ROWS; i++)
        if (self->rows[i] == (struct row *)view)
            self->rows[i] = NULL;
    free(view);
}

static const char *const none[] = {NULL};
static const char *const by_place[] = {"identity=place", NULL};
#define ROW                                                                                                  \
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = "row", .title = "A row of the list",     \
    .inputs = none, .make = make, .update = update, .dismantle = dismantle
static const seam_bridge_v1 row_by_id = {ROW};
static const seam_bridge_v1 row_by_place = {ROW, .policies = by_place};
static const seam_bridge_v1 *const bridges_by_id[] = {&row_by_id};
static const seam_bridge_v1 *const bridges_by_place[] = {&row_by_place};
static const seam_field_v1 fields[] = {FIELD("ann", "Ann's row"), FIELD("bo", "Bo's row"), FIELD("cy", "Cy's row")};
static const seam_screen_v1 screens[] = {SCREEN("List", SEAM_SIDE_DECLARATIVE, fields)};

/* ---- The list itself ---- */

static seam_status start(struct instance *self)
{
    seam_item_v1 items[COUNT(people)];
    for (size_t i = 0; i < COUNT(people); i++) {
        seam_status status = rules_set(self, people[i].id, people[i].name);
        if (status < 0)
            return status;
        items[i] = (seam_item_v1){.id = rules_text(people[i].id), .value = rules_text(people[i].name)};
    }
    return self->placement->set_items(self->ctx, 0, NO_MOUNT, items, COUNT(items));
}

/* Somebody opens the row of an item: that is state of the row's own, and it should be that item's that is open. */
static seam_status expand(struct list *self, seam_str id)
{
    struct instance *base = &self->base;
    for (int i = 0; i < ROWS; i++) {
        seam_item_v1 item;
        if (self->rows[i] == NULL || base->placement->item_get(base->ctx, self->rows[i]->mount, &item) != SEAM_OK ||
            !rules_equal(item.id, id))
            continue;
        char text[48];
        snprintf(text, sizeof text, "%.*s, expanded", (int)(item.value.ptr == NULL ? 0 : item.value.len),
                 item.value.ptr == NULL ? "" : item.value.ptr);
        seam_status status = base->host->model_set(base->ctx, id, rules_text(text));
        if (status < 0)
            return status;
        return base->ownership->state_set(base->ctx, self->rows[i]->mount, TEXT("isExpanded"), TEXT("true"));
    }
    return SEAM_OK;
}

/* An item leaves the list. */
static seam_status leave(struct list *self, seam_str id)
{
    struct instance *base = &self->base;
    seam_item_v1 items[ROWS];
    size_t count = 0;
    for (size_t p = 0; p < COUNT(people); p++) {
        for (int i = 0; i < ROWS; i++) {
            seam_item_v1 item;
            if (self->rows[i] == NULL || base->placement->item_get(base->ctx, self->rows[i]->mount, &item) != SEAM_OK)
                continue;
            if (rules_equal(item.id, rules_text(people[p].id)) && !rules_equal(item.id, id)) {
                items[count++] = item;
                break;
            }
        }
    }
    seam_status status = base->host->model_clear(base->ctx, id);
    return status < 0 ? status : base->placement->set_items(base->ctx, 0, NO_MOUNT, items, count);
}

static seam_status event(struct instance *self, uint32_t event, const seam_args_v1 *args)
{
    if (event > REMOVE || args->count != 1)
        return rules_fail(self, "an event was sent that this scenario does not declare");
    seam_str id = args->values[0];
    if (id.ptr == NULL)
        return SEAM_OK;
    return event == EXPAND ? expand((struct list *)self, id) : leave((struct list *)self, id);
}

static const struct rule rule = {.size = sizeof(struct list), .start = start, .event = event};

static const char *const ids[] = {"ann", "bo", "cy", NULL};
static const seam_param_v1 args[] = {{.id = "item", .title = "Which", .kind = "text", .initial = "bo", .choices = ids}};
static const seam_event_v1 events[] = {
    [EXPAND] = {.id = "expand", .title = "A row is opened", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE,
                .arg_count = COUNT(args), .args = args},
    [REMOVE] = {.id = "remove", .title = "An item leaves the list", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE,
                .arg_count = COUNT(args), .args = args},
};

static const char *const ann[] = {"ann"};
static const char *const bo[] = {"bo"};
static const char *const keys[] = {"ann", "bo", "cy"};
static const char *const all[] = {"matching", "matching", "matching"};
static const char *const kept[] = {"out-of-scope", "matching", "matching"};
static const char *const shifted[] = {"out-of-scope", "stale", "stale"};
static const seam_check_v1 checks_by_id[] = {
    CHECK("list-expanded", 0, keys, all), CHECK("list-removed", 0, keys, kept)};
static const seam_check_v1 checks_by_place[] = {
    CHECK("list-expanded", 0, keys, all), CHECK("list-removed", 0, keys, shifted)};
static const seam_step_v1 script[] = {
    {.kind = SEAM_STEP_EVENT, .event = EXPAND, .arg_count = COUNT(bo), .args = bo},
    {.kind = SEAM_STEP_CHECK, .key = "list-expanded"},
    {.kind = SEAM_STEP_EVENT, .event = REMOVE, .arg_count = COUNT(ann), .args = ann},
    {.kind = SEAM_STEP_CHECK, .key = "list-removed"},
};

const seam_scenario_v1 rules_list_by_id = {
    .id = "rules.list-by-id",
    .title = "The rows of a list belong to their items",
    .summary = "The second of three rows is open when the first is removed. Its control goes with its item, so it "
               "stays open. It repairs rules.list-by-place.",
    EVENTS(events),
    PARTS(screens, bridges_by_id, script, checks_by_id, rule, &rules_calls_with_event),
};

const seam_scenario_v1 rules_list_by_place = {
    .id = "rules.list-by-place",
    .title = "The rows of a list belong to their places",
    .summary = "The same list, identified by index. When the first item is removed, each control shows the next item "
               "and keeps its own state: the row that is open is another one now.",
    EVENTS(events),
    PARTS(screens, bridges_by_place, script, checks_by_place, rule, &rules_calls_with_event),
};
