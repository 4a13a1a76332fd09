/* seam_plugin.h - the plug-in ABI of Seam, major 1.
 *
 * A plug-in is a shared library with one exported function, seam_plugin_entry. It describes scenarios and brings
 * their bodies: what a view draws, what make, update and dismantle do to a native control. The host owns the
 * rest: model, screens, bridges, turns, clock and verdicts. It decides when a body runs, counts the calls and
 * judges what they wrote, and so finds skipped, doubled and late calls for a plug-in in any language.
 *
 * C99, C11, C++11; Swift, Rust and Zig import it as it stands. This header alone is enough to build a plug-in:
 *
 *     cc -std=c11 -shared -fPIC -fvisibility=hidden -I<folder of this file> mine.c -o libmine.so
 *
 * Contents
 *     1  Promises of major 1        5  Bridges: the bodies          9  The host's services
 *     2  Status                     6  Script and checks           10  Entry
 *     3  Text, bytes, handles       7  Instances                   11  Who may call what, when (state table)
 *     4  Parameters, screens,       8  Scenarios                   12  The engine: further tables
 *        events
 *
 *
 * 1  PROMISES OF MAJOR 1
 *
 * Frozen.   A struct whose tag ends in _v1 never changes, in size or in meaning. Growth is a new tag, reached by a
 *           new interface id (`get_interface`). `size` members are a check (exactly sizeof), no way to grow:
 *           with Swift on both sides a struct that grows under its old tag corrupts the heap.
 * Context.  Every function gets a pointer that leads to its state; there are no globals in the contract.
 * Plain.    Fixed-width integers, pointers and size_t: no bool, bit-field, long, varargs, FILE, errno or locale.
 *           Whoever allocates frees; no allocator crosses the border. No exception, longjmp, panic or Swift
 *           error may cross it either.
 * Threads.  Each function carries a tag:
 *             [load]  the host's main thread, while the library is being opened;
 *             [turn]  the same one OS thread, for the life of the process; this is the tag of what has none;
 *             [any]   any thread.
 *           A plug-in may have threads of its own, and joins them in destroy. What they call, `log` and `post`
 *           apart, answers SEAM_E_THREAD and is reported.
 * Life.     The library is opened once and never unloaded. Descriptors (sections 4 to 8 and seam_plugin_v1)
 *           are constant from the return of the entry to the end of the process.
 * Pointers. What a function is given is valid until it returns. What a host service puts into a seam_str
 *           (`model_get`, `screen_get`) is valid until the callback under way returns.
 * Breaches. A call outside the state table, a wrong index, mount or token, a key that was not declared: nothing
 *           happens, the call answers a negative status, and the simulation gets a `plugin-misbehaving`
 *           diagnostic. The host never traps on them.
 */
#ifndef SEAM_PLUGIN_H
#define SEAM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Put before the definition of the entry, so that a build with -fvisibility=hidden still exports it. */
#define SEAM_EXPORT __attribute__((visibility("default")))

#define SEAM_ABI_MAJOR 1u
#define SEAM_MAGIC 0x5345414du /* "SEAM" */
#define SEAM_NONE 0xffffffffu  /* no index: no bridge, no screen */

/* ------------------------------------------------------------------------------------------------------------
 * 2  STATUS
 * 0 is success, above 0 success with information, below 0 an error. An unknown negative value is an error like
 * SEAM_E_PLUGIN, an unknown positive one is SEAM_OK.
 */
typedef int32_t seam_status;
enum {
    SEAM_OK = 0,
    SEAM_ABSENT = 1,         /* done; there is no value */
    SEAM_E_ARG = -1,         /* an index, key, mount, token or pointer that does not fit; text that is not UTF-8 */
    SEAM_E_STATE = -2,       /* not allowed now: section 11 */
    SEAM_E_THREAD = -3,      /* not allowed on this thread */
    SEAM_E_LIMIT = -4,       /* too long, too many */
    SEAM_E_UNSUPPORTED = -5, /* known, and not offered here */
    SEAM_E_DATA = -6,        /* bytes or text with no sense in them */
    SEAM_E_PLUGIN = -7,      /* the plug-in failed for a reason of its own */
    SEAM_E_HOST = -8         /* the host failed for a reason of its own */
};

/* ------------------------------------------------------------------------------------------------------------
 * 3  TEXT, BYTES, HANDLES
 * Text at call time is UTF-8 with a length and needs no NUL. ptr == NULL is *no value*, which is not the empty
 * text: the verdict of a field depends on the difference. Text in descriptors is UTF-8 ended by NUL.
 * Sizes: a name (id, key, label) 1 to 128 bytes and printable; ids of screens and bridges without . / = * ;
 * a value 65,536 bytes; a title 256; other text 4,096.
 */
typedef struct seam_str_v1 {
    const char *ptr;
    size_t len; /* bytes */
} seam_str;

typedef struct seam_bytes_v1 {
    const void *ptr;
    size_t len;
} seam_bytes;

/* Of the host, one per instance. A handle and nothing to look into; one that is over is recognised for ever. */
typedef struct seam_ctx seam_ctx;
/* Of the plug-in: an instance, a coordinator or a native view. The host keeps it, hands it back, and compares
 * two of them for being the same. NULL is allowed where the plug-in has nothing to keep. */
typedef struct seam_obj seam_obj;

