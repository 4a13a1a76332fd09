internal import CSeamABI
internal import CSeamHost
internal import SeamKernel
internal import SeamPluginHost

// 1 to 8: the library, before anything is created.

extension Checks {
    static func opens(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        do throws(NotReached) {
            _ = try subject.raw()
        } catch {
            return findings.fail(error.reason)
        }
        // The daemon asks more: whether somebody else could have changed the file.
        if let refusal = subject.refusal, refusal.part == .file || refusal.part == .library {
            findings.fail(refusal.reason)
        }
    }

    static func exports(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        let raw = try subject.raw()
        if raw.entry == nil {
            findings.fail(
                "it exports no seam_plugin_entry: define that function and export it (SEAM_EXPORT in C, extern "
                    + "\"C\" in C++, public with @c in Swift)")
        }
        guard let elf = Elf(contentsOf: subject.path) else {
            return findings.warn("its symbols can't be read: it has no section headers")
        }
        let linkers = ["_init", "_fini", "__bss_start", "_edata", "_end", "seam_plugin_entry"]
        let others = elf.exports.filter { !linkers.contains($0) }
        if !others.isEmpty {
            let list = others.prefix(3).joined(separator: ", ") + (others.count > 3 ? ", …" : "")
            findings.warn(
                "it exports \(others.count) more name\(others.count == 1 ? "" : "s") (\(list)), which may meet those "
                    + "of another library: build with -fvisibility=hidden, or link with "
                    + "--version-script and { global: seam_plugin_entry; local: *; };")
        }
    }

    /// What every machine with a seamd has: glibc, the compilers' own libraries, Swift's.
    private static func isEverywhere(_ library: String) -> Bool {
        let names = [
            "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
        ]
        let beginnings = [
            "ld-linux", "libstdc++.so.", "libc++.so.", "libc++abi.so.", "libswift", "libFoundation",
            "lib_Foundation",
            "libdispatch.so", "libBlocksRuntime.so", "libasan.so", "libtsan.so", "libubsan.so",
        ]
        return names.contains(library) || beginnings.contains { library.hasPrefix($0) }
    }

    static func dependencies(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        guard let elf = Elf(contentsOf: subject.path) else {
            throw NotReached(reason: "its dynamic section can't be read (1, 2)")
        }
        for library in elf.needed where !isEverywhere(library) {
            findings.fail("it needs \(library), which other machines may not have: link it statically")
        }
        var folders: [String] = []
        for folder in elf.searchPaths where !folder.hasPrefix("$ORIGIN") && !folders.contains(folder) {
            folders.append(folder)
        }
        if !folders.isEmpty {
            findings.warn(
                "its RUNPATH holds \(folders.joined(separator: ", ")), which may be "
                    + (folders.count == 1 ? "another folder" : "other folders") + " on another machine")
        }
    }

    private static let startMilliseconds = 100.0

    static func startTime(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        let raw = try subject.raw()
        if raw.milliseconds > startMilliseconds {
            findings.fail(
                "opening it and asking its entry took \(Int(raw.milliseconds)) ms, at most "
                    + "\(Int(startMilliseconds)) is allowed: do at the first create what takes long")
        }
    }

    static func sameAnswer(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        let raw = try subject.raw()
        guard let entry = raw.entry else { throw NotReached(reason: "it has no seam_plugin_entry (2)") }
        guard let first = raw.answer.plugin else {
            let why = raw.answer.why ?? "it gives no reason (seam_offer_v1.explain)"
            return findings.fail("its entry answers no plug-in to a host that offers ABI major 1: \(why)")
        }
        for _ in 0..<3 where subject.ask(entry).plugin != first {
            findings.fail(
                "its entry answers another description when it is asked again: make it once, and keep it")
        }
    }

    static func declines(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        guard let entry = try subject.raw().entry else {
            throw NotReached(reason: "it has no seam_plugin_entry (2)")
        }
        for major: UInt32 in [0, 99] {
            let answer = subject.ask(entry, majors: major...major)
            if answer.plugin != nil {
                findings.fail(
                    "it takes the offer of a host that has ABI major \(major) alone: compare abi_min and abi_max with "
                        + "SEAM_ABI_MAJOR, and return NULL")
            } else if (answer.why ?? "").isEmpty {
                findings.warn(
                    "it declines a host that has ABI major \(major) alone and does not say why: call explain")
            }
        }
        if subject.ask(entry, magic: 0x0bad_0bad).plugin != nil {
            findings.warn("it reads an offer whose magic is wrong: return NULL unless it is SEAM_MAGIC")
        }
    }

    static func surroundings(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        for change in try subject.raw().changes {
            findings.fail("its constructors or its entry changed \(change); those are the daemon's")
        }
    }

    static func interfaces(_ subject: Subject, _ findings: inout Findings) throws(NotReached) {
        let plugin = try subject.plugin()
        guard subject.refusal == nil else { throw NotReached(reason: "the host does not take it (9 to 12)") }
        var known: [String] = []
        if let list = plugin.pointee.interfaces {
            // The host has found the NULL at its end.
            while let id = list[known.count] { known.append(String(cString: id)) }
        }
        try instanceInterfaces(subject, &findings)
        guard let ask = plugin.pointee.get_interface else {
            if !known.isEmpty { findings.fail("it lists interfaces, and get_interface is missing (NULL)") }
            return
        }
        func table(_ id: String) -> UnsafeRawPointer? {
            subject.doing("get_interface(\"\(id)\")")
            dropBreadcrumb("get_interface", of: nil)
            defer { seam_breadcrumb_pick_up() }
            return ask(plugin.pointee.user, id)
        }
        for id in known where table(id) == nil {
            findings.fail("it lists the interface \(id) and has no table for it")
        }
        for id in ["seam.nothing/1", ""] + known.map({ $0 + "x" }) where table(id) != nil {
            findings.fail("get_interface answers a table for \"\(id)\", which nobody defined: return NULL")
        }
    }

    /// The same for instances, whose hooks the host has asked for when they were created.
    private static func instanceInterfaces(
        _ subject: Subject, _ findings: inout Findings
    ) throws(NotReached) {
        for scenario in try subject.scenarios() {
            subject.doing("\(scenario.id): get_interface of an instance")
            do throws(Simulation.CreateFailure) {
                let stage = try Stage(scenario, of: subject)
                for id in ["seam.nothing/1", "seam.hooks/2", ""] where stage.body.pluginInterface(id) != nil {
                    findings.fail(
                        "\(scenario.id): get_interface of seam_inst_v1 answers a table for \"\(id)\", which nobody "
                            + "defined: return NULL")
                }
                stage.destroy()
            } catch {
                // A create that says no is another check's matter; a table that can't be used is this one's.
                if error.text.contains("seam_hooks_v1") { findings.fail("\(scenario.id): \(error.text)") }
            }
        }
    }
}
