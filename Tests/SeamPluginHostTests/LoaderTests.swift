import Foundation
import SeamKernel
@testable import SeamPluginHost
import SeamTestSupport
import Testing

extension PluginHost {
    /// What is wrong with a file or a description is said in words that lead to the repair.
    @MainActor @Suite struct Loader {
        nonisolated static let descriptions: [(fault: String, words: String)] = [
            ("declines", "its entry answers no plug-in: it is Monday"),
            ("declines_silently", "which offers ABI major 1, and gives no reason (seam_offer_v1.explain)"),
            ("magic", "the magic is 0x12345678, expected 0x5345414d (SEAM_MAGIC)"),
            ("size", "its seam_plugin_v1 has 200 bytes, expected 104"),
            ("major", "it is built for ABI major 2, this seamd works with major 1"),
            ("no_scenarios", "it has no scenario"),
            ("null_scenarios", "it counts 2 scenarios, but the array is NULL"),
            ("null_scenario", "scenario 1 is NULL"),
            ("null_name", "the name of the plug-in is missing (NULL)"),
            ("scenario_size", "scenario 0: size of its seam_scenario_v1 is 100, expected 144 (sizeof)"),
            ("same_ids", "scenario ids are not unique: \"plain.first\" is there twice"),
            ("id_with_star", "scenario 0: its id, \"plain.*\", holds \"*\", which is not allowed in it"),
            ("bad_utf8", "scenario plain.first: its title, \"caf\u{FFFD}\", is not UTF-8"),
            ("control_in_name", "holds U+a, which is not allowed in it"),
            ("dot_in_screen", "the id of screen 0, \"Str.ip\", holds \".\""),
            ("long_name", "the key of field 0 of screen Strip is longer than 128 bytes"),
            ("unknown_flags", "flags of the scenario are 0x8; major 1 knows 0x1"),
            ("reserved", "reserved is 1; major 1 has it 0"),
            ("bridge_screen", "the screen of bridge strip is index 5; there are 2, from 0"),
            ("bridge_kind", "the kind of bridge strip is 9, expected 1 (embed), 2 (wrap) or 3 (custom)"),
            ("bridge_size", "size of bridge 0 is 8, expected 104"),
            ("same_bridges", "ids of bridges are not unique: \"strip\" is there twice"),
            ("same_fields", "keys of screen Strip are not unique: \"count\" is there twice"),
            ("no_draw", "draw of bridge strip is missing (NULL): an embedding needs it"),
            ("no_update", "update of bridge list is missing (NULL): a wrapping needs it"),
            ("no_native", "native of bridge list is missing (NULL): event edit needs it"),
            ("no_create", "create is missing (NULL)"),
            ("no_calls", "calls is missing (NULL)"),
            ("no_event", "event of seam_inst_v1 is missing (NULL), and the event do needs it"),
            (
                "event_bridge",
                "the bridge of event edit is index 4; there are 2, from 0, and SEAM_NONE for none"
            ),
            (
                "native_without_bridge",
                "event edit comes from the native side, so its bridge can't be SEAM_NONE"
            ),
            ("null_fields", "it counts 3 fields of screen Strip, but the array is NULL"),
            ("initial", "initial of parameter start is \"many\", expected an integer of at least 0"),
            ("check_key", "check strip names colour, which screen Strip does not declare"),
            ("check_word", "check strip expects \"broken\" of count, expected one of out-of-scope, "),
            ("step_kind", "the kind of step 1 of the script is 77, expected 1 to 18 (SEAM_STEP_)"),
            ("step_key", "names the model key colour, which no field and no input declares"),
            ("step_check", "step 2 of the script names the check other, which is not there"),
            ("step_bridge", "step 1 of the script assigns the root view of list, which is no embedding"),
            (
                "step_cause",
                "step 1 of the script gives the reason \"removed\", expected one of input, state, observed, "
                    + "environment, layout, focus, unrelated, container"
            ),
            ("step_no_cause", "the reason in step 1 of the script is missing (NULL)"),
            (
                "step_activity",
                "step 1 of the script changes \"scene=gone\", expected window, hidden, size or parked = yes or no, "
                    + "or scene = active or inactive"
            ),
            ("step_no_activity", "the activity in step 1 of the script is missing (NULL)"),
            ("step_identify", "the id in step 1 of the script is empty"),
            ("step_items", "item 1 of step 1 of the script has an id of 0 bytes, expected 1 to 128"),
            ("step_no_items", "it counts 2 items in step 1 of the script, but the array is NULL"),
            ("step_rebind", "step 1 of the script names bridge index 9; there are 2, from 0"),
            ("step_dismiss", "names the mount nobody of list; no earlier step gave it"),
            ("step_environment", "the key of step 1 of the script is missing (NULL)"),
            ("step_build", "step 1 of the script assigns the root view of list, which is no embedding"),
            (
                "step_interim",
                "step 2 of the script, the interim read @strip, stands after no step whose event it could look into"
            ),
            (
                "step_interim_unread",
                "check @strip is an interim read (@), and no step of the script reads it"
            ),
            (
                "policy_unknown",
                "policies of bridge strip: there is no policy upates; there are round-limit, updates, "
            ),
            (
                "policy_word",
                "policies of bridge strip: updates takes one of automatic, manual, restart, not \"never\""
            ),
            (
                "policy_scope",
                "policies of bridge strip: round-limit is of the whole simulation and of no bridge"
            ),
            (
                "policy_input",
                "policies of bridge strip: once-inputs names \"titel\", which is no input; there are count, title"
            ),
            (
                "policy_key",
                "its policies: presented-by names \"sheet\", which is no model key; there are count, title, status, "
            ),
            ("policy_form", "element 0 of policies of bridge strip is \"manual\", expected \"name=value\""),
        ]