typedef uint64_t seam_mount; /* one live placement of a bridge, from 1; 0 = none */
typedef uint64_t seam_timer; /* 0 = none */
/* What a tick brings back. Either from `own`, or any number from 1 to 2^63 - 1 of the plug-in's choice. */
typedef uint64_t seam_token;

/* Values in the order declared. `values` has `count` elements, ptr == NULL is no value. */
typedef struct seam_args_v1 {
    const seam_str *values;
    uint32_t count;
    uint32_t generation; /* bridges: which copy of the parent this is, for `bind`; else 0 */
} seam_args_v1;

/* Where a snapshot goes. `write` may be called many times; any error it answers ends the snapshot. */
typedef struct seam_sink_v1 {
    void *self;
    seam_status (*write)(void *self, seam_bytes chunk);
} seam_sink_v1;

typedef struct seam_bridge_v1 seam_bridge_v1;
typedef struct seam_inst_v1 seam_inst_v1;
typedef struct seam_scenario_v1 seam_scenario_v1;
typedef struct seam_host_v1 seam_host_v1;

/* How grave a diagnostic or a log line is. */
enum { SEAM_INFO = 1, SEAM_WARNING = 2, SEAM_ERROR = 3 };

/* ------------------------------------------------------------------------------------------------------------
 * 4  PARAMETERS, SCREENS, EVENTS: what can be read before anything is created
 */

/* A value chosen at creation, or an argument of an event. */
typedef struct seam_param_v1 {
    const char *id;
    const char *title;
    const char *kind;           /* "text", "integer", "number", "boolean" ("true", "false"); another is read as text */
    const char *initial;        /* used when nobody says; NULL = no value */
    const char *minimum;        /* integer, number; NULL = none */
    const char *maximum;
    const char *const *choices; /* the only values allowed, ended by NULL; or NULL */
} seam_param_v1;

/* What a screen can show. It is compared with the model's value of the same key; a field that neither side ever
 * writes is out of scope by that rule alone. */
typedef struct seam_field_v1 {
    const char *key;
    const char *title;
    const char *kind;  /* as above: how a person reads it; values are compared as text */
    uint32_t flags;    /* 0 */
    uint32_t reserved; /* 0 */
} seam_field_v1;

enum { SEAM_SIDE_IMPERATIVE = 1, SEAM_SIDE_DECLARATIVE = 2 };

typedef struct seam_screen_v1 {
    const char *id;
    const char *title;
    uint32_t side; /* SEAM_SIDE_: the world that owns the screen */
    uint32_t field_count;
    const seam_field_v1 *fields;
} seam_screen_v1;

enum { SEAM_FROM_MODEL = 1, SEAM_FROM_NATIVE = 2, SEAM_FROM_LIFECYCLE = 3 };

/* Something that can be sent into a simulation. With a bridge it goes to that bridge's `native`, for one mount;
 * without, to the instance's `event`. */
typedef struct seam_event_v1 {
    const char *id;
    const char *title;
    uint32_t origin; /* SEAM_FROM_ */
    uint32_t bridge; /* index, or SEAM_NONE; an event from the native side must have one, of the model none */
    uint32_t arg_count;
    uint32_t reserved; /* 0 */
    const seam_param_v1 *args;
} seam_event_v1;

/* ------------------------------------------------------------------------------------------------------------
 * 5  BRIDGES: THE BODIES
 */
enum {
    SEAM_BRIDGE_EMBED = 1, /* a declarative view in an imperative screen: a hosting controller with a root view */
    SEAM_BRIDGE_WRAP = 2,  /* an imperative view in a declarative screen: make, update, dismantle */
    SEAM_BRIDGE_CUSTOM = 3 /* neither: the plug-in writes from its events and ticks */
};
enum {
    SEAM_BRIDGE_OBSERVED = 1u, /* EMBED: the input is a shared, published object; the host redraws by itself */
    SEAM_BRIDGE_ECHO = 2u      /* WRAP: what the program writes into the view comes back as a native event: the
                                  bridge's first with one argument, of the field of that name if there is one */
};
/* Why a body runs. An open list: an unknown value is read as INPUT. */
enum {
    SEAM_WHY_FIRST = 1,   /* the mount is new */
    SEAM_WHY_INPUT = 2,   /* an input changed, or somebody said so */
    SEAM_WHY_REPEAT = 3,  /* one more call, with nothing new */
    SEAM_WHY_RESTORE = 4, /* made again after a restore */
    SEAM_WHY_REMOVED = 5, /* dismantle: the mount goes */
    SEAM_WHY_STATE = 6,        /* state of the view's own was written */
    SEAM_WHY_OBSERVED = 7,     /* a model value that the body has read, or an object that it is subscribed to */
    SEAM_WHY_ENVIRONMENT = 8,  /* an environment value that was read before */
    SEAM_WHY_LAYOUT = 9,       /* 9 to 12 are none of the bridge's inputs */
    SEAM_WHY_FOCUS = 10,
    SEAM_WHY_UNRELATED = 11,   /* something else that the parent shows */
    SEAM_WHY_CONTAINER = 12,
    SEAM_WHY_IDENTITY = 13,    /* another id in the same place: dismantle of the old control, make of the new one */
    SEAM_WHY_RETURNED = 14,    /* back from parking, a window, a scene or a pool */
    SEAM_WHY_EVICTED = 15,     /* dismantle: pushed out of its pool */
    SEAM_WHY_MEASURE = 16      /* make and dismantle of a hidden control that is only measured */
};

