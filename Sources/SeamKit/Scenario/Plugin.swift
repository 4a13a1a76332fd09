public import CSeamABI
internal import Glibc

/// A plug-in: what it is called and the scenarios it brings.
///
///     private let lessons = Plugin(
///         "org.example.lessons", name: "Lessons", version: "1.0", scenarios: [First.self])
///
///     @c @implementation public func seam_plugin_entry(
///         _ offer: UnsafePointer<seam_offer_v1>?
///     ) -> UnsafePointer<seam_plugin_v1>? { lessons.answer(offer) }
///
/// The entry has to be written in the plug-in: what lies in the SDK is not exported from it.
public final class Plugin: Sendable {
    private let id: String
    private let name: String
    private let version: String
    private let vendor: String
    private let license: String
    private let url: String
    private let scenarios: [any Scenario.Type]
    private let screenScenarios: @MainActor @Sendable () -> [any AnyScreenScenario]

    public init(
        _ id: String, name: String, version: String, vendor: String = "", license: String = "",
        url: String = "",
        scenarios: [any Scenario.Type] = [],
        @ScreenScenarios screens: @escaping @MainActor @Sendable () -> [any AnyScreenScenario] = { [] }
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.vendor = vendor
        self.license = license
        self.url = url
        self.scenarios = scenarios
        screenScenarios = screens
    }

    /// What the entry returns: the description, made at the first call; or nil after the host was told why
    /// not.
    public func answer(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
        guard let offer, offer.pointee.magic == SEAM_MAGIC else { return nil }
        guard offer.pointee.abi_min <= SEAM_ABI_MAJOR, offer.pointee.abi_max >= SEAM_ABI_MAJOR else {
            explain(
                offer,
                "\(name) is built for ABI major \(SEAM_ABI_MAJOR), the host offers \(offer.pointee.abi_min) to "
                    + "\(offer.pointee.abi_max)")
            return nil
        }
        // The host calls the entry on its main thread, as the header says.
        mainThread = pthread_self()
        let answer = onMainThread(self) { plugin -> Answer in
            if let made = plugin.made { return made }
            let made: Answer
            do {
                made = .description(try plugin.describe())
            } catch {
                made = .refusal("\(error)")
            }
            plugin.made = made
            return made
        }
        switch answer {
        case .description(let pointer): return pointer
        case .refusal(let why):
            explain(offer, why)
            return nil
        }
    }

    private func explain(_ offer: UnsafePointer<seam_offer_v1>, _ why: String) {
        why.withSeam { offer.pointee.explain?(offer.pointee.`self`, $0) }
    }

    @MainActor
    private func describe() throws -> UnsafePointer<seam_plugin_v1> {
        var descriptions = scenarios.map { $0.describe() }
        for scenario in screenScenarios() { descriptions.append(try scenario.describe()) }
        let row = Raw.allocate(descriptions.count * 8)
        let pointers = row.assumingMemoryBound(to: UnsafePointer<seam_scenario_v1>?.self)
        for (index, description) in descriptions.enumerated() {
            pointers[index] = try description.makeTable()
        }
        let memory = Raw.allocate(MemoryLayout<seam_plugin_v1>.size)
        let plugin = memory.assumingMemoryBound(to: seam_plugin_v1.self)
        plugin.pointee = seam_plugin_v1(
            magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_plugin_v1>.size), abi: SEAM_ABI_MAJOR,
            scenario_count: UInt32(descriptions.count), id: Raw.text(id), name: Raw.text(name),
            version: Raw.text(version), vendor: Raw.text(vendor), license: Raw.text(license),
            url: Raw.text(url),
            scenarios: UnsafePointer(pointers), interfaces: nil, user: nil, get_interface: nil, shutdown: nil)
        return UnsafePointer(plugin)
    }

    private enum Answer {
        case description(UnsafePointer<seam_plugin_v1>)
        case refusal(String)
    }

    /// The entry answers the same thing each time.
    @MainActor private var made: Answer?
}

/// Runs main-actor code in a function that the host calls, which is on the main thread by the contract of the
/// ABI.
///
/// What `MainActor.assumeIsolated` does, without asking again: the host has just asked, and its check costs
/// 108 ns a call, more than the call itself.
func onMainThread<Input, Result>(
    _ input: Input, _ body: @MainActor (Input) throws -> Result
) rethrows -> Result {
    try withoutActuallyEscaping(body) { body in
        // The two types differ in nothing but the actor's name.
        try unsafeBitCast(body, to: ((Input) throws -> Result).self)(input)
    }
}
