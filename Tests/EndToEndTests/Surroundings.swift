import Foundation
import SeamTestSupport

/// Resident memory of a process, in KiB.
func residentKiB(_ pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}

/// Processor time that a process has used, in clock ticks of a hundredth of a second.
func processorTicks(_ pid: Int32) throws -> Int {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The name, the second field, may hold anything but ends with the last parenthesis.
    let fields = stat.suffix(from: stat.lastIndex(of: ")") ?? stat.startIndex).split(separator: " ")
    return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
}

/// Set by `make test-long`: the numbers are then those that take minutes.
let isLong = ProcessInfo.processInfo.environment["SEAM_LONG"] == "1"

/// Open descriptors of a process.
func descriptors(of pid: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
}

/// Under a sanitizer, what is freed is kept for a while: memory says nothing then.
let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
