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
static const void *get_interface(seam_ctx *ctx, const char *id) {
    watch("get_interface", false);
    return real->get_interface(ctx, id);
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
