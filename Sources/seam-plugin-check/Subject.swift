internal import CSeamABI
internal import CSeamCheck
internal import CSeamHost
internal import Glibc
internal import SeamKernel
internal import SeamPluginHost
internal import SeamWire

/// The plug-in under check: opened by hand, where the host's own opening would hide what a check is about, and through
/// the host, for everything that runs.
final class Subject {
    /// Absolute, unless there is no such file.
    let path: String
    let seed: UInt64
    let results: Results
    private var opened: Result<Raw, NotReached>?
    private var catalogued: Result<PluginCatalogue, LoadFailure>?
    private let hooks = PluginHooks()
    private var posts: [ObjectIdentifier: [UInt64]] = [:]

    init(path: String, seed: UInt64, results: Results) {
        if let resolved = realpath(path, nil) {
            self.path = String(cString: resolved)
            free(resolved)
        } else {
            self.path = path
        }
        self.seed = seed
        self.results = results
        hooks.services = UnsafeRawPointer(
            check_services(HostServices.table.assumingMemoryBound(to: seam_host_v1.self)))
        hooks.drainMainQueue = { check_run_main_queue(0) }
        hooks.post = { [unowned self] simulation, token in
            posts[ObjectIdentifier(simulation), default: []].append(token)
        }
    }

    func doing(_ text: String) { results.doing(text) }

    func takePosts(of simulation: Simulation) -> [UInt64] {
        posts.removeValue(forKey: ObjectIdentifier(simulation)) ?? []
    }

    // MARK: By hand

    /// The library as `dlopen` gives it.
    struct Raw {
        let entry: seam_plugin_entry_fn?
        /// What the entry answered the offer that a host of today makes.
        let answer: Answer
        /// From before the opening to the return of the entry.
        let milliseconds: Double
        /// What both have changed around them.
        let changes: [String]
    }

    struct Answer {
        let plugin: UnsafePointer<seam_plugin_v1>?
        let why: String?
    }

    /// Opens it, the first time; another process would be needed to do that again.
    func raw() throws(NotReached) -> Raw {
        if opened == nil { opened = open() }
        // It was set in the line above.
        return try opened!.get()
    }

    private func open() -> Result<Raw, NotReached> {
        let name = strdup(path)
        check_surroundings_note()
        let start = ContinuousClock.now
        dropBreadcrumb("constructors (dlopen)", of: name)
        let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
        seam_breadcrumb_pick_up()
        guard let handle else {
            return .failure(NotReached(reason: "it can't be opened: \(loaderError(about: path))"))
        }
        // The name is the promise of this type, as for the host itself.
        let entry = dlsym(handle, "seam_plugin_entry").map {
            unsafeBitCast($0, to: seam_plugin_entry_fn.self)
        }
        let answer = entry.map { ask($0) } ?? Answer(plugin: nil, why: nil)
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        var text = [CChar](repeating: 0, count: 16_384)
        check_surroundings_changes(&text, text.count)
        let changes = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .success(
            Raw(
                entry: entry, answer: answer, milliseconds: milliseconds,
                changes: changes.split(separator: "\n").map(String.init)))
    }

    /// Calls the entry with an offer.
    func ask(
        _ entry: seam_plugin_entry_fn, magic: UInt32 = SEAM_MAGIC, majors: ClosedRange<UInt32> = 1...1
    ) -> Answer {
        var why: String?
        dropBreadcrumb("seam_plugin_entry", of: nil)
        defer { seam_breadcrumb_pick_up() }
        let plugin = withUnsafeMutablePointer(to: &why) { box in
            path.withCString { path in
                seamVersion.withCString { version in
                    "seam-plugin-check".withCString { name in
                        var offer = seam_offer_v1(
                            magic: magic, size: UInt32(MemoryLayout<seam_offer_v1>.size),
                            abi_min: majors.lowerBound, abi_max: majors.upperBound, host_name: name,
                            host_version: version, library_path: path, self: UnsafeMutableRawPointer(box),
                            explain: explain)
                        return entry(&offer)
                    }
                }
            }
        }
        return Answer(plugin: plugin, why: why)
    }

    /// The description as it lies in memory.
    func plugin() throws(NotReached) -> UnsafePointer<seam_plugin_v1> {
        let raw = try raw()
        guard raw.entry != nil else { throw NotReached(reason: "it has no seam_plugin_entry (2)") }
        guard let plugin = raw.answer.plugin else {
            throw NotReached(reason: "it declines the offer of ABI major 1 (5)")
        }
        return plugin
    }

    // MARK: Through the host

    /// Why the host does not take it; nil when it does.
    var refusal: LoadFailure? {
        if case .failure(let failure) = catalogue() { return failure }
        return nil
    }

    private func catalogue() -> Result<PluginCatalogue, LoadFailure> {
        if let catalogued { return catalogued }
        let result = anotherCatalogue()
        catalogued = result
        return result
    }

    /// One more reading of the description.
    func anotherCatalogue() -> Result<PluginCatalogue, LoadFailure> {
        let catalogue = PluginCatalogue(
            sources: PluginCatalogue.Sources(files: [path]), hooks: hooks, hostVersion: seamVersion)
        do throws(LoadFailure) {
            try catalogue.openNamedFiles()
            return .success(catalogue)
        } catch {
            return .failure(error)
        }
    }

    /// The scenarios that the host has taken.
    func scenarios() throws(NotReached) -> [Scenario] {
        switch catalogue() {
        case .success(let catalogue):
            return catalogue.entries.filter { $0.plugin != nil }.map(\.scenario)
        case .failure(let failure): throw NotReached(reason: "the host does not take it: \(failure.reason)")
        }
    }

    /// A new instance's code; the scenario is one of `scenarios`.
    func makeBody(_ scenario: Scenario) -> any ScenarioBody {
        guard case .success(let catalogue) = catalogue(), let body = catalogue.makeBody(scenario.id) else {
            preconditionFailure("\(scenario.id) is not a scenario of \(path)")
        }
        return body
    }
}

/// `seam_offer_v1.explain`.
private func explain(_ box: UnsafeMutableRawPointer?, _ why: seam_str) {
    guard let box, let text = why.ptr else { return }
    let bytes = UnsafeRawBufferPointer(start: text, count: min(why.len, 4096))
    box.assumingMemoryBound(to: String?.self).pointee = String(decoding: bytes, as: UTF8.self)
}