        @Test("a wrong description", arguments: descriptions)
        func description(_ wrong: (fault: String, words: String)) throws {
            let workshop = try Workshop()
            let file = try workshop.plugin(wrong.fault)
            asHost {
                let reason = Desk([file]).refusal()
                #expect(reason?.contains(wrong.words) == true, "\(reason ?? "it loaded")")
            }
        }

        @Test("a file that is not there, a folder, a text, a library without the entry")
        func files() throws {
            let workshop = try Workshop()
            let text = try workshop.folder.write("hello\n", to: "text.so")
            let bare = try workshop.plugin("bare", "-DNO_ENTRY", "-w")
            asHost {
                let wanted = [
                    ("\(workshop.folder.path)/nothing.so", "it can't be found (No such file or directory)"),
                    (workshop.folder.path, "it is no file"),
                    (text, "it can't be opened as a shared library: file too short"),
                    (bare, "it exports no seam_plugin_entry, so it is no plug-in"),
                ]
                for (file, words) in wanted {
                    let reason = Desk([file]).refusal()
                    #expect(reason?.contains(words) == true, "\(reason ?? "it loaded")")
                }
            }
        }

        @Test("a library that was cut off anywhere is refused before it is mapped")
        func cutOff() throws {
            let workshop = try Workshop()
            let whole = try Data(contentsOf: URL(fileURLWithPath: workshop.plugin()))
            for share in [0.02, 0.3, 0.6, 0.75, 0.9, 0.999] {
                let length = Int(Double(whole.count) * share)
                let file = "\(workshop.folder.path)/cut-\(length).so"
                try whole.prefix(length).write(to: URL(fileURLWithPath: file))
                asHost {
                    let reason = Desk([file]).refusal()
                    let words = "it is cut off: it has \(length) bytes, and its headers speak of "
                    #expect(reason?.hasPrefix(words) == true, "\(reason ?? "it loaded")")
                }
            }
        }

