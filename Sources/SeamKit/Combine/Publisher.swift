/// Something that sends values over time. SeamKit has of Combine what bridging code touches: subjects, published
/// properties, and the operators between them and a sink.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func _attach(_ sink: @escaping (Output) -> Void, _ completion: @escaping (Completion<Failure>) -> Void)
        -> AnyCancellable
}

public enum Completion<Failure: Error> {
    case finished
    case failure(Failure)
}

public enum Subscribers {
    public typealias Completion<Failure: Error> = SeamKit.Completion<Failure>
}

public protocol Cancellable {
    func cancel()
}

/// Ends a subscription when it is cancelled or let go.
public final class AnyCancellable: Cancellable, Hashable {
    private var end: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) { end = cancel }
    public init(_ other: some Cancellable) { end = { other.cancel() } }
    deinit { end?() }

    public func cancel() {
        end?()
        end = nil
    }

    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
    public func store(in list: inout [AnyCancellable]) { list.append(self) }

    public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Who listens, in the order of subscribing.
final class SinkList<Value> {
    private var sinks: [(id: Int, sink: (Value) -> Void, completion: () -> Void)] = []
    private var lastID = 0

    func add<Failure: Error>(
        _ sink: @escaping (Value) -> Void, _ completion: @escaping (Completion<Failure>) -> Void
    ) -> AnyCancellable {
        lastID += 1
        let id = lastID
        sinks.append((id, sink, { completion(.finished) }))
        return AnyCancellable { [weak self] in self?.sinks.removeAll { $0.id == id } }
    }

    func send(_ value: Value) { for entry in sinks { entry.sink(value) } }

    func finish() {
        let ends = sinks
        sinks = []
        for entry in ends { entry.completion() }
    }
}

public protocol Subject<Output, Failure>: Publisher, AnyObject {
    func send(_ value: Output)
    func send(completion: Completion<Failure>)
}

extension Subject where Output == Void {
    public func send() { send(()) }
}

public final class PassthroughSubject<Output, Failure: Error>: Subject {
    private let sinks = SinkList<Output>()

    public init() {}
    public func send(_ value: Output) { sinks.send(value) }
    public func send(completion: Completion<Failure>) { sinks.finish() }
    public func _attach(
        _ sink: @escaping (Output) -> Void, _ completion: @escaping (Completion<Failure>) -> Void
    ) -> AnyCancellable { sinks.add(sink, completion) }
}

public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let sinks = SinkList<Output>()
    public var value: Output { didSet { sinks.send(value) } }

    public init(_ value: Output) { self.value = value }
    public func send(_ value: Output) { self.value = value }
    public func send(completion: Completion<Failure>) { sinks.finish() }
    public func _attach(
        _ sink: @escaping (Output) -> Void, _ completion: @escaping (Completion<Failure>) -> Void
    ) -> AnyCancellable {
        let cancellable = sinks.add(sink, completion)
        sink(value)
        return cancellable
    }
}

/// One value, at once.
public struct Just<Output>: Publisher {
    public typealias Failure = Never
    let output: Output

    public init(_ output: Output) { self.output = output }
    public func _attach(
        _ sink: @escaping (Output) -> Void, _ completion: @escaping (Completion<Never>) -> Void
    ) -> AnyCancellable {
        sink(output)
        completion(.finished)
        return AnyCancellable {}
    }
}

/// A publisher whose type is not told; what each operator gives.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let attach:
        (@escaping (Output) -> Void, @escaping (Completion<Failure>) -> Void) -> AnyCancellable

    public init<Other: Publisher>(_ other: Other) where Other.Output == Output, Other.Failure == Failure {
        attach = { other._attach($0, $1) }
    }

    package init(
        attach:
            @escaping (@escaping (Output) -> Void, @escaping (Completion<Failure>) -> Void)
            -> AnyCancellable
    ) { self.attach = attach }

    public func _attach(
        _ sink: @escaping (Output) -> Void, _ completion: @escaping (Completion<Failure>) -> Void
    ) -> AnyCancellable { attach(sink, completion) }
}

extension Publisher {
    public func sink(
        receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable { _attach(receiveValue, receiveCompletion) }

    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

    public func map<Result>(_ transform: @escaping (Output) -> Result) -> AnyPublisher<Result, Failure> {
        AnyPublisher { sink, completion in _attach({ sink(transform($0)) }, completion) }
    }

    public func compactMap<Result>(
        _ transform: @escaping (Output) -> Result?
    ) -> AnyPublisher<Result, Failure> {
        AnyPublisher { sink, completion in
            _attach({ if let result = transform($0) { sink(result) } }, completion)
        }
    }

    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
        AnyPublisher { sink, completion in _attach({ if isIncluded($0) { sink($0) } }, completion) }
    }

    public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
        AnyPublisher { sink, completion in
            var left = count
            return _attach({ if left > 0 { left -= 1 } else { sink($0) } }, completion)
        }
    }

    public func removeDuplicates(
        by areSame: @escaping (Output, Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { sink, completion in
            var last: Output?
            return _attach(
                {
                    if let last, areSame(last, $0) { return }
                    last = $0
                    sink($0)
                }, completion)
        }
    }
}

extension Publisher where Output: Equatable {
    public func removeDuplicates() -> AnyPublisher<Output, Failure> { removeDuplicates(by: ==) }
}

extension Publisher where Failure == Never {
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        _attach(receiveValue) { _ in }
    }

    public func assign<Root: AnyObject>(
        to path: ReferenceWritableKeyPath<Root, Output>, on object: Root
    ) -> AnyCancellable { sink { object[keyPath: path] = $0 } }

    public func assign(to published: inout Published<Output>.Publisher) {
        let box = published.box
        box.feed = sink { [unowned box] in box.set($0) }
    }
}
