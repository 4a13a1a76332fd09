swift build
seam run --plugin .build/debug/libShop.so --why shop.basket-controller
