// The table of commands: everything that the command line knows of itself.

enum Commands {
    /// Those that people use.
    static let shown: [Command] = all.filter { !$0.isHidden }

    /// In the order of the help text.
    static let all: [Command] = playing + simulations + driving + reading + daemon + hidden

    static let tagline = "watch the values that cross between two UI frameworks, and find the stale ones"
    static let introduction =
        "Seam tells, live, which values on a bridged screen no longer match the model: matching, stale, missing "
        + "or leftover. A daemon, seamd, runs the simulations; run, scenarios and describe start a private one "
        + "when none listens."

    /// What the environment decides.
    static let environment: [(name: String, meaning: String)] = [
        ("SEAM_SOCKET", "the daemon's socket, unless --socket is given"),
        ("XDG_RUNTIME_DIR", "holds seam/seam.sock when neither is; without it /run/user/UID/seam/seam.sock"),
        ("SEAM_PLUGIN_PATH", "folders of plug-ins for a private daemon, divided by colons"),
        ("NO_COLOR", "with any text: no colours, unless --color always"),
    ]

    /// The examples of the general help.
    static let firstSteps: [Example] = [
        Example("seam run lessons.hosting-unassigned", "plays a lesson; needs no daemon"),
        Example("seamd & seam create lessons.hosting-unassigned --id demo", "a simulation of your own"),
        Example("seam watch demo", "its fields, live"),
        Example("seam set demo openCount=7; seam assign demo host", "go stale, and match again"),
    ]

    // MARK: Positionals that several commands share

    private static let simulation = Positional(
        "SIM", .simulation, "a simulation's id; `seam list` names them")
    private static let scenario = Positional(
        "SCENARIO", .scenario, "a scenario's id; `seam scenarios` names them")
    private static let bridge = Positional(
        "BRIDGE", .bridge, "a bridge of the scenario; `seam describe` names them")

    private static let privateDaemon =
        "When no daemon listens, or plug-ins are named, a private one is started for this call. Who gives --socket "
        + "means the daemon there: when none listens, the exit code is 3."

    // MARK: Playing scenarios

    private static let playing: [Command] = [
        Command(
            "run", "play the script of scenarios and print their checks",
            [Positional("SCENARIO", .scenario, .some, "scenario ids; * stands for any characters")],
            options: Option.creation + [.failOn, .steps, .why, .report] + Option.plugins,
            details: [
                "Each check prints a line for each of its fields and four counts. Diagnostics go to standard "
                    + "error, a line each. A lesson is meant to show its fault, so by default only a check that "
                    + "does not come out as its scenario expects makes the exit code 1, and a run that tells nothing: "
                    + "one without a check, or one whose script could not be followed (no-such-control, "
                    + "plugin-misbehaving).",
                privateDaemon,
                "With --json each step, check and diagnostic is an object on a line of its own, told apart by its "
                    + "members step, label and code.",
                "With --report each checked field of which its scenario expects a verdict is a test case, and so is "
                    + "every checked field when --fail-on names verdicts: the report fails where the exit code does. "
                    + "A report on standard output takes the place of the checks there.",
            ],
            examples: [
                Example("seam run lessons.hosting-unassigned", "the forgotten rootView: one field is stale"),
                Example("seam run --why lessons.hosting-unassigned", "and which call never came"),
                Example("seam run --steps lessons.wrapping-empty", "shows which call ran and wrote nothing"),
                Example("seam run --fail-on stale,diagnostic 'lessons.*'", "all lessons, as a test"),
                Example("seam run --plugin ./libMine.so 'mine.*'", "scenarios of your own plug-in"),
                Example("seam run 'mine.*' --report junit=report.xml,tap=-", "as a test suite for CI"),
            ],
            exits: [.finding, .noConnection, .refused], run: runScenarios),
        Command(
            "diff", "play two scenarios and print where they part",
            [
                Positional("SCENARIO", .scenario, "the first: a fault, as a rule"),
                Positional("OTHER", .scenario, "the second: its repair"),
            ],
            options: Option.creation + Option.plugins,
            details: [
                "The first call or write that only one of them makes, or that they make differently, then the fields "
                    + "whose verdicts or values differ at the checks, with the reason, and the diagnostics of one alone. "
                    + "Lines of the first begin with -, of the second with +. Checks are compared in their order, whatever "
                    + "they are called.",
                "Exit code 0 when nothing differs, 1 when something does. With --json one object: first, second, call, "
                    + "fields, diagnostics.",
                privateDaemon,
            ],
            examples: [
                Example(
                    "seam diff lessons.hosting-unassigned lessons.hosting-assigned",
                    "the assignment that was forgotten"),
                Example(
                    "seam diff coordinator.label coordinator.label-recreated",
                    "the same verdicts, other controls"),
            ],
            exits: [.finding, .noConnection, .refused], run: diffScenarios),
        Command(
            "scenarios", "list the scenarios that there are",
            [Positional("GLOB", .scenario, .any, "only ids that match; * stands for any characters")],
            options: Option.plugins,
            details: [
                "Plug-ins that could not be loaded are told on standard error, and so is a GLOB that no scenario matches. "
                    + "Exit code 1 when globs are given and nothing matches any of them.",
                privateDaemon,
            ],
            examples: [Example("seam scenarios 'counter.*'", "the scenarios of the counter")],
            exits: [.finding, .noConnection, .refused],
            run: listScenarios),
        Command(
            "describe", "show what a scenario is made of", [scenario], options: Option.plugins,
            details: [
                "Parameters, screens with their fields, bridges, events, policies, the script, and what its checks "
                    + "expect.",
                privateDaemon,
            ],
            examples: [Example("seam describe lessons.wrapping-empty", "before playing it")],
            run: describeScenario),
    ]

