@_exported public import Foundation
public import SeamKit

/// What a content view is to show: a value, of which a cell gets a new one each time that it is configured.
@MainActor
@preconcurrency
public protocol UIContentConfiguration {
    func makeContentView() -> any UIView & UIContentView
    func updated(for state: any UIConfigurationState) -> Self
}

/// A view that takes its content from a configuration. One that supports the next configuration is given it; any other is
/// replaced.
@MainActor
@preconcurrency
public protocol UIContentView: NSObjectProtocol {
    var configuration: any UIContentConfiguration { get set }
    func supports(_ configuration: any UIContentConfiguration) -> Bool
}

extension UIContentView {
    public func supports(_ configuration: any UIContentConfiguration) -> Bool {
        type(of: configuration) == type(of: self.configuration)
    }
}

public protocol UIConfigurationState: Sendable {}

/// What a cell is like at the moment.
public struct UICellConfigurationState: UIConfigurationState, Hashable {
    public var isSelected = false
    public var isHighlighted = false
    public var isEditing = false
    public var isFocused = false
}

/// A declarative view as the content of a cell. A cell that is configured again with a view of the same type keeps what the
/// one before kept to itself (R15): another `id(_:)` is another view.
@MainActor
@preconcurrency
public struct UIHostingConfiguration<Content: View, Background: View>: UIContentConfiguration {
    fileprivate let content: Content
    private let background: Background

    public init(@ViewBuilder content: () -> Content) where Background == EmptyView {
        self.content = content()
        background = EmptyView()
    }

    private init(content: Content, background: Background) {
        self.content = content
        self.background = background
    }

    public func makeContentView() -> any UIView & UIContentView { HostingContentView(self) }
    public func updated(for state: any UIConfigurationState) -> Self { self }

    // Of the look: kept for the source, and nothing shown of it.
    public func margins(_ edges: Edge.Set = .all, _ length: CGFloat) -> Self { self }
    public func minSize(width: CGFloat? = nil, height: CGFloat? = nil) -> Self { self }
    public func background<Style: View>(
        @ViewBuilder content background: () -> Style
    ) -> UIHostingConfiguration<Content, Style> {
        UIHostingConfiguration<Content, Style>(content: content, background: background())
    }
}

/// The view behind a hosting configuration: it holds the tree, and is given one root view after another.
private final class HostingContentView<Content: View, Background: View>: UIView, UIContentView {
    private var current: UIHostingConfiguration<Content, Background>
    private var place: HostedPlace<Content>?

    init(_ configuration: UIHostingConfiguration<Content, Background>) {
        current = configuration
        super.init(frame: .zero)
        guard let instance = Instance.current, instance.isStaged else { return }
        do {
            let root = try HostedRoot(current.content, instance: instance, type: Content.self)
            root.isRow = true
            place = HostedPlace(root)
            try instance.place { [weak place] in if let place { try place.root.place() } }
            root.move(isInWindow: false, isHidden: false)
        } catch {
            instance.report(error)
        }
    }

    required init?(coder: NSCoder) { fatalError("made by its configuration alone") }

    var configuration: any UIContentConfiguration {
        get { current }
        set {
            guard let new = newValue as? UIHostingConfiguration<Content, Background> else { return }
            current = new
            place?.root.assign(new.content)
        }
    }

    override func settled() { place?.root.move(isInWindow: window != nil, isHidden: isConcealed) }
}

/// What a cell shows by default: a text, and a second one.
@MainActor
@preconcurrency
public struct UIListContentConfiguration: UIContentConfiguration {
    public var text: String?
    public var secondaryText: String?
    public var image: UIImage?
    public var textProperties = TextProperties()
    public var secondaryTextProperties = TextProperties()
    public var imageProperties = ImageProperties()
    public var attributedText: NSAttributedString? {
        get { text.map { NSAttributedString(string: $0) } }
        set { text = newValue?.string }
    }

    public struct TextProperties {
        public var font = UIFont.preferredFont(forTextStyle: .body)
        public var color = UIColor.label
        public var alignment = NSTextAlignment.natural
        public var numberOfLines = 0
    }
    public struct ImageProperties {
        public var tintColor: UIColor?
        public var cornerRadius: CGFloat = 0
        public var maximumSize = CGSize.zero
    }

    public static func cell() -> Self { Self() }
    public static func subtitleCell() -> Self { Self() }
    public static func valueCell() -> Self { Self() }

    public func makeContentView() -> any UIView & UIContentView { ListContentView(self) }
    public func updated(for state: any UIConfigurationState) -> Self { self }
}

private final class ListContentView: UIView, UIContentView {
    private var current: UIListContentConfiguration
    private let textLabel = UILabel()
    private let secondaryTextLabel = UILabel()

    init(_ configuration: UIListContentConfiguration) {
        current = configuration
        super.init(frame: .zero)
        addSubview(textLabel)
        addSubview(secondaryTextLabel)
        write()
    }

    required init?(coder: NSCoder) { fatalError("made by its configuration alone") }

    var configuration: any UIContentConfiguration {
        get { current }
        set {
            guard let new = newValue as? UIListContentConfiguration else { return }
            current = new
            write()
        }
    }

    /// All of it: what a configuration has no text for shows none.
    private func write() {
        textLabel.text = current.text
        secondaryTextLabel.text = current.secondaryText
        secondaryTextLabel.isHidden = current.secondaryText == nil
    }
}
