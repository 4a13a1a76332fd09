@_exported public import Foundation
public import SeamKit

/// Notifications within one simulation: two screens in one daemon do not hear one another, as two apps would not. Each call
/// here is preferred to Foundation's of the same name; who has registered with Foundation's own is told too.
extension NotificationCenter {
    /// Calls the block for each notification of that name. It goes on until the observer is removed: nothing else ends it.
    @discardableResult
    public func addObserver(
        forName name: Notification.Name, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let token = ObserverToken()
        onMain("a notification observer", with: (name, object, token)) { name, object, token in
            Observers.add(token: token, name: name, object: object as AnyObject?) { block($0) }
        }
        return token
    }

    /// What `addObserver(_:selector:name:object:)` is with a selector: the method by its name in Swift. The observer is not
    /// kept alive, and need not be removed: with it the registration goes (since iOS 9).
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, action: @escaping @MainActor (Observer) -> (Notification) -> Void,
        name: Notification.Name?, object: Any?
    ) {
        onMain("a notification observer", with: (observer, name, object)) { observer, name, object in
            Observers.add(token: observer, name: name, object: object as AnyObject?, endsWithToken: true) {
                [weak observer] notification in
                if let observer { action(observer)(notification) }
            }
        }
    }

    /// The same for a method that does not look at the notification.
    @MainActor
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, action: @escaping @MainActor (Observer) -> () -> Void,
        name: Notification.Name?, object: Any?
    ) {
        Observers.add(token: observer, name: name, object: object as AnyObject?) { [weak observer] _ in
            if let observer { action(observer)() }
        }
    }

    public func removeObserver(_ observer: any NSObjectProtocol) { removeFromScreen(observer) }
    public func removeObserver<Observer: AnyObject>(_ observer: Observer) { removeFromScreen(observer) }

    private func removeFromScreen(_ observer: AnyObject) {
        // In a tuple: the compiler (6.3.1) does not get a bare `AnyObject` through.
        onMain("a notification observer", with: (observer, ())) { observer, _ in Observers.remove(observer) }
        removeObserver(observer as Any)
    }

    public func post(name: Notification.Name, object: Any?) {
        deliver(Notification(name: name, object: object, userInfo: nil))
    }

    public func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]) {
        deliver(Notification(name: name, object: object, userInfo: userInfo))
    }

    private func deliver(_ notification: Notification) {
        onMain("a notification", with: notification) { Observers.deliver($0) }
        post(notification)
    }

    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> AnyPublisher<
        Notification, Never
    > {
        NotificationPublisher(name: name, object: object).eraseToAnyPublisher()
    }
}

// Sendable: it is told apart from others, and holds nothing.
private final class ObserverToken: NSObject, @unchecked Sendable {}

private struct NotificationPublisher: Publisher {
    typealias Output = Notification
    typealias Failure = Never
    let name: Notification.Name
    let object: AnyObject?

    func _attach(
        _ sink: @escaping (Notification) -> Void, _ completion: @escaping (Completion<Never>) -> Void
    ) -> AnyCancellable {
        let token = ObserverToken()
        onMain("a notification observer", with: (name, object, sink)) { name, object, sink in
            Observers.add(token: token, name: name, object: object, perform: sink)
        }
        return AnyCancellable { onMain("a notification observer") { Observers.remove(token) } }
    }
}

/// The observers of the instance whose code runs.
@MainActor
private enum Observers {
    final class Observer {
        /// What it is removed by; whoever observes by a method of its own is not held.
        private(set) weak var token: AnyObject?
        private let held: AnyObject?
        let name: Notification.Name?
        weak var object: AnyObject?
        let hasObject: Bool

        init(token: AnyObject, isHeld: Bool, name: Notification.Name?, object: AnyObject?) {
            self.token = token
            held = isHeld ? token : nil
            self.name = name
            self.object = object
            hasObject = object != nil
        }
    }

    static func add(
        token: AnyObject, name: Notification.Name?, object: AnyObject?, endsWithToken: Bool = false,
        perform: @escaping (Notification) -> Void
    ) {
        guard let instance = Instance.current else { return }
        let observer = Observer(token: token, isHeld: !endsWithToken, name: name, object: object)
        _ = instance.register("observer", key: observer, isOwned: !endsWithToken) { argument in
            if let notification = argument as? Notification { perform(notification) }
        }
    }

    static func remove(_ token: AnyObject) {
        for instance in Instance.all {
            for (registration, key) in instance.registered where (key as? Observer)?.token === token {
                registration.cancel()
            }
        }
    }

    static func deliver(_ notification: Notification) {
        for (registration, key) in Instance.current?.registered ?? [] {
            guard let observer = key as? Observer else { continue }
            if observer.token == nil {
                registration.cancel()
                continue
            }
            if let name = observer.name, name != notification.name { continue }
            if observer.hasObject, observer.object !== notification.object as AnyObject? { continue }
            registration.deliver(notification)
        }
    }
}
