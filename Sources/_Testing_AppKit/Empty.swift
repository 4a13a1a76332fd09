// Asked for by a test file that imports Testing and AppKit; there is nothing in it.
