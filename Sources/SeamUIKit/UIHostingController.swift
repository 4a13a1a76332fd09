@_exported public import Foundation
public import SeamKit

/// Holds the root view of a declarative tree in an imperative screen. The view has what it was made with; assigning the
/// root view is what carries something newer across.
@MainActor
@preconcurrency
open class UIHostingController<Content: View>: UIViewController {
    private var root: Content
    private var hosted: HostedRoot<Content>?

    public init(rootView: Content) {
        root = rootView
        super.init(nibName: nil, bundle: nil)
        host()
    }

    public init?(coder: NSCoder, rootView: Content) {
        root = rootView
        super.init(coder: coder)
        host()
    }

    /// A storyboard can't make a root view: a subclass calls `init(coder:rootView:)`.
    public required init?(coder: NSCoder) {
        fatalError("\(Self.self) has no root view: call super.init(coder:rootView:) in its init(coder:)")
    }

    open var rootView: Content {
        get { root }
        set {
            root = newValue
            hosted?.assign(newValue)
        }
    }

    private func host() {
        guard let instance = Instance.current, instance.isStaged else { return }
        do {
            let hosted = try HostedRoot(root, instance: instance, type: type(of: self))
            self.hosted = hosted
            try instance.place { try hosted.place() }
        } catch {
            instance.report(error)
        }
    }

    open override func removeFromParent() {
        super.removeFromParent()
        hosted?.remove()
        hosted = nil
    }
}
