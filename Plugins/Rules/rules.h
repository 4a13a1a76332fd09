/* rules.h - what the files of this plug-in share.
 *
 * Short demonstrations of what happens at the border of the two worlds besides make, update and draw: parking,
 * identity, pools, environment, bindings, ownership, late writes, passes of a turn. A fault has its repair beside it.
 *
 *     instance.c      what all of them do alike: create, the host's tables, the calls of seam_inst_v1
 *     entry.c         the scenarios in a row, and the entry
 *     park.c, ...     one area each: bodies, script, checks, and the scenarios made of them
 *
 * Written in C against seam_plugin.h alone. Each area's file can be read by itself, with this one.
 */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam_plugin.h"

struct instance;

/* What differs from one scenario to the next in code; found through seam_scenario_v1.user. */
struct rule {
    size_t size; /* of the area's own record, which begins with a struct instance */
    seam_status (*start)(struct instance *self);
    seam_status (*event)(struct instance *self, uint32_t event, const seam_args_v1 *args);
    /* seam_hooks_v1.hook, for an area that wants to hear of more than make, update and dismantle. */
    seam_status (*hook)(struct instance *self, seam_mount m, uint32_t hook);
    bool is_fault; /* the line that the repair has is left out */
};

/* One running instance, and the ways to the host. */
struct instance {
    seam_ctx *ctx;
    const seam_host_v1 *host;
    const struct rule *rule;
    const seam_placement_v1 *placement;
    const seam_control_v1 *control;
    const seam_environment_v1 *environment;
    const seam_ownership_v1 *ownership;
    const seam_binding_v1 *binding;
    const seam_late_v1 *late;
    seam_mount mount; /* the bridge's place, where the scenario has one alone */
};

/* instance.c */
seam_status rules_create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                         const seam_args_v1 *params, seam_obj **out);
extern const seam_inst_v1 rules_calls, rules_calls_with_event;

struct instance *rules_of(seam_obj *inst);
/* `return rules_fail(self, "...")` ends a callback with an error and the reason for it. */
seam_status rules_fail(struct instance *self, const char *why);
/* The model's value of a key becomes a text that ends with NUL; NULL clears it. */
seam_status rules_set(struct instance *self, const char *key, const char *value);
/* A field of the first screen shows a text, which is written unless it is there already; ptr == NULL shows nothing. */
seam_status rules_show(struct instance *self, const char *key, seam_str value);
/* A text that ends with NUL, as the host wants it. */
seam_str rules_text(const char *text);
bool rules_equal(seam_str one, seam_str other);

/* Bodies that do what most do: a control without anything in it, and fields that show the inputs of their names. */
seam_status rules_make(const seam_bridge_v1 *, seam_obj *, seam_mount, seam_obj *, const seam_args_v1 *, uint32_t,
                       seam_obj **);
seam_status rules_update(const seam_bridge_v1 *, seam_obj *, seam_mount, seam_obj *, seam_obj **,
                         const seam_args_v1 *, uint32_t);
seam_status rules_draw(const seam_bridge_v1 *, seam_obj *, seam_mount, const seam_args_v1 *, uint32_t);
void rules_dismantle(const seam_bridge_v1 *, seam_obj *, seam_mount, seam_obj *, seam_obj *, uint32_t);

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TEXT(literal) ((seam_str){.ptr = (literal), .len = sizeof(literal) - 1})
#define NO_VALUE ((seam_str){.ptr = NULL, .len = 0})
#define NO_MOUNT ((seam_mount)0)

/* ---- Parts of the tables ---- */

#define FIELD(key_, title_) {.key = key_, .title = title_, .kind = "text"}
#define SCREEN(id_, side_, fields_)                                                                          \
    {.id = id_, .title = id_, .side = side_, .field_count = COUNT(fields_), .fields = fields_}
#define WRAPPING(id_, title_, inputs_)                                                                       \
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_WRAP, .id = id_, .title = title_, .inputs = inputs_, \
    .make = rules_make, .update = rules_update, .dismantle = rules_dismantle
#define EMBEDDING(id_, title_, inputs_)                                                                      \
    .size = sizeof(seam_bridge_v1), .kind = SEAM_BRIDGE_EMBED, .id = id_, .title = title_, .inputs = inputs_, \
    .draw = rules_draw

/* A check of fields of one screen, each with the verdict that is expected. */
#define CHECK(label_, screen_, keys_, expected_)                                                             \
    {.label = label_, .screen = screen_, .key_count = COUNT(keys_), .keys = keys_, .expected = expected_}

/* The parts of a scenario that its arrays say. */
#define PARTS(screens_, bridges_, script_, checks_, rule_, calls_)                                           \
    .size = sizeof(seam_scenario_v1), .screens = screens_, .screen_count = COUNT(screens_), .bridges = bridges_, \
    .bridge_count = COUNT(bridges_), .script = script_, .script_count = COUNT(script_), .checks = checks_,   \
    .check_count = COUNT(checks_), .calls = calls_, .user = (void *)&rule_, .create = rules_create
#define EVENTS(events_) .events = events_, .event_count = COUNT(events_)

/* ---- The scenarios, in the order of the files ---- */

extern const seam_scenario_v1 rules_park;
extern const seam_scenario_v1 rules_identity, rules_identity_kept;
extern const seam_scenario_v1 rules_pool_reset, rules_pool_leak;
extern const seam_scenario_v1 rules_environment_handed_on, rules_environment_cut;
extern const seam_scenario_v1 rules_binding_live, rules_binding_snapshot;
extern const seam_scenario_v1 rules_object_owned, rules_object_recreated;
extern const seam_scenario_v1 rules_write_back_reread, rules_write_back_captured;
extern const seam_scenario_v1 rules_layout_pass, rules_root_built, rules_async;
extern const seam_scenario_v1 rules_list_by_id, rules_list_by_place;
extern const seam_scenario_v1 rules_dismissal, rules_dismissal_silent;
extern const seam_scenario_v1 rules_replace_order, rules_replace_order_overlap;

#endif
