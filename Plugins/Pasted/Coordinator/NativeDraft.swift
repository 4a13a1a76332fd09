import SwiftUI
import UIKit

/// An editor of the old world in a declarative screen: what is typed goes out, what the model says comes in.
struct NativeDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        context.coordinator.observe(view)
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: Coordinator) {
        view.delegate = nil
        coordinator.stopObserving()
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: NativeDraft
        private var observer: (any NSObjectProtocol)?

        init(_ parent: NativeDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }

        /// The app is about to go to the background: what was typed last goes out.
        func observe(_ view: UITextView) {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.willResignActiveNotification, object: nil, queue: .main
            ) { _ in
                MainActor.assumeIsolated { self.textViewDidChange(view) }
            }
        }

        func stopObserving() {
            if let observer { NotificationCenter.default.removeObserver(observer) }
            observer = nil
        }
    }
}

/// The coordinator keeps the first copy of its parent.
struct StaleParentDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        context.coordinator.observe(view)
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: Coordinator) {
        view.delegate = nil
        coordinator.stopObserving()
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: StaleParentDraft
        private var observer: (any NSObjectProtocol)?

        init(_ parent: StaleParentDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }

        /// The app is about to go to the background: what was typed last goes out.
        func observe(_ view: UITextView) {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.willResignActiveNotification, object: nil, queue: .main
            ) { _ in
                MainActor.assumeIsolated { self.textViewDidChange(view) }
            }
        }

        func stopObserving() {
            if let observer { NotificationCenter.default.removeObserver(observer) }
            observer = nil
        }
    }
}

/// The editor is written to at each update.
struct UnguardedDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        context.coordinator.observe(view)
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.parent = self
        view.text = text
    }

    static func dismantleUIView(_ view: UITextView, coordinator: Coordinator) {
        view.delegate = nil
        coordinator.stopObserving()
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: UnguardedDraft
        private var observer: (any NSObjectProtocol)?

        init(_ parent: UnguardedDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }

        /// The app is about to go to the background: what was typed last goes out.
        func observe(_ view: UITextView) {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.willResignActiveNotification, object: nil, queue: .main
            ) { _ in
                MainActor.assumeIsolated { self.textViewDidChange(view) }
            }
        }

        func stopObserving() {
            if let observer { NotificationCenter.default.removeObserver(observer) }
            observer = nil
        }
    }
}

/// The editor goes, its observer stays.
struct UndismantledDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        context.coordinator.observe(view)
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: Coordinator) {
        // The lines that undo what make did are not there.
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: UndismantledDraft
        private var observer: (any NSObjectProtocol)?

        init(_ parent: UndismantledDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            if parent.text != view.text { parent.text = view.text }
        }

        /// The app is about to go to the background: what was typed last goes out.
        func observe(_ view: UITextView) {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.willResignActiveNotification, object: nil, queue: .main
            ) { _ in
                MainActor.assumeIsolated { self.textViewDidChange(view) }
            }
        }

        func stopObserving() {
            if let observer { NotificationCenter.default.removeObserver(observer) }
            observer = nil
        }
    }
}

/// Each change causes the next.
struct LoopingDraft: UIViewRepresentable {
    @Binding var text: String

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UITextView {
        let view = UITextView()
        view.delegate = context.coordinator
        context.coordinator.observe(view)
        return view
    }

    func updateUIView(_ view: UITextView, context: Context) {
        context.coordinator.parent = self
        if view.text != text { view.text = text }
    }

    static func dismantleUIView(_ view: UITextView, coordinator: Coordinator) {
        view.delegate = nil
        coordinator.stopObserving()
    }

    final class Coordinator: NSObject, UITextViewDelegate {
        var parent: LoopingDraft
        private var observer: (any NSObjectProtocol)?

        init(_ parent: LoopingDraft) { self.parent = parent }

        func textViewDidChange(_ view: UITextView) {
            parent.text = view.text + "."
        }

        /// The app is about to go to the background: what was typed last goes out.
        func observe(_ view: UITextView) {
            observer = NotificationCenter.default.addObserver(
                forName: UIApplication.willResignActiveNotification, object: nil, queue: .main
            ) { _ in
                MainActor.assumeIsolated { self.textViewDidChange(view) }
            }
        }

        func stopObserving() {
            if let observer { NotificationCenter.default.removeObserver(observer) }
            observer = nil
        }
    }
}
