@_exported public import Foundation
internal import SeamKit

/// What the cells of tables and of collections have in common: a content, and a configuration of it.
@MainActor
@preconcurrency
open class _ReusableCell: UIView {
    public internal(set) var reuseIdentifier: String?
    public let contentView = UIView()

    public override init(frame: CGRect) {
        super.init(frame: frame)
        addSubview(contentView)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        addSubview(contentView)
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

    open var isSelected = false { didSet { if oldValue != isSelected { setNeedsUpdateConfiguration() } } }
    open var isHighlighted = false {
        didSet { if oldValue != isHighlighted { setNeedsUpdateConfiguration() } }
    }
    public var configurationState: UICellConfigurationState {
        .init(isSelected: isSelected, isHighlighted: isHighlighted)
    }
    func choose(_ isChosen: Bool) { isSelected = isChosen }

    open var backgroundView: UIView?
    open var selectedBackgroundView: UIView?
    open var backgroundConfiguration: UIBackgroundConfiguration?

    /// Called for each state that the cell comes into, and not for another item alone.
    open func updateConfiguration(using state: UICellConfigurationState) {}

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

/// The cells of one view, section by section, and those that wait to be used again.
@MainActor
final class CellList<Cell: _ReusableCell> {
    private(set) var sections: [[Cell]] = []
    private var queue: [String: [Cell]] = [:]
    private var reconfigured: Cell?
    /// What was asked for once, by whom or by the layout.
    var isLoaded = false

    /// - Parameter make: for when none waits.
    func dequeue(_ identifier: String, else make: () -> Cell?) -> Cell? {
        if let reconfigured { return reconfigured }
        if let waiting = queue[identifier]?.first {
            queue[identifier]?.removeFirst()
            waiting.prepareForReuse()
            return waiting
        }
        let made = make()
        if made?.reuseIdentifier == nil { made?.reuseIdentifier = identifier }
        return made
    }

    func putAway(_ cell: Cell) {
        cell.removeFromSuperview()
        if cell.isSelected { cell.choose(false) }
        if let identifier = cell.reuseIdentifier { queue[identifier, default: []].append(cell) }
    }

    func clear() {
        isLoaded = true
        for cell in sections.joined() { putAway(cell) }
        sections = []
    }

    func insert(_ cell: Cell, at path: IndexPath, into view: UIView) {
        while sections.count <= path.section { sections.append([]) }
        let place = min(path[1], sections[path.section].count)
        sections[path.section].insert(cell, at: place)
        view.addSubview(cell)
        cell.updateNow()
    }

    func remove(at path: IndexPath) {
        if cell(at: path) != nil { putAway(sections[path.section].remove(at: path[1])) }
    }

    /// As many as there are to be, though some of them may be empty.
    func fill(sections count: Int) { while sections.count < count { sections.append([]) } }

    /// The cell that is there is configured again, with no reuse in between.
    func reconfigure(_ path: IndexPath, _ ask: () -> Void) {
        if let cell = cell(at: path) { reconfigure(cell, ask) }
    }

    func reconfigure(_ cell: Cell, _ ask: () -> Void) {
        reconfigured = cell
        ask()
        reconfigured = nil
    }

    /// These cells in these places: one that is there already is not touched.
    func arrange(_ new: [[Cell]], in view: UIView) {
        sections = new
        for cell in new.joined() where cell.superview !== view {
            view.addSubview(cell)
            cell.updateNow()
        }
    }

    func cell(at path: IndexPath) -> Cell? {
        guard path.count == 2, sections.indices.contains(path.section),
            sections[path.section].indices.contains(path[1])
        else { return nil }
        return sections[path.section][path[1]]
    }

    var all: [Cell] { Array(sections.joined()) }

    /// - Parameter isOneOfMany: those that are selected stay so.
    func select(_ path: IndexPath, isOneOfMany: Bool = false) {
        for other in all where other === cell(at: path) || !isOneOfMany {
            if other.isSelected != (other === cell(at: path)) { other.choose(!other.isSelected) }
        }
    }

    func deselect(_ path: IndexPath) { if let cell = cell(at: path), cell.isSelected { cell.choose(false) } }

    var selected: [IndexPath] {
        sections.enumerated().flatMap { section, cells in
            cells.enumerated().filter(\.element.isSelected).map { IndexPath(indexes: [section, $0.offset]) }
        }
    }

    func path(of cell: Cell) -> IndexPath? {
        for (section, cells) in sections.enumerated() {
            if let place = cells.firstIndex(where: { $0 === cell }) {
                return IndexPath(indexes: [section, place])
            }
        }
        return nil
    }

    /// Rows are asked for in the layout that follows, unless somebody asks for them before.
    func load(for view: UIView, _ load: @escaping @MainActor () -> Void) {
        if view.window == nil || isLoaded { return }
        guard let instance = view.surface?.instance, instance.isInBody else { return load() }
        instance.runAfterBody { [weak view] in if view?.window != nil { load() } }
    }
}

/// How a cell's background looks: kept, and nothing shown of it.
public struct UIBackgroundConfiguration {
    public var backgroundColor: UIColor?
    public var cornerRadius: CGFloat = 0
    public static func listPlainCell() -> Self { Self() }
    public static func listGroupedCell() -> Self { Self() }
    public static func clear() -> Self { Self() }
}

extension IndexPath {
    public var section: Int { self[0] }

    /// By its number, or by section and row: "2", "0.2".
    init?(said text: String) {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        guard let row = numbers.last else { return nil }
        self.init(indexes: [numbers.count > 1 ? numbers[0] : 0, row])
    }
}