        @Test("a file or folder that others can write")
        func writable() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin()
            let folder = "\(workshop.folder.path)/open"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let inside = "\(folder)/plugin.so"
            try FileManager.default.copyItem(atPath: file, toPath: inside)
            let link = "\(workshop.folder.path)/link.so"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: inside)
            asHost {
                chmod(file, 0o664)
                #expect(
                    Desk([file]).refusal()?.contains("the file can be written by others (mode 664)") == true)
                chmod(file, 0o755)
                for mode in [0o777, 0o1777, 0o775] as [mode_t] {
                    chmod(folder, mode)
                    for path in [inside, link] {
                        let reason = Desk([path]).refusal() ?? "it loaded"
                        #expect(reason.contains("the folder \(folder) can be written by others"), "\(reason)")
                    }
                    let desk = Desk(folders: [folder])
                    #expect(desk.catalogue.entries.map(\.scenario.id) == ["live"])
                    #expect(desk.catalogue.failures.map(\.file) == [folder])
                }
                chmod(folder, 0o755)
                #expect(Desk([inside]).refusal() == nil)
                // A sticky folder further up, /tmp, has counted for nothing all along.
            }
        }

        @Test("a folder in which many files have the same fault says it once, and lists each of them")
        func alike() throws {
            let workshop = try Workshop()
            for name in ["a", "b", "c", "d", "e"] { try workshop.folder.write("hello\n", to: "\(name).so") }
            _ = try workshop.plugin("magic")
            asHost {
                let desk = Desk(folders: [workshop.folder.path])
                #expect(desk.catalogue.failures.count == 6)
                let path = workshop.folder.path
                #expect(
                    desk.lines.first
                        == "- 2 5 plug-ins passed over: \(path)/a.so, \(path)/b.so, \(path)/c.so and 2 more: it can't be "
                        + "opened as a shared library: file too short")
                #expect(desk.lines.count == 2 && desk.lines[1].hasPrefix("- 2 plug-in passed over: \(path)/"))
            }
        }

        @Test("good, bad and doubled ones side by side in a folder: the good serve, the rest is listed")
        func folder() throws {
            let workshop = try Workshop()
            _ = try workshop.plugin("a")
            _ = try workshop.plugin("b")
            _ = try workshop.plugin("magic")
            _ = try workshop.plugin("d", "-DPREFIX=\"other\"")
            try workshop.folder.write("hello\n", to: "e.so")
            try workshop.folder.write("hello\n", to: "notes.txt")
            asHost {
                let desk = Desk(folders: [workshop.folder.path])
                #expect(
                    desk.catalogue.entries.map(\.scenario.id)
                        == ["live", "other.first", "other.second", "plain.first", "plain.second"])
                #expect(desk.catalogue.entry("plain.first")?.plugin?.file.hasSuffix("/liba.so") == true)
                let failures = desk.catalogue.failures
                #expect(
                    failures.map { URL(fileURLWithPath: $0.file).lastPathComponent } == [
                        "e.so", "libb.so", "libmagic.so",
                    ])
                #expect(
                    failures[1].reason.contains(
                        ": plain.first, plain.second (from \(workshop.folder.path)/liba.so)"))
                #expect(desk.lines.count == 3)
                #expect(desk.catalogue.entry("nothing") == nil)
            }
        }

        @Test("in the daemon's own folder a library without the entry is nobody's concern")
        func ownFolder() throws {
            let workshop = try Workshop()
            _ = try workshop.plugin("plugin")
            _ = try workshop.plugin("bare", "-DNO_ENTRY", "-w")
            try workshop.folder.write("hello\n", to: "libtext.so")
            asHost {
                let desk = Desk(own: workshop.folder.path)
                #expect(desk.catalogue.entries.map(\.scenario.id) == ["live", "plain.first", "plain.second"])
                #expect(desk.catalogue.failures.isEmpty)
            }
        }

        @Test("a rescan finds what is new, and says what it can't load again")
        func rescan() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin("a")
            try asHost {
                let desk = Desk(folders: [workshop.folder.path])
                #expect(desk.catalogue.entries.count == 3)
                _ = try workshop.plugin("b", "-DPREFIX=\"new\"")
                _ = try workshop.plugin("a", "-DPREFIX=\"changed\"")
                desk.catalogue.rescan()
                #expect(
                    desk.catalogue.entries.map(\.scenario.id)
                        == ["live", "new.first", "new.second", "plain.first", "plain.second"])
                #expect(desk.catalogue.failures.map(\.file) == [file])
                #expect(desk.catalogue.failures[0].reason.contains("it has changed since it was opened"))
            }
        }

        @Test("nothing is opened before somebody asks, and live asks for nothing")
        func lazily() throws {
            asHost {
                let desk = Desk(["/nonexistent/lib.so"])
                #expect(desk.catalogue.entry("live") != nil)
                #expect(desk.lines.isEmpty)
                #expect(desk.catalogue.failures.count == 1)
            }
        }

        @Test("signal actions that a constructor replaced are put back")
        func signals() throws {
            let workshop = try Workshop()
            let file = try workshop.plugin("plugin", "-DREPLACES_SIGNALS")
            asHost {
                var before = sigaction()
                sigaction(SIGTERM, nil, &before)
                let desk = Desk([file])
                #expect(desk.refusal() == nil)
                var after = sigaction()
                sigaction(SIGTERM, nil, &after)
                #expect(
                    withUnsafeBytes(of: before.__sigaction_handler) { Array($0) }
                        == withUnsafeBytes(of: after.__sigaction_handler) { Array($0) })
                #expect(
                    desk.lines.count == 1 && desk.lines[0].contains("replaced the action of SIGSEGV, SIGTERM")
                )
            }
        }

        @Test("parameters say what they expect")
        func parameterRule() {
            func expectation(_ kind: String, _ value: String?, _ low: String? = nil, _ high: String? = nil)
                -> String?
            {
                ParameterRule.expectation(
                    for: .init(id: "p", title: "P", kind: kind, minimum: low, maximum: high), unmetBy: value)
            }
            #expect(expectation("integer", nil) == nil)
            #expect(expectation("integer", "5", "0", "9") == nil)
            #expect(expectation("integer", "-1", "0", "9") == "an integer from 0 to 9")
            #expect(expectation("integer", "1.5") == "an integer")
            #expect(expectation("number", "1.5", nil, "1") == "a number of at most 1")
            #expect(expectation("number", "nan") == "a number")
            #expect(expectation("boolean", "yes") == "true or false")
            #expect(expectation("colour", "red") == nil)
            let choice = Scenario.Parameter(id: "p", title: "P", kind: "text", choices: ["a", "b"])
            #expect(ParameterRule.expectation(for: choice, unmetBy: "c") == "one of a, b")
        }
    }
}
