// Asked for by a test file that imports Testing and UIKit; there is nothing in it.
