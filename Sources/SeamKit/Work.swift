internal import CSeamABI

/// Something that the scenario started and has to stop: it is reported when its mount goes first.
///
/// Started in the body of a bridge, or in a coordinator made there, it belongs to that mount; elsewhere to
/// the whole instance. Stopping is up to whoever started it: a mount that goes stops nothing by itself.
@MainActor
public final class PendingWork {
    private let instance: Instance
    private let token: UInt64
    private let isOwned: Bool
    private let repeats: Bool
    private var timer: UInt64 = 0
    private let perform: @MainActor () throws -> Void

    init(what: String?, repeats: Bool, perform: @escaping @MainActor () throws -> Void) {
        // Whoever gets here runs as a callback's code, so there is an instance.
        guard let instance = Instance.current else { fatalError("work was started outside of a scenario") }
        self.instance = instance
        self.repeats = repeats
        self.perform = perform
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
        if timer != 0 { instance.cancelTimer(timer) }
        if isOwned { instance.disown(token) }
    }

    var poster: Poster { Poster(context: instance.context, host: instance.host, token: token) }

    func startTimer(milliseconds: Int) { timer = instance.setTimer(token, milliseconds: milliseconds) }

    func run() throws {
        if !repeats {
            timer = 0
            cancel()
        }
        try perform()
    }
}

/// Registers for something that will be signalled, any number of times.
///
/// - Parameter what: "observer" and "delegate" are reported as a leaked observer when left behind, anything
///   else as a leaked resource.
@MainActor
public func observe(_ what: String = "observer", perform: @escaping @MainActor () throws -> Void)
    -> PendingWork
{
    PendingWork(what: what, repeats: true, perform: perform)
}

/// Runs once, when the simulation's clock has moved on that far.
@MainActor
@discardableResult
public func after(milliseconds: Int, perform: @escaping @MainActor () throws -> Void) -> PendingWork {
    let work = PendingWork(what: "timer", repeats: false, perform: perform)
    work.startTimer(milliseconds: milliseconds)
    return work
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