/* A crossing between the two worlds. Every callback gets the descriptor itself (and so `user`), then the
 * instance, then the mount. An error from a callback fails that mount: after it only dismantle is called.
 * A body runs after the callback that caused it has returned, in a later round of the same turn. */
struct seam_bridge_v1 {
    uint32_t size;             /* sizeof(seam_bridge_v1) */
    uint32_t kind;             /* SEAM_BRIDGE_EMBED, _WRAP, _CUSTOM */
    uint32_t screen;           /* index of the screen it draws on */
    uint32_t flags;            /* SEAM_BRIDGE_OBSERVED | SEAM_BRIDGE_ECHO */
    const char *id;
    const char *title;
    const char *const *inputs; /* the model keys it carries, ended by NULL; the order of `inputs` below */
    void *user;                /* the plug-in's own: one function can serve many bridges */

    /* WRAP, optional. Makes the coordinator: once per mount, before make. Released in dismantle. */
    seam_status (*coordinator)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj **out);

    /* WRAP, required. Makes the native view: once per mount. `coord` is NULL without a coordinator. */
    seam_status (*make)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                        const seam_args_v1 *inputs, uint32_t why, seam_obj **view);

    /* WRAP, required. Carries the inputs to the view: right after make, and each time they change. A body that
     * writes nothing is legal, and is the bug under study. Another pointer left in *view is a control that was
     * created anew; the plug-in has released the old one. */
    seam_status (*update)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                          seam_obj **view, const seam_args_v1 *inputs, uint32_t why);

    /* WRAP, optional. Undoes what make and coordinator did: exactly once per mount, also when the simulation
     * ends and also after a failed body. `coord` and `view` are NULL where they were never made. */
    void (*dismantle)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                      uint32_t why);

    /* EMBED, required. The root view's body: writes the screen from `inputs`, the copy taken at the assignment
     * (OBSERVED: the values of now). */
    seam_status (*draw)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, const seam_args_v1 *inputs,
                        uint32_t why);

    /* Required when an event names this bridge. Somebody did something in the native view: `event` is the index
     * in the scenario, `args` its arguments. EMBED and CUSTOM get NULL for `coord` and `view`. An error from it
     * fails the simulation. */
    seam_status (*native)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord,
                          seam_obj *view, uint32_t event, const seam_args_v1 *args);

    const char *const *policies; /* "name=value", ended by NULL; or NULL. Before the scenario's, after a client's */
};

/* ------------------------------------------------------------------------------------------------------------
 * 6  SCRIPT AND CHECKS: the scenario's own demonstration
 */
enum {
    SEAM_STEP_MODEL_SET = 1, /* key, value */
    SEAM_STEP_MODEL_CLEAR,   /* key */
    SEAM_STEP_EVENT,         /* event, args; mount when its bridge has several */
    SEAM_STEP_ASSIGN,        /* bridge (EMBED), mount: rootView = new input */
    SEAM_STEP_UPDATE,        /* bridge (WRAP), mount: one more update */
    SEAM_STEP_MOUNT,         /* bridge; mount: a label for later steps, or NULL */
    SEAM_STEP_UNMOUNT,       /* bridge, mount */
    SEAM_STEP_ADVANCE,       /* virtual_ns: how far the clock moves */
    SEAM_STEP_CHECK,         /* key: the label of a check */
    SEAM_STEP_ACTIVITY,      /* bridge, mount; value: what changes, with commas between: "window=no", "hidden=yes",
                                "size=no", "parked=yes" (each yes or no), "scene=active" (or inactive) */
    SEAM_STEP_IDENTIFY,      /* bridge, mount; value: the id of what stands in this place */
    SEAM_STEP_ITEMS,         /* bridge; args: the items of the list, each "id" or "id=value" */
    SEAM_STEP_REBIND,        /* bridge, mount; value: the id of the item that the control is given to */
    SEAM_STEP_DISMISS,       /* bridge, mount: the user closes the view */
    SEAM_STEP_ENVIRONMENT,   /* key, value (NULL clears); bridge and mount, or SEAM_NONE for the root */
    SEAM_STEP_BUILD,         /* bridge (EMBED), mount: the builder runs, nobody assigns what it made */
    SEAM_STEP_ASSIGN_BUILT,  /* bridge (EMBED), mount: rootView = what the builder made last */
    SEAM_STEP_UPDATE_FOR     /* bridge (EMBED or WRAP), mount: one more call, and its reason, a word in value:
                                "input", "state", "observed", "environment", "layout", "focus",
                                "unrelated", "container" */
};

/* One step. Members that a kind does not name are not read. `mount` is the label of an earlier MOUNT step, NULL
 * the bridge's only mount. `args` has `arg_count` elements, as many as the event declares, NULL = no value.
 *
 * A CHECK whose label begins with '@' is an interim read. It stands right after the step that it looks into (any but
 * ADVANCE and CHECK), and reads its fields after that step's event is applied and before its first round. What it saw
 * is answered as a check of the run, and never in the stream of changes. */
typedef struct seam_step_v1 {
    uint32_t kind; /* SEAM_STEP_ */
    uint32_t bridge;
    uint32_t event;
    uint32_t arg_count;
    int64_t virtual_ns;
    const char *key;
    const char *value;
    const char *mount;
    const char *const *args;
} seam_step_v1;

