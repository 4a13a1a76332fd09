import UIKit

// A form in code, with a stack view and constraints, as many apps have one.

struct Account {
    var name = "Ada"
    var seats = 2
    var plan = "Team"
    var isBilled = false
}

final class AccountFormController: UIViewController, UITextFieldDelegate {
    var account = Account()
    private(set) var saves = 0

    private let titleLabel: UILabel = {
        let label = UILabel()
        label.font = .preferredFont(forTextStyle: .headline)
        label.textColor = .secondaryLabel
        label.numberOfLines = 0
        label.textAlignment = .center
        label.adjustsFontForContentSizeCategory = true
        label.accessibilityTraits = .header
        return label
    }()

    private lazy var nameField: UITextField = {
        let field = UITextField()
        field.placeholder = "Name"
        field.borderStyle = .roundedRect
        field.autocorrectionType = .no
        field.textContentType = .name
        field.returnKeyType = .done
        field.clearButtonMode = .whileEditing
        field.delegate = self
        field.accessibilityIdentifier = "name"
        return field
    }()

    private let seatsStepper = UIStepper()
    private let seatsLabel = UILabel()
    private let planControl = UISegmentedControl(items: ["Solo", "Team"])
    private let billedSwitch = UISwitch()

    private lazy var saveButton: UIButton = {
        var configuration = UIButton.Configuration.filled()
        configuration.title = "Save"
        configuration.cornerStyle = .large
        configuration.baseBackgroundColor = .systemBlue
        return UIButton(
            configuration: configuration, primaryAction: UIAction { [weak self] _ in self?.save() })
    }()

    private lazy var stack: UIStackView = {
        let stack = UIStackView(arrangedSubviews: [
            titleLabel, nameField, seatsLabel, seatsStepper, planControl, billedSwitch, saveButton,
        ])
        stack.axis = .vertical
        stack.spacing = 12
        stack.alignment = .fill
        stack.setCustomSpacing(24, after: titleLabel)
        stack.translatesAutoresizingMaskIntoConstraints = false
        return stack
    }()

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Account"
        view.backgroundColor = .systemBackground
        navigationItem.largeTitleDisplayMode = .never
        navigationItem.rightBarButtonItem = UIBarButtonItem(
            systemItem: .trash, primaryAction: UIAction { [weak self] _ in self?.confirmReset() })
        view.addSubview(stack)
        let top = stack.topAnchor.constraint(equalTo: view.safeAreaLayoutGuide.topAnchor, constant: 16)
        top.priority = .defaultHigh
        NSLayoutConstraint.activate([
            top,
            stack.leadingAnchor.constraint(equalTo: view.layoutMarginsGuide.leadingAnchor),
            stack.trailingAnchor.constraint(equalTo: view.layoutMarginsGuide.trailingAnchor),
            nameField.heightAnchor.constraint(greaterThanOrEqualToConstant: 44),
        ])
        stack.layer.cornerRadius = 8
        stack.layer.borderColor = UIColor.separator.cgColor
        seatsLabel.setContentHuggingPriority(.required, for: .vertical)
        seatsStepper.minimumValue = 1
        seatsStepper.maximumValue = 5
        seatsStepper.accessibilityIdentifier = "seats"
        planControl.accessibilityIdentifier = "plan"
        billedSwitch.onTintColor = .systemGreen
        billedSwitch.accessibilityIdentifier = "billed"
        seatsStepper.addTarget(self, action: AccountFormController.seatsChanged, for: .valueChanged)
        planControl.addTarget(self, action: AccountFormController.planChanged, for: .valueChanged)
        billedSwitch.addTarget(self, action: AccountFormController.billedChanged, for: .valueChanged)
        view.addGestureRecognizer(
            UITapGestureRecognizer(target: self, action: AccountFormController.backgroundTapped))
        refresh()
    }

    func refresh() {
        titleLabel.text = "Account of \(account.name)"
        nameField.text = account.name
        seatsStepper.value = Double(account.seats)
        seatsLabel.text = "\(account.seats) seats"
        planControl.selectedSegmentIndex = account.plan == "Solo" ? 0 : 1
        billedSwitch.isOn = account.isBilled
    }

    private func seatsChanged(_ sender: UIStepper) {
        account.seats = Int(sender.value)
        UIView.animate(withDuration: 0.2, animations: { self.seatsLabel.alpha = 0.5 }) { _ in
            self.seatsLabel.text = "\(self.account.seats) seats"
            self.seatsLabel.alpha = 1
        }
    }

    private func planChanged() {
        account.plan = planControl.titleForSegment(at: planControl.selectedSegmentIndex) ?? ""
    }

    private func billedChanged(_ sender: UISwitch) { account.isBilled = sender.isOn }

    private func backgroundTapped() { view.endEditing(true) }

    private func save() { saves += 1 }

    private func confirmReset() {
        let alert = UIAlertController(title: "Reset?", message: nil, preferredStyle: .alert)
        alert.addAction(
            UIAlertAction(title: "Reset", style: .destructive) { _ in
                self.account = Account()
                self.refresh()
            })
        alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
        present(alert, animated: true)
    }

    func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        textField.resignFirstResponder()
        return true
    }

    func textFieldDidEndEditing(_ textField: UITextField) {
        account.name = textField.text ?? ""
        titleLabel.text = "Account of \(account.name)"
    }
}
