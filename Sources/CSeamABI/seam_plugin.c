// The layout of ABI major 1, asserted member by member. A line that has to change here breaks every plug-in that
// was ever built: what grows gets a new tag instead (section 1 of the header).
#include "seam_plugin.h"

#if UINTPTR_MAX != UINT64_MAX
#error "ABI major 1 is defined for 64-bit systems"
#endif

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has another size")
#define AT(type, member, offset) \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member " lies elsewhere")

SIZE(struct seam_str_v1, 16);
AT(struct seam_str_v1, ptr, 0);
AT(struct seam_str_v1, len, 8);

SIZE(struct seam_bytes_v1, 16);
AT(struct seam_bytes_v1, ptr, 0);
AT(struct seam_bytes_v1, len, 8);

SIZE(struct seam_args_v1, 16);
AT(struct seam_args_v1, values, 0);
AT(struct seam_args_v1, count, 8);
AT(struct seam_args_v1, generation, 12);

SIZE(struct seam_sink_v1, 16);
AT(struct seam_sink_v1, self, 0);
AT(struct seam_sink_v1, write, 8);

SIZE(struct seam_param_v1, 56);
AT(struct seam_param_v1, id, 0);
AT(struct seam_param_v1, title, 8);
AT(struct seam_param_v1, kind, 16);
AT(struct seam_param_v1, initial, 24);
AT(struct seam_param_v1, minimum, 32);
AT(struct seam_param_v1, maximum, 40);
AT(struct seam_param_v1, choices, 48);

SIZE(struct seam_field_v1, 32);
AT(struct seam_field_v1, key, 0);
AT(struct seam_field_v1, title, 8);
AT(struct seam_field_v1, kind, 16);
AT(struct seam_field_v1, flags, 24);
AT(struct seam_field_v1, reserved, 28);

SIZE(struct seam_screen_v1, 32);
AT(struct seam_screen_v1, id, 0);
AT(struct seam_screen_v1, title, 8);
AT(struct seam_screen_v1, side, 16);
AT(struct seam_screen_v1, field_count, 20);
AT(struct seam_screen_v1, fields, 24);

SIZE(struct seam_event_v1, 40);
AT(struct seam_event_v1, id, 0);
AT(struct seam_event_v1, title, 8);
AT(struct seam_event_v1, origin, 16);
AT(struct seam_event_v1, bridge, 20);
AT(struct seam_event_v1, arg_count, 24);
AT(struct seam_event_v1, reserved, 28);
AT(struct seam_event_v1, args, 32);

SIZE(struct seam_bridge_v1, 104);
AT(struct seam_bridge_v1, size, 0);
AT(struct seam_bridge_v1, kind, 4);
AT(struct seam_bridge_v1, screen, 8);
AT(struct seam_bridge_v1, flags, 12);
AT(struct seam_bridge_v1, id, 16);
AT(struct seam_bridge_v1, title, 24);
AT(struct seam_bridge_v1, inputs, 32);
AT(struct seam_bridge_v1, user, 40);
AT(struct seam_bridge_v1, coordinator, 48);
AT(struct seam_bridge_v1, make, 56);
AT(struct seam_bridge_v1, update, 64);
AT(struct seam_bridge_v1, dismantle, 72);
AT(struct seam_bridge_v1, draw, 80);
AT(struct seam_bridge_v1, native, 88);
AT(struct seam_bridge_v1, policies, 96);

SIZE(struct seam_step_v1, 56);
AT(struct seam_step_v1, kind, 0);
AT(struct seam_step_v1, bridge, 4);
AT(struct seam_step_v1, event, 8);
AT(struct seam_step_v1, arg_count, 12);
AT(struct seam_step_v1, virtual_ns, 16);
AT(struct seam_step_v1, key, 24);
AT(struct seam_step_v1, value, 32);
AT(struct seam_step_v1, mount, 40);
AT(struct seam_step_v1, args, 48);

SIZE(struct seam_check_v1, 32);
AT(struct seam_check_v1, label, 0);
AT(struct seam_check_v1, screen, 8);
AT(struct seam_check_v1, key_count, 12);
AT(struct seam_check_v1, keys, 16);
AT(struct seam_check_v1, expected, 24);