/* Fields of one screen, judged together. Checks with the same label are one check over several screens. */
typedef struct seam_check_v1 {
    const char *label;
    uint32_t screen;
    uint32_t key_count;
    const char *const *keys;     /* key_count of them */
    const char *const *expected; /* a verdict for each key: "matching", "stale", "missing", "leftover",
                                    "out-of-scope"; or NULL for no expectation */
} seam_check_v1;

/* ------------------------------------------------------------------------------------------------------------
 * 7  INSTANCES
 */

/* The calls on an instance; `inst` is what create left in *out. An error from start, event or tick fails the
 * simulation: after it only dismantle and destroy are called. */
struct seam_inst_v1 {
    uint32_t size;     /* sizeof(seam_inst_v1) */
    uint32_t reserved; /* 0 */

    /* Optional. Fills the model and mounts the bridges: once, right after create, unless restore takes its place. */
    seam_status (*start)(seam_obj *inst);

    /* Required when an event names no bridge. `event` is its index in the scenario. */
    seam_status (*event)(seam_obj *inst, uint32_t event, const seam_args_v1 *args);

    /* Required for next_turn, at_time and post, which answer SEAM_E_UNSUPPORTED without it. Brings the token
     * back, also one whose mount is gone: the host reports that (`callback-after-dismantle`). */
    seam_status (*tick)(seam_obj *inst, seam_token token);

    /* Optional. Writes what the plug-in keeps for itself; model, screens, mounts, clock and randomness are the
     * host's. The same state gives the same bytes. NULL = nothing of its own. */
    seam_status (*snapshot)(seam_obj *inst, const seam_sink_v1 *to);

    /* Optional, required with snapshot. Takes such bytes back, in place of start. Bytes of a revision it does not
     * know: SEAM_E_DATA, never a guess. */
    seam_status (*restore)(seam_obj *inst, seam_bytes from, uint32_t revision);

    /* Optional. The end of the instance, after every mount was dismantled. Not called when create failed. */
    void (*destroy)(seam_obj *inst);

    /* Optional. A frozen table for `id`, or NULL for an id it does not know. Asked once, right after create, for
     * "seam.hooks/1" (section 12); the answer lives as long as the instance. */
    const void *(*get_interface)(seam_obj *inst, const char *id);
};

/* ------------------------------------------------------------------------------------------------------------
 * 8  SCENARIOS
 */

/* Scenario flag: what the plug-in puts on the process's main queue (a Task on the main actor, a main-queue block)
 * runs inside the turn that put it there, and may then call the host as the callback itself may. Without the flag
 * it runs between turns, where only log and post are allowed. */
enum { SEAM_SCENARIO_MAIN_QUEUE = 1u };

struct seam_scenario_v1 {
    uint32_t size;       /* sizeof(seam_scenario_v1) */
    uint32_t flags;      /* SEAM_SCENARIO_MAIN_QUEUE */
    uint32_t revision;   /* of the snapshot's bytes */
    uint32_t reserved;   /* 0 */
    const char *id;      /* "group.name": with dots, without / = * ; unique among everything the host has loaded */
    const char *title;
    const char *summary; /* what it shows, in a few sentences */
    const seam_param_v1 *params;
    const seam_screen_v1 *screens;
    const seam_bridge_v1 *const *bridges;
    const seam_event_v1 *events;
    uint32_t param_count;
    uint32_t screen_count;
    uint32_t bridge_count;
    uint32_t event_count;
    const seam_step_v1 *script;
    const seam_check_v1 *checks;
    uint32_t script_count;
    uint32_t check_count;
    const seam_inst_v1 *calls;
    void *user;          /* the plug-in's own, found again through `self` */

    /* Required. Makes an instance. `params` has param_count values, those nobody gave at their initial. `ctx` and
     * `host` may be kept: the table to the end of the process, the context for the instance. On an error nothing
     * may be left behind: destroy is not called. */
    seam_status (*create)(const seam_scenario_v1 *self, seam_ctx *ctx, const seam_host_v1 *host,
                          const seam_args_v1 *params, seam_obj **out);

    const char *const *policies; /* "name=value", ended by NULL; or NULL. The last to be asked before the defaults */
};

/* ------------------------------------------------------------------------------------------------------------
 * 9  THE HOST'S SERVICES
 * The first argument is always the context that create was given. After the instance's destroy every service
 * answers SEAM_E_STATE, from any thread. Besides what is said here each can answer SEAM_E_STATE, SEAM_E_THREAD,
 * SEAM_E_ARG and, for text over its size, SEAM_E_LIMIT.
 */
struct seam_host_v1 {
    uint32_t size; /* sizeof(seam_host_v1) */
    uint32_t abi;  /* the major agreed on */

    /* The model: what should be shown. A key is known when a field or an input of the scenario names it. From a
     * body (draw, make, update, coordinator) the write is taken and carried out in the next round. A value with
     * ptr == NULL clears. */
    seam_status (*model_set)(seam_ctx *, seam_str key, seam_str value);
    seam_status (*model_clear)(seam_ctx *, seam_str key);
    /* SEAM_ABSENT and ptr NULL when there is no value. The view lives until the callback under way returns. */
    seam_status (*model_get)(seam_ctx *, seam_str key, seam_str *out);

    /* A screen, by index: what is shown. Only fields that the screen declares. A body on that screen reads and clears
     * its own control: also under another mount's, and off the screen. */
    seam_status (*screen_set)(seam_ctx *, uint32_t screen, seam_str key, seam_str value);
    seam_status (*screen_clear)(seam_ctx *, uint32_t screen, seam_str key);
    seam_status (*screen_get)(seam_ctx *, uint32_t screen, seam_str key, seam_str *out);

