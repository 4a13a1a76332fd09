// A plug-in against seam_plugin.h alone: C11, no library but libc and threads. As libplugin.so it is a good one. Under
// the name of a fault, as in libno_draw.so, its description is wrong in that one way, so that one build serves for
// all of them; its event "do" misbehaves as its argument says.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "seam_plugin.h"

static char fault[64];
#define IS(name) (strcmp(fault, #name) == 0)

#ifndef PREFIX
#define PREFIX "plain"
#endif

struct instance {
    seam_ctx *ctx;
    const seam_host_v1 *host;
    seam_mount strip, list;
    int on_main_thread;
    char heard[64]; // a letter for each hook of the list
};

#include "engine.h"

static seam_str str(const char *text) { return (seam_str){text, text ? strlen(text) : 0}; }
static const seam_str no_value = {NULL, 0};

static struct instance *of(seam_obj *inst) { return (struct instance *)inst; }

static void show(struct instance *me, uint32_t screen, const char *key, const char *value) {
    me->on_main_thread &= gettid() == getpid();
    me->host->screen_set(me->ctx, screen, str(key), str(value));
}

static seam_status create(const seam_scenario_v1 *self, seam_ctx *ctx, const seam_host_v1 *host,
                          const seam_args_v1 *params, seam_obj **out) {
    (void)self;
    if (host->size != sizeof *host || params->count != 1) return SEAM_E_ARG;
    if (IS(create_fails)) return host->fail(ctx, SEAM_E_DATA, str("no room for one more"));
    if (IS(create_fails_silently)) return SEAM_E_LIMIT;
    if (IS(create_writes) && host->model_set(ctx, str("count"), str("1")) != SEAM_E_STATE) abort();
    struct instance *me = calloc(1, sizeof *me);
    *me = (struct instance){.ctx = ctx, .host = host, .on_main_thread = 1};
    *out = (seam_obj *)me;
    return SEAM_OK;
}

static seam_status start(seam_obj *inst) {
    struct instance *me = of(inst);
    if (IS(start_fails)) return me->host->fail(me->ctx, SEAM_E_PLUGIN, str("the model can't be read"));
    me->host->model_set(me->ctx, str("count"), str("3"));
    me->host->model_set(me->ctx, str("title"), str("Tasks"));
    me->host->mount(me->ctx, 0, &me->strip);
    return me->host->mount(me->ctx, 1, &me->list);
}

// MARK: Misbehaviour, by name

static void *from_a_thread(void *argument) {
    struct instance *me = argument;
    seam_status status = me->host->model_set(me->ctx, str("count"), str("9"));
    return (void *)(intptr_t)status;
}

static void *post_from_a_thread(void *argument) {
    struct instance *me = argument;
    me->host->log(me->ctx, SEAM_INFO, str("a line from a thread"));
    return (void *)(intptr_t)me->host->post(me->ctx, 77);
}

static seam_status on_a_thread(struct instance *me, void *(*body)(void *)) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, body, me);
    pthread_join(thread, &result);
    return (seam_status)(intptr_t)result;
}

