@_exported public import Foundation
public import SeamKit

@MainActor
@preconcurrency
public protocol UICollectionViewDataSource: AnyObject {
    func numberOfSections(in collectionView: UICollectionView) -> Int
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
}

extension UICollectionViewDataSource {
    public func numberOfSections(in collectionView: UICollectionView) -> Int { 1 }
}

@MainActor
@preconcurrency
public protocol UICollectionViewDelegate: UIScrollViewDelegate {
    func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath)
}

extension UICollectionViewDelegate {
    public func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {}
}

extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var item: Int { self[1] }
}

/// How a collection is laid out: kept, and nothing shown of it.
@MainActor
@preconcurrency
open class UICollectionViewLayout: NSObject {}

@MainActor
@preconcurrency
open class UICollectionViewFlowLayout: UICollectionViewLayout {
    public var itemSize = CGSize(width: 50, height: 50)
    public var minimumLineSpacing: CGFloat = 10
    public var minimumInteritemSpacing: CGFloat = 10
}

public struct UICollectionLayoutListConfiguration: Sendable {
    public enum Appearance: Sendable { case plain, grouped, insetGrouped, sidebar, sidebarPlain }
    public let appearance: Appearance
    public init(appearance: Appearance) { self.appearance = appearance }
}

@MainActor
@preconcurrency
open class UICollectionViewCompositionalLayout: UICollectionViewLayout {
    public static func list(using configuration: UICollectionLayoutListConfiguration)
        -> UICollectionViewCompositionalLayout
    { UICollectionViewCompositionalLayout() }
}

/// A cell of a collection, which is used again as one of a table is.
@MainActor
@preconcurrency
open class UICollectionViewCell: _ReusableCell {
    public required override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    public typealias ConfigurationUpdateHandler =
        @MainActor (UICollectionViewCell, UICellConfigurationState) -> Void
    public var configurationUpdateHandler: ConfigurationUpdateHandler? {
        didSet { setNeedsUpdateConfiguration() }
    }

    open override func updateConfiguration(using state: UICellConfigurationState) {
        configurationUpdateHandler?(self, state)
    }
}

@MainActor
@preconcurrency
open class UICollectionViewListCell: UICollectionViewCell {}

/// Items in cells, as its data source answers. Nothing is laid out here, so all items are on the screen.
@MainActor
@preconcurrency
open class UICollectionView: UIScrollView {
    /// A class of cells, and how one is configured for an item.
    @MainActor
    public struct CellRegistration<Cell: UICollectionViewCell, Item> {
        public typealias Handler = @MainActor (Cell, IndexPath, Item) -> Void
        fileprivate let identifier = UUID().uuidString
        fileprivate let handler: Handler
        public init(handler: @escaping Handler) { self.handler = handler }
    }

    public weak var dataSource: (any UICollectionViewDataSource)? {
        didSet {
            cells.isLoaded = false
            loadSoon()
        }
    }
    open weak var delegate: (any UICollectionViewDelegate)?
    override var scrollDelegate: (any UIScrollViewDelegate)? { delegate }
    open var allowsSelection = true
    open var allowsMultipleSelection = false
    open var backgroundView: UIView?
    public let collectionViewLayout: UICollectionViewLayout
    fileprivate let cells = CellList<UICollectionViewCell>()
    private var classes: [String: UICollectionViewCell.Type] = [:]

    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        collectionViewLayout = layout
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        collectionViewLayout = UICollectionViewFlowLayout()
        super.init(coder: coder)
    }

    public func register(
        _ type: UICollectionViewCell.Type, forCellWithReuseIdentifier identifier: String
    ) { classes[identifier] = type }

    public func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
        -> UICollectionViewCell
    {
        guard let cell = cells.dequeue(identifier, else: { classes[identifier]?.init(frame: .zero) }) else {
            fatalError("no class is registered for cells with identifier \(identifier)")
        }
        return cell
    }

    public func dequeueConfiguredReusableCell<Cell: UICollectionViewCell, Item>(
        using registration: CellRegistration<Cell, Item>, for indexPath: IndexPath, item: Item?
    ) -> Cell {
        let found = cells.dequeue(registration.identifier) { Cell(frame: .zero) }
        guard let cell = found as? Cell else {
            fatalError("the cell at \(indexPath) is no \(Cell.self)")
        }
        if let item { registration.handler(cell, indexPath, item) }
        return cell
    }

    open func reloadData() {
        cells.clear()
        guard let dataSource else { return }
        ask(dataSource)
        let count = dataSource.numberOfSections(in: self)
        cells.fill(sections: count)
        for section in 0..<count {
            for item in 0..<dataSource.collectionView(self, numberOfItemsInSection: section) {
                insert(dataSource, IndexPath(item: item, section: section))
            }
        }
    }

    /// These items alone are asked for again.
    open func reloadItems(at indexPaths: [IndexPath]) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths where cellForItem(at: path) != nil {
            cells.remove(at: path)
            insert(dataSource, path)
        }
    }

    /// The cells that are there are configured again, with no reuse in between.
    open func reconfigureItems(at indexPaths: [IndexPath]) {
        guard let dataSource else { return }
        ask(dataSource)
        for path in indexPaths {
            cells.reconfigure(path) { _ = dataSource.collectionView(self, cellForItemAt: path) }
        }
    }

    open func insertItems(at indexPaths: [IndexPath]) {
        guard let dataSource, cells.isLoaded else { return }
        ask(dataSource)
        for path in indexPaths.sorted() { insert(dataSource, path) }
    }

    open func deleteItems(at indexPaths: [IndexPath]) {
        for path in indexPaths.sorted().reversed() { cells.remove(at: path) }
    }

    private func insert(_ dataSource: any UICollectionViewDataSource, _ path: IndexPath) {
        cells.insert(dataSource.collectionView(self, cellForItemAt: path), at: path, into: self)
    }

    /// Whoever answers answers for the screen that the collection is in.
    fileprivate func ask(_ answerer: AnyObject) { surface?.asks(answerer) }

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

    public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { cells.cell(at: indexPath) }
    public var visibleCells: [UICollectionViewCell] { cells.all }

    /// An item is chosen by its number, or by section and item: "2", "0.2".
    open override func _fill(_ control: Control) {
        if control.names.isEmpty { control.names.append(_kind) }
        control.set = { [weak self] text in
            guard let self, let path = IndexPath(said: text), cells.cell(at: path) != nil else { return }
            cells.select(path)
            delegate?.collectionView(self, didSelectItemAt: path)
        }
    }
}

