import Foundation
import UIKit

/// A screen that writes its word on the main queue, in a task, and later by the clock.
final class LateController: UIViewController {
    var word = "one"

    let queueLabel = UILabel()
    let taskLabel = UILabel()
    let timedLabel = UILabel()
    let sleptLabel = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        for label in [queueLabel, taskLabel, timedLabel, sleptLabel] { view.addSubview(label) }
        wordDidChange()
    }

    /// Both belong to the turn.
    func wordDidChange() {
        DispatchQueue.main.async { self.queueLabel.text = self.word }
        Task { taskLabel.text = word }
    }

    /// Each is real time.
    func wait() {
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) {
            self.timedLabel.text = self.word
        }
        Task {
            try? await Task.sleep(for: .milliseconds(40))
            sleptLabel.text = word
        }
    }
}
