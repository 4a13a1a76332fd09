import SwiftUI
import UIKit

struct Basket {
    var count = 1
    var total = "€ 14.00"
}

/// The strip at the top of the shop, in SwiftUI since the spring.
struct BasketStrip: View {
    let basket: Basket

    var body: some View {
        HStack {
            Text("\(basket.count)").accessibilityIdentifier("count")
            Text(basket.total).accessibilityIdentifier("total")
        }
    }
}

/// The shop below it, in UIKit as ever.
class BasketController: UIViewController {
    var basket = Basket()
    private(set) var host: UIHostingController<BasketStrip>!

    override func viewDidLoad() {
        super.viewDidLoad()
        host = UIHostingController(rootView: BasketStrip(basket: basket))
        addChild(host)
        view.addSubview(host.view)
        host.didMove(toParent: self)
    }

    /// Called by the shop whenever something was put into the basket, or taken out of it.
    func basketDidChange() {
        title = basket.total
        host.rootView = BasketStrip(basket: basket)
    }
}
