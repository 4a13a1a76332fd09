internal import SeamClient
internal import SeamWire

// Completion scripts for three shells, written from the option table. What depends on a daemon (scenarios,
// simulations, and the names that they declare) the scripts ask for through the hidden command `__words`.

/// `seam completion SHELL`.
func printCompletion(_ session: Session) throws -> Exit {
    let script =
        switch session.arguments.word("SHELL") {
        case "bash": bashCompletion()
        case "zsh": zshCompletion()
        default: fishCompletion()
        }
    session.print(script)
    return .fine
}

/// `seam __words KIND [WORD…]`: what could stand at a place, one a line; nothing at all when it cannot be known.
/// The words are the positionals before that place.
func printWords(_ session: Session) throws -> Exit {
    let words = session.arguments.words("WORD")
    for word in (try? candidates(session.arguments.word("KIND"), words, session)) ?? [] {
        // One that a terminal could not show as it is, nobody could choose.
        if word == printable(word) { session.print(word) }
    }
    return .fine
}

private func candidates(_ kind: String, _ words: [String], _ session: Session) throws -> [String] {
    switch kind {
    case "scenario":
        let client = try session.connectOrStart()
        return try session.list(client, "scenario.list", "scenarios").compactMap { $0["id"]?.text }
    case "parameter", "policy":
        // These stand beside a scenario, not a simulation.
        guard let scenario = words.first else { return [] }
        let client = try session.connectOrStart()
        return try declared(kind, of: scenario, words, client, session)
    case "profile":
        let policies = try session.call(session.connectOrStart(), "policy.list", [:])
        return policies["profiles"]?.elements?.compactMap { $0["name"]?.text } ?? []
    case "simulation":
        return try session.list(session.connect(until: session.deadline()), "sim.list", "sims").compactMap {
            $0["sim"]?.text
        }
    case "method":
        let document = try session.call(session.connect(until: session.deadline()), "rpc.discover", [:])
        return document["methods"]?.elements?.compactMap { $0["name"]?.text } ?? []
    default:
        guard let simulation = words.first else { return [] }
        let client = try session.connect(until: session.deadline())
        let sim: JSON = ["sim": .string(simulation)]
        if ["bridge", "event", "argument"].contains(kind) {
            let state = try session.call(client, "sim.get", sim.adding("limit", 1))
            return try declared(kind, of: state["scenario"]?.text ?? "", words, client, session)
        }
        // Screens and keys: from the fields, since a live simulation declares nothing beforehand.
        var seen: Set<String> = []
        return try session.list(client, "sim.get", "fields", sim).flatMap { field in
            let screen = field["screen"]?.text ?? ""
            let key = field["field"]?.text ?? ""
            return switch kind {
            case "screen": [screen]
            case "field": ["\(screen).\(key)"]
            case "condition": Verdict.words.map { "\(screen).\(key)=\($0)" }
            case "assignment": ["\(key)="]
            default: [key]
            }
        }.filter { seen.insert($0).inserted }
    }
}

/// Names from a scenario's description. `words` are the positionals: an event's arguments need its name.
private func declared(
    _ kind: String, of scenario: String, _ words: [String], _ client: Client, _ session: Session
) throws -> [String] {
    let description = try session.call(client, "scenario.describe", ["scenario": .string(scenario)])
    func ids(_ json: JSON?) -> [String] { json?.elements?.compactMap { $0["id"]?.text } ?? [] }
    switch kind {
    case "bridge": return ids(description["bridges"])
    case "event": return ids(description["events"])
    case "parameter": return ids(description["params"]).map { "\($0)=" }
    case "policy":
        // Each with its values, and first those that the scenario says itself.
        let own = description["policies"]?.elements?.compactMap(\.text) ?? []
        let policies = try session.call(client, "policy.list", [:])["policies"]?.elements ?? []
        let others = policies.flatMap { policy in
            let name = policy["name"]?.text ?? ""
            let words = policy["words"]?.elements?.compactMap(\.text) ?? [""]
            return words.map { "\(name)=\($0)" }
        }
        return own + others.filter { !own.contains($0) }
    case "argument":
        let event = description["events"]?.elements?.first { $0["id"]?.text == words.dropFirst().first }
        return ids(event?["args"]).map { "\($0)=" }
    default: return []
    }
}

