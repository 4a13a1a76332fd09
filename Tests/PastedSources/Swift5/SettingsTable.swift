import UIKit

// Settings in a table, with a switch in each row.

struct Setting {
    let name: String
    var isOn: Bool
}

class SettingsTableController: UITableViewController {
    var settings = [Setting(name: "Sounds", isOn: true), Setting(name: "Badges", isOn: false)]
    private(set) var opened: String?

    var soundsText: String { "\(settings.first { $0.name == "Sounds" }?.isOn ?? false)" }

    init() { super.init(style: .insetGrouped) }
    required init?(coder: NSCoder) { super.init(coder: coder) }

    override func viewDidLoad() {
        super.viewDidLoad()
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: "setting")
        tableView.rowHeight = UITableView.automaticDimension
        tableView.estimatedRowHeight = 60
        tableView.separatorStyle = .none
        tableView.tableFooterView = UIView()
        navigationItem.leftBarButtonItem = editButtonItem
    }

    override func numberOfSections(in tableView: UITableView) -> Int { 1 }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        settings.count
    }

    override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
        "Notifications"
    }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "setting", for: indexPath)
        let setting = settings[indexPath.row]
        var content = cell.defaultContentConfiguration()
        content.text = setting.name
        content.textProperties.font = .preferredFont(forTextStyle: .body)
        content.image = UIImage(systemName: "bell")
        cell.contentConfiguration = content
        cell.selectionStyle = .none
        let toggle = cell.accessoryView as? UISwitch ?? UISwitch()
        toggle.isOn = setting.isOn
        toggle.accessibilityIdentifier = setting.name
        toggle.tag = indexPath.row
        toggle.removeTarget(self, for: .valueChanged)
        toggle.addTarget(self, action: SettingsTableController.toggled, for: .valueChanged)
        cell.accessoryView = toggle
        return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        opened = settings[indexPath.row].name
        tableView.deselectRow(at: indexPath, animated: true)
    }

    override func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {
        guard editingStyle == .delete else { return }
        settings.remove(at: indexPath.row)
        tableView.deleteRows(at: [indexPath], with: .automatic)
    }

    func toggled(_ sender: UISwitch) { settings[sender.tag].isOn = sender.isOn }

    func settingsDidChange() { tableView.reloadData() }
}

/// Keeps its own answer, and forgets the model.
final class ForgetfulSettingsController: SettingsTableController {
    override func toggled(_ sender: UISwitch) {}
}