    /* Mounts. These only note: bodies run when the callback has returned, in a round of the same turn. */
    seam_status (*mount)(seam_ctx *, uint32_t bridge, seam_mount *out);
    /* One that has gone already, with the control that it lay in or by an earlier call, is left alone. */
    seam_status (*unmount)(seam_ctx *, seam_mount m);
    /* EMBED: rootView = new input. The copy of the inputs is taken here. */
    seam_status (*assign_root)(seam_ctx *, seam_mount m);
    /* Something that the bridge reads has changed, which only the plug-in can see. `cause` is SEAM_WHY_. */
    seam_status (*invalidate)(seam_ctx *, seam_mount m, uint32_t cause);

    /* A coordinator writes the model through the binding that it holds. `generation` is that of the inputs the
     * binding came with: an older one is delivered and diagnosed (`stale-parent`). The key is one of the
     * bridge's inputs. */
    seam_status (*bind)(seam_ctx *, seam_mount m, uint32_t generation, seam_str key, seam_str value);

    /* Registers what must be undone before the mount goes (m = 0: before the instance goes). Left behind, it is
     * reported: "observer" and "delegate" as `leaked-observer`, "coordinator" as `leaked-coordinator`, any other
     * word as `leaked-resource`. The token can be used for ticks of that mount: one that comes when the control of now
     * has been dismantled is reported. Ticks of other tokens are the instance's own. */
    seam_status (*own)(seam_ctx *, seam_mount m, seam_str what, seam_token *out);
    seam_status (*disown)(seam_ctx *, seam_token token);

    /* Work for later: a tick in the next round of this turn; at a moment of the simulation's clock, in ns since
     * its start (a moment that has passed is now). */
    seam_status (*next_turn)(seam_ctx *, seam_token token);
    seam_status (*at_time)(seam_ctx *, int64_t virtual_ns, seam_token token, seam_timer *out);
    seam_status (*cancel)(seam_ctx *, seam_timer timer);

    /* The simulation's clock in ns since its start, and its seeded randomness: the only ones a scenario may use,
     * so that the same seed gives the same run. Both answer 0 where they are not allowed. */
    int64_t (*now)(seam_ctx *);
    uint64_t (*random)(seam_ctx *);

    /* [any] A line for the people who run the daemon. `level` is SEAM_INFO, _WARNING, _ERROR. Longer text is cut. */
    void (*log)(seam_ctx *, int32_t level, seam_str text);

    /* [any] Asks for a tick in a turn of its own. In order for one thread. SEAM_E_LIMIT when a great many wait. */
    seam_status (*post)(seam_ctx *, seam_token token);

    /* A finding of the plug-in's own, beside the host's: a short `code`, a `text` for people, and what it is
     * about: a mount or 0, a screen and a key or SEAM_NONE and ptr NULL. */
    seam_status (*diagnose)(seam_ctx *, int32_t severity, seam_str code, seam_str text, seam_mount m,
                            uint32_t screen, seam_str key);

    /* Says why the callback under way is about to return an error. Copied; the last one counts, for this callback
     * alone. Returns `code`, so that `return host->fail(...)` is one line; a code that is no error becomes
     * SEAM_E_PLUGIN. */
    seam_status (*fail)(seam_ctx *, seam_status code, seam_str text);

    /* A frozen table of further services, or NULL for an id this host does not know: "seam.area/1" are the host's
     * (section 12), "org.example.area/1" anybody's. The table lives to the end of the process. */
    const void *(*get_interface)(seam_ctx *, const char *id);
};

/* ------------------------------------------------------------------------------------------------------------
 * 10  ENTRY
 */

/* What the host offers. Valid until the entry returns. */
typedef struct seam_offer_v1 {
    uint32_t magic;   /* SEAM_MAGIC */
    uint32_t size;    /* sizeof(seam_offer_v1) */
    uint32_t abi_min; /* the majors the host can work with, both ends included */
    uint32_t abi_max;
    const char *host_name;
    const char *host_version;
    const char *library_path;
    void *self; /* for explain */
    /* [load] Why the plug-in declines; the last one counts. */
    void (*explain)(void *self, seam_str why);
} seam_offer_v1;

/* What a plug-in is. */
typedef struct seam_plugin_v1 {
    uint32_t magic;                            /* SEAM_MAGIC */
    uint32_t size;                             /* sizeof(seam_plugin_v1) */
    uint32_t abi;                              /* the major it chose */
    uint32_t scenario_count;
    const char *id;                            /* "org.example.counter": a name, dots allowed */
    const char *name;
    const char *version;
    const char *vendor;                        /* vendor, license, url: NULL when there is nothing to say */
    const char *license;
    const char *url;
    const seam_scenario_v1 *const *scenarios;
    const char *const *interfaces;             /* ids that get_interface knows, ended by NULL; or NULL */
    void *user;                                /* the plug-in's own, passed to the two functions below */
    const void *(*get_interface)(void *user, const char *id); /* optional */
    void (*shutdown)(void *user);              /* optional: the process is about to end */
} seam_plugin_v1;

typedef const seam_plugin_v1 *(*seam_plugin_entry_fn)(const seam_offer_v1 *offer);

