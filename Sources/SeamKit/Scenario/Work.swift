internal import CSeamABI
internal import Dispatch

/// Something that the scenario started and has to stop: it is reported when its mount goes first.
///
/// Started in the body of a bridge, or in a coordinator made there, it belongs to that mount; elsewhere to
/// the whole instance. Stopping is up to whoever started it: a mount that goes stops nothing by itself.
@MainActor
public final class PendingWork {
    private let instance: Instance
    private let mount = Instance.currentMount
    let token: UInt64
    private let isOwned: Bool
    private let repeats: Bool
    private var timer: UInt64 = 0
    /// Given back at the end: it tends to hold whoever holds this.
    private var perform: (@MainActor () throws -> Void)?
    /// What it was registered for by name.
    fileprivate let notification: String?
    private var running: Task<Void, Never>?
    /// The code of a task that waits for this work's timer.
    private var waiting: CheckedContinuation<Void, any Error>?

    init(
        what: String?, repeats: Bool, notification: String? = nil,
        perform: @escaping @MainActor () throws -> Void
    ) {
        // Whoever gets here runs as a callback's code, so there is an instance.
        guard let instance = Instance.current else { fatalError("work was started outside of a scenario") }
        self.instance = instance
        self.repeats = repeats
        self.perform = perform
        self.notification = notification
        let owned = what.map { instance.own(Instance.currentMount, $0) } ?? 0
        isOwned = owned != 0
        token = isOwned ? owned : instance.newToken()
        instance.work[token] = self
    }

    /// Lets it happen once, in the next round of this turn: a notification arrives.
    public func signal() { instance.nextTurn(token) }

    /// Ends it. Twice is no harm.
    public func cancel() {
        guard instance.work.removeValue(forKey: token) != nil else { return }
        breakOff()
        if timer != 0 { instance.cancelTimer(timer) }
        if isOwned { instance.disown(token) }
    }

    /// Ends what runs beside the turns, without a word to the host: also when the instance goes.
    func breakOff() {
        running?.cancel()
        waiting?.resume(throwing: CancellationError())
        (running, waiting, perform) = (nil, nil, nil)
    }

    var poster: Poster { Poster(context: instance.context, host: instance.host, token: token) }

    func startTimer(milliseconds: Int) { timer = instance.setTimer(token, milliseconds: milliseconds) }

    func run() throws {
        // What it starts in turn belongs where it does.
        Instance.currentMount = mount
        if let waiting {
            (self.waiting, timer) = (nil, 0)
            waiting.resume()
            return
        }
        let perform = perform
        if !repeats {
            timer = 0
            cancel()
        }
        try perform?()
    }

    // MARK: Tasks

    func begin(_ body: @escaping @MainActor () async throws -> Void) {
        guard instance.tables.drainsMainQueue else {
            instance.report(
                2, "task-not-run",
                "a task would run between the turns of \(instance.tables.id): say drainsMainQueue in its About"
            )
            return cancel()
        }
        running = Task(executorPreference: MainQueue.shared) { await self.carryOut(body) }
    }

    private func carryOut(_ body: @MainActor () async throws -> Void) async {
        await $currentWork.withValue(self) {
            do {
                try await body()
            } catch is CancellationError {
                // Whoever cancelled it knows.
            } catch {
                instance.report(2, "task-failed", "\(error)")
            }
        }
        cancel()
    }

    func pause(milliseconds: Int) async throws {
        try Task.checkCancellation()
        guard waiting == nil else { throw ScenarioError("a task waits for one thing at a time") }
        try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            startTimer(milliseconds: milliseconds)
        }
    }
}

/// Where a task of `task` runs while it is on no actor. What waits for a continuation comes back that way, and by the
/// way of Swift's pool of threads it would come back when the turn is over.
private final class MainQueue: TaskExecutor {
    static let shared = MainQueue()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The task whose code runs.
@TaskLocal private var currentWork: PendingWork?

/// Registers for something that will be signalled, any number of times.
///
/// - Parameters:
///   - what: "observer" and "delegate" are reported as a leaked observer when left behind, anything else as a
///     leaked resource.
///   - notification: signalled by `post(notification:)` under this name; nil when its owner signals it.
///   - perform: runs for each signal, in the next round.
@MainActor
public func observe(
    _ what: String = "observer", of notification: String? = nil,
    perform: @escaping @MainActor () throws -> Void
) -> PendingWork {
    PendingWork(what: what, repeats: true, notification: notification, perform: perform)
}

/// Signals all that observe this notification in the instance whose code is running, in order of registration.
@MainActor
public func post(notification name: String) {
    let observers = Instance.current?.work.filter { $0.value.notification == name } ?? [:]
    for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.signal() }
}

/// Runs once, when the simulation's clock has moved on that far.
@MainActor
@discardableResult
public func after(milliseconds: Int, perform: @escaping @MainActor () throws -> Void) -> PendingWork {
    let work = PendingWork(what: "timer", repeats: false, perform: perform)
    work.startTimer(milliseconds: milliseconds)
    return work
}

/// Starts a task of a bridge or a scenario: on the main actor, inside the turns of a scenario that drains the main
/// queue (`About.drainsMainQueue`). Cancelling the work cancels the task; the end of the task ends the work.
@MainActor
public func task(perform: @escaping @MainActor () async throws -> Void) -> PendingWork {
    let work = PendingWork(what: "task", repeats: true) {}
    work.begin(perform)
    return work
}

/// Waits in a task until the simulation's clock has moved on that far: what stands for a server's answer.
/// - Throws: `CancellationError` when the task was cancelled, `ScenarioError` outside of one.
@MainActor
public func pause(milliseconds: Int) async throws {
    guard let currentWork else { throw ScenarioError("pause was called in a task that task() did not start") }
    try await currentWork.pause(milliseconds: milliseconds)
}

/// Runs once, in the next round of this turn.
@MainActor
public func later(perform: @escaping @MainActor () throws -> Void) {
    PendingWork(what: nil, repeats: false, perform: perform).signal()
}

/// The way back from a thread of one's own: each call lets the work run once on the main thread, in a turn of
/// its own.
public struct Poster: @unchecked Sendable {
    // Sendable: `post` may be called from any thread with the context, also after the instance has gone.
    let context: OpaquePointer?
    let host: UnsafePointer<seam_host_v1>
    let token: UInt64

    /// - Returns: false when the simulation is over, or a great many posts wait already.
    @discardableResult
    public func post() -> Bool {
        host.pointee.post!(context, token) == 0  // a frozen table has every function
    }
}

/// Work for other threads to ask for, as long as the instance lives.
@MainActor
public func poster(perform: @escaping @MainActor () throws -> Void) -> Poster {
    PendingWork(what: nil, repeats: true, perform: perform).poster
}

/// A line for the people who run the daemon.
@MainActor
public func log(_ text: String) { Instance.current?.log(1, text) }

/// A finding of the scenario's own, beside those of the host.
@MainActor
public func diagnose(_ code: String, _ text: String) { Instance.current?.report(2, code, text) }
