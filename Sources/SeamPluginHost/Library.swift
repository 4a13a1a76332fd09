internal import CSeamABI
internal import CSeamHost
internal import Glibc
internal import SeamKernel

/// What a plug-in says of itself.
public struct PluginInfo: Sendable {
    public let id: String
    public let name: String
    public let version: String
    /// Empty when the plug-in says nothing.
    public let vendor: String
    public let license: String
    public let url: String
    /// The library, as an absolute path.
    public let file: String
}

/// One opened plug-in. It stays open to the end of the process: the next look-up of Swift's runtime in an
/// image that was closed is a crash, so there is no `close`.
struct Library {
    let info: PluginInfo
    let plugin: UnsafePointer<seam_plugin_v1>
    let scenarios: [ScenarioTable]
    /// Signals whose action a constructor or the entry had replaced; they have been put back.
    let replacedSignals: [String]

    static let entryName = "seam_plugin_entry"
    private static let majors: ClosedRange<UInt32> = 1...1

    /// Opens the file, asks its entry, and believes nothing of the answer before it was checked. [main
    /// thread]
    init(_ file: PluginFile, version: String) throws(LoadFailure) {
        let path = PathText.of(file.path)
        func refuse(_ part: LoadFailure.Part, _ reason: String) -> LoadFailure {
            LoadFailure(file: file.path, reason: reason, part: part)
        }

        let length = seam_library_bytes(path)
        if file.size < Int64(clamping: length) {
            throw refuse(
                .library,
                "it is cut off: it has \(file.size) bytes, and its headers speak of \(length); copy it again, under "
                    + "another name first when a daemon looks through the folder meanwhile")
        }
        seam_signals_note()
        defer { seam_breadcrumb_pick_up() }
        dropBreadcrumb("constructors (dlopen)", of: path)
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw refuse(.library, "it can't be opened as a shared library: \(loaderError(about: file.path))")
        }
        guard let symbol = dlsym(handle, Self.entryName) else {
            throw refuse(
                .entry,
                "it exports no \(Self.entryName), so it is no plug-in: define that function and export it "
                    + "(SEAM_EXPORT in C, extern \"C\" in C++, public with @c in Swift)")
        }
        // The name is the promise of this type; a symbol of that name with another type can't be told apart.
        let entry = unsafeBitCast(symbol, to: seam_plugin_entry_fn.self)
        dropBreadcrumb("seam_plugin_entry", of: path)
        var refusal: String?
        let answer = withUnsafeMutablePointer(to: &refusal) { box in
            version.withCString { version in
                "seamd".withCString { name in
                    var offer = seam_offer_v1(
                        magic: SEAM_MAGIC, size: UInt32(MemoryLayout<seam_offer_v1>.size),
                        abi_min: Self.majors.lowerBound, abi_max: Self.majors.upperBound, host_name: name,
                        host_version: version, library_path: path, self: UnsafeMutableRawPointer(box),
                        explain: explain)
                    return entry(&offer)
                }
            }
        }
        seam_breadcrumb_pick_up()
        replacedSignals = Self.names(of: seam_signals_restore())

