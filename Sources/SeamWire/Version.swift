/// The version of Seam: of `seamd`, `seam` and the libraries, which are released together.
public let seamVersion = "0.1.0"
