/// A class whose changes can be heard of, before they happen.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The one of the object: each of its `@Published` properties sends to it.
    public var objectWillChange: ObservableObjectPublisher { ObjectPublishers.publisher(of: self) }
}

/// Says that an object will change, and not what.
public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never

    private let sinks = SinkList<Void>()

    public init() {}
    public func send() { sinks.send(()) }
    public func _attach(_ sink: @escaping (()) -> Void, _ completion: @escaping (Completion<Never>) -> Void)
        -> AnyCancellable
    { sinks.add(sink, completion) }
}

/// A property whose changes are heard of: by those who look at its object, and by those who look at it alone.
///
/// The signal comes before the value is stored, at each write, also of an equal value (R22).
@propertyWrapper
public struct Published<Value> {
    private let box: PublishedBox<Value>

    public init(wrappedValue: Value) { box = PublishedBox(wrappedValue) }
    public init(initialValue: Value) { box = PublishedBox(initialValue) }

    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { fatalError("a published property without its object") }
        // swift-format-ignore
        nonmutating set { fatalError("a published property without its object") }
    }

    public var projectedValue: Publisher {
        get { Publisher(box: box) }
        // swift-format-ignore
        nonmutating set { _ = newValue }
    }

    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Published<Value>>
    ) -> Value {
        get { owner[keyPath: storage].box.value }
        set {
            let box = owner[keyPath: storage].box
            if box.owner == nil { ObjectPublishers.link(owner, to: box) }
            box.set(newValue)
        }
    }

    /// The values of the property: the one of now first, then each that is about to be stored.
    public struct Publisher: SeamKit.Publisher {
        public typealias Output = Value
        public typealias Failure = Never
        let box: PublishedBox<Value>

        public func _attach(
            _ sink: @escaping (Value) -> Void, _ completion: @escaping (Completion<Never>) -> Void
        ) -> AnyCancellable {
            let cancellable = box.sinks.add(sink, completion)
            sink(box.value)
            return cancellable
        }
    }
}

/// What a published property sends to, without its type.
protocol AnyPublishedBox: AnyObject {
    var owner: ObservableObjectPublisher? { get set }
    var held: Any { get }
    /// Whether its values are texts in the model.
    var isText: Bool { get }
    /// Whether the text could be taken over.
    func take(_ text: String?) -> Bool
}

final class PublishedBox<Value>: AnyPublishedBox {
    fileprivate(set) var value: Value
    var owner: ObservableObjectPublisher?
    let sinks = SinkList<Value>()
    /// What `assign(to:)` lets it follow.
    var feed: AnyCancellable?

    init(_ value: Value) { self.value = value }

    var held: Any { value }
    var isText: Bool { SeamKit.isText(Value.self) }

    func take(_ text: String?) -> Bool {
        guard let new = SeamKit.value(Value.self, from: text) else { return false }
        set(new)
        return true
    }

    func set(_ new: Value) {
        // Off the main thread nothing is taken: the property of a view's object belongs to the views.
        owner?.send()
        sinks.send(new)
        value = new
    }
}

extension Published: AnyPublished {
    var anyBox: any AnyPublishedBox { box }
}

protocol AnyPublished {
    var anyBox: any AnyPublishedBox { get }
}

/// The publisher of each object that has one. It lies in the object's published properties; an object without any has
/// none that would ever send.
enum ObjectPublishers {
    static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
        var boxes: [any AnyPublishedBox] = []
        collect(Mirror(reflecting: object), into: &boxes)
        if let known = boxes.lazy.compactMap(\.owner).first {
            for box in boxes { box.owner = known }
            return known
        }
        let made = ObservableObjectPublisher()
        for box in boxes { box.owner = made }
        return made
    }

    /// The first to write links all of them.
    static func link(_ object: AnyObject, to box: any AnyPublishedBox) {
        let found = publisher(of: object)
        box.owner = found
    }

    private static func collect(_ mirror: Mirror, into boxes: inout [any AnyPublishedBox]) {
        if let above = mirror.superclassMirror { collect(above, into: &boxes) }
        for (_, value) in mirror.children {
            if let published = value as? any AnyPublished { boxes.append(published.anyBox) }
        }
    }
}