/// Which items there are, section by section. The item itself is its identity: what differs in any way is another item.
public struct NSDiffableDataSourceSnapshot<Section: Hashable, Item: Hashable> {
    public private(set) var sectionIdentifiers: [Section] = []
    private var items: [Section: [Item]] = [:]
    public private(set) var reconfiguredItemIdentifiers: [Item] = []
    public private(set) var reloadedItemIdentifiers: [Item] = []

    public init() {}

    public mutating func appendSections(_ sections: [Section]) { sectionIdentifiers += sections }

    /// To the last section, unless another one is named.
    public mutating func appendItems(_ new: [Item], toSection section: Section? = nil) {
        guard let section = section ?? sectionIdentifiers.last else { return }
        items[section, default: []] += new
    }

    public mutating func deleteItems(_ gone: [Item]) {
        for section in sectionIdentifiers { items[section]?.removeAll(where: gone.contains) }
    }

    public mutating func reconfigureItems(_ changed: [Item]) { reconfiguredItemIdentifiers += changed }
    public mutating func reloadItems(_ changed: [Item]) { reloadedItemIdentifiers += changed }
    public mutating func deleteAllItems() { self = Self() }

    public func itemIdentifiers(inSection section: Section) -> [Item] { items[section] ?? [] }
    public var itemIdentifiers: [Item] { sectionIdentifiers.flatMap { items[$0] ?? [] } }
    public var numberOfItems: Int { itemIdentifiers.count }
}

/// Answers from a snapshot. An item that is in two of them one after the other keeps its cell as it is, also where the
/// app's own data of it has changed (R53): that is for `reconfigureItems`.
@MainActor
@preconcurrency
open class UICollectionViewDiffableDataSource<Section: Hashable, Item: Hashable> {
    public typealias CellProvider = @MainActor (UICollectionView, IndexPath, Item) -> UICollectionViewCell?

    private weak var collection: UICollectionView?
    private let provider: CellProvider
    private var current = NSDiffableDataSourceSnapshot<Section, Item>()
    private var cellOfItem: [Item: UICollectionViewCell] = [:]

    public init(collectionView: UICollectionView, cellProvider: @escaping CellProvider) {
        collection = collectionView
        provider = cellProvider
    }

    public func snapshot() -> NSDiffableDataSourceSnapshot<Section, Item> { current }

    public func itemIdentifier(for indexPath: IndexPath) -> Item? {
        guard current.sectionIdentifiers.indices.contains(indexPath.section) else { return nil }
        let items = current.itemIdentifiers(inSection: current.sectionIdentifiers[indexPath.section])
        return items.indices.contains(indexPath.item) ? items[indexPath.item] : nil
    }

    open func apply(
        _ snapshot: NSDiffableDataSourceSnapshot<Section, Item>, animatingDifferences: Bool = true,
        completion: (@MainActor () -> Void)? = nil
    ) {
        defer { completion?() }
        guard let collection else { return }
        collection.ask(self)
        let stays = Set(snapshot.itemIdentifiers).subtracting(snapshot.reloadedItemIdentifiers)
        for item in current.itemIdentifiers where !stays.contains(item) {
            if let cell = cellOfItem.removeValue(forKey: item) { collection.cells.putAway(cell) }
        }
        current = snapshot
        let changed = Set(snapshot.reconfiguredItemIdentifiers)
        var sections: [[UICollectionViewCell]] = []
        for (section, name) in snapshot.sectionIdentifiers.enumerated() {
            var row: [UICollectionViewCell] = []
            for (index, item) in snapshot.itemIdentifiers(inSection: name).enumerated() {
                let path = IndexPath(item: index, section: section)
                if let known = cellOfItem[item] {
                    row.append(known)
                    if changed.contains(item) {
                        collection.cells.reconfigure(known) { _ = provider(collection, path, item) }
                    }
                } else {
                    guard let cell = provider(collection, path, item) else {
                        fatalError("there is no cell for the item \(item)")
                    }
                    cellOfItem[item] = cell
                    row.append(cell)
                }
            }
            sections.append(row)
        }
        collection.cells.isLoaded = true
        collection.cells.arrange(sections, in: collection)
    }
}
