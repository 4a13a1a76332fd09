/// What a pasted file has and Linux has not.
extension PastedSource {
    /// What can't be compiled on Linux, with its line and what to write instead.
    var impossible: [(line: Int, what: String, instead: String)] {
        let attributes = [
            "objc": "take the word away", "objcMembers": "take the word away",
            "IBOutlet": "let label = UILabel(), added to the view in viewDidLoad",
            "IBDesignable": "take the word away", "IBInspectable": "take the word away",
            "NSManaged": "a stored property",
            "main": "take the app away: the scenario is what makes the root",
            "Entry": "an EnvironmentKey with defaultValue, and a property that gets and sets self[KEY.self]",
            "NSApplicationMain": "take the word away", "UIApplicationMain": "take the word away",
        ]
        var found: [(line: Int, what: String, instead: String)] = []
        for index in tokens.indices.dropLast() where tokens[index].kind == .symbol {
            let word = tokens[index + 1].text
            var instead: String?
            switch (tokens[index].text, word) {
            case ("@", _): instead = attributes[word]
            case ("#", "selector"): instead = insteadOfSelector(at: index)
            case ("#", "keyPath"): instead = "a key path, \\.name"
            case ("#", "Preview"): instead = "take the preview away"
            default: break
            }
            if let instead { found.append((tokens[index].line, tokens[index].text + word, instead)) }
        }
        found += absent
        let there: Set<String> = [
            "SwiftUI", "UIKit", "Combine", "Foundation", "Observation", "Dispatch", "Swift", "Testing",
            "Synchronization",
            "SeamKit", "CSeamABI", "_Concurrency", "RegexBuilder", "FoundationEssentials", "Glibc",
        ]
        for entry in imports where !there.contains(entry.name) {
            found.append(
                (
                    entry.line, "import \(entry.name)",
                    "there is no such module here: take away what needs it, or paste a stand-in for it"
                ))
        }
        return found.sorted { $0.line < $1.line }
    }

    /// Types of the systems that are not here, where the file first names each, unless it has one of that name itself.
    private var absent: [(line: Int, what: String, instead: String)] {
        let drawing = "take the drawing away: nothing is drawn"
        let size = "a size or a place of your own: nothing is laid out"
        let own = "a stand-in of yours with what the file uses of it:"
        var words = [
            "TabView": "the view in the tab that is meant",
            "NavigationSplitView": "the view in the column that is meant",
            "UINib": "the class: register(Cell.self, forCellReuseIdentifier:)", "UIScreen": size,
            "DragGesture": size, "MagnificationGesture": size, "RotationGesture": size,
            "AsyncImage": "Image(\"name\")",
            "ScrollViewReader": "the content alone: nothing scrolls",
            "ViewThatFits": "the view that is meant: nothing is laid out",
            "TimelineView": "the content alone, and .advance(milliseconds:) in the script",
            "PhotosPicker": "a Button",
            "ShareLink": "a Button",
        ]
        for name in [
            "Canvas", "CAShapeLayer", "CAGradientLayer", "UIBezierPath", "UIGraphicsImageRenderer",
            "CGContext",
            "UIGraphicsGetCurrentContext",
        ] { words[name] = drawing }
        for name in [
            "UIImagePickerController", "PHPickerViewController", "UIActivityViewController",
            "UIDocumentPickerViewController", "SFSafariViewController", "AVPlayerViewController",
            "MFMailComposeViewController", "UISplitViewController", "VNDocumentCameraViewController",
        ] { words[name] = "\(own) class \(name): UIViewController { … }" }
        for name in [
            "MKMapView", "WKWebView", "ARSCNView", "ARView", "PDFView", "UIPickerView", "UIColorWell",
            "UIVisualEffectView",
            "MTKView", "SCNView",
        ] { words[name] = "\(own) class \(name): UIView { … }" }
        for name in ["UNUserNotificationCenter", "UIPasteboard", "CLLocationManager", "PHPhotoLibrary"] {
            words[name] = "\(own) class \(name) { … }"
        }
        if tokens.contains(where: { $0.text == "AppStorage" }) {
            words["UserDefaults"] =
                "@AppStorage alone: it is kept for one simulation, and does not read UserDefaults"
        }
        for type in types { words[type.name] = nil }
        return tokens.compactMap { token in
            guard token.kind == .word, let instead = words.removeValue(forKey: token.text) else { return nil }
            return (token.line, token.text, instead)
        }
    }

    /// Who calls the method instead, by the call that it is given to.
    private func insteadOfSelector(at index: Int) -> String {
        let owner = types.last { $0.body.contains(index) }
        let method = selected(at: index)
        let name = "\(owner?.name ?? "Screen").\(method)"
        let takesMore = owner?.methods.first { $0.name == method }?.arguments.isEmpty == false
        let call = "\(method)(\(takesMore ? "…" : ""))"
        let byScenario =
            "let the scenario call it, .event(\"\(method)\") { screen, _ in screen.\(call) }, and a script "
            + ".send(\"\(method)\")"
        let receiver = enclosingCall(of: index)
        switch receiver {
        case "addTarget": return "the method itself: addTarget(self, action: \(name), for: .touchUpInside)"
        case "addObserver":
            return "the method itself: addObserver(self, action: \(name), name: …, object: nil)"
        case "Timer", "scheduledTimer":
            return
                "Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in self?.\(call) }; it ticks in real "
                + "time, after(milliseconds:) { } by the simulation's clock"
        case "perform", "performSelector":
            return "after(milliseconds: 0) { [weak self] in self?.\(call) }, by the simulation's clock"
        case "UIBarButtonItem": return "the method itself: UIBarButtonItem(…, target: self, action: \(name))"
        case let recogniser? where recogniser.hasSuffix("GestureRecognizer"):
            return "the method itself: \(recogniser)(target: self, action: \(name))"
        default: return byScenario
        }
    }

    /// The method in `#selector(Screen.save(_:))`.
    private func selected(at index: Int) -> String {
        var name = "method"
        for token in tokens[(index + 2)...].dropFirst() {
            if token.kind == .word { name = token.text } else if token.text != "." { break }
        }
        return name
    }

    /// What is called with the argument that stands here; of `Timer(…)` and `UIButton.init(…)` the type.
    private func enclosingCall(of index: Int) -> String? {
        var depth = 0
        for at in tokens[..<index].indices.reversed() where tokens[at].kind == .symbol {
            switch tokens[at].text {
            case ")", "]", "}": depth += 1
            case "(", "[", "{":
                depth -= 1
                guard depth < 0 else { continue }
                guard tokens[at].text == "(", at > 0, tokens[at - 1].kind == .word else { return nil }
                let isInit = tokens[at - 1].text == "init" && at > 2 && tokens[at - 2].text == "."
                return isInit ? tokens[at - 3].text : tokens[at - 1].text
            default: break
            }
        }
        return nil
    }
}
