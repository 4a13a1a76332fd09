internal import CSeamHost
internal import Glibc

/// The one thread that runs simulations and calls plug-ins.
public enum MainThread {
    /// Makes the calling thread that thread. The first thing a daemon does.
    public static func claim() { seam_set_main_thread(true) }

    /// Gives it up. Only a test process needs this: its own main thread is parked, so the thread that plays
    /// the host changes from test to test.
    public static func release() { seam_set_main_thread(false) }

    /// Whether the caller is on it.
    public static var isCurrent: Bool { seam_on_main_thread() }
}

/// What a crash inside a plug-in says before the process dies.
public enum CrashReports {
    /// Installs the report, on the main thread, before the first plug-in is opened.
    ///
    /// A crash then names plug-in, scenario, callback and turn on stderr, and whatever handled the signal
    /// before (Swift's backtrace) still gets it. An `exit` called by a plug-in is named too and ends with
    /// status 70.
    /// - Returns: the errno of what failed; nil when all is in place.
    public static func install() -> Int32? {
        let error = seam_crash_report_install()
        return error == 0 ? nil : error
    }
}

/// Names the plug-in that keeps the daemon from serving.
public enum StallWatch {
    /// Starts the thread that watches the main thread's calls into plug-ins: one that lasts longer than `seconds` is
    /// named on stderr with its scenario, callback and turn, again whenever it has lasted twice as long, and when it is
    /// over. The thread sleeps while no plug-in is called. Once, on the main thread.
    /// - Returns: the errno of what failed; nil when it runs.
    public static func start(seconds: Int) -> Int32? {
        let error = seam_stall_watch_start(UInt64(seconds) * 1000)
        return error == 0 ? nil : error
    }
}
