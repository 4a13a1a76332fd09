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
