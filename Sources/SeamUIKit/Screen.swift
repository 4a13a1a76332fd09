public import SeamKit

extension ScreenScenario where Source: UIViewController {
    /// An imperative screen: a view controller, as the app would put it into its window.
    public init(
        _ id: String, title: String? = nil, summary: String = "", screen: String? = nil,
        root: @escaping @MainActor () -> Source
    ) {
        self.init(
            id, title: title, summary: summary, screen: screen ?? shortName(of: Source.self),
            side: .imperative,
            make: root
        ) { box, instance, stage in
            let controller = box.value
            stage.root = controller
            stage.begin = { controller.enterScreen(instance) }
        }
    }
}

extension UIViewController {
    /// The root of a screen: its view is loaded, and in the window.
    func enterScreen(_ instance: Instance) {
        loadViewIfNeeded()
        guard let view = viewIfLoaded else { return }
        beginAppearanceTransition(true, animated: false)
        view._enter(instance.surface)
        endAppearanceTransition()
        let control = Control()
        control.parts = { [weak self] in self?.controlsOnTop ?? [] }
        instance.controls["\u{1}screen"] = control
    }
}
