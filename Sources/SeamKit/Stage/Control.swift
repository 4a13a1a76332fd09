/// Something to type into, of whichever side of the seam.
@MainActor
package protocol Responding: AnyObject {
    var isFirstResponder: Bool { get }
    /// False when it may not be left.
    @discardableResult func resignFirstResponder() -> Bool
}

extension Instance {
    /// There is one at a time: who was it before is left first, and may refuse.
    package func makeFirst(_ new: any Responding) -> Bool {
        if let other = firstResponder, other !== new, other.isFirstResponder, !other.resignFirstResponder() {
            return false
        }
        firstResponder = new
        return true
    }
}

/// What a person can do with something on a screen.
@MainActor
public final class Control {
    /// Whose field it is, what it says, or what it is for: a script may use each of them.
    package var names: [String] = []
    package var tap: (@MainActor () throws -> Void)?
    package var type: (@MainActor (String) throws -> Void)?
    package var set: (@MainActor (String) throws -> Void)?
    /// Leaves it; false when nobody was typing into it.
    package var endEditing: (@MainActor () throws -> Bool)?
    /// What lies in it, for a control that is made of others.
    package var parts: @MainActor () -> [Control] = { [] }

    package init() {}

    /// The first in it that takes such an act.
    func first(_ act: Act) -> Control? {
        if takes(act) { return self }
        for part in parts() { if let found = part.first(act) { return found } }
        return nil
    }

    func takes(_ act: Act) -> Bool {
        switch act {
        case .tap: tap != nil
        case .type: type != nil
        case .set: set != nil
        case .endEditing: endEditing != nil
        }
    }
}

enum Act: String {
    case tap, type, set, endEditing
}

extension Instance {
    /// Somebody does something: `tap`, `type`, `set` or `endEditing`, with the control by its name unless there is only one.
    func perform(_ event: String, _ values: Values, in scope: Control?) throws {
        guard let act = Act(rawValue: event.split(separator: ".").last.map(String.init) ?? event) else {
            throw Unexpected.callback
        }
        let name = values["control"].flatMap { act == .endEditing && $0.isEmpty ? nil : $0 }
        var all = scope.map { [$0] } ?? controls.sorted { $0.key < $1.key }.map(\.value)
        var found = find(act, name, in: all, named: scope == nil ? controls : [:])
        if scope == nil, found == nil {
            // Outside of any wrapping there is none: one that came up in a wrapping later than the description.
            let wrapped = boxes.values.compactMap { $0.native?._control() }
                .sorted { ($0.names.first ?? "") < ($1.names.first ?? "") }
            found = find(act, name, in: wrapped, named: [:])
            all += wrapped
        }
        guard let found else {
            let names = all.flatMap { $0.all(act) }.flatMap(\.names).filter { !$0.isEmpty }
            let what = name.map { "is called \($0) and" } ?? "is there that"
            return report(
                2, "no-such-control",
                "nothing on the screen \(what) can be \(act.past) now; there is "
                    + listed(names, nearestTo: name ?? ""))
        }
        switch act {
        case .tap: try found.tap?()
        case .type: try found.type?(values["text"] ?? "")
        case .set: try found.set?(values["value"] ?? "")
        case .endEditing:
            // Without a name it is whichever somebody types into.
            let able = name == nil ? all.flatMap { $0.all(act) } : [found]
            for control in able { if try control.endEditing?() ?? false { return } }
            report(
                2, "no-such-control",
                "\(name ?? "no control") is not being edited now, so that no editing can end there: let the script type "
                    + "into it first")
        }
    }

    private func find(
        _ act: Act, _ name: String?, in all: [Control], named: [String: Control]
    ) -> Control? {
        guard let name else { return all.lazy.compactMap { $0.first(act) }.first }
        if let own = named[name], own.takes(act) { return own }
        return all.lazy.flatMap { $0.all(act) }.first { $0.names.contains(name) }
    }
}

extension Act {
    var past: String {
        switch self {
        case .tap: "tapped"
        case .type: "typed into"
        case .set: "set"
        case .endEditing: "edited"
        }
    }
}