        guard let answer else {
            throw refuse(
                .answer,
                refusal.map { "its entry answers no plug-in: \($0)" }
                    ?? "its entry answers no plug-in to this host, which offers ABI major 1, and gives no reason "
                    + "(seam_offer_v1.explain)")
        }
        try Self.checkHead(answer) { reason in refuse(.layout, reason) }
        plugin = answer
        do {
            let descriptor = try Descriptor(answer, path: path, file: file.path)
            info = descriptor.info
            scenarios = descriptor.scenarios
        } catch {
            throw refuse(error.part, "its description is wrong: \(error.text)")
        }
    }

    /// The members that say whether the rest can be read at all.
    private static func checkHead(
        _ plugin: UnsafePointer<seam_plugin_v1>, _ refuse: (String) -> LoadFailure
    ) throws(LoadFailure) {
        guard plugin.pointee.magic == SEAM_MAGIC else {
            throw refuse(
                "its entry answers no seam_plugin_v1: the magic is \(hex(plugin.pointee.magic)), expected "
                    + "\(hex(SEAM_MAGIC)) (SEAM_MAGIC)")
        }
        guard majors.contains(plugin.pointee.abi) else {
            throw refuse(
                "it is built for ABI major \(plugin.pointee.abi), this seamd works with major "
                    + "\(majors.lowerBound): build it against the seam_plugin.h of this seamd")
        }
        let size = MemoryLayout<seam_plugin_v1>.size
        guard plugin.pointee.size == size else {
            throw refuse(
                "its seam_plugin_v1 has \(plugin.pointee.size) bytes, expected \(size): build it against an "
                    + "unchanged seam_plugin.h and set size to sizeof(seam_plugin_v1)")
        }
    }

    private static func names(of signals: UInt64) -> [String] {
        (1..<32).filter { signals >> UInt64($0) & 1 != 0 }.map { number in
            seam_signal_name(Int32(number)).map { String(cString: $0) } ?? "signal \(number)"
        }
    }
}

/// The paths of plug-ins as C text for the breadcrumb, which may point at one at any time: kept to the end of the
/// process, one for each path.
enum PathText {
    // Read and written on the main thread alone, where plug-ins are opened.
    nonisolated(unsafe) private static var kept: [String: UnsafePointer<CChar>] = [:]

    static func of(_ path: String) -> UnsafePointer<CChar> {
        if let text = kept[path] { return text }
        let bytes = path.utf8CString
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { text[index] = byte }
        kept[path] = UnsafePointer(text)
        return UnsafePointer(text)
    }
}

/// Says what a crash would be in from now on. A static string, which ends with NUL and lives for ever: the bytes of another
/// are gone when the crash is told.
@inline(__always)
public func dropBreadcrumb(
    _ callback: StaticString, of plugin: UnsafePointer<CChar>?, scenario: UnsafePointer<CChar>? = nil,
    turn: UInt64 = 0
) {
    let name = UnsafeRawPointer(callback.utf8Start).assumingMemoryBound(to: CChar.self)
    seam_breadcrumb_drop(plugin, scenario, name, turn)
}

/// What `dlopen` says of a file just now, without the path that it begins with: whoever is told knows which file. Another
/// library's path, such as one that is needed and missing, stays.
public func loaderError(about path: String) -> String {
    guard let text = dlerror().map({ String(cString: $0) }) else { return "no reason given" }
    return text.hasPrefix("\(path): ") ? String(text.dropFirst(path.count + 2)) : text
}

func hex(_ number: UInt32) -> String { "0x" + String(number, radix: 16) }

/// `seam_offer_v1.explain`: `box` is the text of the open that is under way.
private func explain(_ box: UnsafeMutableRawPointer?, _ why: seam_str) {
    guard seam_on_main_thread() else { return }
    box?.assumingMemoryBound(to: String?.self).pointee = why.readable(limit: TextLimit.text)
}

/// One scenario of a plug-in: its description for the kernel, and the tables that its instances are called
/// by.
final class ScenarioTable {
    let scenario: Scenario
    let info: PluginInfo
    let descriptor: UnsafePointer<seam_scenario_v1>
    let calls: UnsafePointer<seam_inst_v1>
    let bridges: [UnsafePointer<seam_bridge_v1>]
    /// The file for the breadcrumb; lives to the end of the process.
    let path: UnsafePointer<CChar>

    init(
        scenario: Scenario, info: PluginInfo, descriptor: UnsafePointer<seam_scenario_v1>,
        calls: UnsafePointer<seam_inst_v1>, bridges: [UnsafePointer<seam_bridge_v1>],
        path: UnsafePointer<CChar>
    ) {
        self.scenario = scenario
        self.info = info
        self.descriptor = descriptor
        self.calls = calls
        self.bridges = bridges
        self.path = path
    }
}
