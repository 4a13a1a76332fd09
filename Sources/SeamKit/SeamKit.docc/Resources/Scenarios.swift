public import CSeamABI
import SeamKit
import SwiftUI
import UIKit

// The scenario around BasketController.swift: what the model knows, and what is to be on the screen after each step.
// A step more is a line more: .set(KEY, VALUE), .tap(CONTROL), .type(TEXT, into: CONTROL),
// .turn(CONTROL, to: VALUE), .send(EVENT), .advance(milliseconds:), .check(LABEL, [FIELD: VERDICT]).

private let plugin = Plugin("shop", name: "Shop", version: "0.1.0") {
    ScreenScenario("shop.basket-controller", title: "BasketController under measurement") { BasketController() }
        .model(Key("count", \.basket.count), Key("total", \.basket.total))
        .event("basketDidChange") { screen, _ in screen.basketDidChange() }
        .script(
            .check("start", ["count": .matching, "total": .matching]),
            // The report: a second article, and the strip goes on showing the first alone.
            .set("count", 2), .set("total", "€ 28.00"), .send("basketDidChange"),
            .check("second-article", ["count": .matching, "total": .matching]))
}

@c @implementation
public func seam_plugin_entry(_ offer: UnsafePointer<seam_offer_v1>?) -> UnsafePointer<seam_plugin_v1>? {
    plugin.answer(offer)
}
