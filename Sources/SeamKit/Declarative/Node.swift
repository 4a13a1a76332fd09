/// One place in a declarative tree. It keeps what outlives the values that stand there one after another: state, what
/// is read, and what the place is called as a field.
///
/// Identity is the place and the type of what stands in it; `id(_:)` and `ForEach` add a key. Another identity is
/// another view: its state begins anew.
@MainActor
public final class _Node {
    package unowned let tree: Tree
    /// It or something around it has an identity of its own, from `id(_:)` or from a row.
    let isKeyed: Bool
    /// What stands here is there and on no screen: the options of a menu, the answers of a dialog.
    var isSilent: Bool
    /// From `frame(height:)` and its kin; all that is known of sizes here.
    package var size: (width: Double?, height: Double?)?
    /// Not weak, which would make each retain of a place with others in it a slow one. The parent outlives the reference:
    /// it takes it back when it lets a child go, and when it goes itself.
    package private(set) unowned var parent: _Node?
    /// What stands here.
    private var kind: ObjectIdentifier?
    package var children: [_Node] = []
    /// Children that have a key: rows, and what `id(_:)` names.
    private var keyed: [AnyHashable: _Node] = [:]
    private var keyedSeen: [AnyHashable] = []

    /// The storage of a view's own properties, by their name.
    package var locations: [String: AnyObject] = [:]
    /// Evaluates the value that stands here once more; only of a view with a body.
    package var evaluation: (@MainActor () throws -> Void)?
    package var isDirty = false
    /// What its body has subscribed to.
    package var subscriptions: [String: ObjectSubscriptionRecord] = [:]

    package var environment: EnvironmentValues
    /// What it has read that came from outside of the tree.
    var inherited: [String: String?] = [:]
    /// From `accessibilityIdentifier`, for what is shown here or below.
    package var identifier: String?
    /// From `id(_:)`, for a control that stands here.
    package var identity: String?
    /// What a person can do with what stands here.
    package var control: Control?
    /// The name of the view that this lies in, with its row: "CounterView", "Row[7]".
    package var scope: String
    /// The field that is shown here.
    package var field: ShownField?
    private var shown: String?
    /// How many fields of each kind got a derived name here.
    private var derived: [String: Int] = [:]
    /// Something else that has to end with the place: a wrapped control, a running task.
    package var onRemoval: [@MainActor () -> Void] = []
    package var attachments: [String: AnyObject] = [:]

    package init(
        tree: Tree, parent: _Node?, environment: EnvironmentValues, scope: String, isKeyed: Bool = false
    ) {
        self.tree = tree
        self.isKeyed = isKeyed || parent?.isKeyed ?? false
        isSilent = parent?.isSilent ?? false
        self.parent = parent
        self.environment = environment
        self.scope = scope
    }

    isolated deinit {
        for child in children { child.parent = nil }
        for (_, child) in keyed { child.parent = nil }
    }

    /// Says what stands here from now on. Another type is another view, with nothing left of the former one.
    package func become(_ type: Any.Type) {
        let new = ObjectIdentifier(type)
        if kind == new { return }
        if kind != nil { clear() }
        kind = new
    }

    package var isNew: Bool { kind == nil }

    /// Another value stands here. Its type is told where it is known: inside of `_render` it would be looked up.
    @specialized(where Content == NamedView<Text>)
    @specialized(where Content == Text)
    package func render<Content: View>(_ view: Content) throws {
        become(Content.self)
        try Content._render(view, in: self)
    }

    package func child(_ index: Int) -> _Node {
        while children.count <= index {
            children.append(_Node(tree: tree, parent: self, environment: environment, scope: scope))
        }
        let child = children[index]
        if !child.environment.isSame(as: environment) { child.environment = environment }
        return child
    }

    /// The only child: what a modifier or a container hands its content to, with the identifier it was given.
    package func content() -> _Node {
        let child = child(0)
        child.identifier = identifier
        child.identity = identity
        return child
    }

    /// In the order of the last evaluation.
    var keyedChildren: [_Node] { keyedSeen.compactMap { keyed[$0] } }
    var keyedRows: [(key: AnyHashable, row: _Node)] {
        keyedSeen.compactMap { key in keyed[key].map { (key, $0) } }
    }

