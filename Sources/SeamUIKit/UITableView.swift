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

    // MARK: Its content as a configuration

    private var configured: (any UIView & UIContentView)?

    public var contentConfiguration: (any UIContentConfiguration)? {
        didSet {
            guard let contentConfiguration else {
                configured?.removeFromSuperview()
                configured = nil
                return
            }
            if let configured, configured.supports(contentConfiguration) {
                configured.configuration = contentConfiguration
            } else {
                configured?.removeFromSuperview()
                let made = contentConfiguration.makeContentView()
                configured = made
                contentView.addSubview(made)
            }
        }
    }

    public func defaultContentConfiguration() -> UIListContentConfiguration { .cell() }

    public typealias ConfigurationUpdateHandler =
        @MainActor (UITableViewCell, UICellConfigurationState) -> Void
    public var configurationUpdateHandler: ConfigurationUpdateHandler? {
        didSet { setNeedsUpdateConfiguration() }
    }
    public var isSelected = false { didSet { if oldValue != isSelected { setNeedsUpdateConfiguration() } } }
    public var configurationState: UICellConfigurationState { .init(isSelected: isSelected) }

    /// Called for each state that the cell comes into, and not for another item alone.
    open func updateConfiguration(using state: UICellConfigurationState) {
        configurationUpdateHandler?(self, state)
    }

    /// In the next layout, however often it is asked for until then.
    open func setNeedsUpdateConfiguration() {
        if needsConfiguration { return }
        guard let instance = Instance.current else { return updateConfiguration(using: configurationState) }
        needsConfiguration = true
        instance.runAfterBody { [weak self] in self?.updateNow() }
    }

    private var needsConfiguration = false

    fileprivate func updateNow() {
        guard needsConfiguration else { return }
        needsConfiguration = false
        updateConfiguration(using: configurationState)
    }
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
        if let reconfigured { return reconfigured }
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
        for cell in sections.joined() { putAway(cell) }
        sections = []
        guard let dataSource else { return }
        ask(dataSource)
        for section in 0..<dataSource.numberOfSections(in: self) {
            let count = dataSource.tableView(self, numberOfRowsInSection: section)
            sections.append([])
            for row in 0..<count { insert(dataSource, IndexPath(row: row, section: section)) }
        }
    }

    private func putAway(_ cell: UITableViewCell) {
        cell.removeFromSuperview()
        cell.isSelected = false
        if let identifier = cell.reuseIdentifier { queue[identifier, default: []].append(cell) }
    }

    public enum RowAnimation: Sendable { case fade, right, left, top, bottom, none, middle, automatic }

    /// These rows alone are asked for again.
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths where cellForRow(at: path) != nil {
            putAway(sections[path.section].remove(at: path.row))
            insert(dataSource, path)
        }
    }

    /// The cells that are there are configured again, with no reuse in between.
    open func reconfigureRows(at indexPaths: [IndexPath]) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths {
            reconfigured = cellForRow(at: path)
            if reconfigured != nil { _ = dataSource.tableView(self, cellForRowAt: path) }
            reconfigured = nil
        }
    }

    private var reconfigured: UITableViewCell?

    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        guard let dataSource, isLoaded else { return }
        ask(dataSource)
        for path in indexPaths.sorted() where sections.indices.contains(path.section) {
            insert(dataSource, path)
        }
    }

    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        for path in indexPaths.sorted().reversed() where cellForRow(at: path) != nil {
            putAway(sections[path.section].remove(at: path.row))
        }
    }

    private func insert(_ dataSource: any UITableViewDataSource, _ path: IndexPath) {
        let cell = dataSource.tableView(self, cellForRowAt: path)
        sections[path.section].insert(cell, at: min(path.row, sections[path.section].count))
        addSubview(cell)
        cell.updateNow()
    }

    /// Whoever answers answers for the screen that the table is in.
    private func ask(_ dataSource: any UITableViewDataSource) { surface?.asks(dataSource) }

    private func loadIfNeeded() { if !isLoaded, dataSource != nil { reloadData() } }

    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if window == nil || isLoaded { return }
        // Rows are asked for in the layout that follows, unless somebody asks for them before.
        guard let instance = surface?.instance, instance.isInBody else { return loadIfNeeded() }
        instance.runAfterBody { [weak self] in if let self, window != nil { loadIfNeeded() } }
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
            if let cell = cellForRow(at: path) {
                for other in visibleCells { other.isSelected = other === cell }
                delegate?.tableView(self, didSelectRowAt: path)
            }
        }
    }
}
