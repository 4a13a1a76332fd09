public import CSeamABI
import SeamKit

/// Reports from the field, each as the bridging code that it is about, and once more with its repair. What they give is said
/// in Tests/Cases.
private let fieldCases = Plugin("seam.fieldcases", name: "FieldCases", version: "1.0.0", vendor: "Seam") {
    fc001
    fc001Fixed
    fc003
    fc003Fixed
    fc005
    fc005Fixed
    fc006
    fc006Fixed
    fc008
    fc008Fixed
    fc010
    fc010Fixed
    fc011
    fc011Fixed
    fc012
    fc012Fixed
    fc016
    fc016Fixed
    fc018
    fc018Fixed
    fc020
    fc020Fixed
    fc024
    fc024Fixed
    fc025
    fc025Fixed
    fc026
    fc026Fixed
    fc029
    fc029Fixed
    fc031
    fc031Fixed
    fc033
    fc033Fixed
    fc036
    fc036Fixed
    fc038
    fc038Fixed
    fc040
    fc040Fixed
    fc042
    fc042Fixed
    fc043
    fc043Fixed
    fc045
    fc045Fixed
    fc049
    fc049Fixed
    fc052
    fc052Fixed
    fc054
    fc054Fixed
    fc057
    fc057Fixed
    fc063
    fc063Fixed
    fc071
    fc071Fixed
    fc074
    fc074Fixed
}

// The name is the ABI's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@c @implementation
public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
    fieldCases.answer(offer)
}