// MARK: The table, as the scripts need it

extension WordKind {
    /// How a script finds the words: fixed ones, files, or a question to `seam __words`.
    fileprivate enum Source { case words([String]), files, folders, ask(String), nothing }

    fileprivate var source: Source {
        switch self {
        case .text, .json, .number, .item, .assignment(.environment): .nothing
        case .profile: .ask("profile")
        case .scenario: .ask("scenario")
        case .simulation: .ask("simulation")
        case .bridge: .ask("bridge")
        case .screen: .ask("screen")
        case .event: .ask("event")
        case .field: .ask("field")
        case .key: .ask("key")
        case .method: .ask("method")
        case .assignment(.key): .ask("assignment")
        case .assignment(let name): .ask(name.rawValue)
        case .condition: .ask("condition")
        case .command: .words(Commands.shown.map(\.name))
        case .choice(let words): .words(words)
        case .onOff: .words(OnOff.words)
        case .setting(let settings):
            .words(settings.flatMap { setting in setting.words.map { "\(setting.name)=\($0)" } })
        case .list(let words): .words(words)
        case .numbers(let range): .words(range.map { "\($0)" })
        case .file: .files
        case .folder: .folders
        }
    }
}

/// All options that take a value, as `--name` and `-x`, each once.
private var valuedOptions: [String] {
    var spellings: [String] = []
    for option in Option.global + Commands.shown.flatMap(\.options) where option.value != nil {
        for spelling in option.spellings where !spellings.contains(spelling) { spellings.append(spelling) }
    }
    return spellings
}

extension Option {
    fileprivate var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}

// MARK: bash