    package func beginKeyed() { keyedSeen.removeAll(keepingCapacity: true) }

    package func child(for key: AnyHashable, scope: String) -> _Node {
        keyedSeen.append(key)
        if let known = keyed[key] {
            known.environment = environment
            return known
        }
        let child = _Node(tree: tree, parent: self, environment: environment, scope: scope, isKeyed: true)
        keyed[key] = child
        return child
    }

    package func endKeyed() {
        guard keyed.count > keyedSeen.count else { return }
        let seen = Set(keyedSeen)
        for (key, node) in keyed where !seen.contains(key) {
            node.leave()
            keyed[key] = nil
        }
    }

    package func removeChildren(from index: Int) {
        while children.count > index { children.removeLast().leave() }
    }

    /// Its parent lets it go.
    private func leave() {
        clear()
        parent = nil
    }

    /// The end of what stands here: nothing of it is shown, and whoever follows begins anew.
    package func clear() {
        size = nil
        for child in children { child.leave() }
        for (_, child) in keyed { child.leave() }
        children = []
        keyed = [:]
        let ends = onRemoval
        onRemoval = []
        for end in ends { end() }
        for (_, record) in subscriptions { record.cancel() }
        subscriptions = [:]
        locations = [:]
        attachments = [:]
        inherited = [:]
        derived = [:]
        evaluation = nil
        control = nil
        isDirty = false
        kind = nil
        shown = nil
        if let field {
            tree.release(field)
            self.field = nil
        }
    }

    /// Something that the body here has read is another one now.
    package func invalidate(_ cause: Why) {
        if isDirty || evaluation == nil { return }
        isDirty = true
        tree.note(self, cause)
    }

    // MARK: Fields

    /// Shows a value in the field of this place: the identifier's, or one with a name that is derived.
    package func show(_ kind: String, _ value: String?, control: Control? = nil) {
        if isSilent {
            shown = value
            return
        }
        if field == nil || field?.isNamed(identifier) == false {
            if let field { tree.release(field) }
            let name = identifier ?? nearestScope().derive(kind)
            field = ShownField(name: name, identifier: identifier)
            tree.declare(name)
        }
        guard let field else { return }
        if let control {
            control.names.insert(field.name, at: 0)
            tree.put(control, under: field.name, at: self)
        }
        shown = value
        tree.show(field.name, value)
    }

    /// What lies here is the row of another item now: names that are derived begin with that.
    func changeRow(to item: String) {
        scope = (scope.firstIndex(of: "[").map { String(scope[..<$0]) } ?? scope) + "[\(item)]"
        derived = [:]
        if let field, field.identifier == nil {
            tree.release(field)
            self.field = nil
        }
        for child in children + keyedChildren { child.changeRow(to: item) }
    }

    /// The outermost size that somebody has given.
    var givenSize: (width: Double?, height: Double?)? {
        if let size { return size }
        for child in children { if let given = child.givenSize { return given } }
        for (_, child) in keyed { if let given = child.givenSize { return given } }
        return nil
    }

    /// What the fields below say.
    package func fieldTexts() -> [String] {
        (field != nil || isSilent ? shown.map { [$0] } ?? [] : []) + children.flatMap { $0.fieldTexts() }
    }

    /// The view with a body that this is a part of.
    var enclosingView: _Node? {
        var here: _Node? = self
        while let node = here, node.evaluation == nil { here = node.parent }
        return here
    }

    private func nearestScope() -> _Node {
        var here = self
        while let parent = here.parent, parent.scope == scope { here = parent }
        return here
    }

    private func derive(_ kind: String) -> String {
        let count = derived[kind, default: 0] + 1
        derived[kind] = count
        let name = scope.isEmpty ? kind : "\(scope).\(kind)"
        return count == 1 ? name : "\(name)-\(count)"
    }
}

package struct ShownField {
    package let name: String
    fileprivate let identifier: String?
    func isNamed(_ other: String?) -> Bool { identifier == other }
}

/// Why SeamKit asks for an evaluation, in the ABI's numbers.
package enum Why: UInt32 {
    case input = 2
    case state = 6
    case observed = 7
    case environment = 8
    case container = 12
}
