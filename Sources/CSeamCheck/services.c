// Between a plug-in and the host: every service leads on, unless it is its turn to fail, and what must not be called
// there is counted. Other threads may be in here too, so what they write is atomic.
#include <stdio.h>
#include <string.h>

#include "CSeamCheck.h"
#include "seam_host.h"

static const seam_host_v1 *real;
static uint64_t calls, fail_at;
static const char *failed, *failed_in;
static uint32_t is_over;

struct breaches {
    uint64_t count;
    char first[256];
};
static struct breaches breaches[CHECK_BREACHES];

static void note(enum check_breach breach, const char *service, seam_str key) {
    if (__atomic_fetch_add(&breaches[breach].count, 1, __ATOMIC_RELAXED) != 0) return;
    int length = key.len < 128 ? (int)key.len : 128;
    snprintf(breaches[breach].first, sizeof breaches[breach].first, key.ptr == NULL ? "%s" : "%s of \"%.*s\"", service,
             length, key.ptr == NULL ? "" : key.ptr);
}

static const seam_str nothing = {NULL, 0};

// Every call passes here, the two of any thread included.
static void watch(const char *service, bool any_thread) {
    if (__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) note(CHECK_LATE, service, nothing);
    if (!any_thread && !seam_on_main_thread()) note(CHECK_OFF_THREAD, service, nothing);
}

// Whether this call may go on.
static bool admit(const char *service) {
    if (!seam_on_main_thread()) return true;
    calls += 1;
    if (calls != fail_at) return true;
    failed = service;
    failed_in = seam_breadcrumb.callback;
    return false;
}

static seam_status declared(const char *service, seam_str key, seam_status status) {
    if (status == SEAM_E_ARG && seam_on_main_thread()) note(CHECK_UNDECLARED, service, key);
    return status;
}

