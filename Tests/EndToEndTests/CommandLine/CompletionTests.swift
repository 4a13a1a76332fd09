import Foundation
import SeamTestSupport
import Testing

/// `seam completion`: scripts that their shells take, and what they offer.
@Suite struct CompletionTests {
    /// zsh and fish are not among what `make deps` installs: where one is missing, its tests are passed over.
    static func isInstalled(_ shell: String) -> Bool {
        ["/usr/bin", "/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
        }
    }

    @Test("the script is one that its shell takes", arguments: ["bash", "zsh", "fish"].filter(isInstalled))
    func syntax(shell: String) throws {
        let script = try run("seam", ["completion", shell])
        #expect(script.code == 0 && script.stderr.isEmpty)
        let folder = try TemporaryFolder()
        let file = try folder.write(script.stdout, to: "script")
        let outcome = try run(shell, ["-n", file])
        #expect(outcome.code == 0 && outcome.stdout.isEmpty && outcome.stderr.isEmpty, "\(outcome)")
    }

    @Test("other shells there are none")
    func otherShell() throws {
        try play(
            """
            $ seam completion tcsh
            ! seam: SHELL is one of bash, zsh, fish, not 'tcsh'; usage: seam completion SHELL
            = 2
            $ seam completion bsah
            ! seam: SHELL is one of bash, zsh, fish, not 'bsah'; did you mean 'bash'? usage:
            = 2
            """)
    }

    struct Row: CustomTestStringConvertible {
        /// Up to the cursor.
        var line: String
        /// What is offered, sorted; with `isSome`, what is among it.
        var offers: [String]
        var isSome = false
        var testDescription: String { line }
    }

    static let rows = [
        Row(line: "seam ru", offers: ["run"]),
        Row(line: "seam ", offers: ["assign", "run", "watch"], isSome: true),
        Row(line: "seam --soc", offers: ["--socket"]),
        Row(line: "seam run --st", offers: ["--steps"]),
        Row(line: "seam run lessons.hosting-a", offers: ["lessons.hosting-assigned"]),
        Row(line: "seam run --fail-on st", offers: ["stale"]),
        Row(line: "seam --color al", offers: ["always"]),
        Row(line: "seam check de", offers: ["demo"]),
        Row(line: "seam check --label x demo HostingController.op", offers: ["HostingController.openCount"]),
        Row(line: "seam set demo ope", offers: ["openCount="]),
        Row(line: "seam clear demo openCount ti", offers: ["title"]),
        Row(line: "seam assign demo h", offers: ["host"]),
        Row(line: "seam send demo sum", offers: ["summaryDidChange"]),
        Row(line: "seam call sim.cr", offers: ["sim.create"]),
        Row(line: "seam completion z", offers: ["zsh"]),
        Row(line: "seam help wat", offers: ["watch"]),
        Row(line: "seam create lessons.own-state -p ", offers: ["openCount="], isSome: true),
        Row(line: "seam destroy nosuch", offers: []),
        Row(line: "seam host demo host win", offers: ["window=on", "window=off"]),
        Row(line: "seam items demo h", offers: ["host"]),
        Row(line: "seam env demo --bridge h", offers: ["host"]),
        Row(line: "seam update demo host --cause la", offers: ["layout"]),
        Row(line: "seam assign demo host --after fr", offers: ["frame"]),
        Row(line: "seam policies rea", offers: ["react", "react-native"]),
        Row(line: "seam create live --profile vu", offers: ["vue"]),
    ]

    /// The daemon that all rows ask.
    private func daemon() throws -> SeamProcess {
        let daemon = try SeamProcess()
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        for id in ["d:e", "x y"] {
            try daemon.seam("create", "live", "--id", id)
            try daemon.seam("show", id, "P", "k=1")
        }
        return daemon
    }