    // MARK: Simulations

    private static let simulations: [Command] = [
        Command(
            "create", "make a simulation and print its id", [scenario],
            options: [.identifier] + Option.creation + [.trace, .recordTo, .history],
            details: ["It is started, mounted and drawn; its script is not played."],
            examples: [
                Example("seam create lessons.hosting-unassigned --id demo", "a simulation with a name"),
                Example("sim=$(seam create live)", "a live one, with the name that the daemon chose"),
            ],
            run: createSimulation),
        Command(
            "list", "list the simulations",
            details: ["A line each: id, scenario, running or failed, seq, epoch."],
            examples: [Example("seam list --json", "one object a line")], run: listSimulations),
        Command(
            "fork", "make a simulation that goes on from where another is, or was", [simulation],
            options: [.at, .atTurn, .identifier],
            details: [
                "Prints the new simulation's id. It has a future of its own: the same inputs make the same changes in "
                    + "both. --at in the middle of a turn is the end of that turn, also of the newest: a clock that has "
                    + "gone on since without a turn goes along only without --at and --at-turn.",
                "What came into the simulation is played to the new one, so the daemon has to know all of it: see "
                    + "--history and --record of `seam create`.",
            ],
            examples: [
                Example("seam fork demo --id what-if", "try something, and keep the original"),
                Example("seam fork demo --at 12", "go on from an earlier moment"),
                Example("seam fork demo --at-turn 3", "go on from the end of a turn that `seam trace` names"),
            ],
            run: forkSimulation),
        Command(
            "destroy", "end a simulation", [simulation],
            examples: [Example("seam destroy demo", "its subscribers are told")], run: destroySimulation),
    ]

    // MARK: Driving them

