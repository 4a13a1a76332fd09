import Foundation
import SeamKernel
@testable import SeamPluginHost
import SeamTestSupport
import Testing

extension PluginHost {
    /// Each in a process of its own, which dies of it.
    @Suite struct Crashes {
        /// What a process does that is to die inside the event "do".
        static func die(of what: String) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            try asHost {
                if let error = CrashReports.install() { fatalError("not installed: \(error)") }
                let (simulation, _) = try Desk([file]).simulation("plain.first")
                _ = try simulation.act("nothing")
                _ = try simulation.act(what)
            }
        }

        static func report(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

        static func expectBlame(_ bytes: [UInt8], _ first: String) {
            let text = report(bytes)
            #expect(text.contains("seamd: \(first)\n"), "\(text)")
            #expect(text.contains("/libplugin.so\n") && text.contains("  scenario: plain.first\n"), "\(text)")
            #expect(text.contains("  callback: event\n") && text.contains("  turn:     3\n"), "\(text)")
        }

        @Test("a null pointer is blamed on the plug-in, its scenario, callback and turn")
        func segv() async {
            let result = await #expect(
                processExitsWith: .signal(SIGSEGV), observing: [\.standardErrorContent]
            ) {
                try Crashes.die(of: "segv")
            }
            Self.expectBlame(result?.standardErrorContent ?? [], "SIGSEGV inside a plug-in")
        }

        @Test("so is an abort")
        func abort() async {
            let result = await #expect(
                processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
            ) {
                try Crashes.die(of: "abort")
            }
            Self.expectBlame(result?.standardErrorContent ?? [], "SIGABRT inside a plug-in")
        }

        @Test("and a trap, which is how Swift ends on a broken precondition")
        func trap() async {
            let result = await #expect(processExitsWith: .signal(SIGILL), observing: [\.standardErrorContent])
            {
                try Crashes.die(of: "trap")
            }
            Self.expectBlame(result?.standardErrorContent ?? [], "SIGILL inside a plug-in")
        }

        @Test("an exit in a plug-in is named and does not look like success")
        func exits() async {
            let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
                try Crashes.die(of: "exit")
            }
            Self.expectBlame(
                result?.standardErrorContent ?? [], "exit() called inside a plug-in; a callback has to return"
            )
        }
    }
}