static seam_status act(struct instance *me, const char *what) {
    const seam_host_v1 *host = me->host;
    seam_ctx *ctx = me->ctx;
    seam_str got = no_value;
    seam_token token = 0;
    seam_timer timer = 0;
    static char big[70000];
#define DO(name) if (strcmp(what, name) == 0)
    DO("nothing") return SEAM_OK;
    DO("undeclared-field") return host->screen_set(ctx, 0, str("colour"), str("red"));
    DO("unknown-key") return host->model_set(ctx, str("colour"), str("red"));
    DO("unknown-screen") return host->screen_set(ctx, 7, str("count"), str("1"));
    DO("unknown-mount") return host->assign_root(ctx, 99);
    DO("unknown-token") return host->next_turn(ctx, UINT64_C(1) << 63 | 5);
    DO("unknown-bridge") { seam_mount m; return host->mount(ctx, 9, &m); }
    DO("not-utf8") return host->model_set(ctx, str("count"), (seam_str){"\xff\xfe", 2});
    DO("null-key") return host->model_set(ctx, no_value, str("1"));
    DO("null-out") return host->model_get(ctx, str("count"), NULL);
    DO("long-name") { memset(big, 'k', 200); return host->model_set(ctx, (seam_str){big, 200}, str("1")); }
    DO("big-value") { memset(big, 'v', sizeof big); return host->model_set(ctx, str("count"), (seam_str){big, 65536}); }
    DO("too-big-value") { memset(big, 'v', sizeof big); return host->model_set(ctx, str("count"), (seam_str){big, 65537}); }
    DO("empty-value") {
        host->model_set(ctx, str("count"), (seam_str){"", 0});
        seam_status status = host->model_get(ctx, str("count"), &got);
        return status != SEAM_OK ? status : got.ptr != NULL && got.len == 0 ? SEAM_OK : SEAM_E_DATA;
    }
    DO("clear") {
        host->model_set(ctx, str("count"), no_value);
        return host->model_get(ctx, str("count"), &got);
    }
    DO("views-last") {
        seam_str views[64];
        for (int i = 0; i < 64; i++) {
            memset(big, 'a' + i % 26, 1000);
            host->model_set(ctx, str("count"), (seam_str){big, 1000});
            host->model_get(ctx, str("count"), &views[i]);
        }
        for (int i = 0; i < 64; i++)
            if (views[i].len != 1000 || views[i].ptr[0] != 'a' + i % 26 || views[i].ptr[999] != 'a' + i % 26)
                return SEAM_E_DATA;
        return SEAM_OK;
    }
    DO("unknown-interface") return host->get_interface(ctx, "seam.nothing/1") == NULL ? SEAM_OK : SEAM_E_DATA;
    DO("null-context") return host->model_set(NULL, str("count"), str("1"));
    DO("made-up-context") return host->model_set((seam_ctx *)(uintptr_t)0x5eadbeef5eadbeef, str("count"), str("1"));
    DO("thread") return on_a_thread(me, from_a_thread);
    DO("thread-post") return on_a_thread(me, post_from_a_thread);
    DO("post-flood") {
        seam_status status = SEAM_OK;
        for (int i = 0; i < 100000 && status == SEAM_OK; i++) status = host->post(ctx, 5);
        return status;
    }
    if (strncmp(what, "engine ", 7) == 0) return engine_act(host, ctx, me->strip, me->list, what);
    DO("answer") return engine.answer;
    DO("tables") {
        const struct tables one = find_tables(host, ctx), other = find_tables(host, ctx);
        const void *const all[] = {one.placement, one.control, one.environment, one.ownership, one.binding, one.late};
        for (int i = 0; i < 6; i++)
            if (all[i] == NULL) return SEAM_E_UNSUPPORTED;
        return memcmp(&one, &other, sizeof one) == 0 && one.placement->size == sizeof *one.placement &&
                       one.control->size == sizeof *one.control && one.environment->size == sizeof *one.environment &&
                       one.ownership->size == sizeof *one.ownership && one.binding->size == sizeof *one.binding &&
                       one.late->size == sizeof *one.late ? SEAM_OK : SEAM_E_DATA;
    }
    DO("null-interface") return host->get_interface(ctx, NULL) == NULL ? SEAM_OK : SEAM_E_DATA;
    DO("next-interface") return host->get_interface(ctx, "seam.placement/2") == NULL ? SEAM_OK : SEAM_E_DATA;
    DO("hooks") {
        host->screen_set(ctx, 0, str("title"), str(me->heard));
        return SEAM_OK;
    }
    DO("own") return host->own(ctx, me->list, str("observer"), &token);
    DO("timer") return host->at_time(ctx, 1000000, 42, &timer);
    DO("diagnose") return host->diagnose(ctx, SEAM_WARNING, str("odd-number"), str("3 is odd"), 0, 0, str("count"));
    DO("fail") return host->fail(ctx, SEAM_E_DATA, str("the file is empty"));
    DO("fail-ok") return host->fail(ctx, SEAM_OK, str("no error code"));
    DO("fail-silently") return SEAM_E_LIMIT;
    DO("fail-strangely") return -99;
    DO("unmount-list") return host->unmount(ctx, me->list);
    DO("abort") abort();
    // Until the test has opened the other end of this pipe and closed it: it decides when, and no clock.
    DO("wait") {
        FILE *gate = fopen(getenv("SEAM_TEST_GATE"), "r");
        if (gate == NULL) return SEAM_E_STATE;
        while (fgetc(gate) != EOF) {}
        return fclose(gate);
    }
    DO("segv") { volatile int *nowhere = NULL; *nowhere = 1; }
    DO("trap") __builtin_trap();
    DO("exit") exit(0);
    DO("main-thread") return gettid() == getpid() && me->on_main_thread ? SEAM_OK : SEAM_E_THREAD;
    return SEAM_E_UNSUPPORTED;
}