    private static let driving: [Command] = [
        Command(
            "set", "give values of the model",
            [
                simulation,
                Positional("K=V", .assignment(.key), .some, "a key and its new value; K= is the empty text"),
            ],
            options: Option.turn, details: [answer],
            examples: [Example("seam set demo openCount=7 filter=open", "one turn with two changes")],
            run: setModel),
        Command(
            "clear", "take values of the model away",
            [simulation, Positional("KEY", .key, .some, "a key that shall have no value")],
            options: [.ofLiveScreen] + Option.turn,
            details: [
                "No value is not the empty text: a field with none on both sides is out of scope.", answer,
            ],
            examples: [
                Example("seam clear demo filter", "the model has no filter any more"),
                Example(
                    "seam clear door --screen Panel light", "the live screen Panel shows no light any more"),
            ],
            run: clearValues),
        Command(
            "show", "tell what a live screen shows",
            [
                simulation, Positional("SCREEN", .screen, "a screen of a simulation of the scenario live"),
                Positional("K=V", .assignment(.key), .any, "a field and what it shows"),
            ],
            options: [.declare] + Option.turn,
            details: ["A screen and its fields begin with their first use.", answer],
            examples: [
                Example("seam show door Panel light=on", "Panel shows on in its field light"),
                Example("seam show door Panel --declare lock", "a field that shows nothing yet"),
            ],
            run: showValues),
        Command(
            "send", "send an event that the scenario declares",
            [
                simulation,
                Positional("EVENT", .event, "an event of the scenario; `seam describe` names them"),
                Positional("K=V", .assignment(.argument), .any, "its arguments"),
            ],
            options: [.mount] + Option.turn, details: [answer],
            examples: [Example("seam send counter increase", "as if the button had been tapped")],
            run: sendEvent),
        Command(
            "assign", "give a hosting controller its rootView anew", [simulation, bridge],
            options: [.built, .mount] + Option.turn,
            details: ["The call that an embedding waits for: without it, the view keeps its copy.", answer],
            examples: [
                Example("seam assign demo host", "the stale field matches"),
                Example(
                    "seam assign demo host --interim at-once:openCount",
                    "assigned, and not drawn before the turn has settled"),
            ], run: assignRoot),
        Command(
            "build", "make a root view and assign it to nobody", [simulation, bridge],
            options: [.mount] + Option.turn,
            details: [
                "The builder runs, with the model as it is now; `seam assign --built` assigns it.", answer,
            ],
            examples: [Example("seam build demo host; seam assign demo host --built", "in two steps")],
            run: callBridge),
        Command(
            "update", "make a bridge's update run once more", [simulation, bridge],
            options: [.cause, .mount] + Option.turn,
            details: [
                "A wrapping's update; an embedding draws, for another cause than repeat: that does not assign it.",
                answer,
            ],
            examples: [
                Example("seam update demo list", "its body runs, whatever it writes"),
                Example("seam update demo list --cause layout", "as after a rotation: no input has changed"),
            ],
            run: updateBridge),
        Command(
            "mount", "place a bridge on its screen", [simulation, bridge], options: Option.turn,
            details: ["The answer names the new mount.", answer],
            examples: [Example("seam mount demo list", "coordinator, make and update run")], run: callBridge),
        Command(
            "unmount", "take a bridge off its screen", [simulation, bridge], options: [.mount] + Option.turn,
            details: [answer], examples: [Example("seam unmount demo list --mount 2", "dismantle runs")],
            run: callBridge),
        Command(
            "identify", "give what stands in a place an id",
            [simulation, bridge, Positional("ID", .text, "another id than before is another view")],
            options: [.mount] + Option.turn,
            details: ["The same id changes nothing; another one makes control and view state anew.", answer],
            examples: [Example("seam identify demo list task-7", "as .id(task.id) does")],
            run: identifyMount),
        Command(
            "rebind", "give a control to another item, as a recycled cell is",
            [simulation, bridge, Positional("OWNER", .text, "the id of the item that it shows from now on")],
            options: [.mount] + Option.turn,
            details: ["Its identity and its view state stay.", answer],
            examples: [Example("seam rebind demo list task-8", "does anything of task-7 stay behind?")],
            run: rebindMount),
        Command(
            "items", "say what a list shows",
            [
                simulation, bridge,
                Positional(
                    "ITEM", .item, .any, usage: "[ID[=VALUE]…]",
                    "the items in their order, by id and, if they have one, value; none for an empty list"),
            ],
            options: Option.turn,
            details: [
                "Each item is shown by a mount of the bridge. The id decides which control stays, the value whether it "
                    + "is updated.", answer,
            ],
            examples: [
                Example("seam items demo list a=Milk b=Bread", "two mounts"),
                Example("seam items demo list b=Bread a=Milk", "they move, and are not made again"),
            ],
            run: setItems),
        Command(
            "dismiss", "close a view as its user does", [simulation, bridge],
            options: [.mount] + Option.turn,
            details: [
                "The model did not ask for it; the policy dismissal says whether it hears of it.", answer,
            ],
            examples: [Example("seam dismiss demo host", "as if swiped away")], run: callBridge),
        Command(
            "host", "say where the system has put a mounted view",
            [
                simulation, bridge,
                Positional(
                    "STATE", .setting(hostStates), .some,
                    "window=on|off, scene=active|inactive, hidden=on|off, size=on|off, parked=on|off"),
            ],
            options: [.mount] + Option.turn,
            details: [
                "What cannot be drawn meanwhile is drawn on return; `seam mounts` shows what waits.", answer,
            ],
            examples: [
                Example("seam host demo host window=off", "an update that comes now waits"),
                Example("seam host demo host window=on scene=active", "and runs"),
            ],
            run: setHost),
        Command(
            "env", "set values of the environment",
            [
                simulation,
                Positional(
                    "K=V", .assignment(.environment), .any, "a name and its value; K= is the empty text"),
            ],
            options: [.host, .mount, .unset] + Option.turn,
            details: [
                "Of the root, where a model value of the same name follows it, or with --bridge of one host and what "
                    + "lies in it.", answer,
            ],
            examples: [
                Example("seam env demo locale=de", "who has read locale is updated"),
                Example("seam env demo --bridge host --unset locale", "that host inherits it again"),
            ],
            run: setEnvironment),
        Command(
            "advance", "move a simulation's clock",
            [simulation, Positional("MS", .number(from: 0), "milliseconds of the simulation's own time")],
            options: [.ifSeq],
            details: ["Timers that are due run in order, each in a turn of its own.", answer],
            examples: [Example("seam advance demo 300", "what waits for 0.3 s happens now")],
            run: advanceClock),
        Command(
            "feed", "make what a program prints a live simulation",
            [
                Positional(
                    "SIM", .simulation, "a simulation of the scenario live; it is created when there is none")
            ],
            details: [
                "Reads lines from standard input:",
                """
                  model KEY VALUE            the model's value is VALUE
                  screen SCREEN KEY VALUE    SCREEN shows VALUE in its field KEY
                  model KEY                  the model has no value
                  screen SCREEN KEY          the screen shows none
                  declare SCREEN KEY         a field that is not shown yet
                """,
                "VALUE is the rest of the line as it stands; after a blank it may be empty, which is the empty "
                    + "text. A word or value that begins with a double quote is a JSON string, for blanks in names "
                    + "and line ends in values. Blank lines and lines that begin with # are passed over.",
                "A line that is not understood or refused is told on standard error with its number, in their order; the "
                    + "others go on, and the exit code is 1. Every line is a turn of its own. The simulation stays.",
            ],
            examples: [
                Example("my-program | seam feed door", "then, elsewhere: seam watch door"),
                Example(
                    "printf 'model light on\\nscreen Panel light off\\n' | seam feed door", "light is stale"),
            ],
            exits: [.finding, .noConnection, .refused], run: feed),
    ]