SIZE(struct seam_inst_v1, 64);
AT(struct seam_inst_v1, size, 0);
AT(struct seam_inst_v1, reserved, 4);
AT(struct seam_inst_v1, start, 8);
AT(struct seam_inst_v1, event, 16);
AT(struct seam_inst_v1, tick, 24);
AT(struct seam_inst_v1, snapshot, 32);
AT(struct seam_inst_v1, restore, 40);
AT(struct seam_inst_v1, destroy, 48);
AT(struct seam_inst_v1, get_interface, 56);

SIZE(struct seam_scenario_v1, 144);
AT(struct seam_scenario_v1, size, 0);
AT(struct seam_scenario_v1, flags, 4);
AT(struct seam_scenario_v1, revision, 8);
AT(struct seam_scenario_v1, reserved, 12);
AT(struct seam_scenario_v1, id, 16);
AT(struct seam_scenario_v1, title, 24);
AT(struct seam_scenario_v1, summary, 32);
AT(struct seam_scenario_v1, params, 40);
AT(struct seam_scenario_v1, screens, 48);
AT(struct seam_scenario_v1, bridges, 56);
AT(struct seam_scenario_v1, events, 64);
AT(struct seam_scenario_v1, param_count, 72);
AT(struct seam_scenario_v1, screen_count, 76);
AT(struct seam_scenario_v1, bridge_count, 80);
AT(struct seam_scenario_v1, event_count, 84);
AT(struct seam_scenario_v1, script, 88);
AT(struct seam_scenario_v1, checks, 96);
AT(struct seam_scenario_v1, script_count, 104);
AT(struct seam_scenario_v1, check_count, 108);
AT(struct seam_scenario_v1, calls, 112);
AT(struct seam_scenario_v1, user, 120);
AT(struct seam_scenario_v1, create, 128);
AT(struct seam_scenario_v1, policies, 136);

SIZE(struct seam_host_v1, 192);
AT(struct seam_host_v1, size, 0);
AT(struct seam_host_v1, abi, 4);
AT(struct seam_host_v1, model_set, 8);
AT(struct seam_host_v1, model_clear, 16);
AT(struct seam_host_v1, model_get, 24);
AT(struct seam_host_v1, screen_set, 32);
AT(struct seam_host_v1, screen_clear, 40);
AT(struct seam_host_v1, screen_get, 48);
AT(struct seam_host_v1, mount, 56);
AT(struct seam_host_v1, unmount, 64);
AT(struct seam_host_v1, assign_root, 72);
AT(struct seam_host_v1, invalidate, 80);
AT(struct seam_host_v1, bind, 88);
AT(struct seam_host_v1, own, 96);
AT(struct seam_host_v1, disown, 104);
AT(struct seam_host_v1, next_turn, 112);
AT(struct seam_host_v1, at_time, 120);
AT(struct seam_host_v1, cancel, 128);
AT(struct seam_host_v1, now, 136);
AT(struct seam_host_v1, random, 144);
AT(struct seam_host_v1, log, 152);
AT(struct seam_host_v1, post, 160);
AT(struct seam_host_v1, diagnose, 168);
AT(struct seam_host_v1, fail, 176);
AT(struct seam_host_v1, get_interface, 184);

SIZE(struct seam_offer_v1, 56);
AT(struct seam_offer_v1, magic, 0);
AT(struct seam_offer_v1, size, 4);
AT(struct seam_offer_v1, abi_min, 8);
AT(struct seam_offer_v1, abi_max, 12);
AT(struct seam_offer_v1, host_name, 16);
AT(struct seam_offer_v1, host_version, 24);
AT(struct seam_offer_v1, library_path, 32);
AT(struct seam_offer_v1, self, 40);
AT(struct seam_offer_v1, explain, 48);

SIZE(struct seam_plugin_v1, 104);
AT(struct seam_plugin_v1, magic, 0);
AT(struct seam_plugin_v1, size, 4);
AT(struct seam_plugin_v1, abi, 8);
AT(struct seam_plugin_v1, scenario_count, 12);
AT(struct seam_plugin_v1, id, 16);
AT(struct seam_plugin_v1, name, 24);
AT(struct seam_plugin_v1, version, 32);
AT(struct seam_plugin_v1, vendor, 40);
AT(struct seam_plugin_v1, license, 48);
AT(struct seam_plugin_v1, url, 56);
AT(struct seam_plugin_v1, scenarios, 64);
AT(struct seam_plugin_v1, interfaces, 72);
AT(struct seam_plugin_v1, user, 80);
AT(struct seam_plugin_v1, get_interface, 88);
AT(struct seam_plugin_v1, shutdown, 96);

