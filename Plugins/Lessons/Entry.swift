public import CSeamABI
import SeamKit

private let lessons = Plugin(
    "seam.lessons", name: "Lessons", version: "1.0.0", vendor: "Seam",
    scenarios: [
        HostingUnassigned.self, HostingAssigned.self, WrappingEmpty.self, WrappingFilled.self, OwnState.self,
    ])

// The name is the ABI's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
    lessons.answer(offer)
}
