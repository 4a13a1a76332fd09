public import CSeamABI
import SeamKit

private let coordinator = Plugin(
    "seam.coordinator", name: "Coordinator", version: "1.0.0", vendor: "Seam",
    scenarios: [
        LabelMadeOnce.self, LabelRecreated.self,
        Draft.self, DraftStaleParent.self, DraftUnguarded.self, DraftNotDismantled.self, DraftLoop.self,
        TimerCancelled.self, TimerNotCancelled.self, TaskCancelled.self, TaskNotCancelled.self,
        Origin.self, OriginUnknown.self, OriginSuppressed.self,
        Cancel.self, CancelNotShown.self,
        ModelKept.self, ModelDiscarded.self,
        Validation.self, ValidationInCallback.self,
    ])

// The name is the ABI's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
    coordinator.answer(offer)
}
