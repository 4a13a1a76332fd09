import Foundation
import SeamWire
import Testing

@testable import seam

// getopt_long() keeps its place in global variables: all suites that parse take turns.
@Suite(.serialized) enum CommandLineTests {}

extension CommandLineTests {
    @Suite struct ArgumentsTests {
        /// The parsed line, as the test cares for it: `command option=value… | word…`.
        private func parse(_ line: String) throws -> String {
            switch try Arguments.parse(["seam"] + shellWords(line)) {
            case .help(let command): return "help \(command?.name ?? "")"
            case .version: return "version"
            case .nothing: return "nothing"
            case .run(let arguments):
                let options = (Option.global + arguments.command.options).flatMap { option in
                    arguments.values(option).map {
                        option.value == nil ? option.name : "\(option.name)=\($0)"
                    }
                }
                let words = arguments.command.positionals.flatMap { arguments.words($0.name) }
                return ([arguments.command.name] + options).joined(separator: " ")
                    + (words.isEmpty ? "" : " | " + words.joined(separator: " "))
            }
        }

        @Test(
            "options and words, in any order",
            arguments: [
                ("ping", "ping"), ("--json ping", "ping json"), ("ping --json", "ping json"),
                ("run a b c", "run | a b c"), ("run a --steps b", "run steps | a b"),
                ("run -p k=v -pn=w --param=x=y=z a", "run param=k=v param=n=w param=x=y=z | a"),
                ("set s k= l=a=b", "set | s k= l=a=b"), ("set s -- --k=v", "set | s --k=v"),
                ("--socket s set s k=v --if-seq 3", "set socket=s if-seq=3 | s k=v"),
                ("--label l check s f", "check label=l | s f"),
                ("check --fail stale s", "check fail-on=stale | s"),
                ("check s --timeout 010", "check timeout=010 | s"), ("watch", "watch"),
                ("watch s --match a --match b", "watch match=a match=b | s"),
                ("wait s A.b=c=stale", "wait | s A.b=c=stale"), ("--json --json list", "list json json"),
                ("call m {}", "call | m {}"), ("help", "help"), ("help run", "help | run"),
                ("--help", "help "), ("-h", "help "), ("run --help", "help run"),
                ("run -h --nosuch", "help run"),
                ("--version", "version"), ("list --version", "version"), ("", "nothing"),
                ("--json", "nothing"),
            ])
        func understood(line: String, meaning: String) throws {
            #expect(try parse(line) == meaning)
        }

        @Test(
            "what is wrong is said in one sentence",
            arguments: [
                ("rnu a", "there is no command 'rnu'; did you mean 'run'?"),
                ("xyzzy", "there is no command 'xyzzy'"), ("run", "run needs SCENARIO"),
                ("set s", "set needs K=V"), ("list a", "list has no use for 'a'"),
                ("describe a b", "describe has no use for 'b'"), ("run ''", "SCENARIO may not be empty"),
                ("set s k", "K=V is written name=value, not 'k'"),
                ("set s =v", "K=V is written name=value, not '=v'"),
                (
                    "wait s k",
                    "FIELD=VERDICT is a field and a verdict, one of matching, stale, missing, leftover, "
                        + "out-of-scope, such as k=stale; not 'k'"
                ),
                (
                    "wait s =stale",
                    "FIELD=VERDICT is a field and a verdict, one of matching, stale, missing, "
                        + "leftover, out-of-scope, such as openCount=stale; not '=stale'"
                ),
                (
                    "wait s k=stael",
                    "FIELD=VERDICT ends in a verdict, one of matching, stale, missing, leftover, "
                        + "out-of-scope, not in 'stael'; did you mean 'stale'?"
                ),
                ("set s k=1 l=2 k=3", "K=V gives 'k' twice"),
                ("run a -p k=1 --param k=1", "--param gives 'k' twice"),
                (
                    "plugin check f --only 4,99",
                    "--only takes numbers from 1 to 22, with commas between, not '99'"
                ),
                ("advance s -- -1", "MS takes a whole number from 0, not '-1'"),
                ("advance s -1", "there is no option '-1' here"),
                ("dashboard --port 70000", "--port takes a whole number from 0 to 65535, not '70000'"),
                ("doctor --port -1", "--port takes a whole number from 0 to 65535, not '-1'"),
                ("list --timeout 1s", "--timeout takes a whole number from 0, not '1s'"),
                ("list --color", "--color needs a value"), ("run a -p", "-p needs a value"),
                ("list --color red", "--color is one of auto, always, never, not 'red'"),
                ("list --socket a --socket b", "--socket may be given once"),
                ("list --json=1", "--json takes no value"), ("list -x", "there is no option '-x' here"),
                ("list --jsn", "there is no option '--jsn' here; did you mean '--json'?"),
                ("list --steps", "there is no option '--steps' here"),
                ("run a --p b", "--p could be --param or --policy or --profile or --plugin or --plugin-dir"),
                (
                    "check s --fail-on stale,",
                    "--fail-on is one of stale, missing, leftover, diagnostic, none, not ''"
                ), ("--nosuch", "there is no option '--nosuch' here"),
            ])
        func misunderstood(line: String, message: String) throws {
            let failure = #expect(throws: UsageFailure.self) { try parse(line) }
            #expect(failure?.message == message)
        }

