// One call of each service of the engine's tables, with arguments that fit or with one that does not. Part of plugin.c.

struct tables {
    const seam_placement_v1 *placement;
    const seam_control_v1 *control;
    const seam_environment_v1 *environment;
    const seam_ownership_v1 *ownership;
    const seam_binding_v1 *binding;
    const seam_late_v1 *late;
};

// What a call is given. A variant replaces one of them.
struct given {
    seam_mount mount;
    seam_object object;
    seam_subscription subscription;
    seam_binding binding;
    seam_str name;  // a key, an id, a name
    seam_str value;
    int has_out;
    uint32_t word;  // a kind, a flag, a way
};

static struct tables find_tables(const seam_host_v1 *host, seam_ctx *ctx) {
    return (struct tables){
        .placement = host->get_interface(ctx, SEAM_PLACEMENT), .control = host->get_interface(ctx, SEAM_CONTROL),
        .environment = host->get_interface(ctx, SEAM_ENVIRONMENT),
        .ownership = host->get_interface(ctx, SEAM_OWNERSHIP), .binding = host->get_interface(ctx, SEAM_BINDING),
        .late = host->get_interface(ctx, SEAM_LATE),
    };
}

#define OUT(type) (g.has_out ? &(type){0} : NULL)

static seam_status engine_call(const struct tables *t, seam_ctx *ctx, const char *service, struct given g) {
    const seam_activity_v1 change = {.hidden = g.word, .reserved = g.word == 3 ? 1 : 0};
    const seam_item_v1 items[2] = {{.id = g.name, .value = g.value}, {.id = {"two", 3}, .value = {NULL, 0}}};
#define SERVICE(name_) if (strcmp(service, #name_) == 0)
    SERVICE(mount_in) return t->placement->mount_in(ctx, g.mount, 1, items, g.name, OUT(seam_mount));
    SERVICE(set_activity) return t->placement->set_activity(ctx, g.mount, g.has_out ? &change : NULL);
    SERVICE(activity_get) return t->placement->activity_get(ctx, g.mount, OUT(seam_activity_v1));
    SERVICE(identify) return t->placement->identify(ctx, g.mount, g.name);
    SERVICE(set_items) return t->placement->set_items(ctx, 1, g.mount, g.has_out ? items : NULL, g.word == 9 ? SIZE_MAX : 2);
    SERVICE(item_get) return t->placement->item_get(ctx, g.mount, OUT(seam_item_v1));
    SERVICE(rebind) return t->placement->rebind(ctx, g.mount, g.name, g.value);
    SERVICE(dismiss) return t->placement->dismiss(ctx, g.mount);
    SERVICE(build_root) return t->control->build_root(ctx, g.mount);
    SERVICE(assign_built) return t->control->assign_built(ctx, g.mount);
    SERVICE(lift) return t->control->lift(ctx, g.mount, 0, g.name, g.value);
    SERVICE(measured) return t->control->measured(ctx, g.mount);
    SERVICE(screen_set_on) return t->control->screen_set_on(ctx, NULL, 0, g.name, g.value);
    SERVICE(native_change) return t->control->native_change(ctx, g.mount, g.name, g.value);
    SERVICE(set_draft) return t->control->set_draft(ctx, g.mount, g.name, g.value);
    SERVICE(differs) return t->control->differs(ctx, g.mount, g.name, g.value, OUT(uint32_t));
    SERVICE(forget_diff_base) return t->control->forget_diff_base(ctx, g.mount, g.name);
    SERVICE(transaction) return t->control->transaction(ctx);
    SERVICE(environment_set) return t->environment->environment_set(ctx, g.mount, g.name, g.value);
    SERVICE(environment_get) return t->environment->environment_get(ctx, g.mount, g.name, OUT(seam_str));
    SERVICE(environment_take) return t->environment->environment_take(ctx, g.mount);
    SERVICE(state_start) return t->ownership->state_start(ctx, g.mount, g.name, g.value, OUT(seam_str));
    SERVICE(state_get) return t->ownership->state_get(ctx, g.mount, g.name, OUT(seam_str));
    SERVICE(state_set) return t->ownership->state_set(ctx, g.mount, g.name, g.value);
    SERVICE(object_make) return t->ownership->object_make(ctx, OUT(seam_object));
    SERVICE(object_hold)
        return t->ownership->object_hold(ctx, g.mount, g.name, g.object, g.word, OUT(seam_object));
    SERVICE(object_publish) return t->ownership->object_publish(ctx, g.object);
    SERVICE(object_drop) return t->ownership->object_drop(ctx, g.object);
    SERVICE(subscribe) return t->ownership->subscribe(ctx, g.mount, g.object, OUT(seam_subscription));
    SERVICE(unsubscribe) return t->ownership->unsubscribe(ctx, g.subscription);
    SERVICE(binding_make) return t->binding->binding_make(ctx, g.mount, g.word, g.name, g.value, OUT(seam_binding));
    SERVICE(binding_get) return t->binding->binding_get(ctx, g.binding, OUT(seam_str));
    SERVICE(binding_set) return t->binding->binding_set(ctx, g.binding, g.value);
    SERVICE(binding_rebind) return t->binding->binding_rebind(ctx, g.binding, g.name);
    SERVICE(binding_unbind) return t->binding->binding_unbind(ctx, g.binding);
    SERVICE(ask) return t->binding->ask(ctx, g.mount, 1, g.name, OUT(seam_str));
    SERVICE(write_later) return t->late->write_later(ctx, g.mount, g.name, g.value, g.word, SEAM_NEXT_ROUND);
    SERVICE(in_flight) return t->late->in_flight(ctx, g.mount, g.name, OUT(uint32_t));
    SERVICE(watch) return t->late->watch(ctx, g.mount, g.name, 42);
    SERVICE(command) return t->late->command(ctx, g.mount, 42);
    return SEAM_E_UNSUPPORTED;
}

