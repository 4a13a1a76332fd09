internal import CSeamHost
internal import Glibc
public import SeamKernel

/// A scenario that can be run, and who brings it.
public struct CatalogueEntry {
    public let scenario: Scenario
    /// None for the built-in `live`.
    public let plugin: PluginInfo?
    let table: ScenarioTable?
}

/// Every scenario the daemon has, and the plug-ins that could not be used.
///
/// Nothing is opened until somebody asks for something that only an opened plug-in can answer: a daemon that
/// nobody asks stays small. Descriptions are then kept with the opened plug-in, for the life of the process,
/// keyed by path, size and time of change; a cache on disk would save 0.1 ms for each C plug-in and could be
/// wrong. [main thread]
public final class PluginCatalogue {
    /// Where plug-ins come from, in this order. A client's request is never one of them.
    public struct Sources {
        /// Named one by one: each has to load, or the daemon doesn't start.
        public var files: [String]
        /// Searched for `*.so`: one that does not load is listed with its reason.
        public var folders: [String]
        /// Searched if they exist.
        public var defaultFolders: [String]
        /// The daemon's own folder: `lib*.so` without the entry belong to somebody else and are passed over.
        public var ownFolder: String?

        public init(
            files: [String] = [], folders: [String] = [], defaultFolders: [String] = [],
            ownFolder: String? = nil
        ) {
            self.files = files
            self.folders = folders
            self.defaultFolders = defaultFolders
            self.ownFolder = ownFolder
        }

        /// What was named, `$SEAM_PLUGIN_PATH` (folders, colons between them), `../lib/seam/plugins` beside
        /// the folder of the running executable, and that folder itself.
        public static func standard(files: [String], folders: [String], pluginPath: String?) -> Sources {
            var sources = Sources(files: files, folders: folders)
            for folder in (pluginPath ?? "").split(separator: ":") { sources.folders.append(String(folder)) }
            if let resolved = realpath("/proc/self/exe", nil) {
                defer { free(resolved) }
                let folder = parent(of: String(cString: resolved))
                sources.defaultFolders = [join(parent(of: folder), "lib/seam/plugins")]
                sources.ownFolder = folder
            }
            return sources
        }
    }

    private let sources: Sources
    private let hooks: PluginHooks
    private let hostVersion: String
    private var libraries: [Library] = []
    /// Every file that was tried, with what it was like then.
    private var tried: Set<PluginFile> = []
    private var isOpen = false
    /// What is opened now was not there when the daemon looked first.
    private var isRescan = false
    private var byID: [String: CatalogueEntry]
    private var sorted: [CatalogueEntry]?
    private var problems: [LoadFailure] = []
    /// Those of the folder that is looked through, until it is known how many say the same.
    private var untold: [LoadFailure] = []

    /// Opens nothing.
    public init(sources: Sources, hooks: PluginHooks, hostVersion: String) {
        self.sources = sources
        self.hooks = hooks
        self.hostVersion = hostVersion
        byID = ["live": CatalogueEntry(scenario: .live, plugin: nil, table: nil)]
    }

    /// Opens the files that were named one by one.
    /// - Throws: the first that can't be used, or that brings a scenario which is there already.
    public func openNamedFiles() throws(LoadFailure) {
        for given in sources.files {
            let file = try PluginFile(given)
            if !tried.insert(file).inserted { continue }
            if let failure = enlist(try Library(file, version: hostVersion)) { throw failure }
        }
    }

    /// All scenarios, sorted by id.
    public var entries: [CatalogueEntry] {
        openAll()
        if let sorted { return sorted }
        let entries = byID.values.sorted { $0.scenario.id < $1.scenario.id }
        sorted = entries
        return entries
    }

    /// One scenario. What is known already, like `live`, opens nothing.
    public func entry(_ id: String) -> CatalogueEntry? {
        if let known = byID[id] { return known }
        openAll()
        return byID[id]
    }

    /// What could not be used, in the order it was found: whole files, folders that can't be read, and
    /// scenarios whose id somebody else had first.
    public var failures: [LoadFailure] {
        openAll()
        return problems
    }

    /// Looks again. New files are opened, failures forgotten; what is open stays, since nothing can be
    /// unloaded. A new file of a plug-in that is open already is its new build: from now on simulations are made
    /// of that one, and those that run keep theirs.
    public func rescan() {
        problems.removeAll()
        let opened = Set(libraries.map(\.info.file))
        tried = tried.filter { opened.contains($0.path) }
        isOpen = false
        isRescan = true
        openAll()
        isRescan = false
    }

    /// A new instance's code; none for `live` and for an unknown id.
    public func makeBody(_ id: String) -> (any ScenarioBody)? {
        entry(id)?.table.map { PluginInstance(table: $0, hooks: hooks) }
    }

    /// Code for one more instance of the same build; none for none.
    public func sibling(of body: (any ScenarioBody)?) -> (any ScenarioBody)? {
        (body as? PluginInstance).map { PluginInstance(table: $0.table, hooks: hooks) }
    }