        @Test("bytes that are no UTF-8 are refused wherever they stand, with their place")
        func notUTF8() throws {
            func words(_ words: [[UInt8]]) throws -> [String] {
                let argv: [UnsafeMutablePointer<CChar>?] =
                    words.map { bytes in
                        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
                        for (index, byte) in (bytes + [0]).enumerated() {
                            copy[index] = CChar(bitPattern: byte)
                        }
                        return copy
                    } + [nil]
                defer { argv.forEach { $0?.deallocate() } }
                return try Arguments.words(of: argv)
            }
            #expect(try words([Array("seam".utf8), [], Array("é=日本".utf8)]) == ["seam", "", "é=日本"])
            for (bytes, shown) in [
                (Array("k=".utf8) + [0xff], #"k=\xff"#), ([0xc3], #"\xc3"#),
                // A surrogate, and a NUL in two bytes.
                ([0xed, 0xa0, 0x80], #"\xed\xa0\x80"#), ([0xc0, 0x80], #"\xc0\x80"#),
            ] as [([UInt8], String)] {
                let failure = #expect(throws: UsageFailure.self) {
                    try words([Array("seam".utf8), [0x61], bytes])
                }
                #expect(failure?.message == "argument 2 is not UTF-8: '\(shown)'")
            }
        }

        @Test(
            "a line that was understood can be typed again",
            arguments: [
                ("watch", "seam watch --after e:1"),
                (
                    "--socket 's p' watch 'a b' --match 'x*' --match y --strict --json --mode all --after e:0",
                    "seam watch 'a b' --match 'x*' --match y --mode all --strict --socket 's p' --json --after e:1"
                ),
                ("watch --color never -- -x", "seam watch --color never --after e:1 -- -x"),
            ])
        func again(line: String, expected: String) throws {
            guard case .run(let arguments) = try Arguments.parse(["seam"] + shellWords(line)) else {
                Issue.record("\(line) is no command")
                return
            }
            let again = arguments.line(giving: [(.after, "e:1")])
            #expect(again == expected)
            #expect(throws: Never.self) { try parse(String(again.dropFirst("seam ".count))) }
        }

        // MARK: The table

        @Test("an option means the same in every command: the command's name is found by it")
        func arity() {
            var known: [String: Bool] = [:]
            for option in Option.global + Commands.all.flatMap(\.options) {
                for name in [option.name] + (option.short.map { ["\($0)"] } ?? []) {
                    let takesValue = option.value != nil
                    #expect(known[name] ?? takesValue == takesValue, "\(name)")
                    known[name] = takesValue
                }
            }
        }

        @Test("the table holds no command and no option twice")
        func unique() {
            let names = Commands.all.map(\.name)
            #expect(Set(names).count == names.count)
            for command in Commands.all {
                let options = (Option.global + command.options).map(\.name)
                #expect(Set(options).count == options.count, "\(command.name)")
            }
        }

        @Test("only the last positional may be left out or repeated")
        func positionals() {
            for command in Commands.all {
                #expect(command.positionals.dropLast().allSatisfy { $0.count == .one }, "\(command.name)")
            }
        }

        @Test("every example is one that works: of the help texts and of the README")
        func examples() throws {
            let readme = try String(
                contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appending(path: "../../README.md"), encoding: .utf8)
            let lines =
                (Commands.firstSteps + Commands.shown.flatMap(\.examples)).map(\.line)
                + readme.split(separator: "\n").map(String.init).filter { $0.contains("$ seam ") }
            let calls = lines.flatMap { line in
                line.matches(of: /(?:^|[ (])seam ((?:'[^']*'|[^|;&<>)#'])*)/).map { String($0.1) }
            }
            #expect(calls.count > 50)
            for call in calls {
                #expect(throws: Never.self, "seam \(call)") { try parse(call) }
            }
            for command in Commands.shown {
                #expect(!command.examples.isEmpty, "\(command.name) has no example")
            }
        }

        @Test("help fits a terminal of 80 columns, but for examples that could not be typed otherwise")
        func width() {
            for (name, text) in [("", generalHelp())] + Commands.shown.map({ ($0.name, help(for: $0)) }) {
                let examples = Set(
                    (Commands.firstSteps + Commands.shown.flatMap(\.examples)).map { "  \($0.line)" })
                for line in text.split(separator: "\n")
                where line.count > 80 && !examples.contains(String(line)) {
                    Issue.record("seam help \(name): \(line)")
                }
            }
        }
    }
}

/// A line's words: blanks divide, single quotes hold together.
private func shellWords(_ line: String) -> [String] {
    line.matches(of: /(?:'[^']*'|[^ '])+/).map { String($0.0.filter { $0 != "'" }) }
}
