import SwiftUI
import UIKit

// Coordinators that answer from the copy of their parent that they hold.

// MARK: Pages

final class NamedPageController: UIViewController {
    private let titleLabel = UILabel()

    init(name: String) {
        super.init(nibName: nil, bundle: nil)
        title = name
    }

    required init?(coder: NSCoder) { fatalError("made in code alone") }

    override func viewDidLoad() {
        super.viewDidLoad()
        titleLabel.accessibilityIdentifier = "page"
        titleLabel.text = title
        view.addSubview(titleLabel)
    }
}

/// Says at its edge which page comes next.
final class PeekingPageController: UIPageViewController {
    private let nextLabel = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        nextLabel.accessibilityIdentifier = "next"
        view.addSubview(nextLabel)
    }

    func peek(at page: UIViewController?) {
        if nextLabel.text != page?.title { nextLabel.text = page?.title }
    }
}

struct NamedPages: UIViewControllerRepresentable {
    let controllers: [NamedPageController]
    @Binding var page: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIViewController(context: Context) -> PeekingPageController {
        let pager = PeekingPageController(transitionStyle: .scroll, navigationOrientation: .horizontal)
        pager.dataSource = context.coordinator
        pager.delegate = context.coordinator
        return pager
    }

    func updateUIViewController(_ pager: PeekingPageController, context: Context) {
        guard let shown = controllers.first(where: { $0.title == page }) else { return }
        pager.setViewControllers([shown], direction: .forward, animated: false)
    }

    final class Coordinator: NSObject, UIPageViewControllerDataSource, UIPageViewControllerDelegate {
        var parent: NamedPages

        init(_ parent: NamedPages) { self.parent = parent }

        func pageViewController(
            _ pager: UIPageViewController, viewControllerBefore controller: UIViewController
        ) -> UIViewController? { parent.controllers.neighbour(of: controller, by: -1) }

        func pageViewController(
            _ pager: UIPageViewController, viewControllerAfter controller: UIViewController
        ) -> UIViewController? {
            let next = parent.controllers.neighbour(of: controller, by: 1)
            (pager as? PeekingPageController)?.peek(at: next)
            return next
        }

        func pageViewController(
            _ pager: UIPageViewController, didFinishAnimating finished: Bool,
            previousViewControllers: [UIViewController], transitionCompleted completed: Bool
        ) {
            if completed, let title = pager.viewControllers?.first?.title { parent.page = title }
        }
    }
}

/// The repair: the copy is renewed before anything that may ask for it.
struct RenewingNamedPages: UIViewControllerRepresentable {
    let controllers: [NamedPageController]
    @Binding var page: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIViewController(context: Context) -> PeekingPageController {
        let pager = PeekingPageController(transitionStyle: .scroll, navigationOrientation: .horizontal)
        pager.dataSource = context.coordinator
        pager.delegate = context.coordinator
        return pager
    }

    func updateUIViewController(_ pager: PeekingPageController, context: Context) {
        context.coordinator.parent = self
        guard let shown = controllers.first(where: { $0.title == page }) else { return }
        pager.setViewControllers([shown], direction: .forward, animated: false)
    }

    final class Coordinator: NSObject, UIPageViewControllerDataSource, UIPageViewControllerDelegate {
        var parent: RenewingNamedPages

        init(_ parent: RenewingNamedPages) { self.parent = parent }

        func pageViewController(
            _ pager: UIPageViewController, viewControllerBefore controller: UIViewController
        ) -> UIViewController? { parent.controllers.neighbour(of: controller, by: -1) }

        func pageViewController(
            _ pager: UIPageViewController, viewControllerAfter controller: UIViewController
        ) -> UIViewController? {
            let next = parent.controllers.neighbour(of: controller, by: 1)
            (pager as? PeekingPageController)?.peek(at: next)
            return next
        }

        func pageViewController(
            _ pager: UIPageViewController, didFinishAnimating finished: Bool,
            previousViewControllers: [UIViewController], transitionCompleted completed: Bool
        ) {
            if completed, let title = pager.viewControllers?.first?.title { parent.page = title }
        }
    }
}

extension [NamedPageController] {
    fileprivate func neighbour(of controller: UIViewController, by step: Int) -> NamedPageController? {
        guard let index = firstIndex(where: { $0 === controller }), indices.contains(index + step) else {
            return nil
        }
        return self[index + step]
    }
}

// MARK: A table

final class EventListView: UIView {
    let table = UITableView()
    private let latestLabel = UILabel()
    private let countLabel = UILabel()

    override init(frame: CGRect) {
        super.init(frame: frame)
        latestLabel.accessibilityIdentifier = "latest"
        countLabel.accessibilityIdentifier = "rowCount"
        table.register(UITableViewCell.self, forCellReuseIdentifier: "event")
        addSubview(latestLabel)
        addSubview(table)
        addSubview(countLabel)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    func show(latest: String?) {
        if latestLabel.text != latest { latestLabel.text = latest }
    }

    func reload() {
        table.reloadData()
        let count = "\(table.numberOfRows(inSection: 0))"
        if countLabel.text != count { countLabel.text = count }
    }
}

struct EventTable: UIViewRepresentable {
    let events: [String]

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> EventListView {
        let list = EventListView(frame: .zero)
        list.table.dataSource = context.coordinator
        return list
    }

    func updateUIView(_ list: EventListView, context: Context) {
        list.show(latest: events.last)
        list.reload()
    }

    final class Coordinator: NSObject, UITableViewDataSource {
        var parent: EventTable

        init(_ parent: EventTable) { self.parent = parent }

        func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int {
            parent.events.count
        }

        func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
            let cell = table.dequeueReusableCell(withIdentifier: "event", for: path)
            cell.textLabel?.text = parent.events[path.row]
            return cell
        }
    }
}

struct RenewingEventTable: UIViewRepresentable {
    let events: [String]

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> EventListView {
        let list = EventListView(frame: .zero)
        list.table.dataSource = context.coordinator
        return list
    }

    func updateUIView(_ list: EventListView, context: Context) {
        context.coordinator.parent = self
        list.show(latest: events.last)
        list.reload()
    }

    final class Coordinator: NSObject, UITableViewDataSource {
        var parent: RenewingEventTable

        init(_ parent: RenewingEventTable) { self.parent = parent }

        func tableView(_ table: UITableView, numberOfRowsInSection section: Int) -> Int {
            parent.events.count
        }

        func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
            let cell = table.dequeueReusableCell(withIdentifier: "event", for: path)
            cell.textLabel?.text = parent.events[path.row]
            return cell
        }
    }
}