    /// Who brings this code.
    public func plugin(of body: (any ScenarioBody)?) -> PluginInfo? {
        guard let instance = body as? PluginInstance else { return nil }
        return libraries.first { $0.scenarios.contains { $0 === instance.table } }?.info
    }

    /// Tells every plug-in that the process ends. After the last simulation was destroyed.
    public func shutdown() {
        for library in libraries {
            guard let shutdown = library.plugin.pointee.shutdown, let path = library.scenarios.first?.path
            else {
                continue
            }
            dropBreadcrumb("shutdown", of: path)
            shutdown(library.plugin.pointee.user)
            seam_breadcrumb_pick_up()
        }
    }

    // MARK: Opening

    private func openAll() {
        if isOpen { return }
        isOpen = true
        for file in sources.files { open(file) }
        tellFailures()
        for folder in sources.folders { search(folder) }
        for folder in sources.defaultFolders where access(folder, F_OK) == 0 { search(folder) }
        if let folder = sources.ownFolder { search(folder, isOwn: true) }
    }

    private func search(_ folder: String, isOwn: Bool = false) {
        defer { tellFailures() }
        guard let resolved = realpath(folder, nil) else {
            return note(
                LoadFailure(
                    file: folder, reason: "the folder can't be found: \(String(cString: strerror(errno)))"))
        }
        defer { free(resolved) }
        let path = String(cString: resolved)
        let names: [String]
        do throws(LoadFailure) {
            names = try PluginFile.libraries(in: path)
        } catch {
            return note(error)
        }
        // What others can write into is not searched: a link placed there would lead to a file that looks
        // safe. An own folder without a plug-in in it is nobody's concern.
        if let reason = PluginFile.reasonNotToTrustFolder(path, isNearest: true), !isOwn {
            return note(LoadFailure(file: path, reason: reason))
        }
        for name in names where !isOwn || name.hasPrefix("lib") {
            open(join(path, name), onlyWithEntry: isOwn)
        }
    }

    private func open(_ given: String, onlyWithEntry: Bool = false) {
        do throws(LoadFailure) {
            if onlyWithEntry && !PluginFile.mentionsEntry(given) { return }
            let file = try PluginFile(given)
            if let before = tried.first(where: { $0.path == file.path }) {
                if before != file || before.modified != file.modified || before.size != file.size {
                    throw LoadFailure(
                        file: file.path,
                        reason:
                            "it has changed since it was opened, and what is open can't be unloaded: give the new "
                            + "build another name, or start the daemon again")
                }
                return
            }
            if !tried.insert(file).inserted { return }
            if let failure = enlist(try Library(file, version: hostVersion)) { note(failure) }
        } catch {
            note(error)
        }
    }

    /// Takes the scenarios in. The first to bring an id has it.
    /// - Returns: the failure to list when some ids were taken.
    private func enlist(_ library: Library) -> LoadFailure? {
        let file = library.info.file
        if !library.replacedSignals.isEmpty {
            hooks.log(
                nil, 2,
                "\(file): opening it replaced the action of \(library.replacedSignals.joined(separator: ", ")); "
                    + "the daemon's has been put back, since signals are the daemon's to handle")
        }
        libraries.append(library)
        var taken: [(owner: String, ids: [String])] = []
        for table in library.scenarios {
            let id = table.scenario.id
            if let first = byID[id], !(isRescan && first.plugin?.id == library.info.id) {
                let owner = first.plugin?.file ?? "the daemon itself"
                if let index = taken.firstIndex(where: { $0.owner == owner }) {
                    taken[index].ids.append(id)
                } else {
                    taken.append((owner, [id]))
                }
            } else {
                byID[id] = CatalogueEntry(scenario: table.scenario, plugin: library.info, table: table)
            }
        }
        sorted = nil
        if taken.isEmpty { return nil }
        return LoadFailure(
            file: file,
            reason: "it brings scenarios whose ids are taken, and the first to bring one has it: "
                + taken.map { "\(Self.some($0.ids)) (from \($0.owner))" }.joined(separator: ", "),
            part: .taken)
    }

    /// The first of many names, and how many more there are.
    private static func some(_ names: [String]) -> String {
        let rest = names.count - 3
        return names.prefix(rest == 1 ? 4 : 3).joined(separator: ", ") + (rest > 1 ? " and \(rest) more" : "")
    }

    private func note(_ failure: LoadFailure) {
        problems.append(failure)
        untold.append(failure)
    }

    /// A folder in which many files have the same fault says it once.
    private func tellFailures() {
        defer { untold = [] }
        var groups: [(reason: String, files: [String])] = []
        for failure in untold {
            if let index = groups.firstIndex(where: { $0.reason == failure.reason }) {
                groups[index].files.append(failure.file)
            } else {
                groups.append((failure.reason, [failure.file]))
            }
        }
        for (reason, files) in groups {
            hooks.log(
                nil, 2,
                (files.count == 1
                    ? "plug-in passed over: \(files[0])"
                    : "\(files.count) plug-ins passed over: \(Self.some(files))")
                    + ": \(reason)")
        }
    }
}

private func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
}

private func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
}
