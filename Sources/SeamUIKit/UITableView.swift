@_exported public import Foundation
public import SeamKit

@MainActor
@preconcurrency
public protocol UITableViewDataSource: AnyObject {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}

extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
}

@MainActor
@preconcurrency
public protocol UITableViewDelegate: AnyObject {
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
}

extension IndexPath {
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    public var row: Int { self[1] }
}

/// A cell: it is put into the queue when its row goes, and comes out of it for another one with all that it shows.
@MainActor
@preconcurrency
open class UITableViewCell: _ReusableCell {
    public enum CellStyle: Sendable { case `default`, value1, value2, subtitle }

    public private(set) lazy var textLabel: UILabel? = label()
    public private(set) lazy var detailTextLabel: UILabel? = label()

    public required init(style: CellStyle, reuseIdentifier: String?) {
        super.init(frame: .zero)
        self.reuseIdentifier = reuseIdentifier
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    private func label() -> UILabel {
        let label = UILabel()
        contentView.addSubview(label)
        return label
    }

    public typealias ConfigurationUpdateHandler =
        @MainActor (UITableViewCell, UICellConfigurationState) -> Void
    public var configurationUpdateHandler: ConfigurationUpdateHandler? {
        didSet { setNeedsUpdateConfiguration() }
    }

    open override func updateConfiguration(using state: UICellConfigurationState) {
        configurationUpdateHandler?(self, state)
    }
}

/// Rows of cells, as its data source answers. Nothing is laid out here, so all rows are on the screen.
@MainActor
@preconcurrency
open class UITableView: UIView {
    public enum Style: Sendable { case plain, grouped, insetGrouped }
    public enum RowAnimation: Sendable { case fade, right, left, top, bottom, none, middle, automatic }

    public weak var dataSource: (any UITableViewDataSource)? {
        didSet {
            cells.isLoaded = false
            loadSoon()
        }
    }
    public weak var delegate: (any UITableViewDelegate)?
    private let cells = CellList<UITableViewCell>()
    private var classes: [String: UITableViewCell.Type] = [:]

    public convenience init(frame: CGRect, style: Style) { self.init(frame: frame) }

    public func register(_ type: UITableViewCell.Type, forCellReuseIdentifier identifier: String) {
        classes[identifier] = type
    }

    public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        cells.dequeue(identifier) {
            classes[identifier]?.init(style: .default, reuseIdentifier: identifier)
        }
    }

    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath)
        -> UITableViewCell
    {
        guard let cell = dequeueReusableCell(withIdentifier: identifier) else {
            fatalError("no class is registered for cells with identifier \(identifier)")
        }
        return cell
    }

    open func reloadData() {
        cells.clear()
        guard let dataSource else { return }
        ask(dataSource)
        let count = dataSource.numberOfSections(in: self)
        cells.fill(sections: count)
        for section in 0..<count {
            for row in 0..<dataSource.tableView(self, numberOfRowsInSection: section) {
                insert(dataSource, IndexPath(row: row, section: section))
            }
        }
    }

    /// These rows alone are asked for again.
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths where cellForRow(at: path) != nil {
            cells.remove(at: path)
            insert(dataSource, path)
        }
    }

    /// The cells that are there are configured again, with no reuse in between.
    open func reconfigureRows(at indexPaths: [IndexPath]) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths {
            cells.reconfigure(path) { _ = dataSource.tableView(self, cellForRowAt: path) }
        }
    }

    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        guard let dataSource, cells.isLoaded else { return }
        ask(dataSource)
        for path in indexPaths.sorted() { insert(dataSource, path) }
    }

    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        for path in indexPaths.sorted().reversed() { cells.remove(at: path) }
    }

    private func insert(_ dataSource: any UITableViewDataSource, _ path: IndexPath) {
        cells.insert(dataSource.tableView(self, cellForRowAt: path), at: path, into: self)
    }

    /// Whoever answers answers for the screen that the table is in.
    private func ask(_ dataSource: any UITableViewDataSource) { surface?.asks(dataSource) }

    private func loadIfNeeded() { if !cells.isLoaded, dataSource != nil { reloadData() } }
    private func loadSoon() { cells.load(for: self) { [weak self] in self?.loadIfNeeded() } }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        loadSoon()
    }

    open override func layoutSubviews() {
        super.layoutSubviews()
        loadIfNeeded()
    }

    public var numberOfSections: Int {
        loadIfNeeded()
        return cells.sections.count
    }

    /// As it was answered last.
    public func numberOfRows(inSection section: Int) -> Int {
        loadIfNeeded()
        return cells.sections.indices.contains(section) ? cells.sections[section].count : 0
    }

    public func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { cells.cell(at: indexPath) }
    public var visibleCells: [UITableViewCell] { cells.all }

    /// A row is chosen by its number, or by section and row: "2", "0.2".
    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            guard let self, let path = IndexPath(said: text), cells.cell(at: path) != nil else { return }
            cells.select(path)
            delegate?.tableView(self, didSelectRowAt: path)
        }
    }
}
