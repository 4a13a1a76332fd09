/* entry.c - the scenarios in a row, and the one exported function. */
#include "rules.h"

static const seam_scenario_v1 *const scenarios[] = {
    &rules_park,
    &rules_identity, &rules_identity_kept,
    &rules_pool_reset, &rules_pool_leak,
    &rules_environment_handed_on, &rules_environment_cut,
    &rules_binding_live, &rules_binding_snapshot,
    &rules_object_owned, &rules_object_recreated,
    &rules_write_back_reread, &rules_write_back_captured,
    &rules_layout_pass, &rules_root_built, &rules_async,
    &rules_list_by_id, &rules_list_by_place,
    &rules_dismissal, &rules_dismissal_silent,
    &rules_replace_order, &rules_replace_order_overlap,
};

static const seam_plugin_v1 plugin = {
    .magic = SEAM_MAGIC,
    .size = sizeof(seam_plugin_v1),
    .abi = SEAM_ABI_MAJOR,
    .scenario_count = COUNT(scenarios),
    .id = "seam.rules",
    .name = "Rules",
    .version = "1.0.0",
    .vendor = "Seam",
    .scenarios = scenarios,
};

SEAM_EXPORT const seam_plugin_v1 *seam_plugin_entry(const seam_offer_v1 *offer)
{
    /* Without these two the rest of the offer can't be trusted, `explain` least of all. */
    if (offer == NULL || offer->magic != SEAM_MAGIC || offer->size != sizeof(seam_offer_v1))
        return NULL;
    if (offer->abi_min > SEAM_ABI_MAJOR || offer->abi_max < SEAM_ABI_MAJOR) {
        if (offer->explain != NULL)
            offer->explain(offer->self, TEXT("it is built for ABI major 1"));
        return NULL;
    }
    return &plugin;
}