    private static let answer =
        "Prints the simulation's seq and turn behind it, and how many changes and diagnostics it caused."

    private static let hostStates = [
        Setting("window"), Setting("scene", ["active", "inactive"]), Setting("hidden"), Setting("size"),
        Setting("parked"),
    ]

    // MARK: Reading them

    private static let reading: [Command] = [
        Command(
            "check", "print verdicts and counts as they are now",
            [
                simulation,
                Positional("FIELD", .field, .any, "Screen.field, or a field's name alone; else every field"),
            ],
            options: [.label, .screen, .at, .atTurn, .failOn, .why],
            details: [
                "By default stale, missing and leftover fields make the exit code 1. Diagnostics go to standard "
                    + "error, a line each."
            ],
            examples: [
                Example("seam check demo", "all fields"),
                Example("seam check demo --screen HostingController openCount", "one field"),
                Example("seam check demo --fail-on none", "only look"),
                Example("seam check demo --at 4", "as it was at seq 4"),
                Example("seam check demo --at-turn 2", "as it was when turn 2 had settled"),
                Example("seam check demo --why", "and say why a field does not match"),
            ],
            exits: [.finding, .noConnection, .refused], run: checkSimulation),
        Command(
            "explain", "say why a field is as it is",
            [
                simulation,
                Positional(
                    "FIELD", .field, .any,
                    "Screen.field, or a field's name alone; else every field that does not match"),
            ],
            details: [
                "A sentence; who last wrote both sides, and when; the calls that carry the field, when each last ran and "
                    + "how often since the model changed; and what happened since. Only facts that the simulation kept.",
                "Exit code 0 whatever the verdict. With --json an object a line, the protocol's own.",
            ],
            examples: [
                Example("seam explain demo HostingController.openCount", "which call is missing?"),
                Example("seam explain demo", "all that does not match"),
            ],
            run: explainFields),
        Command(
            "trace", "print every call and write of a simulation", [simulation],
            options: [.from, .to, .follow],
            details: [
                "A line each: turn and its round, milliseconds of the simulation's clock, the call with its cause or "
                    + "origin, then its mount, control and coordinator by number, and what it wrote and set. Another number is "
                    + "another object.",
                "The history is bounded (seamd --trace-bytes); what is no longer kept is told on standard error. A live "
                    + "simulation has none unless it was created with --trace on.",
                "With --follow a turn that changed nothing comes within five seconds, any other at once; the one in which the "
                    + "simulation is destroyed is not told, and --timeout says when it ends. With --json an object a line.",
            ],
            examples: [
                Example("seam trace demo", "from the start"),
                Example("seam trace demo --from 7 --to 9", "three turns"),
                Example(
                    "seam trace demo --json | jq 'select(.call == \"update\" and .wrote == null)'",
                    "empty updates"),
            ],
            run: printTrace),
        Command(
            "watch", "print every change as it happens",
            [
                Positional(
                    "SIM", .simulation, .any, usage: "[SIM]",
                    "a simulation; without it, all of them and those to come. With --reload it is SCENARIO…: scenario "
                        + "ids; * stands for any characters")
            ],
            options: [.match, .mode, .after, .reconnect, .verdicts, .strict, .reload, .pluginFolder],
            otherForm: "--reload --plugin-dir DIR SCENARIO…",
            details: [
                "First the fields as they are, then a line for each change. Ctrl-C ends it and tells how to resume, which the same daemon can as long as it runs.",
                "With --reconnect it waits for a daemon that has gone, and resumes. When the history is gone too, "
                    + "it says so and begins with a new snapshot.",
                "With --json each line is the params object of one event line of the protocol.",
                "With --timeout it ends so many milliseconds after its start, whatever came, with exit code 5.",
                "With --reload it starts a private daemon, plays the scenarios, prints what their checks come to, and "
                    + "does so again whenever a library in a --plugin-dir is built anew. Nothing is unloaded: the new "
                    + "build is loaded beside the old one, as a copy with another name, and played in new simulations.",
            ],
            examples: [
                Example("seam watch demo", "one simulation"),
                Example("seam watch --match 'demo/*.openCount' --verdicts", "one field, only its verdicts"),
                Example(
                    "seam watch --plugin-dir .build/debug --reload 'mine.*'",
                    "save, build, and see the verdicts change"),
                Example(
                    "seam watch demo --mode all --strict --json >demo.jsonl", "every change, or exit code 6"),
            ],
            exits: [.finding, .noConnection, .refused, .lostEvents], run: watch),
        Command(
            "top", "show every field as a table, live, at the terminal",
            [
                Positional(
                    "SIM", .simulation, .optional,
                    "a simulation; without it, all of them and those to come")
            ],
            options: [.onlyVerdicts],
            details: [
                "Counters of the verdicts, and a row for each field: its verdict, the model's value and the one that is "
                    + "shown, with the first difference marked, and how long ago it changed. Enter says why a field is as "
                    + "it is, with its calls and its history. When the daemon goes, it waits for it and resumes.",
                "Keys:",
                TopScreen.keys.map { "  \(padded($0.keys, to: 20))\($0.meaning)" }.joined(separator: "\n"),
                "What a terminal would act on, in names and values, comes as \\n, \\t or \\u{…}. It needs a terminal "
                    + "that it can draw on; where there is none, seam watch prints lines.",
            ],
            examples: [
                Example("seam top", "everything"),
                Example("seam top demo", "one simulation"),
                Example("seam top --only wrong", "only what is wrong; ! in it does the same"),
            ],
            run: top),
        Command(
            "mounts", "list the mounts of a simulation's bridges",
            [
                simulation,
                Positional("BRIDGE", .bridge, .optional, "only those of this bridge"),
            ],
            details: [
                "A line each: bridge, mount, the item it shows, and whatever is not as it is at first: its place, its "
                    + "identity, what waits for its return, why it has failed."
            ],
            examples: [Example("seam mounts demo list", "in the order of the list")], run: listMounts),
        Command(
            "policies", "list the policies, or what a profile sets",
            [
                Positional(
                    "PROFILE", .profile, .optional, "a profile; without it, every policy, and the profiles")
            ],
            options: Option.plugins,
            details: [
                "A policy settles what frameworks do differently; --policy and --profile of create and run take them.",
                privateDaemon,
            ],
            examples: [
                Example("seam policies", "all of them, with their values; the first is the default"),
                Example("seam policies react", "what --profile react sets"),
            ],
            exits: [.finding, .noConnection, .refused], run: listPolicies),
        Command(
            "wait", "wait until a field has a verdict",
            [
                simulation,
                Positional(
                    "FIELD=VERDICT", .condition,
                    "Screen.field, or a field's name alone for any screen, and one of \(Verdict.words.joined(separator: ", "))"
                ),
            ],
            details: ["Exit code 1 when the simulation ends first, 5 when --timeout has passed."],
            examples: [
                Example(
                    "seam wait demo HostingController.openCount=matching --timeout 2000", "for a test script")
            ],
            exits: [.finding, .noConnection, .refused], run: waitForVerdict),
        Command(
            "record", "write down what comes into a simulation and what comes of it",
            [
                simulation,
                Positional(
                    "PATH", .file, .optional, usage: "PATH",
                    "a new file, in a folder of the daemon's user alone"),
            ],
            options: [.stop], otherForm: "SIM --stop",
            details: [
                "The file is JSON Lines, the same bytes for the same scenario, parameters, seed and events. When the "
                    + "disk is full the recording ends, with a diagnostic, and the simulation goes on."
            ],
            examples: [
                Example("seam record demo demo.jsonl", "begins"),
                Example("seam record demo --stop", "ends, and says how much it is"),
            ],
            run: record),
        Command(
            "replay", "play a recording again and say whether it comes out the same",
            [Positional("PATH", .file, "a recording")],
            options: [.keep, .identifier] + Option.plugins,
            details: [
                "Prints the first line that comes out otherwise, and the exit code is then 1. A last line that was cut "
                    + "off, as by a crash, is left out.",
                privateDaemon,
            ],
            examples: [
                Example("seam replay demo.jsonl", "as a test"),
                Example("seam replay demo.jsonl --plugin ./libMine.so", "with a new build of the plug-in"),
                Example("seam replay demo.jsonl --keep --id again", "and go on from its end"),
            ],
            exits: [.finding, .noConnection, .refused], run: replay),
    ]

