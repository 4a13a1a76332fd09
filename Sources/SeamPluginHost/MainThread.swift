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