SIZE(struct seam_activity_v1, 24);
AT(struct seam_activity_v1, window, 0);
AT(struct seam_activity_v1, scene, 4);
AT(struct seam_activity_v1, hidden, 8);
AT(struct seam_activity_v1, has_size, 12);
AT(struct seam_activity_v1, parked, 16);
AT(struct seam_activity_v1, reserved, 20);

SIZE(struct seam_item_v1, 32);
AT(struct seam_item_v1, id, 0);
AT(struct seam_item_v1, value, 16);

SIZE(struct seam_placement_v1, 72);
AT(struct seam_placement_v1, size, 0);
AT(struct seam_placement_v1, reserved, 4);
AT(struct seam_placement_v1, mount_in, 8);
AT(struct seam_placement_v1, set_activity, 16);
AT(struct seam_placement_v1, activity_get, 24);
AT(struct seam_placement_v1, identify, 32);
AT(struct seam_placement_v1, set_items, 40);
AT(struct seam_placement_v1, item_get, 48);
AT(struct seam_placement_v1, rebind, 56);
AT(struct seam_placement_v1, dismiss, 64);

SIZE(struct seam_control_v1, 88);
AT(struct seam_control_v1, size, 0);
AT(struct seam_control_v1, reserved, 4);
AT(struct seam_control_v1, build_root, 8);
AT(struct seam_control_v1, assign_built, 16);
AT(struct seam_control_v1, lift, 24);
AT(struct seam_control_v1, measured, 32);
AT(struct seam_control_v1, screen_set_on, 40);
AT(struct seam_control_v1, native_change, 48);
AT(struct seam_control_v1, set_draft, 56);
AT(struct seam_control_v1, differs, 64);
AT(struct seam_control_v1, forget_diff_base, 72);
AT(struct seam_control_v1, transaction, 80);

SIZE(struct seam_environment_v1, 32);
AT(struct seam_environment_v1, size, 0);
AT(struct seam_environment_v1, reserved, 4);
AT(struct seam_environment_v1, environment_set, 8);
AT(struct seam_environment_v1, environment_get, 16);
AT(struct seam_environment_v1, environment_take, 24);

SIZE(struct seam_ownership_v1, 80);
AT(struct seam_ownership_v1, size, 0);
AT(struct seam_ownership_v1, reserved, 4);
AT(struct seam_ownership_v1, state_start, 8);
AT(struct seam_ownership_v1, state_get, 16);
AT(struct seam_ownership_v1, state_set, 24);
AT(struct seam_ownership_v1, object_make, 32);
AT(struct seam_ownership_v1, object_hold, 40);
AT(struct seam_ownership_v1, object_publish, 48);
AT(struct seam_ownership_v1, object_drop, 56);
AT(struct seam_ownership_v1, subscribe, 64);
AT(struct seam_ownership_v1, unsubscribe, 72);

SIZE(struct seam_binding_v1, 56);
AT(struct seam_binding_v1, size, 0);
AT(struct seam_binding_v1, reserved, 4);
AT(struct seam_binding_v1, binding_make, 8);
AT(struct seam_binding_v1, binding_get, 16);
AT(struct seam_binding_v1, binding_set, 24);
AT(struct seam_binding_v1, binding_rebind, 32);
AT(struct seam_binding_v1, binding_unbind, 40);
AT(struct seam_binding_v1, ask, 48);

SIZE(struct seam_turn_v1, 16);
AT(struct seam_turn_v1, size, 0);
AT(struct seam_turn_v1, reserved, 4);
AT(struct seam_turn_v1, is_open, 8);

SIZE(struct seam_late_v1, 40);
AT(struct seam_late_v1, size, 0);
AT(struct seam_late_v1, reserved, 4);
AT(struct seam_late_v1, write_later, 8);
AT(struct seam_late_v1, in_flight, 16);
AT(struct seam_late_v1, watch, 24);
AT(struct seam_late_v1, command, 32);

SIZE(struct seam_hooks_v1, 16);
AT(struct seam_hooks_v1, size, 0);
AT(struct seam_hooks_v1, reserved, 4);
AT(struct seam_hooks_v1, hook, 8);