static seam_status event(seam_obj *inst, uint32_t index, const seam_args_v1 *args) {
    struct instance *me = of(inst);
    char what[64] = "", number[16];
    (void)index;
    memcpy(what, args->values[0].ptr, args->values[0].len < 63 ? args->values[0].len : 63);
    seam_status status = act(me, what);
    snprintf(number, sizeof number, "%d", (int)status);
    if (strncmp(what, "fail", 4) == 0) return status;
    me->host->screen_set(me->ctx, 0, str("status"), str(number));
    return SEAM_OK;
}

static seam_status tick(seam_obj *inst, seam_token token) {
    struct instance *me = of(inst);
    char number[24];
    snprintf(number, sizeof number, "tick %d", (int)token);
    me->host->screen_set(me->ctx, 0, str("status"), str(number));
    return SEAM_OK;
}

static void destroy(seam_obj *inst) {
    struct instance *me = of(inst);
    seam_ctx *ctx = me->ctx;
    const seam_host_v1 *host = me->host;
    engine_act_in("destroy");
    if (IS(destroy_writes) && host->model_set(ctx, str("count"), str("1")) != SEAM_E_STATE) abort();
    free(me);
}

// MARK: Bodies

static seam_status draw(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                        uint32_t why) {
    struct instance *me = of(inst);
    (void)m, (void)why;
    if (bridge->user != (void *)bridge->id) abort();
    if (IS(draw_fails)) return SEAM_E_PLUGIN;
    engine_act_in("draw");
    if (IS(draw_mounts)) {
        seam_mount other;
        if (me->host->mount(me->ctx, 0, &other) != SEAM_E_STATE) abort();
    }
    me->on_main_thread &= gettid() == getpid();
    me->host->screen_set(me->ctx, bridge->screen, str("count"), inputs->values[0]);
    me->host->screen_set(me->ctx, bridge->screen, str("title"), inputs->values[1]);
    return SEAM_OK;
}

static seam_status coordinator(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj **out) {
    (void)bridge, (void)inst, (void)m;
    *out = calloc(1, 1);
    return SEAM_OK;
}

static seam_status make(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                        const seam_args_v1 *inputs, uint32_t why, seam_obj **view) {
    (void)bridge, (void)m, (void)coord, (void)inputs;
    if (why != SEAM_WHY_FIRST || coord == NULL) return of(inst)->host->fail(of(inst)->ctx, SEAM_E_DATA, str("why?"));
    *view = calloc(1, 1);
    return SEAM_OK;
}

static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                          seam_obj **view, const seam_args_v1 *inputs, uint32_t why) {
    (void)m, (void)coord, (void)why;
    if (IS(recreates) && why != SEAM_WHY_FIRST) {
        seam_obj *other = calloc(1, 1);
        free(*view);
        *view = other;
    }
    if (IS(update_crashes) && why != SEAM_WHY_FIRST) {
        volatile int *nowhere = NULL;
        *nowhere = 1;
    }
    of(inst)->on_main_thread &= gettid() == getpid();
    of(inst)->host->screen_set(of(inst)->ctx, bridge->screen, str("rows"), inputs->values[0]);
    return SEAM_OK;
}

static void dismantle(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                      uint32_t why) {
    (void)bridge, (void)m, (void)why;
    if (IS(dismantle_writes)) show(of(inst), 1, "rows", "7");
    free(coord);
    free(view);
}

static seam_status native(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                          uint32_t index, const seam_args_v1 *args) {
    (void)bridge, (void)coord, (void)view, (void)index;
    // Through the first copy of the parent, whatever the current one is.
    return of(inst)->host->bind(of(inst)->ctx, m, 1, str("count"), args->values[0]);
}

static seam_status hook(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                        uint32_t hook) {
    struct instance *me = of(inst);
    if (strcmp(bridge->id, "list") != 0) return SEAM_OK;
    if (IS(hook_fails) && hook == SEAM_HOOK_DETACH)
        return me->host->fail(me->ctx, SEAM_E_PLUGIN, str("it can't be detached"));
    if (m != me->list || ((coord == NULL) != (view == NULL))) return SEAM_E_ARG;
    // Small where the control is gone already.
    me->heard[strlen(me->heard)] = (char)((view == NULL ? 'a' : 'A') + (int)hook - 1);
    return SEAM_OK;
}

static const seam_hooks_v1 *hooks(void) {
    static seam_hooks_v1 table = {.size = sizeof table, .hook = hook};
    if (IS(hooks_size)) table.size = 8;
    if (IS(hooks_reserved)) table.reserved = 1;
    if (IS(hooks_missing)) table.hook = NULL;
    return &table;
}

static const void *get_interface(seam_obj *inst, const char *id) {
    (void)inst;
    return strcmp(id, SEAM_HOOKS) == 0 ? hooks() : NULL;
}

