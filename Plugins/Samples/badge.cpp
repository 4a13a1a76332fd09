// badge.cpp - a plug-in in C++17: a badge that counts unread letters, made once and wrapped in a declarative toolbar.
//
//     g++ -std=c++17 -shared -fPIC -fvisibility=hidden -I<folder of seam_plugin.h>
//         -Wl,--version-script=entry.map badge.cpp -o libbadge.so
//
// entry.map lies one folder up. Without it some templates of the standard library are exported too, and those of them
// that are marked unique are shared with every other library in the process.
#include "seam_plugin.h"

#include <charconv>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

constexpr seam_str text(std::string_view view) { return {view.data(), view.size()}; }

constexpr char key[] = "unread";

/// One running scenario.
struct Toolbar {
    seam_ctx *ctx;
    const seam_host_v1 *host;
};

/// The host said no. It has reported why, so the status is all that has to be handed on.
struct Refusal {
    seam_status status;
};

void check(seam_status status) {
    if (status < 0) throw Refusal{status};
}

/// The border. No exception may cross it, so every callback runs its body in here and answers what became of it.
template <typename Body>
seam_status guarded(const Toolbar &toolbar, Body body) noexcept {
    try {
        body();
        return SEAM_OK;
    } catch (const Refusal &refusal) {
        return refusal.status;
    } catch (const std::exception &error) {
        return toolbar.host->fail(toolbar.ctx, SEAM_E_PLUGIN, text(error.what()));
    } catch (...) {
        return toolbar.host->fail(toolbar.ctx, SEAM_E_PLUGIN, text("something was thrown that is no std::exception"));
    }
}

/// The imperative view: it shows what it was told last, and knows of no model.
class BadgeView {
public:
    explicit BadgeView(const Toolbar &toolbar) : toolbar(toolbar) {}

    int shown() const { return count; }

    void show(int unread) {
        count = unread;
        check(toolbar.host->screen_set(toolbar.ctx, 0, text(key), text(std::to_string(unread))));
    }

private:
    const Toolbar &toolbar;  // outlives its views: every mount is dismantled before destroy
    int count = 0;
};

// What updateUIView does, in the one scenario and in the other. The fault looks like a saving.

void growOnly(BadgeView &badge, int unread) {
    if (unread > badge.shown()) badge.show(unread);
}

void follow(BadgeView &badge, int unread) {
    if (unread != badge.shown()) badge.show(unread);
}

/// Found through seam_bridge_v1.user.
struct Body {
    void (*update)(BadgeView &badge, int unread);
};

constexpr Body growing{growOnly}, following{follow};

int number(const seam_args_v1 *inputs) {
    const seam_str given = inputs->values[0];
    if (given.ptr == nullptr) return 0;  // no value: nothing is unread
    int value = 0;
    const char *end = given.ptr + given.len;
    if (const auto [stop, error] = std::from_chars(given.ptr, end, value); error != std::errc{} || stop != end)
        throw std::invalid_argument("unread is \"" + std::string(given.ptr, given.len) + "\", expected a number");
    return value;
}

Toolbar &toolbarOf(seam_obj *inst) { return *reinterpret_cast<Toolbar *>(inst); }

// ---- The callbacks. The types of the tables are of C, so these are too. ----
extern "C" {

static seam_status make(const seam_bridge_v1 *, seam_obj *inst, seam_mount, seam_obj *, const seam_args_v1 *inputs,
                        uint32_t, seam_obj **view) noexcept {
    return guarded(toolbarOf(inst), [&] {
        auto badge = std::make_unique<BadgeView>(toolbarOf(inst));
        badge->show(number(inputs));
        *view = reinterpret_cast<seam_obj *>(badge.release());  // back in dismantle
    });
}

static seam_status update(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount, seam_obj *, seam_obj **view,
                          const seam_args_v1 *inputs, uint32_t) noexcept {
    return guarded(toolbarOf(inst), [&] {
        static_cast<const Body *>(bridge->user)->update(*reinterpret_cast<BadgeView *>(*view), number(inputs));
    });
}

// Also called when make has failed, and then without a view: deleting none is fine.
static void dismantle(const seam_bridge_v1 *, seam_obj *, seam_mount, seam_obj *, seam_obj *view, uint32_t) noexcept {
    delete reinterpret_cast<BadgeView *>(view);
}

static seam_status create(const seam_scenario_v1 *, seam_ctx *ctx, const seam_host_v1 *host, const seam_args_v1 *,
                          seam_obj **out) noexcept {
    return guarded(Toolbar{ctx, host}, [&] {
        *out = reinterpret_cast<seam_obj *>(new Toolbar{ctx, host});  // back in destroy
    });
}

static seam_status start(seam_obj *inst) noexcept {
    const Toolbar &toolbar = toolbarOf(inst);
    return guarded(toolbar, [&] {
        check(toolbar.host->model_set(toolbar.ctx, text(key), text("3")));
        seam_mount mount = 0;
        check(toolbar.host->mount(toolbar.ctx, 0, &mount));
    });
}

static void destroy(seam_obj *inst) noexcept { delete &toolbarOf(inst); }

}  // extern "C"