/* [load] The one exported function. Answers a description that lives to the end of the process, the same one each
 * time it is called; or NULL after `explain`, when it cannot work with this host. Opens no file, starts no
 * thread, takes under 100 ms. */
SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer);

/* ------------------------------------------------------------------------------------------------------------
 * 11  WHO MAY CALL WHAT, WHEN
 *
 * state                         the host may call                   the plug-in may call
 * ----------------------------  ----------------------------------  ------------------------------------------
 * described                     entry; the plug-in's get_interface  explain, inside entry
 * inside create                 -                                   log fail now random get_interface
 * created                       get_interface, once; start or       log post
 *                               restore, once; destroy
 * running, between callbacks    event tick coordinator make update  log post
 *                               draw native dismantle hook
 *                               snapshot destroy
 * inside start event tick       -                                   everything
 *   native, the hooks APPEAR
 *   DISAPPEAR END_EDITING, and
 *   main-queue work of a
 *   MAIN_QUEUE scenario in its
 *   turn
 * inside coordinator make       -                                   everything but mount unmount assign_root
 *   update draw, and the                                            invalidate set_activity rebind dismiss
 *   other hooks                                                     build_root assign_built native_change
 *                                                                   set_draft transaction object_publish; writes
 *                                                                   to the model and to state by the policy
 *                                                                   write-in-update: in the next round, unless
 *                                                                   somebody says otherwise
 * inside dismantle              -                                   disown cancel screen_clear diagnose now
 *                                                                   log post get_interface item_get activity_get
 *                                                                   state_get object_drop unsubscribe
 *                                                                   binding_unbind; model_set model_clear bind
 *                                                                   binding_set as above
 * inside destroy                -                                   disown cancel screen_clear diagnose now
 *                                                                   log post
 * inside snapshot restore       -                                   model_get screen_get now log fail
 * failed                        dismantle destroy                   log
 * destroyed                     -                                   -
 *
 * Callbacks never nest: a service returns before any body it caused is called. Bodies of one turn run in rounds;
 * a turn with more rounds than the limit is cut short and diagnosed (`feedback-loop`).
 */

/* ------------------------------------------------------------------------------------------------------------
 * 12  THE ENGINE: FURTHER TABLES
 * What a bridge can do besides make, update and draw. Each area is a table of its own, asked for once:
 *
 *     const seam_placement_v1 *placement = host->get_interface(ctx, SEAM_PLACEMENT);
 *
 * They are constant and the same for every instance. Arguments are taken as in section 9: `ctx` first, the same
 * statuses, a breach is reported. SEAM_ABSENT is success without effect, where it says so. `m` is a mount that is
 * live. How much of it happens, and when, is a matter of policies (`policies` of a bridge and of a scenario); one that
 * there is not, or that names a word or an input that there is not, keeps the plug-in from being loaded.
 */

/* A change of where a mounted view is; 0 leaves a member as it is. An embedding draws only while it has a window, is
 * active, not hidden, not parked. A wrapping belongs to the tree around it, which is evaluated whether the scene is active
 * or not: it is updated while it has a window and is not parked. What was asked for meanwhile is one call on return.
 * Nothing is shown that has no window, no size, or is hidden or parked. */
enum { SEAM_NO = 1, SEAM_YES = 2 };
enum { SEAM_SCENE_ACTIVE = 1, SEAM_SCENE_INACTIVE = 2 };
typedef struct seam_activity_v1 {
    uint32_t window;    /* SEAM_NO, SEAM_YES: in a window */
    uint32_t scene;     /* SEAM_SCENE_ */
    uint32_t hidden;    /* SEAM_NO, SEAM_YES: off screen, its content kept */
    uint32_t has_size;  /* SEAM_NO, SEAM_YES: a size other than zero */
    uint32_t parked;    /* SEAM_NO, SEAM_YES: put away for later use, which resets it */
    uint32_t reserved;  /* 0 */
} seam_activity_v1;

/* One item of a list: the id decides identity, the value equality. */
typedef struct seam_item_v1 {
    seam_str id;
    seam_str value; /* ptr == NULL = none */
} seam_item_v1;

typedef uint64_t seam_object;       /* something with an identity that views hold: a model object, a store; 0 = none */
typedef uint64_t seam_subscription; /* 0 = none */
typedef uint64_t seam_binding;      /* 0 = none */

/* Placement: trees, lists, pools, windows and identity. */
#define SEAM_PLACEMENT "seam.placement/1"
typedef struct seam_placement_v1 {
    uint32_t size;     /* sizeof(seam_placement_v1) */
    uint32_t reserved; /* 0 */

    /* A mount inside another, or at the root with parent 0. `item` may be NULL. `style` is the second key of a pool,
     * ptr == NULL for none. */
    seam_status (*mount_in)(seam_ctx *, seam_mount parent, uint32_t bridge, const seam_item_v1 *item, seam_str style,
                            seam_mount *out);
    seam_status (*set_activity)(seam_ctx *, seam_mount m, const seam_activity_v1 *change);
    seam_status (*activity_get)(seam_ctx *, seam_mount m, seam_activity_v1 *out);
    /* The id of what stands in this place. Another one is another view: it is made anew, its state goes. */
    seam_status (*identify)(seam_ctx *, seam_mount m, seam_str id);
    /* The items of a list, each shown by a mount of the bridge in `parent` (0 = the root). At most 65,536. */
    seam_status (*set_items)(seam_ctx *, uint32_t bridge, seam_mount parent, const seam_item_v1 *items, size_t count);
    /* The item that the control shows: SEAM_ABSENT when it shows none. The views live as those of model_get. */
    seam_status (*item_get)(seam_ctx *, seam_mount m, seam_item_v1 *out);
    /* The same control for another item, with no identity of its own: a recycled cell. `value` may be none. */
    seam_status (*rebind)(seam_ctx *, seam_mount m, seam_str owner, seam_str value);
    /* Closed from outside the model: unmounts; the model hears of it if the policies say so. */
    seam_status (*dismiss)(seam_ctx *, seam_mount m);
} seam_placement_v1;

