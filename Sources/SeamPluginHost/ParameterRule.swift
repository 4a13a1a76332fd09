public import SeamKernel

/// Whether a value fits a declared parameter or argument.
///
/// Kinds are an open list: `integer`, `number` and `boolean` are checked, anything else is text.
public enum ParameterRule {
    /// What was expected instead ("an integer from 0 to 9"), or nil when the value fits. No value fits a text, and
    /// whatever has no initial value either.
    public static func expectation(for parameter: Scenario.Parameter, unmetBy value: String?) -> String? {
        guard let value else {
            // Asked as if it were the empty text: that is no integer, number or boolean, and none of the choices.
            return parameter.initial == nil || isText(parameter)
                ? nil : expectation(for: parameter, unmetBy: "")
        }
        if let choices = parameter.choices {
            return choices.contains(value) ? nil : "one of " + choices.joined(separator: ", ")
        }
        switch parameter.kind {
        case "integer":
            guard let number = Int64(value) else { return "an integer" + range(parameter) }
            let isInside =
                number >= parameter.minimum.flatMap { Int64($0) } ?? .min
                && number <= parameter.maximum.flatMap { Int64($0) } ?? .max
            return isInside ? nil : "an integer" + range(parameter)
        case "number":
            guard let number = Double(value), number.isFinite else { return "a number" + range(parameter) }
            let isInside =
                number >= parameter.minimum.flatMap { Double($0) } ?? -.infinity
                && number <= parameter.maximum.flatMap { Double($0) } ?? .infinity
            return isInside ? nil : "a number" + range(parameter)
        case "boolean":
            return value == "true" || value == "false" ? nil : "true or false"
        default:
            return nil
        }
    }

    private static func isText(_ parameter: Scenario.Parameter) -> Bool {
        parameter.choices == nil && !["integer", "number", "boolean"].contains(parameter.kind)
    }

    private static func range(_ parameter: Scenario.Parameter) -> String {
        switch (parameter.minimum, parameter.maximum) {
        case (nil, nil): ""
        case (let low?, let high?): " from \(low) to \(high)"
        case (let low?, nil): " of at least \(low)"
        case (nil, let high?): " of at most \(high)"
        }
    }
}
