public import CSeamABI
import SeamKit

private let pasted = Plugin("seam.pasted", name: "Pasted", version: "1.0.0", vendor: "Seam") {
    hostingUnassigned
    hostingAssigned
    ownState
    wrappingEmpty
    wrappingFilled
    counterObserved
    counterCopied
    counterNotCaptured
    counterNotification
    counterEnvironment
    counterController
    labelMadeOnce
    labelRecreated
    draftGood
    draftStaleParent
    draftUnguarded
    draftNotDismantled
    draftLoop
    cancel
    cancelNotShown
    modelKept
    modelDiscarded
    timerCancelled
    timerNotCancelled
    taskCancelled
    taskNotCancelled
    originAsked
    originSuppressed
    originUnknown
    validation
    validationInCallback
    late
    loading
}

// The name is the ABI's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
    pasted.answer(offer)
}
