#!/usr/bin/env python3
"""Breaks the kernel rule by rule and shows that a test of that rule dies for each.

    Tests/mutate.py            every mutation; exits 1 when one survives
    Tests/mutate.py R13 R20    those of these rules
    Tests/mutate.py --check    whether each still finds its source, which `make test` asks too

Each mutation is built and tested in a copy of the kernel and its tests alone, about ten seconds each. It names the rule,
what is broken, the file, a piece of source that stands there exactly once, and what stands there instead; with nothing
instead the piece is left out. It is killed when a test that names its rule fails.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "mutate"
SWIFT = os.environ.get("SWIFT", "swift")

BRIDGES, PLACEMENT = "Simulation+Bridges.swift", "Simulation+Placement.swift"
ENVIRONMENT, OWNERSHIP = "Simulation+Environment.swift", "Simulation+Ownership.swift"
BINDINGS, SERVICES, HOST = "Simulation+Bindings.swift", "Simulation+Services.swift", "Simulation+Host.swift"
SIMULATION, BRIDGE = "Simulation.swift", "Bridge.swift"
COVERING, EXPLAIN, READING = "Simulation+Covering.swift", "Explain.swift", "Simulation+Reading.swift"
LATE = "Simulation+Late.swift"

# (rule, what is broken, file, source, instead)
MUTATIONS = [
    ("R1", "the coordinator is made with each update", BRIDGES,
     "mount.coordinator = coordinator", "mount.coordinator = 0"),
    ("R2", "no update after make", BRIDGES,
     "mount.isSettlingIn = true runUpdate(mount, cause, inputs)", None),
    ("R3", "an environment key updates whether it was read or not", ENVIRONMENT,
     "for read in other.environmentReads where changed.contains(read.name) { note(read, of: other) }",
     "for name in changed { note(EnvironmentRead(name: name), of: other) }"),
    ("R3", "an environment key that was read once counts for ever", BRIDGES,
     "mount.environmentReads.removeAll { $0.generation != mount.generation }", None),
    ("R3", "state of its own is no reason to update", OWNERSHIP,
     "request(.state, of: mount)", None),
    ("R4", "reads inside a body are not tracked", BRIDGES,
     "if let readers = seam.readers[key] { for mount in readers { requestOutwards(from: mount) } }", None),
    ("R4", "a read counts for ever", BRIDGES,
     "mount.reads.removeAll { $0.generation != mount.generation }", None),
    ("R4", "who has left a key out still hears of it", BRIDGES,
     "seam.readers[read.key]?.removeAll { $0 === mount }", None),
    ("R5", "a change inside the same object counts", BRIDGES,
     "if !isNew && test != .publish || test == .identity { continue }",
     "if !isNew && test != .publish { continue }"),
    ("R5", "a closure is equal to the one before", BRIDGES,
     "for mount in seam.bridges[position].mounts { request(.unrelated, of: mount) }", None),
    ("R6", "every update says input", BRIDGES, "mount.pending = cause\n        if cause == .state ||",
     "mount.pending = .input\n        if cause == .state ||"),
    ("R7", "writes in the update phase are not reported", HOST,
     "if mount.reportedWriteIn == turn { return way }", "return way"),
    ("R7", "a write in the update is always deferred", HOST,
     "let way = bridges[mount.bridge].ways.writeInUpdate", "let way = Ways.WriteInUpdate.deferred"),
    ("R8", "any instance is the one on screen", SERVICES,
     "view != mount.view, mount.view != 0", "view == 0, mount.view == 0"),
    ("R9", "registrations are undone for the plug-in", BRIDGES,
     "guard let left = registrations[token] else { continue }",
     "guard let left = registrations.removeValue(forKey: token), left.what.isEmpty else { continue }"),
    ("R9", "coordinator and view are kept after dismantle", BRIDGES,
     "mount.coordinator = 0\n        mount.view = 0", None),
    ("R10", "state survives another identity", OWNERSHIP, "mount.state = []", None),
    ("R10", "what an old view defers is written into the new one", BRIDGES, "guard isHere else { return }", None),
    ("R10", "another identity is only an update", PLACEMENT, "mount.remake = .identity",
     "request(.identity, of: mount)"),
    ("R10", "what lies in a control outlives it", BRIDGES,
     "case .oldFirst: endChildren(mount.children, .removed)", "case .oldFirst:"),
    ("R11", "a detach dismantles", PLACEMENT, "case .keep: detach(mount)", "case .keep: dispose(mount)"),
    ("R12", "nothing disappears into the pool", PLACEMENT, "disappear(mount) endEditing(mount) if", "if"),
    ("R12", "one order into every pool", PLACEMENT, "if order == .dismantleFirst, !mount.isParked { park(mount) }", None),
    ("R12", "one order of the end for all", BRIDGES,
     "switch seam.bridges[mount.bridge].ways.teardownOrder {", "switch Ways.TeardownOrder.dismantleFirst {"),
    ("R13", "drawing is in the assignment's round", BRIDGES,
     "case .layout: return seam.layout.append(work)", "case .layout: break"),
    ("R14", "a check names the first mount", READING, "mount: missed.mount, text: ",
     "mount: bridges[first].mounts.first?.id, text: "),
    ("R14", "what is shown again was written now", READING, "if !isOldCopy, written(id) > key.changedAt {",
     "if !isOldCopy, field.writtenAt > key.changedAt {"),
    ("R14", "draws without a window", BRIDGE, "if isParked || !activity.hasWindow { return false }",
     "if isParked { return false }"),
    ("R14", "draws in an inactive scene", BRIDGE,
     "return kind != .embed || (activity.scene == .active && !activity.isHidden)", "return true"),
    ("R14", "a wrapping waits for its scene", BRIDGE,
     "return kind != .embed || (activity.scene == .active && !activity.isHidden)",
     "return activity.scene == .active && !activity.isHidden"),
    ("R14", "the mark is lost", BRIDGES, "mount.withheld = mount.withheld ?? cause", None),
    ("R15", "the same id is another view", PLACEMENT, "if mount.identity == id { return }", None),
    ("R16", "a copied input is observed", SIMULATION,
     "bridge.isObserved || ways.observedInputs.contains($0)", "$0 == $0"),
    ("R16", "an observed field copies the whole value", BRIDGES,
     "where seam.bridges[bridge].observes[position] {", "where !seam.bridges[bridge].inputs.isEmpty {"),
    ("R17", "building assigns", BRIDGES,
     "func build(_ mount: Mount) { mount.built = (values(of: mount.bridge), tickMoment()) }",
     "func build(_ mount: Mount) { mount.built = (values(of: mount.bridge), tickMoment()); assignBuilt(mount) }"),
    ("R17", "an assignment takes the values of now", BRIDGES,
     "mount.captured = built.values", "mount.captured = values(of: mount.bridge)"),
    ("R18", "values flow up while the tree is drawn", SERVICES,
     "seam.post.append(.lift(field, value: value, by: author))", "show(value, in: field, writer: nil)"),
    ("R18", "every bridge carries values up", SERVICES,
     "guard seam.bridges[mount.bridge].ways.upward == .carried else {",
     "guard seam.bridges[mount.bridge].ways.upward == .carried || mount.id > 0 else {"),
    ("R19", "nothing cuts the environment", ENVIRONMENT,
     "let above = ways.environment == .own ? nil : above(mount, name)", "let above = above(mount, name)"),
    ("R19", "a host in a body starts from the root", ENVIRONMENT,
     "if let parent = mounts[mount.parent] { return resolve(name, for: parent) }", None),
    ("R20", "each write is an update", BRIDGES,
     "if seam.bridges[mount.bridge].ways.coalesce == .write { seal(mount) }", "seal(mount)"),
    ("R20", "a transaction is no border", SERVICES, "sealAll()", None),
    ("R21", "set and reset is an update", BRIDGES,
     "if mount.isTested, values == mount.drawn { return }", None),
    ("R22", "an equal value signals nothing", BRIDGES,
     "if !isNew && test != .publish || test == .identity { continue }",
     "if !isNew || test == .identity { continue }"),
    ("R22", "the signal comes after the store", SIMULATION, "if isCarried { signal(key) }", None),
    ("R23", "a deferred write always carries its own value", LATE,
     "guard write.isReread, !write.isKept, let control, holds(write, control),",
     "guard write.isReread, write.isKept, let control, holds(write, control),"),
    ("R23", "a write reads what the field shows", LATE, "return content(of: control, in: field)",
     "return store.fields[field].shown"),
    ("R23", "a control takes its text along when it goes", BRIDGES,
     "if !mount.inFlight.isEmpty { keepRereads(of: mount) } let wasMade", "let wasMade"),
    ("R23", "a control takes its text along when the next one has come", BRIDGES,
     "saveNativeState(mount) if !mount.inFlight.isEmpty { keepRereads(of: mount) }", "saveNativeState(mount)"),
    ("R24", "a delivered write stays in flight", LATE, "control?.count(write.key, by: -1)", None),
    ("R24", "a dropped write stays in flight", LATE,
     "(mounts[mount] ?? pooled(mount))?.count(write.key, by: -1)", None),
    ("R25", "an interim read is not labelled", SIMULATION, "code: DiagnosticCode.unsettledRead",
     'code: ""'),
    ("R25", "the event is read after its rounds", SIMULATION, "runUrgent()\n        read(after: .event)",
     "runUrgent()\n        _ = runUntilQuiet()\n        read(after: .event)"),
    ("R26", "an asynchronous bridge answers at once", BRIDGES,
     "if seam.bridges[mount.bridge].ways.inward == .nextTurn { return seam.laterTurn.append(work) }", None),
    ("R26", "what an asynchronous bridge carries is of now", SIMULATION,
     "for work in seam.laterTurn { if case .update(let mount) = work.asEvaluation { seal(mount) } }", None),
    ("R27", "an owned object follows its inputs", OWNERSHIP, "if slot.isOwned {\n            // The",
     "if false {\n            // The"),
    ("R27", "an initial value counts each time", OWNERSHIP,
     "if let known = mount.state.first(where: { $0.name == name }) { return known.value }", None),
    ("R28", "the next control hears of a former one's subscription", OWNERSHIP,
     "guard let mount = mounts[subscription.life.mount], mount.life == subscription.life.number else {",
     "guard let mount = mounts[subscription.life.mount] else {"),
    ("R28", "the old subscription goes on", OWNERSHIP,
     "if let subscription = slot.subscription { seam.subscriptions[subscription] = nil }\n        mount.slots", 
     "mount.slots"),
    ("R28", "a subscription on a former object is not told", OWNERSHIP, "reportDangling(mount)\n                continue",
     "continue"),
    ("R29", "a place keeps no state", PLACEMENT, "mount.owner = owner\n        mount.item = item",
     "mount.state = []\n        mount.owner = owner\n        mount.item = item"),
    ("R30", "recreation by an id of the evaluation is silent", PLACEMENT,
     "let isKeyedByValue = values(of: mount.bridge).contains { $0 == id }", "let isKeyedByValue = true"),
    ("R30", "an object made anew is silent", OWNERSHIP,
     "if seam.objects[object]?.maker == mount.id, seam.objects[slot.object]?.maker == mount.id {",
     "if false {"),
    ("R31", "an old copy of the parent is silent", SERVICES, "if generation != mount.generation {", "if false {"),
    ("R32", "a snapshot reads the model", BINDINGS, "case .snapshot: binding.memory",
     "case .snapshot: store.keys[binding.key].model"),
    ("R32", "a former control's binding is the next one's", SERVICES,
     "if mounts[binding.life.mount]?.life != binding.life.number {", "if mounts[binding.life.mount] == nil {"),
    ("R33", "an old binding follows the new key", SERVICES, "seam.bindings[id]?.key = key",
     "for other in seam.bindings.keys { seam.bindings[other]?.key = key }"),
    ("R34", "questions are not on record", SERVICES,
     "CallRecord(kind: .question, round: round, bridge: mount.bridge, mount: mount.id)",
     "CallRecord(kind: .native, round: round, bridge: mount.bridge, mount: mount.id)"),
    ("R40", "a write is redundant by what the field shows", HOST,
     "haveSameBytes(content(of: mount, in: field), value)", "haveSameBytes(store.fields[field].shown, value)"),
    ("R38", "an echo comes to whatever control is there", BRIDGES, "mounts[mount.id] === mount, mount.life == life {",
     "mounts[mount.id] === mount {"),
    ("R35", "a body reads what the field shows", HOST, "out = content(of: mount, in: field)",
     "out = store.fields[field].shown"),
    ("R49", "what is left of the former owner is silent", PLACEMENT,
     "if mount.inherited.isEmpty { return }", "if mount.inherited.count < 99 { return }"),
    ("R49", "the base is held against what the field shows", SERVICES,
     "case let held = content(of: mount, in: field),", "case let held = store.fields[field].shown,"),
    ("R49", "what lies under another control is nobody's", PLACEMENT,
     "guard holding(of: mount, in: field) != nil, !mount.inherited.contains(key) else { continue }",
     """guard store.fields[field].writer == UInt32(truncatingIfNeeded: mount.id), !mount.inherited.contains(key) else {
                continue
            }"""),
    ("R49", "a base out of step is silent", SERVICES, "DiagnosticCode.diffBaseOutOfStep", '""'),
    ("R49", "what lies in a control goes into the pool with it", PLACEMENT,
     "endChildren(mount.children, .removed) seam.bridges", "seam.bridges"),
    ("R50", "late work of another owner is delivered as its own", LATE,
     "return mounts[owner.life.mount].flatMap { isAnother($0, than: owner) ? .passedOn : nil }", "return nil"),
    ("R50", "late work of a former control is the next one's", LATE,
     "if here.life != life.number { return .dismantled(here.endings.last { $0.life == life.number }) }", None),
    ("R50", "a mount that has failed is as good as any", LATE,
     "return here.failure.map { .failed(turn: $0.turn) }", "return nil"),
    ("R50", "another control is none when it comes first", BRIDGES, "old.life = mount.life mount.life += 1", None),
    ("R50", "what a hook asks for is the next control's", LATE,
     "if let currentMount, currentMount.id == mount.id { return currentMount }", None),
    ("R50", "what is asked for on the way out reads nothing", BRIDGES,
     "if !mount.inFlight.isEmpty { keepRereads(of: mount) } let wasMade", "let wasMade"),
    ("R50", "a former control's tick is the next one's", LATE, "if case .passedOn = former {} else { mount = nil }", None),
    ("R50", "a re-read takes the next control's text", LATE,
     "control.life == write.owner.life.number && hasControl(control)", "hasControl(control)"),
    ("R50", "the first item is another owner", LATE,
     "owner.item ?? (owner.maker == mount.id ? mount.firstOwner : nil)", "owner.item"),
    ("R50", "what came before the first owner is nobody's in the pool", LATE,
     "maker: owner.maker, item: item(of: owner, in: old))", "maker: owner.maker, item: owner.item)"),
    ("R50", "a control from the pool loses the place's own work", BRIDGE, "tokens = other.tokens + tokens",
     "tokens = other.tokens"),
    ("R50", "late work of a former owner is never dropped", LATE,
     "if let bridge, seam.bridges[bridge].ways.queuedWork == .drop {", "if let bridge, bridge < 0 {"),
    ("R50", "a deferred write of a former owner is never dropped", LATE, "if ways?.queuedWork == .drop, let former {",
     "if ways?.queuedWork == .drop, mount == nil, let former {"),
    ("R50", "a dropped tick was asked for by its mount", COVERING, "from: drop.author, round: drop.round,",
     """from: {
                    var author = drop.author
                    author.mount = UInt32(drop.mount)
                    return author
                }(), round: drop.round,"""),
    ("R50", "a registration that was undone goes on", LATE, "if registration == nil, token & Self.mintedToken != 0 {",
     "if registration == nil, token == 0 {"),
    ("R50", "without items every mount is the same owner", LATE, "return item == nil && owner.maker != mount.id",
     "return false"),
    ("R50", "late writes stay behind when a control leaves the pool", LATE,
     "seam.writeBacks[number]?.owner = handOn(write.owner)", None),
    ("R50", "the count of what is under way is the pool's", LATE,
     "for (key, count) in old.inFlight { mount.count(key, by: count) }", "mount.inFlight = old.inFlight"),
    ("R50", "what lies in the pool was dismantled", PLACEMENT, "seam.pooled.insert(mount.id)", None),
    ("R51", "a late write brings the key back while its mount lives", LATE,
     "(mount == nil || changedAt > write.madeAt)", "mount == nil"),
    ("R51", "a key without a value takes no late write", LATE, "(mount == nil || changedAt > write.madeAt)",
     "(mount == nil || changedAt < write.madeAt)"),
    ("R51", "a late write brings the key back", LATE,
     'if isGone { return traceDropped(write, value, whose, "the key is gone") }', None),
    ("R52", "drafts stay with the control", PLACEMENT, "settleDrafts(mount)", None),
    ("R52", "update writes over a draft in silence", HOST,
     "if isUpdate, let mount, !mount.drafts.isEmpty { overwriteDraft(of: field, with: value, mount) }", None),
    ("R52", "a draft goes with its control in silence", BRIDGES,
     "if !mount.drafts.isEmpty { loseDrafts(of: mount) } if !isSucceeded", "if !isSucceeded"),
    ("R52", "a dropped draft is lost, whatever the model has", PLACEMENT,
     "for draft in drafts where !haveSameBytes(store.keys[draft.key].model, draft.value) {", "for draft in drafts {"),
    ("R53", "the value is no part of an item", PLACEMENT, "if !haveSameBytes(mount.item, item.value) {", "if false {"),
    ("R54", "what the native side changes is always shown", SERVICES,
     "put(value, in: field, of: mount) mount.isEditing", "show(value, in: field, writer: mount); mount.isEditing"),
    ("R54", "a clear under another control clears the screen", BRIDGES,
     "if value == nil, writer != nil, mounts[MountID(top)] != nil { return noteHeld(field) }", None),
    ("R54", "not visible is shown", PLACEMENT,
     "if seam.bridges[mount.bridge].ways.offscreen == .clear, !mount.activity.isVisible { return false }", None),
    ("R54", "what is hidden does not come back", PLACEMENT,
     "if isVisible { reveal(mount) } else { hide(mount) }", "if !isVisible { hide(mount) }"),
    ("R55", "reset at each parking", PLACEMENT, "if mount.isParked { return } mount.isParked = true",
     "mount.isParked = true"),
    ("R55", "the return has one order", PLACEMENT,
     "let attachFirst = seam.bridges[mount.bridge].ways.onReturn == .attachFirst\n        if !mount",
     "let attachFirst = false\n        if !mount"),
    ("R55", "park is detach alone", PLACEMENT, "hook(.reset, mount)", None),
    ("R56", "a parked control hears its keys", BRIDGE, "if isParked || !activity.hasWindow { return false }",
     "if !activity.hasWindow { return false }"),
    ("R56", "a place is not parked before its control is there", PLACEMENT,
     "if mount.isParked { return } mount.isParked = true", "if mount.isParked || !mount.isMade { return } mount.isParked = true"),
    ("R56", "a control arrives in a window that has gone", BRIDGES,
     "if mount.isParked || !mount.activity.hasWindow { return arriveAway(mount, cause) }", None),
    ("R57", "a move makes again", PLACEMENT, "pending.append(.moved(now))", "identify(now, as: \"moved\"); now.remake = .identity; pending.append(.make(now))"),
    ("R58", "native state is not saved", PLACEMENT,
     "seam.saved.append((mount.bridge, id, held))", None),
    ("R58", "native state is what the field shows", PLACEMENT, "guard var held = holding(of: mount, in: edit.field) else { continue }",
     """guard let shown = store.fields[edit.field].shown else { continue }
            var held = Held(
                key: Int(store.fields[edit.field].key), value: shown, author: heldAuthor(of: edit.field))"""),
    ("R58", "the old control's state goes under the new id", PLACEMENT, "let id = mount.controlIdentity ?? mount.owner",
     "let id = mount.identity ?? mount.owner"),
    ("R58", "any bridge restores it", PLACEMENT,
     "let saved = seam.saved.filter { $0.bridge == mount.bridge && $0.id == id }",
     "let saved = seam.saved.filter { $0.id == id }"),
    ("R58", "what was restored is lost the next time", PLACEMENT,
     "mount.nativeEdits.append((field, tickMoment())) guard", "guard"),
    ("R58", "what is restored off the screen is shown", PLACEMENT,
     "guard isVisible(mount) else { mount.hold(held.value, key: held.key, by: held.author)",
     "guard isVisible(mount) || mount.id > 0 else { mount.hold(held.value, key: held.key, by: held.author)"),
    ("R58", "a restored control came from the pool", PLACEMENT, "held.author.way = .restored", "held.author.way = .pooled"),
    ("R59", "end of the turn is at once", PLACEMENT, "seam.leaving.append(mount)", "dispose(mount)"),
    ("R59", "what came back is disposed of", PLACEMENT,
     "for mount in leaving where !mount.activity.hasWindow { dispose(mount) }",
     "for mount in leaving { dispose(mount) }"),
    ("R59", "what lies in a control that is disposed of lives on", BRIDGES,
     "mount.makeCause = .restore endChildren(mount.children, .removed)", "mount.makeCause = .restore"),
    ("R59", "a control that arrives off the window is kept whatever its host says", BRIDGES,
     "case .dispose: dispose(mount) case .endOfTurn: seam.leaving.append(mount)", "case .dispose, .endOfTurn: break"),
    ("R60", "make does not wait for a size", BRIDGES,
     "if ways.make == .needsSize, !mount.activity.hasSize {", "if false {"),
    ("R60", "a late view stays", BRIDGES, "if mount.isLeaving { return tearDown(mount, .removed) }",
     "if mount.isLeaving { return }"),
    ("R73", "nothing is flushed in the event", BRIDGES, "seam.urgent.append(work)", "pending.append(work)"),
    ("R73", "every callback comes before the draw", OWNERSHIP,
     "case .post: seam.post.append(work)", "case .post: seam.prior.append(work)"),
    ("R73", "a callback at the write waits for the draw", OWNERSHIP,
     "case .sync: seam.urgent.append(work)", "case .sync: seam.post.append(work)"),
    ("R73", "a control's watch outlives it", LATE, "seam.watches.removeAll { $0.life == life }", "_ = life"),
    ("R73", "a mount's watch goes with its control", SERVICES, "let isOwn = currentMount?.id == mount.id", "let isOwn = true"),
    ("R73", "a failed mount goes on watching", BRIDGES, "seam.watches.removeAll { $0.life.mount == mount.id }", None),
    ("R74", "queued work always comes", LATE,
     "if let bridge, seam.bridges[bridge].ways.queuedWork == .drop {", "if let bridge, bridge < 0 {"),
    ("R74", "a watch belongs to nobody", OWNERSHIP,
     "let work = Work.tick(watch.token, .watch, by: watch.author, of: life)",
     "_ = life; let work = Work.tick(watch.token, .watch, by: watch.author)"),
    ("R75", "a pool has no limit", PLACEMENT, "while seam.pools[position].controls.count > limit {",
     "while seam.pools[position].controls.count > limit + 100 {"),
    ("R75", "the newest control goes", PLACEMENT, "end(seam.pools[position].controls.removeFirst(), .evicted)",
     "end(seam.pools[position].controls.removeLast(), .evicted)"),
    ("R75", "style is no part of the key", PLACEMENT,
     "controls.lastIndex { $0.style == style } ?? controls.lastIndex { $0.style == nil }",
     "controls.indices.last"),
    ("R76", "the old always goes first", BRIDGES, "switch seam.bridges[mount.bridge].ways.replaceOrder {",
     "switch Ways.ReplaceOrder.oldFirst {"),
    ("R77", "nothing is captured", ENVIRONMENT, "case .creation, .layout: captureEnvironment(mount)",
     "case .creation, .layout: return"),
    ("R77", "what was captured is not used", ENVIRONMENT, "case .live: return inherited(name, by: mount)\n        case .creation",
     "case .live: return inherited(name, by: mount)\n        case .creation where mount.id > 0: return inherited(name, by: mount)\n        case .creation"),
    ("R77", "what the policy leaves behind was cut", ENVIRONMENT, "if isNative, own != nil { return own }",
     "if own != nil { return own }"),
    ("R77", "a value of its own is an ancestor's", ENVIRONMENT,
     "let isOwn = haveSameBytes(meant, mount.traits[name])", "let isOwn = false"),
    ("R77", "what was taken waits for another call", SERVICES,
     "for read in mount.environmentReads { note(read, of: mount) }", None),
    ("R77", "what was taken is always drawn", SERVICES,
     "for read in mount.environmentReads { note(read, of: mount) }", "request(.environment, of: mount)"),
    ("R77", "what was found and written is no finding", READING,
     "if let (mount, found) = wroteWhatItFound(id), bearing.contains(mount.bridge) {",
     "if let (mount, found) = wroteWhatItFound(id), mount.id == 0 {"),
    ("R77", "native traits always win", ENVIRONMENT,
     "above(mount, name)\n        return ways.environmentPrecedence == .native ? own ?? above : above ?? own",
     "above(mount, name)\n        return own ?? above"),
    ("R78", "the measured control is shown", PLACEMENT, "if mount.isMeasured { return false }", None),
    ("R78", "nothing is measured", BRIDGES, "if ways.make == .measuring { measure(mount, inputs) }", None),
    ("R79", "a make is an empty update", READING, "if isUpdated(position), mount.lastUpdate < key.changedAt {",
     "if isUpdated(position), position < 0 {"),
    ("R60", "a make that is under way is missed", READING, "case .draw(let mount), .update(let mount), .arrive(let mount):",
     "case .draw(let mount), .update(let mount):"),
    ("R60", "a size is enough for a make off the window", PLACEMENT,
     "guard mount.activity.hasWindow, !mount.isParked else { return } // A size",
     "guard mount.waitsForSize || mount.activity.hasWindow && !mount.isParked else { return } // A size"),
    ("R60", "what has changed while a control was made is lost", BRIDGES,
     "if seam.bridges[mount.bridge].ways.updates == .automatic, inputs.values != mount.drawn { request(.input, of: mount) }", None),
    ("R76", "state stays with the new control", BRIDGES, "old.takeView(of: mount)", None),
    ("R76", "what lies in the old control stays beside the new one", BRIDGES, "endChildren(children, .removed)", None),
    ("R79", "only the first bridge can fail", READING, "let failures = bearing.lazy.compactMap",
     "let failures = [first].lazy.compactMap"),
    ("R79", "the update after a make counts again", EXPLAIN, "made.insert(record.mount)", None),
    ("R79", "an update without a make is none", EXPLAIN,
     "case .update: if made.remove(record.mount) == nil { counts[record.mount, default: 0] += 1 }", "case .update: break"),
    ("R79", "a bridge without update updates", BRIDGES,
     "if seam.bridges[mount.bridge].ways.updateBody == .absent { return replace(mount, next.cause) }", None),
    ("R79", "an update that is absent follows on make", BRIDGES,
     "return ways.firstUpdate == .yes && ways.updateBody != .absent", "return ways.firstUpdate == .yes"),
    ("R79", "a control from the pool is updated without an update", PLACEMENT,
     "seam.bridges[mount.bridge].ways.updateBody != .absent, let pool", "let pool"),
    ("R80", "an unwrapped value forgets", BINDINGS,
     "case .unwrapped: store.keys[binding.key].model ?? binding.memory",
     "case .unwrapped: store.keys[binding.key].model"),
    ("R80", "a binding of nothing writes", BINDINGS,
     "guard store.keys[binding.key].model != nil else { return false }", None),
    ("R80", "a constant takes writes", BINDINGS, "case .constant: return false",
     "case .constant: write(binding.key, value)"),
    ("R81", "a late read is silent", HOST, "guard bridges[mount.bridge].ways.reads == .lexical else { return }",
     "return"),
    ("R81", "nested reads count for the inner body alone", BRIDGES,
     "request(.observed, of: mount) next = mounts[mount.parent]", "request(.observed, of: mount); next = nil"),
    ("R82", "identity sees a changed copy", PLACEMENT,
     "if seam.bridges[bridge].ways.changeTest != .identity { request(.input, of: mount) }",
     "request(.input, of: mount)"),
    ("R84", "a command comes before make", SERVICES, "mount.commands.append((token, author))",
     "pending.insert(.tick(token, .command, by: author), at: 0)"),
    ("R84", "a command belongs to nobody", SERVICES,
     "pending.append(.tick(token, .command, by: author, of: life(of: mount)))",
     "pending.append(.tick(token, .command, by: author))"),
    ("R84", "a command is lost in silence", BRIDGES, "if !mount.commands.isEmpty { loseCommands(of: mount) }", None),
    ("R85", "native state is never kept", PLACEMENT, "return edit.at > store.keys[Int(store.fields[field].key)].changedAt",
     "return false"),
    ("R85", "nothing is rolled back", BRIDGES,
     "if case .ok = result, !mount.nativeEdits.isEmpty, rollsBack(mount) { rollBack(mount) }", None),
    ("R85", "an update that failed rolls back", BRIDGES, "if case .ok = result, !mount.nativeEdits.isEmpty,",
     "if !mount.nativeEdits.isEmpty,"),
    ("R86", "an overtaken edit is delivered", LATE,
     "if ways?.writeBack == .drop, changedAt > write.madeAt {",
     "if ways?.writeBack == .drop, changedAt < write.madeAt {"),
    ("R88", "a redraw undoes the toggle", HOST,
     "if keepsNative(field, of: mount) { return .ok }", None),
    ("R89", "a dismissal is silent", PLACEMENT, "writeModel(key, nil)", None),
]

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "mutants",
    targets: [
        .target(name: "SeamKernel", swiftSettings: settings),
        .testTarget(name: "SeamKernelTests", dependencies: ["SeamKernel"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6])
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
"""