/* Root views and controls: what is drawn, and what a control does by itself. */
#define SEAM_CONTROL "seam.control/1"
typedef struct seam_control_v1 {
    uint32_t size;     /* sizeof(seam_control_v1) */
    uint32_t reserved; /* 0 */

    /* EMBED: the builder runs from the model of now. What it made waits for assign_built. */
    seam_status (*build_root)(seam_ctx *, seam_mount m);
    seam_status (*assign_built)(seam_ctx *, seam_mount m);
    /* A value for the screen above, from inside the hosted view: arrives when the hosted tree has been drawn.
     * SEAM_ABSENT when it is cut (policy upward). */
    seam_status (*lift)(seam_ctx *, seam_mount m, uint32_t screen, seam_str key, seam_str value);
    /* The size of the view was asked for and is kept. Drawn since and not measured: `size-not-remeasured`. */
    seam_status (*measured)(seam_ctx *, seam_mount m);
    /* As screen_set, into one particular native view. SEAM_ABSENT, and a finding (`wrong-instance`), when it is not
     * the one on screen. */
    seam_status (*screen_set_on)(seam_ctx *, seam_obj *view, uint32_t screen, seam_str key, seam_str value);
    /* The control has changed what it shows by itself. `key` is a field of the bridge's screen. SEAM_ABSENT while the
     * mount has no control. */
    seam_status (*native_change)(seam_ctx *, seam_mount m, seam_str key, seam_str value);
    /* An edit that is not committed yet; ptr == NULL forgets it. An update that writes another value over it, and a
     * control that goes with it, are reported as lost-edit. */
    seam_status (*set_draft)(seam_ctx *, seam_mount m, seam_str key, seam_str value);
    /* *out is 1 when the value differs from the one that was asked about last (the diff base), which it replaces;
     * else 0. */
    seam_status (*differs)(seam_ctx *, seam_mount m, seam_str key, seam_str value, uint32_t *out);
    /* Forgets the diff base of one key, or of all with ptr == NULL. */
    seam_status (*forget_diff_base)(seam_ctx *, seam_mount m, seam_str key);
    /* A border: what was written before it and what is written after it are two changes. */
    seam_status (*transaction)(seam_ctx *);
} seam_control_v1;

/* Environment: values that a tree inherits. */
#define SEAM_ENVIRONMENT "seam.environment/1"
typedef struct seam_environment_v1 {
    uint32_t size;     /* sizeof(seam_environment_v1) */
    uint32_t reserved; /* 0 */

    /* Sets or clears a value of one host, or of the root with m = 0; a model key of that name follows the root. */
    seam_status (*environment_set)(seam_ctx *, seam_mount m, seam_str name, seam_str value);
    /* A read, tracked from now on: a later change causes an update. SEAM_ABSENT without a value. */
    seam_status (*environment_get)(seam_ctx *, seam_mount m, seam_str name, seam_str *out);
    /* The host takes its environment from above anew (policy environment-capture). What it has read before and reads
     * differently now causes an update. */
    seam_status (*environment_take)(seam_ctx *, seam_mount m);
} seam_environment_v1;

/* Ownership: state of a view's own, objects, subscriptions. */
#define SEAM_OWNERSHIP "seam.ownership/1"
typedef struct seam_ownership_v1 {
    uint32_t size;     /* sizeof(seam_ownership_v1) */
    uint32_t reserved; /* 0 */

    /* State that lives as long as the view's identity. `initial` counts once; *out is what it is now. SEAM_ABSENT
     * without a value. */
    seam_status (*state_start)(seam_ctx *, seam_mount m, seam_str name, seam_str initial, seam_str *out);
    seam_status (*state_get)(seam_ctx *, seam_mount m, seam_str name, seam_str *out);
    /* SEAM_ABSENT when a policy drops the write. */
    seam_status (*state_set)(seam_ctx *, seam_mount m, seam_str name, seam_str value);

    /* A new object; made in a body it belongs to that evaluation. */
    seam_status (*object_make)(seam_ctx *, seam_object *out);
    /* The view holds the object in `slot`. With owned = 1 the first of an identity stays, whatever comes later; with
     * 0 it is the one that came last. *out is the object that the view goes on with. */
    seam_status (*object_hold)(seam_ctx *, seam_mount m, seam_str slot, seam_object object, uint32_t owned,
                               seam_object *out);
    /* The object signals: whoever is subscribed is evaluated. */
    seam_status (*object_publish)(seam_ctx *, seam_object object);
    seam_status (*object_drop)(seam_ctx *, seam_object object);
    /* A subscription of the plug-in's own: unsubscribe alone ends it. */
    seam_status (*subscribe)(seam_ctx *, seam_mount m, seam_object object, seam_subscription *out);
    seam_status (*unsubscribe)(seam_ctx *, seam_subscription subscription);
} seam_ownership_v1;

