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
    public var section: Int { self[0] }
    public var row: Int { self[1] }
}

/// A cell: it is put into the queue when its row goes, and comes out of it for another one with all that it shows.
@MainActor
@preconcurrency
open class UITableViewCell: UIView {
    public enum CellStyle: Sendable { case `default`, value1, value2, subtitle }

    public let reuseIdentifier: String?
    public let contentView = UIView()
    public private(set) lazy var textLabel: UILabel? = label()
    public private(set) lazy var detailTextLabel: UILabel? = label()

    public required init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
        addSubview(contentView)
    }

    public required init?(coder: NSCoder) {
        reuseIdentifier = nil
        super.init(coder: coder)
        addSubview(contentView)
    }

    private func label() -> UILabel {
        let label = UILabel()
        contentView.addSubview(label)
        return label
    }

    /// Before it is given to another row. What is not reset here is what the next row begins with.
    open func prepareForReuse() {}
}

/// Rows of cells, as its data source answers. Nothing is laid out here, so all rows are on the screen.
@MainActor
@preconcurrency
open class UITableView: UIView {
    public enum Style: Sendable { case plain, grouped, insetGrouped }

    public weak var dataSource: (any UITableViewDataSource)? { didSet { isLoaded = false } }
    public weak var delegate: (any UITableViewDelegate)?
    private var classes: [String: UITableViewCell.Type] = [:]
    private var queue: [String: [UITableViewCell]] = [:]
    private var sections: [[UITableViewCell]] = []
    private var isLoaded = false

    public convenience init(frame: CGRect, style: Style) { self.init(frame: frame) }

    public func register(_ type: UITableViewCell.Type, forCellReuseIdentifier identifier: String) {
        classes[identifier] = type
    }

    public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        if let waiting = queue[identifier]?.first {
            queue[identifier]?.removeFirst()
            waiting.prepareForReuse()
            return waiting
        }
        return classes[identifier]?.init(style: .default, reuseIdentifier: identifier)
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
        isLoaded = true
        for cell in sections.joined() {
            cell.removeFromSuperview()
            if let identifier = cell.reuseIdentifier { queue[identifier, default: []].append(cell) }
        }
        sections = []
        guard let dataSource else { return }
        ask(dataSource)
        for section in 0..<dataSource.numberOfSections(in: self) {
            let count = dataSource.tableView(self, numberOfRowsInSection: section)
            sections.append([])
            for row in 0..<count { insert(dataSource, IndexPath(row: row, section: section)) }
        }
    }

    /// These rows alone are asked for again.
    open func reloadRows(at indexPaths: [IndexPath]) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths where cellForRow(at: path) != nil {
            let old = sections[path.section].remove(at: path.row)
            old.removeFromSuperview()
            if let identifier = old.reuseIdentifier { queue[identifier, default: []].append(old) }
            insert(dataSource, path)
        }
    }

    private func insert(_ dataSource: any UITableViewDataSource, _ path: IndexPath) {
        let cell = dataSource.tableView(self, cellForRowAt: path)
        sections[path.section].insert(cell, at: path.row)
        addSubview(cell)
    }

    /// Whoever answers answers for the screen that the table is in.
    private func ask(_ dataSource: any UITableViewDataSource) { surface?.asks(dataSource) }

    private func loadIfNeeded() { if !isLoaded, dataSource != nil { reloadData() } }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if isSeen { loadIfNeeded() }
    }

    open override func layoutSubviews() {
        super.layoutSubviews()
        loadIfNeeded()
    }

    public var numberOfSections: Int {
        loadIfNeeded()
        return sections.count
    }

    /// As it was answered last.
    public func numberOfRows(inSection section: Int) -> Int {
        loadIfNeeded()
        return sections.indices.contains(section) ? sections[section].count : 0
    }

    public func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
        guard sections.indices.contains(indexPath.section),
            sections[indexPath.section].indices.contains(indexPath.row)
        else { return nil }
        return sections[indexPath.section][indexPath.row]
    }

    public var visibleCells: [UITableViewCell] { Array(sections.joined()) }

    /// A row is chosen by its number, or by section and row: "2", "0.2".
    open override func _fill(_ control: Control) {
        control.set = { [weak self] text in
            let numbers = text.split(separator: ".").compactMap { Int($0) }
            guard let self, let row = numbers.last else { return }
            let path = IndexPath(row: row, section: numbers.count > 1 ? numbers[0] : 0)
            if cellForRow(at: path) != nil { delegate?.tableView(self, didSelectRowAt: path) }
        }
    }
}