    // MARK: The daemon

    private static let daemon: [Command] = [
        Command(
            "call", "send any request and print its result",
            [
                Positional("METHOD", .method, "a method of the protocol; rpc.discover describes them"),
                Positional("JSON", .json, .optional, "its params, an object or an array"),
            ],
            examples: [
                Example("seam call sim.get '{\"sim\":\"demo\"}'", "the result on one line"),
                Example("seam call rpc.discover | jq -r '.methods[].name'", "all methods"),
            ],
            run: callMethod),
        Command(
            "ping", "ask whether the daemon answers",
            examples: [Example("seam ping --timeout 100", "exit code 5 when it takes longer")],
            run: ping),
        Command(
            "stats", "print the daemon's counters", examples: [Example("seam stats --json", "one object")],
            run: stats),
        Command(
            "shutdown", "end the daemon",
            details: ["Returns when it has closed, so that its socket is free."],
            examples: [Example("seam shutdown", "every stream is told")],
            run: shutDown),
        Command(
            "dashboard", "show everything in a browser, live",
            options: [.port, .allowControl] + Option.plugins,
            details: [
                "Starts seam-gate, prints the address to open, and ends it with Ctrl-C. The address holds a key, new "
                    + "each time; it works on this machine alone.",
                privateDaemon,
            ],
            examples: [
                Example("seam dashboard", "of the daemon that runs, else of a new one"),
                Example(
                    "seam dashboard --port 0 --allow-control", "any free port; the page may change things"),
            ],
            exits: [.finding, .noConnection, .refused], run: dashboard),
        Command(
            "doctor", "find out what is wrong with the set-up", options: [.doctorPort] + Option.plugins,
            details: [
                "Looks at the socket path and its folder, at permissions, at the daemon that listens, at the seamd "
                    + "that would be started, at the plug-ins of both, and at the gate, its page and the port of "
                    + "`seam dashboard`. Changes nothing. Exit code 1 when something must be put right."
            ],
            examples: [
                Example("seam doctor --plugin ./libMine.so", "would this one load?"),
                Example("seam doctor --port 8080", "could the dashboard have this port?"),
            ],
            exits: [.finding], run: doctor),
        Command(
            "plugin", "start, describe or check a plug-in of your own",
            [
                Positional("ACTION", .choice(["new", "describe", "check"]), "what to do"),
                Positional(
                    "NAME|FILE", .file, "new: the name, or path, of the new package; else a plug-in's library"
                ),
            ],
            options: [.language, .around, .root, .only, .inProcess, .checkSeed],
            details: [
                "new writes a package that builds at once: a scenario with a fault, the same with its repair, what is "
                    + "to be expected of both, and a test that says whether it comes out.",
                "new --around copies a file of an app into the package, with its imports as they stand, and drafts the "
                    + "scenario: the screen is the outermost view controller, view or representable, its fields have "
                    + "their accessibility identifiers, the model has its stored properties, and the script a step for "
                    + "each. What Linux has not is named with its line and with what to write instead.",
                "describe prints all that a plug-in says of itself, as `seam describe` does of one scenario.",
                "check looks for what a plug-in must not do: \(PluginCheck.all.count) checks, each in a process of its own, "
                    + "so that one which crashes or hangs is a finding; --timeout says when it hangs (60000). Warnings "
                    + "leave the exit code as it is, failures make it 1.",
                PluginCheck.all.map { "  \($0.number < 10 ? " " : "")\($0.number)  \($0.name)" }.joined(
                    separator: "\n"),
                "For a debugger: seam-plugin-check FILE SEED NUMBER…, which is what runs here, all checks in one "
                    + "process.",
            ],
            examples: [
                Example("seam plugin new Demo && cd Demo && swift build", "a plug-in in Swift"),
                Example("seam plugin new demo --language c && cd demo && make test", "one in C, tested"),
                Example(
                    "seam plugin new Demo --around ~/App/NoteField.swift",
                    "a file of an app under measurement"),
                Example("seam plugin check .build/debug/libDemo.so", "all checks"),
                Example(
                    "seam plugin check ./libdemo.so --only 14,17 --seed 7", "two, with other random events"),
            ],
            exits: [.finding, .noConnection, .refused], run: plugin),
        Command(
            "completion", "print a completion script for a shell",
            [Positional("SHELL", .choice(["bash", "zsh", "fish"]), "bash, zsh or fish")],
            examples: [
                Example("source <(seam completion bash)", "for this shell"),
                Example("seam completion fish >~/.config/fish/completions/seam.fish", "for good"),
            ],
            exits: [], run: printCompletion),
        Command(
            "help", "show the help of a command",
            [Positional("COMMAND", .command, .optional, "a command; without it, all of them")],
            examples: [Example("seam help watch", "the same as seam watch --help")], exits: [], run: showHelp),
    ]

    private static let hidden: [Command] = [
        Command(
            "__words", "print what could stand at a place of the command line",
            [
                Positional("KIND", .text, "what is asked for"),
                Positional("WORD", .text, .any, "the positionals before it"),
            ],
            exits: [], isHidden: true, run: printWords),
        Command("__manual", "print the manual page for scdoc", exits: [], isHidden: true, run: printManual),
    ]
}

/// `seam help`.
private func showHelp(_ session: Session) throws -> Exit {
    guard let name = session.arguments.optionalWord("COMMAND") else {
        session.output.text(generalHelp())
        return .fine
    }
    guard let command = Commands.shown.first(where: { $0.name == name }) else {
        throw UsageFailure(
            message: "there is no command '\(name)'\(didYouMean(name, among: Commands.shown.map(\.name)))")
    }
    session.output.text(help(for: command))
    return .fine
}
