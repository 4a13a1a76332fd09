/// What `seam.stats` tells: counts since the daemon began.
struct Statistics {
    var connections: UInt64 = 0
    var refusedConnections: UInt64 = 0
    var stalledConnections: UInt64 = 0
    var requests: UInt64 = 0
    var errors: UInt64 = 0
    var failedNotifications: UInt64 = 0
    var turns: UInt64 = 0
    var changes: UInt64 = 0
    var diagnostics: UInt64 = 0
    var slowEnds: UInt64 = 0
    var bytesIn: UInt64 = 0
    var bytesOut: UInt64 = 0
}
