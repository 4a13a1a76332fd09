@_exported public import Foundation
public import SeamKit

@MainActor
@preconcurrency
public protocol UITableViewDataSource: AnyObject {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
    func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
    func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool
    func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath)
}

extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    public func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
    public func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool { true }
    public func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {}
}

@MainActor
@preconcurrency
public protocol UITableViewDelegate: UIScrollViewDelegate {
    func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath?
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath)
    func tableView(
        _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath)
    func tableView(
        _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
    func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView?
    func tableView(_ tableView: UITableView, viewForFooterInSection section: Int) -> UIView?
    func tableView(_ tableView: UITableView, heightForHeaderInSection section: Int) -> CGFloat
    func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration?
    func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration?
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? {
        indexPath
    }
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath) {}
    public func tableView(
        _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {}
    public func tableView(
        _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {}
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
    public func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView? { nil }
    public func tableView(_ tableView: UITableView, viewForFooterInSection section: Int) -> UIView? { nil }
    public func tableView(_ tableView: UITableView, heightForHeaderInSection section: Int) -> CGFloat {
        tableView.sectionHeaderHeight
    }
    public func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
    public func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
}

/// What a row offers whoever swipes it: a script taps an action by its title and its row, "Archive 2".
@MainActor
@preconcurrency
public final class UISwipeActionsConfiguration: NSObject {
    public let actions: [UIContextualAction]
    public var performsFirstActionWithFullSwipe = true
    public init(actions: [UIContextualAction]) { self.actions = actions }
}

@MainActor
@preconcurrency
public final class UIContextualAction: NSObject {
    public enum Style: Sendable { case normal, destructive }
    public typealias Handler = (UIContextualAction, UIView, @escaping (Bool) -> Void) -> Void
    public let style: Style
    public var title: String?
    public var image: UIImage?
    // `!` as in UIKit: nil stands for the colour that it has by default.
    public var backgroundColor: UIColor!
    fileprivate let handler: Handler

    public init(style: Style, title: String?, handler: @escaping Handler) {
        (self.style, self.title, self.handler) = (style, title, handler)
    }
}

/// A header or a footer of a section. Nothing of it is on the screen here.
@MainActor
@preconcurrency
open class UITableViewHeaderFooterView: UIView {
    public let reuseIdentifier: String?
    public let contentView = UIView()
    open private(set) lazy var textLabel: UILabel? = UILabel()

    public required init(reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
        addSubview(contentView)
    }
    public required init?(coder: NSCoder) {
        reuseIdentifier = nil
        super.init(coder: coder)
        addSubview(contentView)
    }
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
    public enum AccessoryType: Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }
    public enum SelectionStyle: Sendable { case none, blue, gray, `default` }
    public enum EditingStyle: Sendable { case none, delete, insert }

    open var accessoryType = AccessoryType.none
    open var accessoryView: UIView? {
        didSet {
            if oldValue === accessoryView { return }
            oldValue?.removeFromSuperview()
            if let accessoryView { addSubview(accessoryView) }
        }
    }
    open var selectionStyle = SelectionStyle.default
    open var separatorInset = UIEdgeInsets.zero
    open private(set) lazy var imageView: UIImageView? = UIImageView()
    open func setSelected(_ selected: Bool, animated: Bool) { isSelected = selected }
    open func setHighlighted(_ highlighted: Bool, animated: Bool) { isHighlighted = highlighted }
    override func choose(_ isChosen: Bool) { setSelected(isChosen, animated: false) }

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
open class UITableView: UIScrollView {
    public enum Style: Sendable { case plain, grouped, insetGrouped }
    public enum ScrollPosition: Sendable { case none, top, middle, bottom }
    public static let automaticDimension = CGFloat(-1)
    public enum RowAnimation: Sendable { case fade, right, left, top, bottom, none, middle, automatic }

    public weak var dataSource: (any UITableViewDataSource)? {
        didSet {
            cells.isLoaded = false
            loadSoon()
        }
    }
    open weak var delegate: (any UITableViewDelegate)?
    override var scrollDelegate: (any UIScrollViewDelegate)? { delegate }
    private let cells = CellList<UITableViewCell>()
    private var classes: [String: UITableViewCell.Type] = [:]

    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }
    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }
    public convenience override init(frame: CGRect) { self.init(frame: frame, style: .plain) }

    // MARK: Said of the look: kept, and nothing shown of it

    public let style: Style
    open var rowHeight = UITableView.automaticDimension
    open var estimatedRowHeight = UITableView.automaticDimension
    open var sectionHeaderHeight = UITableView.automaticDimension
    open var sectionFooterHeight = UITableView.automaticDimension
    open var estimatedSectionHeaderHeight = UITableView.automaticDimension
    open var sectionHeaderTopPadding = UITableView.automaticDimension
    open var separatorStyle = UITableViewCellSeparatorStyle.singleLine
    open var separatorColor: UIColor?
    open var separatorInset = UIEdgeInsets.zero
    open var backgroundView: UIView?
    open var allowsSelection = true
    open var allowsMultipleSelection = false
    open var allowsSelectionDuringEditing = false
    open var isEditing = false
    open func setEditing(_ editing: Bool, animated: Bool) { isEditing = editing }

    // MARK: What lies around its rows

    open var tableHeaderView: UIView? { didSet { exchange(oldValue, tableHeaderView) } }
    open var tableFooterView: UIView? { didSet { exchange(oldValue, tableFooterView) } }
    private func exchange(_ old: UIView?, _ new: UIView?) {
        if old === new { return }
        old?.removeFromSuperview()
        if let new { addSubview(new) }
    }

    // MARK: Cells

    public func register(_ type: UITableViewCell.Type, forCellReuseIdentifier identifier: String) {
        classes[identifier] = type
    }

    private var headers: [String: UITableViewHeaderFooterView.Type] = [:]
    public func register(
        _ type: UITableViewHeaderFooterView.Type, forHeaderFooterViewReuseIdentifier identifier: String
    ) { headers[identifier] = type }
    public func dequeueReusableHeaderFooterView(withIdentifier identifier: String)
        -> UITableViewHeaderFooterView?
    { headers[identifier]?.init(reuseIdentifier: identifier) }

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

    /// Each change of the block is made at once.
    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        updates?()
        if let completion { UIView.later { completion(true) } }
    }
    open func beginUpdates() {}
    open func endUpdates() {}

    /// Asked for again as a whole: how many rows a section has may have changed.
    open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) { reloadData() }

    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {
        for path in indexPaths.sorted().reversed() { cells.remove(at: path) }
    }

    private func insert(_ dataSource: any UITableViewDataSource, _ path: IndexPath) {
        let cell = dataSource.tableView(self, cellForRowAt: path)
        delegate?.tableView(self, willDisplay: cell, forRowAt: path)
        cells.insert(cell, at: path, into: self)
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
    public func indexPath(for cell: UITableViewCell) -> IndexPath? { cells.path(of: cell) }
    public var indexPathsForVisibleRows: [IndexPath]? { cells.all.compactMap { cells.path(of: $0) } }
    open func scrollToRow(at indexPath: IndexPath, at position: ScrollPosition, animated: Bool) {}

    // MARK: Selection. The delegate hears of what a person selects, not of what the code does.

    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        guard let indexPath else { return cells.selected.forEach(cells.deselect) }
        cells.select(indexPath, isOneOfMany: allowsMultipleSelection)
    }
    open func deselectRow(at indexPath: IndexPath, animated: Bool) { cells.deselect(indexPath) }
    public var indexPathForSelectedRow: IndexPath? { cells.selected.first }
    public var indexPathsForSelectedRows: [IndexPath]? { cells.selected.isEmpty ? nil : cells.selected }

    /// A row is chosen by its number, or by section and row: "2", "0.2"; and taken away by a tap on "delete 2".
    open override func _fill(_ control: Control) {
        if control.names.isEmpty { control.names.append(_kind) }
        control.set = { [weak self] text in if let path = IndexPath(said: text) { self?.choose(path) } }
        control.parts = { [weak self] in
            guard let self else { return [] }
            return cells.all.compactMap { cells.path(of: $0) }.flatMap { deletion(of: $0) + swipes(on: $0) }
        }
    }

    private func part(_ title: String, _ path: IndexPath, _ act: @escaping @MainActor () -> Void) -> Control {
        let part = Control()
        part.names = ["\(title) \(path.section).\(path.row)"]
        if path.section == 0 { part.names.append("\(title) \(path.row)") }
        part.tap = act
        return part
    }

    private func deletion(of path: IndexPath) -> [Control] {
        guard let dataSource, dataSource.tableView(self, canEditRowAt: path) else { return [] }
        return [
            part("delete", path) { [weak self] in
                if let self { self.dataSource?.tableView(self, commit: .delete, forRowAt: path) }
            }
        ]
    }

    private func swipes(on path: IndexPath) -> [Control] {
        guard let delegate else { return [] }
        let sides = [
            delegate.tableView(self, leadingSwipeActionsConfigurationForRowAt: path),
            delegate.tableView(self, trailingSwipeActionsConfigurationForRowAt: path),
        ]
        return sides.compactMap { $0 }.flatMap(\.actions).map { action in
            part(action.title ?? "swipe", path) { [weak self] in
                if let self { action.handler(action, self, { _ in }) }
            }
        }
    }

    private func choose(_ path: IndexPath) {
        guard allowsSelection, cells.cell(at: path) != nil else { return }
        let chosen = delegate.map { $0.tableView(self, willSelectRowAt: path) } ?? path
        guard let chosen else { return }
        if allowsMultipleSelection, cells.cell(at: chosen)?.isSelected == true {
            cells.deselect(chosen)
            delegate?.tableView(self, didDeselectRowAt: chosen)
            return
        }
        let former = cells.selected
        cells.select(chosen, isOneOfMany: allowsMultipleSelection)
        for path in former where cells.cell(at: path)?.isSelected == false {
            delegate?.tableView(self, didDeselectRowAt: path)
        }
        delegate?.tableView(self, didSelectRowAt: chosen)
    }
}

public enum UITableViewCellSeparatorStyle: Sendable { case none, singleLine }