private func bashCompletion() -> String {
    func reply(_ source: WordKind.Source, isList: Bool = false) -> String {
        switch source {
        case .words(let words):
            "\(isList ? "_seam_list" : "_seam_offer") \(words.map(shellQuoted).joined(separator: " "))"
        case .files: "compopt -o default; COMPREPLY=()"
        case .folders: "compopt -o dirnames; COMPREPLY=()"
        case .ask(let kind): "_seam_ask \(kind)"
        case .nothing: "COMPREPLY=()"
        }
    }
    func isList(_ kind: WordKind) -> Bool { if case .list = kind { true } else { false } }
    func optionCases(_ options: [Option]) -> String {
        options.filter { $0.value != nil }.map {
            "            \($0.spellings.joined(separator: "|"))) \(reply($0.kind.source, isList: isList($0.kind))); return ;;\n"
        }.joined()
    }
    var commands = ""
    for command in Commands.shown {
        let spellings = (command.options + Option.global).flatMap(\.spellings).joined(separator: " ")
        commands += "    \(command.name))\n        options=\(quoted(spellings))\n"
        if !command.options.isEmpty {
            commands += "        case $prev in\n\(optionCases(command.options))        esac\n"
        }
        commands += "        case ${#words[@]} in\n"
        for (index, positional) in command.positionals.enumerated() {
            let place = positional.count == .any || positional.count == .some ? "*" : "\(index)"
            commands += "            \(place)) source=\(quoted(reply(positional.kind.source))) ;;\n"
        }
        commands += "        esac ;;\n"
    }
    return #"""
        # bash completion for seam; made by `seam completion bash`
        # A word as the shell will hand it over, for those ways of quoting that a person types.
        _seam_plain() {
            case $1 in
                \'*) REPLY=${1#\'}; REPLY=${REPLY%\'} ;;
                \"*) REPLY=${1#\"}; REPLY=${REPLY%\"} ;;
                *) REPLY=${1//\\/} ;;
            esac
        }
        # Those words that begin as the one under the cursor does. Readline has divided it at "=" and ":", and takes the rest
        # of it alone.
        _seam_offer() {
            local candidate begin before
            _seam_plain "$cur"; begin=$REPLY
            _seam_plain "$head"; before=$REPLY
            for candidate; do
                [[ -n $candidate && $candidate == "$begin"* ]] || continue
                candidate=${candidate#"$before"}
                [[ $cur != [\'\"]* && $candidate == *[!A-Za-z0-9_./=:,+@%-]* ]] && printf -v candidate %q "$candidate"
                COMPREPLY+=("$candidate")
            done
            # A name that ends in = is waiting for its value.
            [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
        }
        # Words divided by commas.
        _seam_list() {
            local begin=
            [[ $cur == *,* ]] && begin=${cur%,*},
            _seam_offer "${@/#/$begin}"
            compopt -o nospace
        }
        _seam_ask() {
            local -a found
            mapfile -t found < <(seam "${socket[@]}" __words "$1" "${words[@]}" 2>/dev/null)
            _seam_offer "${found[@]}"
        }
        _seam() {
            local cur= head= prev= command= word skip= options= source= piece rest=${COMP_LINE:0:COMP_POINT}
            local -a whole=() words=() socket=()
            local i
            COMPREPLY=()
            for ((i = 0; i <= COMP_CWORD; i++)); do
                piece=${COMP_WORDS[i]}
                if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
                    rest=${rest#"${rest%%[![:space:]]*}"}
                    whole+=("")
                fi
                ((i == COMP_CWORD)) && piece=$rest
                head=${whole[-1]}
                whole[-1]+=$piece
                rest=${rest#"$piece"}
            done
            # What stands behind a divider is still to come.
            [[ $piece == [=:] ]] && head=${whole[-1]}
            cur=${whole[-1]} prev=${whole[-2]-}
            if [[ $cur == --*=* ]]; then
                prev=${cur%%=*} head=${head#*=} cur=${cur#*=}
            fi
            for word in "${whole[@]:1:${#whole[@]}-2}"; do
                _seam_plain "$word"; word=$REPLY
                if [[ -n $skip ]]; then
                    [[ $skip == --socket ]] && socket=(--socket "$word")
                    skip=
                    continue
                fi
                case $word in
                    --socket=*) socket=("$word") ;;
                    \#(valuedOptions.joined(separator: "|"))) skip=$word ;;
                    -*) ;;
                    *) if [[ -z $command ]]; then command=$word; else words+=("$word"); fi ;;
                esac
            done
            case $prev in
        \#(optionCases(Option.global).dropLast())
            esac
            case $command in
            '') options=\#(quoted(Option.global.flatMap(\.spellings).joined(separator: " ")))
                source=\#(quoted(reply(.words(Commands.shown.map(\.name))))) ;;
        \#(commands.dropLast())
            esac
            if [[ $cur == -* ]]; then
                _seam_offer $options
            else
                eval "$source"
            fi
        }
        complete -F _seam seam
        """#
}

// MARK: zsh

private func zshCompletion() -> String {
    func action(_ source: WordKind.Source) -> String {
        switch source {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .folders: "_files -/"
        case .ask(let kind): "{_seam_ask \(kind)}"
        case .nothing: " "
        }
    }
    // In a spec of _arguments a colon divides and brackets end the explanation.
    func plain(_ text: String) -> String {
        String(text.flatMap { ":[]\\".contains($0) ? ["\\", $0] : [$0] })
    }
    func spec(_ option: Option) -> [String] {
        let value = option.value.map { ":\(plain($0)):\(action(option.kind.source))" } ?? ""
        return option.spellings.map { "\(option.repeats ? "*" : "")\($0)[\(plain(option.summary))]\(value)" }
    }
    func spec(_ positional: Positional, at place: Int) -> String {
        let name = "\(plain(positional.name)):\(action(positional.kind.source))"
        return switch positional.count {
        case .one: "\(place):\(name)"
        case .optional: "\(place)::\(name)"
        case .any, .some: "*:\(name)"
        }
    }
    let global = Option.global.flatMap(spec).map(quoted).joined(separator: " \\\n        ")
    let names = Commands.shown.map { "        \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n")
    var cases = ""
    for command in Commands.shown {
        let specs =
            command.options.flatMap(spec)
            + command.positionals.enumerated().map { spec($0.element, at: $0.offset + 1) }
        cases +=
            "        \(command.name)) _arguments $global \(specs.map(quoted).joined(separator: " \\\n            ")) ;;\n"
    }
    return """
        #compdef seam
        # zsh completion for seam; made by `seam completion zsh`
        _seam_ask() {
            local -a found before
            # The positionals of the command in front of this word, without options and their values.
            before=($line)
            found=(${(f)"$(seam __words $1 $before 2>/dev/null)"})
            local suffix=' '
            [[ ${found[1]} == *= ]] && suffix=''
            compadd -S "$suffix" -a found
        }
        _seam() {
            local curcontext=$curcontext state line
            typeset -A opt_args
            local -a commands global
            commands=(
        \(names)
            )
            global=(\(global))
            _arguments -C $global '1:command:->command' '*::argument:->argument' && return
            case $state in
            command) _describe command commands ;;
            argument)
                case $line[1] in
        \(cases.dropLast())
                esac ;;
            esac
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _seam "$@"; else compdef _seam seam; fi
        """
}

// MARK: fish

private func fishCompletion() -> String {
    func arguments(_ source: WordKind.Source) -> String {
        switch source {
        case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
        case .files: " -F"
        case .folders: " -a \(quoted("(__fish_complete_directories)"))"
        case .ask(let kind): " -a \(quoted("(__seam_ask \(kind))"))"
        case .nothing: ""
        }
    }
    func line(_ option: Option, _ condition: String) -> String {
        let short = option.short.map { " -s \($0)" } ?? ""
        // -x: a value, and no files unless they are meant.
        let value =
            switch option.kind.source {
            case _ where option.value == nil: ""
            case .files: " -r -F"
            case let source: " -x\(arguments(source))"
            }
        return "complete -c seam \(condition)\(short) -l \(option.name)\(value) -d \(quoted(option.summary))"
    }
    var lines = Option.global.map { line($0, "") }
    for command in Commands.shown {
        lines.append("complete -c seam -n '__seam_at 0' -a \(command.name) -d \(quoted(command.summary))")
        lines += command.options.map { line($0, "-n '__seam_in \(command.name)'") }
        for (index, positional) in command.positionals.enumerated() {
            let isMany = positional.count == .any || positional.count == .some
            let condition =
                "-n '__seam_in \(command.name); and __seam_\(isMany ? "from" : "at") \(index + 1)'"
            let words = arguments(positional.kind.source)
            if !words.isEmpty { lines.append("complete -c seam \(condition)\(words)") }
        }
    }
    return """
        # fish completion for seam; made by `seam completion fish`
        complete -c seam -f
        # The command and its positionals before the cursor, without options and their values.
        function __seam_words
            set -l skip 0
            for word in (commandline -opc)[2..-1]
                if test $skip = 1
                    set skip 0
                else if contains -- $word \(valuedOptions.joined(separator: " "))
                    set skip 1
                else if not string match -q -- '-*' $word
                    echo -- $word
                end
            end
        end
        function __seam_at
            test (count (__seam_words)) = $argv[1]
        end
        function __seam_from
            test (count (__seam_words)) -ge $argv[1]
        end
        function __seam_in
            set -l words (__seam_words)
            test "$words[1]" = $argv[1]
        end
        function __seam_ask
            set -l words (__seam_words)
            seam __words $argv[1] $words[2..-1] 2>/dev/null
        end
        \(lines.joined(separator: "\n"))
        """
}
