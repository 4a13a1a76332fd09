/* counter.h - what the files of this plug-in share.
 *
 * A storyboard screen with a button, and beside it a declarative label in a hosting controller. The button's press
 * has to reach the label, and there are many ways to send it there; each scenario is one of them.
 *
 *     scenarios.c   what is told before anything is created: tables, and the entry
 *     ways.c        how a press travels to the label, and what the label's body reads
 *     counter.c     one instance: create, start, event, tick, destroy
 *
 * Written in C against seam_plugin.h alone, so that it can be read as a model for that.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "seam_plugin.h"

/* Indexes into the tables of scenarios.c, where the arrays are made with them. */
enum { SCREEN = 0 };            /* CounterHostingController */
enum { HOST = 0 };              /* the bridge: the hosting controller with its root view */
enum { INCREASE = 0, PREPARE }; /* the events */

#define KEY "counter"
#define SEGUE "counterSegue"

/* A count that is there is 0 or more; this one stands for Int?'s nil. */
#define NO_COUNT INT64_C(-1)

struct counter;

/* What differs from one scenario to the next in code; found through seam_scenario_v1.user. */
struct way {
    /* didPressIncreaseButton: the model moves on, and the press is sent to the label. */
    seam_status (*press)(struct counter *self);
    /* The hosting controller's observer of the notification; NULL where nobody registers one. */
    seam_status (*receive)(struct counter *self);
};

/* One running instance. The count itself is not in here: it is in the model, where clients can write it too. */
struct counter {
    seam_ctx *ctx;
    const seam_host_v1 *host;
    const struct way *way;
    seam_mount mount;    /* the hosting controller's place on the screen; 0 before start */
    seam_token observer; /* the registration for the notification; 0 = none */
    int64_t start;       /* the count at the start, or NO_COUNT */
    int64_t own_count;   /* counter.not-captured: what the view's own state object holds */
    bool is_captured;    /* the screen's counterController is not nil */
    bool is_shared;      /* the state lives where screen and view both reach it, without the controller */
    bool is_provided;    /* counter.environment: somebody has put the state there */
};

/* counter.c */
struct counter *counter_of(seam_obj *inst);
seam_status counter_fail(struct counter *self, const char *why);
/* The next count: the first press makes 0 of none. */
int64_t counter_after(int64_t count);
/* What the label should show moves on by one. */
seam_status counter_increase(struct counter *self);
/* The label shows a text; ptr == NULL shows nothing. */
seam_status counter_show(struct counter *self, seam_str text);
seam_status counter_show_count(struct counter *self, int64_t count);

seam_status counter_create(const seam_scenario_v1 *scenario, seam_ctx *ctx, const seam_host_v1 *host,
                           const seam_args_v1 *params, seam_obj **out);
extern const seam_inst_v1 counter_calls;

/* ways.c: one row for each scenario, and the bodies of the root views. */
extern const struct way way_observed, way_copied, way_not_captured, way_notification, way_environment,
    way_controller;

seam_status draw_given(const seam_bridge_v1 *, seam_obj *, seam_mount, const seam_args_v1 *, uint32_t why);
seam_status draw_own_state(const seam_bridge_v1 *, seam_obj *, seam_mount, const seam_args_v1 *, uint32_t why);
seam_status draw_environment(const seam_bridge_v1 *, seam_obj *, seam_mount, const seam_args_v1 *, uint32_t why);
seam_status draw_controller(const seam_bridge_v1 *, seam_obj *, seam_mount, const seam_args_v1 *, uint32_t why);

/* A text literal as the ABI wants it: with a length, without the NUL. */
#define TEXT(literal) ((seam_str){.ptr = (literal), .len = sizeof(literal) - 1})

#endif