// ---- The description. C++17 has no designated initializers: functions that fill the structs stand in for them, and
// being constexpr they leave constants behind and no work for when the library is opened. ----

template <typename Element, size_t count>
constexpr uint32_t countOf(const Element (&)[count]) { return count; }

constexpr seam_field_v1 fields[] = {{key, "The number in the badge", "integer", 0, 0}};
constexpr seam_screen_v1 screens[] = {
    {"BadgeView", "The badge in the toolbar", SEAM_SIDE_DECLARATIVE, countOf(fields), fields}};
constexpr const char *inputs[] = {key, nullptr};

constexpr seam_bridge_v1 wrapping(const Body &body) {
    seam_bridge_v1 bridge{};
    bridge.size = sizeof bridge;
    bridge.kind = SEAM_BRIDGE_WRAP;
    bridge.id = "badge";
    bridge.title = "The wrapped badge";
    bridge.inputs = inputs;
    bridge.user = const_cast<Body *>(&body);  // nobody writes through it
    bridge.make = make;
    bridge.update = update;
    bridge.dismantle = dismantle;
    return bridge;
}

constexpr seam_bridge_v1 badgeGrowing = wrapping(growing), badgeFollowing = wrapping(following);
constexpr const seam_bridge_v1 *bridgesGrowing[] = {&badgeGrowing}, *bridgesFollowing[] = {&badgeFollowing};

constexpr seam_step_v1 set(const char *value) {
    seam_step_v1 step{};
    step.kind = SEAM_STEP_MODEL_SET;
    step.key = key;
    step.value = value;
    return step;
}

constexpr seam_step_v1 look(const char *label) {
    seam_step_v1 step{};
    step.kind = SEAM_STEP_CHECK;
    step.key = label;
    return step;
}

// Up, which works in both, and down, which does not.
constexpr seam_step_v1 script[] = {set("5"), look("more"), set("2"), look("fewer")};

constexpr const char *keys[] = {key}, *matching[] = {"matching"}, *stale[] = {"stale"};
constexpr seam_check_v1 checksGrowing[] = {{"more", 0, 1, keys, matching}, {"fewer", 0, 1, keys, stale}};
constexpr seam_check_v1 checksFollowing[] = {{"more", 0, 1, keys, matching}, {"fewer", 0, 1, keys, matching}};

constexpr seam_inst_v1 calls = [] {
    seam_inst_v1 calls{};
    calls.size = sizeof calls;
    calls.start = start;
    calls.destroy = destroy;
    return calls;
}();

constexpr seam_scenario_v1 scenario(const char *id, const char *title, const char *summary,
                                    const seam_bridge_v1 *const (&bridges)[1], const seam_check_v1 (&checks)[2]) {
    seam_scenario_v1 scenario{};
    scenario.size = sizeof scenario;
    scenario.id = id;
    scenario.title = title;
    scenario.summary = summary;
    scenario.screens = screens;
    scenario.screen_count = countOf(screens);
    scenario.bridges = bridges;
    scenario.bridge_count = countOf(bridges);
    scenario.script = script;
    scenario.script_count = countOf(script);
    scenario.checks = checks;
    scenario.check_count = countOf(checks);
    scenario.calls = &calls;
    scenario.create = create;
    return scenario;
}

constexpr seam_scenario_v1 growsOnly = scenario(
    "badge.grows-only", "The badge only ever counts up",
    "Update writes into the badge when the number has grown, to save work. When letters are read it is called as it "
    "should be, writes nothing, and the badge keeps the old number.",
    bridgesGrowing, checksGrowing);
constexpr seam_scenario_v1 follows = scenario(
    "badge.follows", "The badge follows the number",
    "The repair of badge.grows-only: update compares for equality, and writes whatever is new.", bridgesFollowing,
    checksFollowing);

constexpr const seam_scenario_v1 *scenarios[] = {&growsOnly, &follows};

constexpr seam_plugin_v1 plugin = [] {
    seam_plugin_v1 plugin{};
    plugin.magic = SEAM_MAGIC;
    plugin.size = sizeof plugin;
    plugin.abi = SEAM_ABI_MAJOR;
    plugin.scenario_count = countOf(scenarios);
    plugin.id = "seam.samples.badge";
    plugin.name = "Badge (C++ sample)";
    plugin.version = "1.0.0";
    plugin.scenarios = scenarios;
    return plugin;
}();

}  // namespace

SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer) {
    if (offer == nullptr || offer->magic != SEAM_MAGIC || offer->size != sizeof *offer) return nullptr;
    if (offer->abi_min > SEAM_ABI_MAJOR || offer->abi_max < SEAM_ABI_MAJOR) {
        if (offer->explain != nullptr) offer->explain(offer->self, text("it is built for ABI major 1"));
        return nullptr;
    }
    return &plugin;
}
