@_exported public import Foundation

// What is said of a text and of how it is typed: kept, and given back as it was set.

public enum NSTextAlignment: Sendable { case left, center, right, justified, natural }
public enum NSLineBreakMode: Sendable {
    case byWordWrapping, byCharWrapping, byClipping, byTruncatingHead, byTruncatingTail, byTruncatingMiddle
}
public enum UIBaselineAdjustment: Sendable { case alignBaselines, alignCenters, none }

// The names are UIKit's.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum UIKeyboardType: Sendable {
    case `default`, asciiCapable, numbersAndPunctuation
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case URL
    case numberPad, phonePad, namePhonePad, emailAddress
    case decimalPad, twitter, webSearch, asciiCapableNumberPad, alphabet
}
public enum UIKeyboardAppearance: Sendable { case `default`, dark, light }
public enum UIReturnKeyType: Sendable {
    case `default`, go, google, join, next, route, search, send, yahoo, done, emergencyCall, `continue`
}
public enum UITextAutocorrectionType: Sendable { case `default`, no, yes }
public enum UITextSpellCheckingType: Sendable { case `default`, no, yes }
public enum UITextSmartQuotesType: Sendable { case `default`, no, yes }
public enum UITextSmartDashesType: Sendable { case `default`, no, yes }
public enum UITextAutocapitalizationType: Sendable { case none, words, sentences, allCharacters }

// swift-format-ignore: AlwaysUseLowerCamelCase
public struct UITextContentType: Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    private static func kind(_ name: String = #function) -> UITextContentType { .init(rawValue: name) }
    public static var emailAddress: UITextContentType { kind() }
    public static var familyName: UITextContentType { kind() }
    public static var fullStreetAddress: UITextContentType { kind() }
    public static var givenName: UITextContentType { kind() }
    public static var name: UITextContentType { kind() }
    public static var newPassword: UITextContentType { kind() }
    public static var oneTimeCode: UITextContentType { kind() }
    public static var password: UITextContentType { kind() }
    public static var postalCode: UITextContentType { kind() }
    public static var telephoneNumber: UITextContentType { kind() }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var URL: UITextContentType { kind() }
    public static var username: UITextContentType { kind() }
}

public struct UIDataDetectorTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let phoneNumber = UIDataDetectorTypes(rawValue: 1)
    public static let link = UIDataDetectorTypes(rawValue: 2)
    public static let address = UIDataDetectorTypes(rawValue: 4)
    public static let all = UIDataDetectorTypes(rawValue: .max)
}

/// How the keyboard for a text is to be.
@MainActor
@preconcurrency
public protocol UITextInputTraits: AnyObject {
    var keyboardType: UIKeyboardType { get set }
    var keyboardAppearance: UIKeyboardAppearance { get set }
    var returnKeyType: UIReturnKeyType { get set }
    var enablesReturnKeyAutomatically: Bool { get set }
    var autocorrectionType: UITextAutocorrectionType { get set }
    var autocapitalizationType: UITextAutocapitalizationType { get set }
    var spellCheckingType: UITextSpellCheckingType { get set }
    var smartQuotesType: UITextSmartQuotesType { get set }
    var smartDashesType: UITextSmartDashesType { get set }
    // `!` as in UIKit: nil says that there is none.
    var textContentType: UITextContentType! { get set }
    var isSecureTextEntry: Bool { get set }
}

// MARK: Attributed texts

extension NSAttributedString.Key {
    public static let font = NSAttributedString.Key("NSFont")
    public static let foregroundColor = NSAttributedString.Key("NSColor")
    public static let backgroundColor = NSAttributedString.Key("NSBackgroundColor")
    public static let kern = NSAttributedString.Key("NSKern")
    public static let link = NSAttributedString.Key("NSLink")
    public static let paragraphStyle = NSAttributedString.Key("NSParagraphStyle")
    public static let strikethroughStyle = NSAttributedString.Key("NSStrikethrough")
    public static let underlineStyle = NSAttributedString.Key("NSUnderline")
    public static let underlineColor = NSAttributedString.Key("NSUnderlineColor")
}

public struct NSUnderlineStyle: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let single = NSUnderlineStyle(rawValue: 1)
    public static let thick = NSUnderlineStyle(rawValue: 2)
    public static let double = NSUnderlineStyle(rawValue: 9)
}

open class NSParagraphStyle: NSObject {}

open class NSMutableParagraphStyle: NSParagraphStyle {
    open var alignment = NSTextAlignment.natural
    open var lineBreakMode = NSLineBreakMode.byWordWrapping
    open var lineSpacing: CGFloat = 0
    open var lineHeightMultiple: CGFloat = 0
    open var minimumLineHeight: CGFloat = 0
    open var maximumLineHeight: CGFloat = 0
    open var paragraphSpacing: CGFloat = 0
    open var headIndent: CGFloat = 0
    open var firstLineHeadIndent: CGFloat = 0
}