def lay_out():
    WORK.mkdir(parents=True, exist_ok=True)
    for folder, parent in (("SeamKernel", "Sources"), ("SeamKernelTests", "Tests")):
        target = WORK / parent / folder
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(ROOT / parent / folder, target)
    # Some tests compare the kernel with the page.
    shutil.copy(ROOT / "protocol.md", WORK)
    settings = MANIFEST[MANIFEST.index("let settings"):]
    body = MANIFEST[:MANIFEST.index("let settings")]
    (WORK / "Package.swift").write_text(body.replace("let package", settings + "let package"))


def build():
    done = subprocess.run(
        [SWIFT, "build", "--build-tests", "--disable-xctest", "--package-path", WORK], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout + done.stderr


def failing():
    """The names of the tests that fail; None when the run broke down."""
    try:
        done = subprocess.run(
            [SWIFT, "test", "--skip-build", "--disable-xctest", "--package-path", WORK],
            capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    text = done.stdout + done.stderr
    if "Test run with" not in text:
        return None
    return set(re.findall(r'^.{1,3}Test "([^"]+)" (?:recorded|with \d+ test cases failed|failed)', text, re.M))


def found(mutation, source):
    """Where the source of a mutation stands, whatever the spaces between its words."""
    return list(re.finditer(r"\s+".join(re.escape(word) for word in mutation[3].split()), source))


def check():
    lost = 0
    for mutation in MUTATIONS:
        rule, what, name = mutation[:3]
        count = len(found(mutation, (ROOT / "Sources" / "SeamKernel" / name).read_text()))
        if count != 1:
            print(f"{rule:4} {what}: its source stands {count} times in {name}")
            lost += 1
    if lost:
        sys.exit(f"mutate: {lost} of {len(MUTATIONS)} mutations break nothing; name in Tests/mutate.py what stands there now")
    print(f"{len(MUTATIONS)} mutations, each finds its source once")


def main():
    wanted = set(sys.argv[1:])
    if wanted == {"--check"}:
        return check()
    unknown = wanted - {rule for rule, *_ in MUTATIONS}
    if unknown:
        sys.exit(f"mutate: no mutation of {', '.join(sorted(unknown))}; there are those of "
                 + " ".join(dict.fromkeys(rule for rule, *_ in MUTATIONS)))
    lay_out()
    problem = build()
    if problem:
        sys.exit("mutate: the unbroken kernel does not build:\n" + problem[-4000:])
    before = failing()
    if before != set():
        sys.exit(f"mutate: the unbroken kernel fails its tests: {before}")
    survivors = 0
    for mutation in MUTATIONS:
        rule, what, name, _, new = mutation
        if wanted and rule not in wanted:
            continue
        path = WORK / "Sources" / "SeamKernel" / name
        source = path.read_text()
        places = found(mutation, source)
        if len(places) != 1:
            outcome = f"NOT APPLIED: its source stands {len(places)} times in {name}"
        else:
            path.write_text(source[:places[0].start()] + (new or "") + source[places[0].end():])
            problem = build()
            if problem:
                error = next((line for line in problem.splitlines() if "error:" in line), problem[-200:])
                outcome = "DOES NOT BUILD: " + error.split("error:")[-1].strip()
            else:
                dead = failing()
                if dead is None:
                    outcome = f"killed: the tests broke down"
                else:
                    own = sorted(test for test in dead if re.search(rf"\b{rule}\b", test))
                    outcome = f"killed by {len(dead)}: {own[0]}" if own else f"SURVIVES ({len(dead)} others fail)"
            path.write_text(source)
        if not outcome.startswith("killed"):
            survivors += 1
        print(f"{rule:4} {what}: {outcome}", flush=True)
    if survivors:
        sys.exit(f"mutate: {survivors} not killed")


if __name__ == "__main__":
    main()