#define SERVICE(name, parameters, arguments)                                                                 \
    static seam_status name parameters {                                                                     \
        watch(#name, false);                                                                                 \
        return admit(#name) ? real->name arguments : SEAM_E_LIMIT;                                           \
    }
// One whose key has to be declared.
#define KEYED(name, parameters, arguments)                                                                   \
    static seam_status name parameters {                                                                     \
        watch(#name, false);                                                                                 \
        return admit(#name) ? declared(#name, key, real->name arguments) : SEAM_E_LIMIT;                     \
    }

KEYED(model_set, (seam_ctx * ctx, seam_str key, seam_str value), (ctx, key, value))
KEYED(model_clear, (seam_ctx * ctx, seam_str key), (ctx, key))
KEYED(model_get, (seam_ctx * ctx, seam_str key, seam_str *out), (ctx, key, out))
KEYED(screen_set, (seam_ctx * ctx, uint32_t screen, seam_str key, seam_str value), (ctx, screen, key, value))
KEYED(screen_clear, (seam_ctx * ctx, uint32_t screen, seam_str key), (ctx, screen, key))
KEYED(screen_get, (seam_ctx * ctx, uint32_t screen, seam_str key, seam_str *out), (ctx, screen, key, out))
SERVICE(mount, (seam_ctx * ctx, uint32_t bridge, seam_mount *out), (ctx, bridge, out))
SERVICE(unmount, (seam_ctx * ctx, seam_mount m), (ctx, m))
SERVICE(assign_root, (seam_ctx * ctx, seam_mount m), (ctx, m))
SERVICE(invalidate, (seam_ctx * ctx, seam_mount m, uint32_t cause), (ctx, m, cause))
SERVICE(bind, (seam_ctx * ctx, seam_mount m, uint32_t generation, seam_str key, seam_str value),
        (ctx, m, generation, key, value))
SERVICE(own, (seam_ctx * ctx, seam_mount m, seam_str what, seam_token *out), (ctx, m, what, out))
SERVICE(disown, (seam_ctx * ctx, seam_token token), (ctx, token))
SERVICE(next_turn, (seam_ctx * ctx, seam_token token), (ctx, token))
SERVICE(at_time, (seam_ctx * ctx, int64_t moment, seam_token token, seam_timer *out), (ctx, moment, token, out))
SERVICE(cancel, (seam_ctx * ctx, seam_timer timer), (ctx, timer))
SERVICE(diagnose,
        (seam_ctx * ctx, int32_t severity, seam_str code, seam_str text, seam_mount m, uint32_t screen, seam_str key),
        (ctx, severity, code, text, m, screen, key))

static seam_status post(seam_ctx *ctx, seam_token token) {
    watch("post", true);
    return admit("post") ? real->post(ctx, token) : SEAM_E_LIMIT;
}

// These have no answer that could be an error.
static int64_t now(seam_ctx *ctx) {
    watch("now", false);
    return real->now(ctx);
}
static uint64_t random_number(seam_ctx *ctx) {
    watch("random", false);
    return real->random(ctx);
}
static void log_line(seam_ctx *ctx, int32_t level, seam_str text) {
    watch("log", true);
    real->log(ctx, level, text);
}
static seam_status fail(seam_ctx *ctx, seam_status code, seam_str text) {
    watch("fail", false);
    return real->fail(ctx, code, text);
}
// MARK: The engine's tables
// Each leads on to the host's own, as the table above does. Their names would meet those of this file: hence engine_.

#define ENGINE(table, name, parameters, arguments)                                                           \
    static seam_status engine_##name parameters {                                                            \
        watch(#name, false);                                                                                 \
        return admit(#name) ? real_##table->name arguments : SEAM_E_LIMIT;                                   \
    }

static const seam_placement_v1 *real_placement;
ENGINE(placement, mount_in,
       (seam_ctx * ctx, seam_mount parent, uint32_t bridge, const seam_item_v1 *item, seam_str style, seam_mount *out),
       (ctx, parent, bridge, item, style, out))
ENGINE(placement, set_activity,
       (seam_ctx * ctx, seam_mount m, const seam_activity_v1 *change),
       (ctx, m, change))
ENGINE(placement, activity_get, (seam_ctx * ctx, seam_mount m, seam_activity_v1 *out), (ctx, m, out))
ENGINE(placement, identify, (seam_ctx * ctx, seam_mount m, seam_str id), (ctx, m, id))
ENGINE(placement, set_items,
       (seam_ctx * ctx, uint32_t bridge, seam_mount parent, const seam_item_v1 *items, size_t count),
       (ctx, bridge, parent, items, count))
ENGINE(placement, item_get, (seam_ctx * ctx, seam_mount m, seam_item_v1 *out), (ctx, m, out))
ENGINE(placement, rebind,
       (seam_ctx * ctx, seam_mount m, seam_str owner, seam_str value),
       (ctx, m, owner, value))
ENGINE(placement, dismiss, (seam_ctx * ctx, seam_mount m), (ctx, m))
static const seam_placement_v1 engine_placement = {
    .size = sizeof engine_placement,
    .mount_in = engine_mount_in,
    .set_activity = engine_set_activity,
    .activity_get = engine_activity_get,
    .identify = engine_identify,
    .set_items = engine_set_items,
    .item_get = engine_item_get,
    .rebind = engine_rebind,
    .dismiss = engine_dismiss,
};

static const seam_control_v1 *real_control;
ENGINE(control, build_root, (seam_ctx * ctx, seam_mount m), (ctx, m))
ENGINE(control, assign_built, (seam_ctx * ctx, seam_mount m), (ctx, m))
ENGINE(control, lift,
       (seam_ctx * ctx, seam_mount m, uint32_t screen, seam_str key, seam_str value),
       (ctx, m, screen, key, value))
ENGINE(control, measured, (seam_ctx * ctx, seam_mount m), (ctx, m))
ENGINE(control, screen_set_on,
       (seam_ctx * ctx, seam_obj *view, uint32_t screen, seam_str key, seam_str value),
       (ctx, view, screen, key, value))
ENGINE(control, native_change,
       (seam_ctx * ctx, seam_mount m, seam_str key, seam_str value),
       (ctx, m, key, value))
ENGINE(control, set_draft, (seam_ctx * ctx, seam_mount m, seam_str key, seam_str value), (ctx, m, key, value))
ENGINE(control, differs,
       (seam_ctx * ctx, seam_mount m, seam_str key, seam_str value, uint32_t *out),
       (ctx, m, key, value, out))
ENGINE(control, forget_diff_base, (seam_ctx * ctx, seam_mount m, seam_str key), (ctx, m, key))
ENGINE(control, transaction, (seam_ctx * ctx), (ctx))
static const seam_control_v1 engine_control = {
    .size = sizeof engine_control,
    .build_root = engine_build_root,
    .assign_built = engine_assign_built,
    .lift = engine_lift,
    .measured = engine_measured,
    .screen_set_on = engine_screen_set_on,
    .native_change = engine_native_change,
    .set_draft = engine_set_draft,
    .differs = engine_differs,
    .forget_diff_base = engine_forget_diff_base,
    .transaction = engine_transaction,
};

static const seam_environment_v1 *real_environment;
ENGINE(environment, environment_set,
       (seam_ctx * ctx, seam_mount m, seam_str name, seam_str value),
       (ctx, m, name, value))
ENGINE(environment, environment_get,
       (seam_ctx * ctx, seam_mount m, seam_str name, seam_str *out),
       (ctx, m, name, out))
ENGINE(environment, environment_take, (seam_ctx * ctx, seam_mount m), (ctx, m))
static const seam_environment_v1 engine_environment = {
    .size = sizeof engine_environment,
    .environment_set = engine_environment_set,
    .environment_get = engine_environment_get,
    .environment_take = engine_environment_take,
};

static const seam_ownership_v1 *real_ownership;
ENGINE(ownership, state_start,
       (seam_ctx * ctx, seam_mount m, seam_str name, seam_str initial, seam_str *out),
       (ctx, m, name, initial, out))
ENGINE(ownership, state_get,
       (seam_ctx * ctx, seam_mount m, seam_str name, seam_str *out),
       (ctx, m, name, out))
ENGINE(ownership, state_set,
       (seam_ctx * ctx, seam_mount m, seam_str name, seam_str value),
       (ctx, m, name, value))
ENGINE(ownership, object_make, (seam_ctx * ctx, seam_object *out), (ctx, out))
ENGINE(ownership, object_hold,
       (seam_ctx * ctx, seam_mount m, seam_str slot, seam_object object, uint32_t owned, seam_object *out),
       (ctx, m, slot, object, owned, out))
ENGINE(ownership, object_publish, (seam_ctx * ctx, seam_object object), (ctx, object))
ENGINE(ownership, object_drop, (seam_ctx * ctx, seam_object object), (ctx, object))
ENGINE(ownership, subscribe,
       (seam_ctx * ctx, seam_mount m, seam_object object, seam_subscription *out),
       (ctx, m, object, out))
ENGINE(ownership, unsubscribe, (seam_ctx * ctx, seam_subscription subscription), (ctx, subscription))
static const seam_ownership_v1 engine_ownership = {
    .size = sizeof engine_ownership,
    .state_start = engine_state_start,
    .state_get = engine_state_get,
    .state_set = engine_state_set,
    .object_make = engine_object_make,
    .object_hold = engine_object_hold,
    .object_publish = engine_object_publish,
    .object_drop = engine_object_drop,
    .subscribe = engine_subscribe,
    .unsubscribe = engine_unsubscribe,
};

static const seam_binding_v1 *real_binding;
ENGINE(binding, binding_make,
       (seam_ctx * ctx, seam_mount m, uint32_t kind, seam_str key, seam_str argument, seam_binding *out),
       (ctx, m, kind, key, argument, out))
ENGINE(binding, binding_get, (seam_ctx * ctx, seam_binding binding, seam_str *out), (ctx, binding, out))
ENGINE(binding, binding_set, (seam_ctx * ctx, seam_binding binding, seam_str value), (ctx, binding, value))
ENGINE(binding, binding_rebind, (seam_ctx * ctx, seam_binding binding, seam_str key), (ctx, binding, key))
ENGINE(binding, binding_unbind, (seam_ctx * ctx, seam_binding binding), (ctx, binding))
ENGINE(binding, ask,
       (seam_ctx * ctx, seam_mount m, uint32_t generation, seam_str key, seam_str *out),
       (ctx, m, generation, key, out))
static const seam_binding_v1 engine_binding = {
    .size = sizeof engine_binding,
    .binding_make = engine_binding_make,
    .binding_get = engine_binding_get,
    .binding_set = engine_binding_set,
    .binding_rebind = engine_binding_rebind,
    .binding_unbind = engine_binding_unbind,
    .ask = engine_ask,
};

static const seam_late_v1 *real_late;
ENGINE(late, write_later,
       (seam_ctx * ctx, seam_mount m, seam_str key, seam_str value, uint32_t how, int64_t delay),
       (ctx, m, key, value, how, delay))
ENGINE(late, in_flight, (seam_ctx * ctx, seam_mount m, seam_str key, uint32_t *out), (ctx, m, key, out))
ENGINE(late, watch, (seam_ctx * ctx, seam_mount m, seam_str key, seam_token token), (ctx, m, key, token))
ENGINE(late, command, (seam_ctx * ctx, seam_mount m, seam_token token), (ctx, m, token))
static const seam_late_v1 engine_late = {
    .size = sizeof engine_late,
    .write_later = engine_write_later,
    .in_flight = engine_in_flight,
    .watch = engine_watch,
    .command = engine_command,
};

static const seam_turn_v1 *real_turn;
static int32_t engine_is_open(seam_ctx *ctx) { return real_turn->is_open(ctx); }
static const seam_turn_v1 engine_turn = {.size = sizeof engine_turn, .is_open = engine_is_open};

static const void *get_interface(seam_ctx *ctx, const char *id) {
    watch("get_interface", false);
    const void *found = real->get_interface(ctx, id);
    if (found == NULL || id == NULL) return found;
#define LEAD_ON(id_, area)                                                                                   \
    if (strcmp(id, id_) == 0) {                                                                              \
        real_##area = found;                                                                                 \
        return &engine_##area;                                                                               \
    }
    LEAD_ON(SEAM_PLACEMENT, placement)
    LEAD_ON(SEAM_CONTROL, control)
    LEAD_ON(SEAM_ENVIRONMENT, environment)
    LEAD_ON(SEAM_OWNERSHIP, ownership)
    LEAD_ON(SEAM_BINDING, binding)
    LEAD_ON(SEAM_LATE, late)
    LEAD_ON(SEAM_TURN, turn)
#undef LEAD_ON
    return found;
}

static const seam_host_v1 table = {
    .size = sizeof table,
    .abi = SEAM_ABI_MAJOR,
    .model_set = model_set,
    .model_clear = model_clear,
    .model_get = model_get,
    .screen_set = screen_set,
    .screen_clear = screen_clear,
    .screen_get = screen_get,
    .mount = mount,
    .unmount = unmount,
    .assign_root = assign_root,
    .invalidate = invalidate,
    .bind = bind,
    .own = own,
    .disown = disown,
    .next_turn = next_turn,
    .at_time = at_time,
    .cancel = cancel,
    .now = now,
    .random = random_number,
    .log = log_line,
    .post = post,
    .diagnose = diagnose,
    .fail = fail,
    .get_interface = get_interface,
};

const seam_host_v1 *check_services(const seam_host_v1 *host) {
    real = host;
    return &table;
}

void check_services_reset(void) {
    calls = fail_at = 0;
    failed = failed_in = NULL;
    memset(breaches, 0, sizeof breaches);
    __atomic_store_n(&is_over, 0, __ATOMIC_RELEASE);
}

void check_services_fail_at(uint64_t call) { fail_at = call; }
uint64_t check_services_calls(void) { return calls; }
const char *check_services_failed(void) { return failed; }
const char *check_services_failed_in(void) { return failed_in; }
void check_services_over(void) { __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE); }
uint64_t check_services_breaches(enum check_breach breach) {
    return __atomic_load_n(&breaches[breach].count, __ATOMIC_RELAXED);
}
const char *check_services_first_breach(enum check_breach breach) { return breaches[breach].first; }
