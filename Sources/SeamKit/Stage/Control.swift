/// What a person can do with something on a screen.
@MainActor
public final class Control {
    /// Whose field it is, what it says, or what it is for: a script may use each of them.
    package var names: [String] = []
    package var tap: (@MainActor () throws -> Void)?
    package var type: (@MainActor (String) throws -> Void)?
    package var set: (@MainActor (String) throws -> Void)?
    /// What lies in it, for a control that is made of others.
    package var parts: @MainActor () -> [Control] = { [] }

    package init() {}

    func find(_ name: String) -> Control? {
        if names.contains(name) { return self }
        for part in parts() { if let found = part.find(name) { return found } }
        return nil
    }

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
        }
    }
}

enum Act: String {
    case tap, type, set
}

extension Instance {
    /// Somebody does something: `tap`, `type` or `set`, with the control by its name unless there is only one.
    func perform(_ event: String, _ values: Values, in scope: Control?) throws {
        guard let act = Act(rawValue: event.split(separator: ".").last.map(String.init) ?? event) else {
            throw Unexpected.callback
        }
        let name = values["control"]
        let all = scope.map { [$0] } ?? Array(controls.sorted { $0.key < $1.key }.map(\.value))
        let found =
            name.flatMap { name in
                (scope == nil ? controls[name] : nil) ?? all.lazy.compactMap { $0.find(name) }.first
            } ?? (name == nil ? all.lazy.compactMap { $0.first(act) }.first : nil)
        guard let found, found.takes(act) else {
            return report(
                2, "no-such-control",
                "nothing on the screen is called \(name ?? "anything") and can be \(act.past); there is "
                    + (all.flatMap(\.names).isEmpty ? "none" : all.flatMap(\.names).joined(separator: ", ")))
        }
        switch act {
        case .tap: try found.tap?()
        case .type: try found.type?(values["text"] ?? "")
        case .set: try found.set?(values["value"] ?? "")
        }
    }
}

extension Act {
    var past: String {
        switch self {
        case .tap: "tapped"
        case .type: "typed into"
        case .set: "set"
        }
    }
}