/* Bindings: what a control reads and writes through. */
enum {
    SEAM_BINDING_LIVE = 1,  /* the storage itself */
    SEAM_BINDING_DERIVED,   /* another key than the one the control is named after */
    SEAM_BINDING_SNAPSHOT,  /* a getter over the copy of now: lies until update has made another one */
    SEAM_BINDING_UNWRAPPED, /* of an optional: goes on giving the last value, takes nothing once there is none */
    SEAM_BINDING_CASE,      /* of one case of an enumeration, in a model value "case:payload"; argument: the case */
    SEAM_BINDING_CONSTANT   /* argument: the value; takes nothing */
};
#define SEAM_BINDING "seam.binding/1"
typedef struct seam_binding_v1 {
    uint32_t size;     /* sizeof(seam_binding_v1) */
    uint32_t reserved; /* 0 */

    /* `argument` is read for CASE and CONSTANT, else ptr == NULL will do. */
    seam_status (*binding_make)(seam_ctx *, seam_mount m, uint32_t kind, seam_str key, seam_str argument,
                                seam_binding *out);
    seam_status (*binding_get)(seam_ctx *, seam_binding binding, seam_str *out);
    /* SEAM_ABSENT when there is nothing to write into. */
    seam_status (*binding_set)(seam_ctx *, seam_binding binding, seam_str value);
    /* The same control on another key. */
    seam_status (*binding_rebind)(seam_ctx *, seam_binding binding, seam_str key);
    seam_status (*binding_unbind)(seam_ctx *, seam_binding binding);
    /* The control asks its coordinator, which answers from the copy of the parent that it holds: `generation` is that
     * of the inputs it came with. An older one is answered and diagnosed (`stale-parent`). */
    seam_status (*ask)(seam_ctx *, seam_mount m, uint32_t generation, seam_str key, seam_str *out);
} seam_binding_v1;

/* Late work: writes and calls that come after what causes them. */
enum {
    SEAM_WRITE_CAPTURED = 1, /* the value given here */
    SEAM_WRITE_REREAD = 2    /* what the control shows when the write arrives; the value is not read */
};
enum { SEAM_NEXT_ROUND = 0, SEAM_NEXT_TURN = -1 }; /* delays of write_later; above 0 ns of the simulation's clock */
#define SEAM_LATE "seam.late/1"
typedef struct seam_late_v1 {
    uint32_t size;     /* sizeof(seam_late_v1) */
    uint32_t reserved; /* 0 */

    /* A write into the model that arrives later. */
    seam_status (*write_later)(seam_ctx *, seam_mount m, seam_str key, seam_str value, uint32_t how, int64_t delay);
    /* How many deferred writes of the key are on their way. */
    seam_status (*in_flight)(seam_ctx *, seam_mount m, seam_str key, uint32_t *out);
    /* A tick whenever the model value changes, as long as the mount lives (asked for in a call of its control: as long
     * as that control does), in the phase that the policy callback-phase names. With m = 0 before the bodies of the
     * turn, as long as the instance lives, and only when the change comes from outside the plug-in: for state of its
     * own that mirrors the model. */
    seam_status (*watch)(seam_ctx *, seam_mount m, seam_str key, seam_token token);
    /* A tick that comes after make and attach, also when the control is still to be made. */
    seam_status (*command)(seam_ctx *, seam_mount m, seam_token token);
} seam_late_v1;

/* Turns: for code that runs beside the callbacks, as main-queue work does. */
#define SEAM_TURN "seam.turn/1"
typedef struct seam_turn_v1 {
    uint32_t size;     /* sizeof(seam_turn_v1) */
    uint32_t reserved; /* 0 */

    /* On the main thread at any time: 1 inside a turn of the instance, also while its main queue is drained
     * (SEAM_SCENARIO_MAIN_QUEUE), so that services may be called; 0 between two turns, where `post` asks for one. */
    int32_t (*is_open)(seam_ctx *);
} seam_turn_v1;

/* Moments in the life of a control, beside make, update and dismantle. An open list: ignore what you do not know. */
enum {
    SEAM_HOOK_ATTACH = 1, /* it got its place in a window */
    SEAM_HOOK_DETACH,
    SEAM_HOOK_RESET,      /* it is put away for another use */
    SEAM_HOOK_APPEAR,     /* APPEAR, DISAPPEAR and END_EDITING are callbacks of the view: everything may be called */
    SEAM_HOOK_DISAPPEAR,
    SEAM_HOOK_END_EDITING,
    SEAM_HOOK_MOVE,       /* another place in its list */
    SEAM_HOOK_SAVE,       /* what the native side changed by itself is kept for the next control of this id */
    SEAM_HOOK_RESTORE
};

/* The plug-in's: what seam_inst_v1.get_interface answers for this id. Only asked where the policy `hooks` is told. */
#define SEAM_HOOKS "seam.hooks/1"
typedef struct seam_hooks_v1 {
    uint32_t size;     /* sizeof(seam_hooks_v1) */
    uint32_t reserved; /* 0 */

    /* Required. `coord` and `view` are NULL where there is none, or none any more. An error fails the mount. */
    seam_status (*hook)(const seam_bridge_v1 *bridge, seam_obj *inst, seam_mount m, seam_obj *coord, seam_obj *view,
                        uint32_t hook);
} seam_hooks_v1;

#if defined(__cplusplus)
}
#endif
#endif