// MARK: Description

static const char *const inputs[] = {"count", "title", NULL};
static const char *const list_inputs[] = {"count", NULL};
static seam_param_v1 params[] = {{.id = "start", .title = "Start", .kind = "integer", .initial = "3", .minimum = "0"}};
static seam_param_v1 what[] = {{.id = "what", .title = "What", .kind = "text"}};
static seam_field_v1 strip_fields[] = {
    {.key = "count", .title = "Count", .kind = "integer"},
    {.key = "title", .title = "Title", .kind = "text"},
    {.key = "status", .title = "Status", .kind = "text"},
};
static seam_field_v1 list_fields[] = {{.key = "rows", .title = "Rows", .kind = "integer"}};
static seam_screen_v1 screens[] = {
    {.id = "Strip", .title = "Strip", .side = SEAM_SIDE_IMPERATIVE, .field_count = 3, .fields = strip_fields},
    {.id = "List", .title = "List", .side = SEAM_SIDE_DECLARATIVE, .field_count = 1, .fields = list_fields},
};
static const char strip_id[] = "strip";
static seam_bridge_v1 strip = {.size = sizeof strip, .kind = SEAM_BRIDGE_EMBED, .screen = 0, .id = strip_id,
                               .title = "Strip", .inputs = inputs, .user = (void *)strip_id, .draw = draw};
static seam_bridge_v1 list = {.size = sizeof list, .kind = SEAM_BRIDGE_WRAP, .screen = 1, .id = "list",
                              .title = "List", .inputs = list_inputs, .coordinator = coordinator, .make = make,
                              .update = update, .dismantle = dismantle, .native = native};
static const seam_bridge_v1 *bridges[] = {&strip, &list};
static seam_event_v1 events[] = {
    {.id = "do", .title = "Do", .origin = SEAM_FROM_MODEL, .bridge = SEAM_NONE, .arg_count = 1, .args = what},
    {.id = "edit", .title = "Edit", .origin = SEAM_FROM_NATIVE, .bridge = 1, .arg_count = 1, .args = what},
};
static const char *keys[] = {"count", "title"};
static const char *expected[] = {"stale", "matching"};
static seam_check_v1 checks[] = {{.label = "strip", .screen = 0, .key_count = 2, .keys = keys, .expected = expected}};
static seam_step_v1 script[] = {
    {.kind = SEAM_STEP_MODEL_SET, .key = "count", .value = "5"},
    {.kind = SEAM_STEP_CHECK, .key = "strip"},
};
static seam_inst_v1 calls = {.size = sizeof calls, .start = start, .event = event, .tick = tick, .destroy = destroy,
                             .get_interface = get_interface};
static seam_scenario_v1 first = {
    .size = sizeof first, .id = PREFIX ".first", .title = "First", .summary = "A strip and a list.",
    .params = params, .screens = screens, .bridges = bridges, .events = events,
    .param_count = 1, .screen_count = 2, .bridge_count = 2, .event_count = 2,
    .script = script, .checks = checks, .script_count = 2, .check_count = 1, .calls = &calls, .create = create,
};
static seam_scenario_v1 second;
static const seam_scenario_v1 *scenarios[] = {&first, &second};
static seam_plugin_v1 plugin = {
    .magic = SEAM_MAGIC, .size = sizeof plugin, .abi = 1, .scenario_count = 2, .id = "test.plain", .name = "Plain",
    .version = "1.0", .scenarios = scenarios,
};

#ifndef NO_ENTRY
#ifdef REPLACES_SIGNALS
#include <signal.h>
static void ignore(int number) { (void)number; }
__attribute__((constructor)) static void constructor(void) { signal(SIGSEGV, ignore); signal(SIGTERM, SIG_IGN); }
#endif

SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer) {
    sscanf(strrchr(offer->library_path, '/'), "/lib%63[a-z0-9_]", fault);
    if (IS(declines)) return offer->explain(offer->self, str("it is Monday")), NULL;
    if (IS(declines_silently)) return NULL;
    second = first;
    second.id = PREFIX ".second";
    if (IS(magic)) plugin.magic = 0x12345678;
    if (IS(size)) plugin.size = 200;
    if (IS(major)) plugin.abi = 2;
    if (IS(no_scenarios)) plugin.scenario_count = 0;
    if (IS(null_scenarios)) plugin.scenarios = NULL;
    if (IS(null_scenario)) scenarios[1] = NULL;
    if (IS(null_name)) plugin.name = NULL;
    if (IS(scenario_size)) first.size = 100;
    if (IS(same_ids)) second.id = first.id;
    if (IS(id_with_star)) first.id = "plain.*";
    if (IS(bad_utf8)) first.title = "caf\xe9";
    if (IS(control_in_name)) screens[0].id = "Str\nip";
    if (IS(dot_in_screen)) screens[0].id = "Str.ip";
    if (IS(long_name)) {
        static char name[200];
        memset(name, 'n', 199);
        strip_fields[0].key = name;
    }
    if (IS(unknown_flags)) first.flags = 8;
    if (IS(reserved)) first.reserved = 1;
    if (IS(bridge_screen)) strip.screen = 5;
    if (IS(bridge_kind)) strip.kind = 9;
    if (IS(bridge_size)) strip.size = 8;
    if (IS(same_bridges)) list.id = "strip";
    if (IS(same_fields)) strip_fields[1].key = "count";
    if (IS(no_draw)) strip.draw = NULL;
    if (IS(no_update)) list.update = NULL;
    if (IS(no_native)) list.native = NULL;
    if (IS(no_create)) first.create = NULL;
    if (IS(no_calls)) first.calls = NULL;
    if (IS(no_event)) calls.event = NULL;
    if (IS(no_tick)) calls.tick = NULL;
    if (IS(event_bridge)) events[1].bridge = 4;
    if (IS(native_without_bridge)) events[1].bridge = SEAM_NONE;
    if (IS(null_fields)) screens[0].fields = NULL;
    if (IS(initial)) params[0].initial = "many";
    if (IS(check_key)) keys[1] = "colour";
    if (IS(check_word)) expected[0] = "broken";
    if (IS(step_kind)) script[0].kind = 77;
    if (IS(step_key)) script[0].key = "colour";
    if (IS(step_check)) script[1].key = "other";
    if (IS(step_bridge)) script[0] = (seam_step_v1){.kind = SEAM_STEP_ASSIGN, .bridge = 1};
    if (IS(step_cause)) script[0] = (seam_step_v1){.kind = SEAM_STEP_UPDATE_FOR, .bridge = 1, .value = "removed"};
    if (IS(step_no_cause)) script[0] = (seam_step_v1){.kind = SEAM_STEP_UPDATE_FOR, .bridge = 1};
    if (IS(step_activity)) script[0] = (seam_step_v1){.kind = SEAM_STEP_ACTIVITY, .value = "window=no,scene=gone"};
    if (IS(step_no_activity)) script[0] = (seam_step_v1){.kind = SEAM_STEP_ACTIVITY};
    if (IS(step_identify)) script[0] = (seam_step_v1){.kind = SEAM_STEP_IDENTIFY, .value = ""};
    if (IS(step_items)) {
        static const char *const items[] = {"a=1", "=2"};
        script[0] = (seam_step_v1){.kind = SEAM_STEP_ITEMS, .bridge = 1, .arg_count = 2, .args = items};
    }
    if (IS(step_no_items)) script[0] = (seam_step_v1){.kind = SEAM_STEP_ITEMS, .bridge = 1, .arg_count = 2};
    if (IS(step_rebind)) script[0] = (seam_step_v1){.kind = SEAM_STEP_REBIND, .bridge = 9, .value = "a"};
    if (IS(step_dismiss)) script[0] = (seam_step_v1){.kind = SEAM_STEP_DISMISS, .bridge = 1, .mount = "nobody"};
    if (IS(step_environment)) script[0] = (seam_step_v1){.kind = SEAM_STEP_ENVIRONMENT, .bridge = SEAM_NONE};
    if (IS(step_build)) script[0] = (seam_step_v1){.kind = SEAM_STEP_BUILD, .bridge = 1};
    if (IS(step_interim)) {
        script[0] = (seam_step_v1){.kind = SEAM_STEP_ADVANCE};
        script[1].key = checks[0].label = "@strip";
    }
    if (IS(step_interim_unread)) checks[0].label = "@strip", first.script_count = 1;
    static const char *declared[] = {NULL, NULL};
    if (IS(policy_unknown)) declared[0] = "upates=manual";
    if (IS(policy_word)) declared[0] = "updates=never";
    if (IS(policy_scope)) declared[0] = "round-limit=3";
    if (IS(policy_input)) declared[0] = "once-inputs=title,titel";
    if (declared[0]) strip.policies = declared;
    if (IS(policy_key)) {
        static const char *const policies[] = {"presented-by=sheet", NULL};
        first.policies = policies;
    }
    if (IS(policy_form)) {
        static const char *const policies[] = {"manual", NULL};
        strip.policies = policies;
    }
    return &plugin;
}
#endif
