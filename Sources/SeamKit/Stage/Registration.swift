/// Something that the code of a screen scenario has registered for and has to take back: the host reports it when its
/// mount goes first, and each call that comes after that.
@MainActor
package final class Registration {
    private weak var instance: Instance?
    private let mount: UInt64
    /// The control of the mount, counted; 0 is none.
    private let control: Int
    /// Whether it is the host's to say when it is left behind; what ends by itself is nobody's leak.
    private let isOwned: Bool
    let token: UInt64
    package let key: AnyObject?
    private var perform: ((Any?) -> Void)?
    private var arguments: [Any?] = []

    init(
        _ what: String, in instance: Instance, key: AnyObject?, isOwned: Bool,
        perform: @escaping (Any?) -> Void
    ) {
        self.instance = instance
        self.key = key
        self.perform = perform
        mount = Instance.currentMount
        self.isOwned = isOwned
        control = instance.control(of: mount)
        token = isOwned ? instance.own(mount, what) : instance.newToken()
    }

    /// At once, as long as its mount is there, with the control that registered. Else the host is asked to, so that it can
    /// say that this is too late.
    package func deliver(_ argument: Any?) {
        guard let instance else { return }
        if !isOwned || mount == 0 || instance.isLive(mount, control) {
            perform?(argument)
        } else {
            arguments.append(argument)
            instance.nextTurn(token)
        }
    }

    func arrive() {
        let waiting = arguments
        arguments = []
        for argument in waiting { perform?(argument) }
    }

    /// The instance ends; what is left is the host's to report.
    func forget() { perform = nil }

    package func cancel() {
        guard perform != nil else { return }
        perform = nil
        arguments = []
        guard let instance else { return }
        instance.registrations[token] = nil
        if isOwned { instance.disown(token) }
    }
}

extension Instance {
    /// - Parameter isOwned: it goes on until somebody takes it back.
    package func register(
        _ what: String, key: AnyObject?, isOwned: Bool = true, perform: @escaping (Any?) -> Void
    ) -> Registration {
        let made = Registration(what, in: self, key: key, isOwned: isOwned, perform: perform)
        registrations[made.token] = made
        return made
    }

    /// In the order of registering.
    package var registered: [(Registration, AnyObject)] {
        registrations.values.sorted { $0.token < $1.token }.compactMap { made in made.key.map { (made, $0) } }
    }

    /// Whether what stands there has not been taken down.
    /// - Parameter control: the one that has to be there still; 0 is any.
    func isLive(_ mount: UInt64, _ control: Int = 0) -> Bool {
        guard let placed = placements[mount] else { return false }
        guard let wrap = placed as? AnyWrap else { return true }
        return !wrap.isOut && !wrap.isGone && (control == 0 || wrap.ends < control)
    }

    /// The newest control of a mount, counted from 1.
    func control(of mount: UInt64) -> Int { (placements[mount] as? AnyWrap)?.makes ?? 0 }
}
