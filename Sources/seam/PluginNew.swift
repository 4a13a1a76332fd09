internal import Glibc
internal import SeamClient
internal import SeamWire

/// `seam plugin new NAME`: a package outside the tree, with a fault, its repair and a test.
func newPlugin(_ session: Session) throws -> Exit {
    let language = session.arguments.value(.language) ?? "swift"
    let name = try PluginName(session.arguments.word("NAME|FILE"), session.arguments.command)
    let program = folderOfRunningProgram().map { "\($0)/seam" } ?? "seam"
    let files: [PluginTemplate.File]
    let steps: [String]
    if let pasted = session.arguments.value(.around) {
        return try newPlugin(session, name, around: pasted, program: program)
    }
    if session.arguments.has(.root) {
        throw UsageFailure(
            message: "--root is for `seam plugin new NAME --around FILE.swift`",
            command: session.arguments.command)
    }
    if language == "c" {
        guard let header = InstalledParts.header, let text = contents(of: header) else {
            throw PluginNewFailure(
                message: "seam_plugin.h is nowhere to be found: \(InstalledParts.whereToLook)")
        }
        files = PluginTemplate.c(name, header: text, program: program)
        steps = ["make", "seam run --plugin lib\(name.module).so '\(name.group).*'", "make test"]
    } else {
        guard let kit = InstalledParts.kit else {
            throw PluginNewFailure(message: "SeamKit is nowhere to be found: \(InstalledParts.whereToLook)")
        }
        files = PluginTemplate.swift(name, kit: kit, program: program)
        steps = [
            "swift build", "seam run --plugin .build/debug/lib\(name.module).so '\(name.group).*'",
            "./test.sh",
        ]
    }
    try write(files, into: name.folder)
    if session.printsJSON {
        session.print([
            "folder": .string(resolvedPath(name.folder) ?? name.folder), "language": .string(language),
            "scenarios": .texts(["\(name.group).forgotten", "\(name.group).carried"]),
            "files": .texts(files.map(\.path)),
        ])
    } else {
        session.print(
            "\(printable(name.folder)): a plug-in with a fault, \(name.group).forgotten, and its repair, "
                + "\(name.group).carried. Now:")
        for step in ["cd \(shellQuoted(name.folder))"] + steps { session.print("    \(step)") }
    }
    return .fine
}

/// `seam plugin new NAME --around FILE.swift`: the file, and a scenario around it.
private func newPlugin(
    _ session: Session, _ name: PluginName, around given: String, program: String
) throws -> Exit {
    func refuse(_ why: String) -> UsageFailure {
        UsageFailure(message: "--around: \(why)", command: session.arguments.command)
    }
    if session.arguments.value(.language) == "c" {
        throw refuse("a Swift file can't be put into a plug-in in C; leave --language c out")
    }
    guard let path = resolvedPath(given) else {
        let reason = errorText(errno)
        throw refuse("there is no file \(given): \(reason)")
    }
    let file = String(given.split(separator: "/").last ?? "")
    guard FileStatus(of: path, followingLink: true)?.kind == .file else {
        throw refuse("\(given) is no file")
    }
    guard file.hasSuffix(".swift") else {
        throw refuse("\(given) is no Swift file: its name does not end in .swift")
    }
    guard let bytes = bytes(of: path) else { throw refuse("\(given): \(errorText(errno))") }
    guard bytes.count <= 1 << 20 else { throw refuse("\(given) is longer than 1 MiB, which no view is") }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        throw refuse("\(given) is no text in UTF-8")
    }
    guard let kit = InstalledParts.kit else {
        throw PluginNewFailure(message: "SeamKit is nowhere to be found: \(InstalledParts.whereToLook)")
    }
    if let error = syntaxError(in: path, session) {
        throw PluginNewFailure(
            message: "\(given):\(error.line): the compiler can't read it: \(error.text). Nothing was made")
    }
    let source = PastedSource(text)
    var scenario = try PastedScenario(source, file: file, rootNamed: session.arguments.value(.root))
    let written = scenario.text(name)
    let id = "\(name.group).\(scenario.identifier)"
    let files = PluginTemplate.around(
        name, kit: kit, program: program, pasted: file, text: text, scenario: written, id: id)
    try write(files, into: name.folder)
    let copy = files[1].path
    let impossible = source.impossible
    if session.printsJSON {
        session.print([
            "folder": .string(resolvedPath(name.folder) ?? name.folder), "language": .string("swift"),
            "scenarios": .texts([id]), "files": .texts(files.map(\.path)),
            "root": .string(scenario.root.name),
            "notes": .texts(scenario.notes),
            "unavailable": .array(
                impossible.map {
                    ["line": .number("\($0.line)"), "what": .string($0.what), "instead": .string($0.instead)]
                }),
        ])
        return .fine
    }
    for note in scenario.notes { session.note(printable(note)) }
    for entry in impossible {
        session.note(
            printable("\(copy):\(entry.line): Linux has no \(entry.what); instead: \(entry.instead)"))
    }
    session.print(
        "\(printable(name.folder)): \(printable(file)) with a scenario around \(scenario.root.name), \(id). Now:"
    )
    var steps = ["cd \(shellQuoted(name.folder))"]
    if !impossible.isEmpty { steps.append("${EDITOR:-vi} +\(impossible[0].line) \(shellQuoted(copy))") }
    if !scenario.notes.isEmpty || written.contains("<#") {
        steps.append("${EDITOR:-vi} \(shellQuoted(files[2].path))")
    }
    steps += ["swift build", "seam run --plugin .build/debug/lib\(name.module).so \(id)", "./test.sh"]
    for step in steps { session.print("    \(step)") }
    return .fine
}

