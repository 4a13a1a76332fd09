@_exported public import Foundation
public import SeamKit

/// Where a publisher's values are received: `receive(on: DispatchQueue.main)`.
public protocol Scheduler {
    func _perform(_ work: @escaping () -> Void)
}

/// At once, where they are sent.
public struct ImmediateScheduler: Scheduler, Sendable {
    public static let shared = ImmediateScheduler()
    public func _perform(_ work: @escaping () -> Void) { work() }
}

extension DispatchQueue: Scheduler {
    public func _perform(_ work: @escaping () -> Void) {
        // The main queue is another object each time that it is asked for.
        if label == DispatchQueue.main.label { return performOnMain(work) }
        let work = Handed(work: work)
        async { work.work() }
    }
}

extension OperationQueue: Scheduler {
    public func _perform(_ work: @escaping () -> Void) {
        if self === OperationQueue.main { return performOnMain(work) }
        let work = Handed(work: work)
        addOperation { work.work() }
    }
}

extension RunLoop: Scheduler {
    public func _perform(_ work: @escaping () -> Void) {
        if self === RunLoop.main { return performOnMain(work) }
        let work = Handed(work: work)
        perform { work.work() }
    }
}

/// In the next round of the turn, as what the app gives to the main queue; from another thread by way of that queue.
private func performOnMain(_ work: @escaping () -> Void) {
    let handed = Handed(work: work)
    guard isHostThread else { return DispatchQueue.main.async { performOnMain(handed.work) } }
    onMain("a publisher", with: handed) { handed in
        if let instance = Instance.current, instance.isStaged {
            instance.performInNextRound { handed.work() }
        } else {
            DispatchQueue.main.async { handed.work() }
        }
    }
}

// Sendable: run once, on the thread that the app has named for it; what it holds is then that thread's.
private struct Handed: @unchecked Sendable {
    let work: () -> Void
}

extension Publisher {
    /// Each value, and the end, on that scheduler: later than they are sent. What was not received when the subscription
    /// is cancelled never is.
    public func receive(on scheduler: some Scheduler) -> AnyPublisher<Output, Failure> {
        AnyPublisher { sink, completion in
            let state = Receiving()
            let upstream = _attach(
                { value in scheduler._perform { if !state.isCancelled { sink(value) } } },
                { end in scheduler._perform { if !state.isCancelled { completion(end) } } })
            return AnyCancellable {
                state.isCancelled = true
                upstream.cancel()
            }
        }
    }
}

private final class Receiving {
    var isCancelled = false
}
