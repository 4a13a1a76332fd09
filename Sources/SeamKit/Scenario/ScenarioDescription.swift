/// What the host is told of a scenario, and how one is made, started and sent events: what a `Scenario` type and a
/// `ScreenScenario` have in common.
@MainActor
struct ScenarioDescription {
    struct EventDescription {
        var id: String
        var title: String
        var isLifecycle: Bool
        var arguments: [Parameter]
    }

    var about: About
    var parameters: [Parameter] = []
    var screens: [Screen] = []
    var bridges: [Bridge] = []
    var events: [EventDescription] = []
    var script: [Step] = []
    var checks: [Check] = []
    var policies: [String] = []
    var stageTables: StageTables?
    var create: @MainActor ([String?]) throws -> AnyObject
    var start: @MainActor (AnyObject) throws -> Void
    var send: @MainActor (AnyObject, Int, [String?]) throws -> Void
}

extension Scenario {
    static func describe() -> ScenarioDescription {
        let events = Self.events
        let parameters = Self.parameters
        let names = parameters.map(\.id)
        return ScenarioDescription(
            about: about, parameters: parameters, screens: screens, bridges: bridges,
            events: events.map {
                .init(id: $0.id, title: $0.title, isLifecycle: $0.isLifecycle, arguments: $0.arguments)
            },
            script: script, checks: checks, policies: policies,
            create: { try Self(Values(names: names, texts: $0)) },
            // Each `unsafeDowncast` gets an object that `create` made, so it is a Self.
            start: { try unsafeDowncast($0, to: Self.self).start() },
            send: { object, index, texts in
                let event = events[index]
                try event.perform(
                    unsafeDowncast(object, to: Self.self),
                    Values(names: event.arguments.map(\.id), texts: texts))
            })
    }
}
