/* The bench's own plug-in: one embedding with one field, whose body writes what it is given. It is built by hand,
 * with the header alone, and not by SwiftPM: a library in the folder of seamd would be loaded by every seamd. */
#include "seam_plugin.h"

static const seam_host_v1 *host;

/* The instance is its context: there is nothing else to keep. */
static seam_obj *keep(seam_ctx *ctx) { return (seam_obj *)(void *)ctx; }
static seam_ctx *context(seam_obj *inst) { return (seam_ctx *)(void *)inst; }

static const char KEY[] = "count";
static seam_str key(void) { return (seam_str){KEY, sizeof KEY - 1}; }

static seam_status draw(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                        uint32_t why) {
    (void)m;
    (void)why;
    return host->screen_set(context(inst), bridge->screen, key(), inputs->values[0]);
}

static seam_status create(const seam_scenario_v1 *self, seam_ctx *ctx, const seam_host_v1 *services,
                          const seam_args_v1 *params, seam_obj **out) {
    (void)self;
    (void)params;
    host = services;
    *out = keep(ctx);
    return SEAM_OK;
}

static seam_status start(seam_obj *inst) {
    seam_mount mount;
    seam_status status = host->model_set(context(inst), key(), (seam_str){"0", 1});
    return status < 0 ? status : host->mount(context(inst), 0, &mount);
}

static const char *const inputs[] = {KEY, 0};
static const seam_field_v1 fields[] = {{KEY, "Count", "integer", 0, 0}};
static const seam_screen_v1 screens[] = {
    {"Controller", "Hosting controller", SEAM_SIDE_IMPERATIVE, 1, fields},
};
static const seam_bridge_v1 bridge = {
    .size = sizeof(seam_bridge_v1),
    .kind = SEAM_BRIDGE_EMBED,
    .screen = 0,
    .id = "host",
    .title = "Root view",
    .inputs = inputs,
    .draw = draw,
};
static const seam_bridge_v1 *const bridges[] = {&bridge};
static const seam_inst_v1 calls = {.size = sizeof(seam_inst_v1), .start = start};
static const seam_scenario_v1 scenario = {
    .size = sizeof(seam_scenario_v1),
    .revision = 1,
    .id = "bench.bridge",
    .title = "One embedded view",
    .summary = "A field that follows the model when its root view is assigned.",
    .screens = screens,
    .bridges = bridges,
    .screen_count = 1,
    .bridge_count = 1,
    .calls = &calls,
    .create = create,
};
static const seam_scenario_v1 *const scenarios[] = {&scenario};
static const seam_plugin_v1 plugin = {
    .magic = SEAM_MAGIC,
    .size = sizeof(seam_plugin_v1),
    .abi = SEAM_ABI_MAJOR,
    .scenario_count = 1,
    .id = "seam.bench",
    .name = "Bench",
    .version = "1",
    .scenarios = scenarios,
};

SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer) {
    return offer->abi_min <= SEAM_ABI_MAJOR && SEAM_ABI_MAJOR <= offer->abi_max ? &plugin : 0;
}