static struct {
    struct tables tables;
    seam_ctx *ctx;
    char service[32], variant[32];
    struct given given;
    seam_status answer;
} engine; // of the one instance that a test runs

static void *engine_from_a_thread(void *ignored) {
    (void)ignored;
    engine.answer = engine_call(&engine.tables, engine.ctx, engine.service, engine.given);
    return NULL;
}

// "engine SERVICE VARIANT": prepares what the service needs and calls it, or leaves it to the next draw or to destroy.
static seam_status engine_act(const seam_host_v1 *host, seam_ctx *ctx, seam_mount strip, seam_mount list,
                              const char *what) {
    static char big[70000];
    engine.tables = find_tables(host, ctx);
    engine.ctx = ctx;
    if (sscanf(what, "engine %31s %31s", engine.service, engine.variant) != 2) return SEAM_E_DATA;
    const struct tables *t = &engine.tables;
    struct given *g = &engine.given;
    *g = (struct given){.mount = list, .name = {"count", 5}, .value = {"4", 1}, .has_out = 1, .word = 1};
    if (strstr("build_root assign_built lift measured", engine.service) != NULL) g->mount = strip;
    if (strcmp(engine.service, "native_change") == 0) g->name = (seam_str){"rows", 4};
    if (strcmp(engine.service, "set_items") == 0) g->mount = 0;
    t->ownership->object_make(ctx, &g->object);
    t->ownership->subscribe(ctx, list, g->object, &g->subscription);
    t->binding->binding_make(ctx, list, SEAM_BINDING_LIVE, (seam_str){"count", 5}, (seam_str){NULL, 0}, &g->binding);
    memset(big, 'n', sizeof big);
#define VARIANT(name_) if (strcmp(engine.variant, #name_) == 0)
    VARIANT(mount) g->mount = 99;
    VARIANT(object) g->object = 99;
    VARIANT(subscription) g->subscription = 99;
    VARIANT(binding) g->binding = 99;
    VARIANT(out) g->has_out = 0;
    VARIANT(name) g->name = (seam_str){big, 200};
    VARIANT(value) g->value = (seam_str){big, 65537};
    VARIANT(utf8) g->name = (seam_str){"\xff", 1};
    VARIANT(null) g->name = (seam_str){NULL, 0};
    VARIANT(key) g->name = (seam_str){"colour", 6};
    VARIANT(word) g->word = 9;
    VARIANT(reserved) g->word = 3;
    VARIANT(thread) {
        pthread_t thread;
        pthread_create(&thread, NULL, engine_from_a_thread, NULL);
        pthread_join(thread, NULL);
        return engine.answer;
    }
    VARIANT(draw) return host->assign_root(ctx, strip);
    VARIANT(destroy) return SEAM_OK;
    return engine.answer = engine_call(t, ctx, engine.service, *g);
}

static void engine_act_in(const char *where) {
    if (strcmp(engine.variant, where) != 0) return;
    engine.variant[0] = 0;
    engine.answer = engine_call(&engine.tables, engine.ctx, engine.service, engine.given);
}
