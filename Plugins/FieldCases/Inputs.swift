import SwiftUI
import UIKit

// Inputs that only the making of a control applies.

// MARK: A customisation that was moved from update to make

final class SearchBarView: UIView {
    let emptyLabel = UILabel()

    override init(frame: CGRect) {
        super.init(frame: frame)
        emptyLabel.accessibilityIdentifier = "listEmpty"
        addSubview(emptyLabel)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }
}

/// Finds the bar and has it customised: once, when it is made.
struct IntrospectedSearchBar: UIViewRepresentable {
    let customize: (SearchBarView) -> Void

    func makeUIView(context: Context) -> SearchBarView {
        let bar = SearchBarView(frame: .zero)
        customize(bar)
        return bar
    }

    func updateUIView(_ bar: SearchBarView, context: Context) {}
}

/// The repair: at each update, as it was before.
struct UpdatedSearchBar: UIViewRepresentable {
    let customize: (SearchBarView) -> Void

    func makeUIView(context: Context) -> SearchBarView { SearchBarView(frame: .zero) }

    func updateUIView(_ bar: SearchBarView, context: Context) { customize(bar) }
}

// MARK: A page that is loaded when its view is made

/// A view that shows what it has loaded.
final class WebContentView: UIView {
    private let page = UILabel()
    private(set) var loaded: String?

    override init(frame: CGRect) {
        super.init(frame: frame)
        page.accessibilityIdentifier = "html"
        addSubview(page)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    /// The page is there when the main queue comes to it.
    func loadHTMLString(_ html: String) {
        loaded = html
        DispatchQueue.main.async { [weak self] in
            if let self, loaded == html { page.text = html }
        }
    }
}

struct HTMLText: UIViewRepresentable {
    let html: String

    func makeUIView(context: Context) -> WebContentView {
        let view = WebContentView(frame: .zero)
        view.loadHTMLString(html)
        return view
    }

    func updateUIView(_ view: WebContentView, context: Context) {}
}

struct ReloadingHTMLText: UIViewRepresentable {
    let html: String

    func makeUIView(context: Context) -> WebContentView { WebContentView(frame: .zero) }

    func updateUIView(_ view: WebContentView, context: Context) {
        if view.loaded != html { view.loadHTMLString(html) }
    }
}

// MARK: A parameter that only the factory reads

final class NotificationView: UIView {
    private let surfaceLabel = UILabel()

    init(surface: String) {
        super.init(frame: .zero)
        surfaceLabel.accessibilityIdentifier = "surface"
        addSubview(surfaceLabel)
        surfaceLabel.text = surface
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }
}

struct NotificationPreview: UIViewRepresentable {
    let surface: String

    func makeUIView(context: Context) -> NotificationView { NotificationView(surface: surface) }

    func updateUIView(_ view: NotificationView, context: Context) {}
}
