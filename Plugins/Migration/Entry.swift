public import CSeamABI
import SeamKit

private let migration = Plugin(
    "seam.migration", name: "Migration", version: "1.0.0", vendor: "Seam",
    scenarios: [Start.self, HalfWay.self, NoPlace.self, LeftBehind.self, Done.self])

// The name is the ABI's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
    migration.answer(offer)
}