    private func environment(_ daemon: SeamProcess) -> [String: String?] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["SEAM_SOCKET": daemon.socket, "PATH": "\(Products.folder):\(path)"]
    }

    private func compare(_ row: Row, _ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(outcome.stderr.isEmpty, "\(row.line): \(outcome.stderr)", sourceLocation: sourceLocation)
        // fish puts the explanation behind a tab.
        let offered = outcome.stdout.split(separator: "\n").map { line in String(line.prefix { $0 != "\t" }) }
        compare(row, offered: offered, sourceLocation: sourceLocation)
    }

    private func compare(
        _ row: Row, offered: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let isRight =
            row.isSome ? Set(row.offers).isSubset(of: offered) : Set(offered) == Set(row.offers)
        #expect(isRight, "\(row.line) offers \(offered)", sourceLocation: sourceLocation)
    }

    @Test("bash offers commands, options, and what the daemon knows")
    func bash() throws {
        let daemon = try daemon()
        // As readline calls it: the words up to the cursor, divided at blanks, "=" and ":".
        let script = """
            source <(seam completion bash)
            line=$1
            COMP_LINE=$line COMP_POINT=${#line}
            divided=${line//=/ = }
            read -r -a COMP_WORDS <<<"${divided//:/ : }"
            [[ $line == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            compopt() { :; }
            _seam
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let own = [
            Row(line: "seam wait demo HostingController.openCount=st", offers: ["stale"]),
            Row(line: "seam host demo host window=o", offers: ["on", "off"]),
            Row(line: "seam host demo host window=off scene=in", offers: ["inactive"]),
            Row(line: "seam run --fail-on=st", offers: ["stale"]),
            Row(line: "seam run --fail-on stale,mis", offers: ["stale,missing"]),
            Row(line: "seam run --fail-on=stale,mis", offers: ["stale,missing"]),
            Row(line: "seam create live --policy updates=m", offers: ["manual"]),
            Row(line: "seam create live --policy=updates=m", offers: ["manual"]),
            Row(line: "seam watch d:", offers: ["e"]),
            Row(line: "seam explain d:e P.", offers: ["P.k"]),
            Row(line: "seam --socket=/nosuch check de", offers: []),
            Row(line: "seam --socket /nosuch check de", offers: []),
            Row(line: "seam set demo openCount=", offers: []),
            Row(line: "seam set demo openCount=7 ti", offers: ["title="]),
        ]
        for row in Self.rows + own {
            compare(row, try run("bash", ["-c", script, "bash", row.line], environment: environment(daemon)))
        }
    }

    @Test("a name with a blank is completed to one word, at a real terminal")
    func blanks() throws {
        let daemon = try daemon()
        let terminal = try TerminalProcess(
            "bash", ["--norc", "--noprofile", "-i"], columns: 80, rows: 10, environment: environment(daemon))
        // What the shell has understood is what its words are.
        try terminal.type(
            "source <(seam completion bash); complete -F _seam words; words() { printf '<%s>' \"$@\"; }; clear\r"
        )
        for (typed, words) in [
            ("words watch x\t", "<watch><x y>"), (#"words destroy x\ "# + "\t", "<destroy><x y>"),
            (#"words explain x\ y P"# + "\t", "<explain><x y><P.k>"),
            ("words watch d:\t", "<watch><d:e>"), ("words check de\t", "<check><demo>"),
        ] {
            try terminal.type("\(typed)\r")
            try terminal.wait(line: words)
        }
    }

    @Test("fish offers the same", .enabled(if: isInstalled("fish")))
    func fish() throws {
        let daemon = try daemon()
        let home = try TemporaryFolder()
        for row in Self.rows {
            let outcome = try run(
                "fish",
                ["--no-config", "-c", "seam completion fish | source; complete -C $argv[1]", row.line],
                environment: environment(daemon).merging(["HOME": home.path]) { $1 })
            compare(row, outcome)
        }
    }

    @Test("zsh offers the same", .enabled(if: isInstalled("zsh")))
    func zsh() throws {
        let daemon = try daemon()
        let folder = try TemporaryFolder()
        // zsh completes only in its line editor: this plays it in a pseudo terminal, and has compadd tell what it
        // is given. Ctrl-X says that a row is over; its mark is never in the echo of what was typed.
        let script = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'PS1= PS2= RPS1=; autoload -U compinit; compinit -u -D; source <(seam completion zsh); \
            compadd() { local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >>$OFFERS; builtin compadd "$@" }; \
            finish() { print -r -- "--" >>$OFFERS; BUFFER=; print -n -- "<o""ver>" }; zle -N finish; \
            bindkey "^X" finish; bindkey "^I" complete-word; print -n -- "<o""ver>"'
            zpty -r shell said '*<over>*'
            for line in "$@"; do
                zpty -w -n shell "$line"$'\\t\\x18'
                zpty -r shell said '*<over>*'
            done
            zpty -d shell
            cat $OFFERS
            """
        let outcome = try run(
            "zsh", ["-f", "-c", script, "zsh"] + Self.rows.map(\.line),
            environment: environment(daemon).merging(["OFFERS": "\(folder.path)/offers", "HOME": folder.path])
            {
                $1
            })
        let offers = outcome.stdout.components(separatedBy: "--\n")
        try #require(offers.count == Self.rows.count + 1, "\(outcome)")
        for (row, offered) in zip(Self.rows, offers) {
            compare(row, offered: offered.split(separator: "\n").map(String.init))
        }
    }

    @Test("what cannot be known is nothing, not an error")
    func words() throws {
        let folder = try TemporaryFolder()
        try play(
            """
            $ seam __words simulation
            $ seam __words nosuch
            $ seam __words scenario | grep -c '^lessons'
            5
            $ seam --socket \(folder.path)/none __words bridge demo
            """)
    }
}