/// What the compiler says of the file's syntax, where there is one; what is missing on Linux is no matter of syntax.
private func syntaxError(in path: String, _ session: Session) -> (line: Int, text: String)? {
    guard let compiler = try? HelperProcess.find("swiftc"),
        let (ending, errors) = try? HelperProcess.run(
            compiler, ["-frontend", "-parse", path], milliseconds: 5000, interrupts: session.interrupts,
            each: { _ in }),
        ending == .exit(1)
    else { return nil }
    for line in errors.split(separator: "\n") where line.hasPrefix("\(path):") {
        // FILE:LINE:COLUMN: error: TEXT
        let parts = line.dropFirst(path.count + 1).split(separator: ":", maxSplits: 3)
        if parts.count == 4, parts[2] == " error", let number = Int(parts[0]) {
            return (number, String(parts[3].drop { $0 == " " }))
        }
    }
    return nil
}

struct PluginNewFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// What is made of the NAME that was given.
struct PluginName {
    /// Where the package goes.
    let folder: String
    /// Of the Swift module and the library: `MyPlugin`.
    let module: String
    /// In front of the scenarios' ids: `my-plugin`.
    let group: String

    /// Modules that a package on SeamKit has already, so that the compiler could not tell the two apart.
    private static let taken = [
        "SeamKit", "SeamUIKit", "SwiftUI", "UIKit", "Combine", "CSeamABI", "CSeamHost", "SeamKernel",
        "SeamWire", "SeamClient", "SeamServer",
        "SeamPluginHost",
        "Lessons", "Counter", "Coordinator", "Migration", "Pasted", "FieldCases", "Rules", "Swift", "Glibc",
        "Dispatch",
        "Foundation",
        "Testing",
        "Plugin", "Scenario", "Screen", "Contact", "CardView", "CardScreen", "Forgotten", "Carried",
    ]

    init(_ word: String, _ command: Command?) throws(UsageFailure) {
        var path = word[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split { "-_. ".contains($0) }
        let isPlain = parts.allSatisfy { $0.utf8.allSatisfy { byte in Self.isAlphanumeric(byte) } }
        guard isPlain, let first = parts.first?.utf8.first,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
            name.utf8.count <= 60
        else {
            throw UsageFailure(
                message:
                    "NAME is made of up to 60 letters, digits, - and _, and begins with a letter, not '\(name)'",
                command: command)
        }
        folder = String(path)
        module = parts.map { "\($0.prefix(1).uppercased())\($0.dropFirst())" }.joined()
        group = parts.map { $0.lowercased() }.joined(separator: "-")
        if Self.taken.contains(module) || module.lowercased() == "seam" {
            throw UsageFailure(
                message: "'\(name)' is the name of something that a plug-in uses; choose another",
                command: command)
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// Where the parts lie that a plug-in is built with: with the installed program, or in the checkout it was built from.
private enum InstalledParts {
    /// The package of SeamKit.
    static var kit: String? {
        places.first { isFile("\($0)/Package.swift") && FileStatus.isFolder("\($0)/Sources/SeamKit") }
    }

    static var header: String? {
        let beside = bin.map { ["\($0)/../include/seam_plugin.h"] } ?? []
        return (beside + places.map { "\($0)/Sources/CSeamABI/include/seam_plugin.h" }).first(where: isFile)
            .flatMap(resolvedPath)
    }

    static let whereToLook =
        "it lies in ../share/seam beside the folder of an installed seam, or in the checkout that this one was built from"

    private static var bin: String? { folderOfRunningProgram() }

    private static var places: [String] {
        var places: [String] = []
        if let bin, let share = resolvedPath("\(bin)/../share/seam") { places.append(share) }
        // SwiftPM builds into a folder of the checkout, unless it is told another.
        var folder = bin ?? ""
        while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
            folder = String(folder[..<slash])
            places.append(folder)
        }
        let source = #filePath
        if let end = source.firstRange(of: "/Sources/seam/") {
            places.append(String(source[..<end.lowerBound]))
        }
        return places
    }

    private static func isFile(_ path: String) -> Bool {
        FileStatus(of: path, followingLink: true)?.kind == .file
    }
}

/// Absolute, with symbolic links resolved; nil when there is no such file.
func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// The text of a file; nil when it can't be read.
private func contents(of path: String) -> String? {
    bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
}

private func bytes(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
        let count = read(file, &chunk, chunk.count)
        if count < 0 && errno != EINTR { return nil }
        if count == 0 { return bytes }
        bytes += chunk[..<max(count, 0)]
    }
}

/// Makes the folder, which must not be there, and what belongs in it.
private func write(_ files: [PluginTemplate.File], into folder: String) throws(PluginNewFailure) {
    guard mkdir(folder, 0o777) == 0 else {
        let reason = errno == EEXIST ? "it exists already; nothing was changed" : errorText(errno)
        throw PluginNewFailure(message: "\(folder): \(reason)")
    }
    for file in files {
        var path = folder
        for part in file.path.split(separator: "/").dropLast() {
            path += "/\(part)"
            mkdir(path, 0o777)
        }
        let target = "\(folder)/\(file.path)"
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.isScript ? 0o777 : 0o666)
        let failure = descriptor < 0 ? errno : writeAll(Array(file.text.utf8), to: descriptor)
        if descriptor >= 0 { close(descriptor) }
        if let failure { throw PluginNewFailure(message: "\(target): \(errorText(failure))") }
    }
}
