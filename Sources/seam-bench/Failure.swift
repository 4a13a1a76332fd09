internal import Glibc

/// Why something could not be measured; one sentence for a person.
struct Failure: Error {
    var text: String

    init(_ text: String) { self.text = text }

    /// `status` is a negative errno.
    init(_ what: String, _ status: Int) {
        text = "\(what): \(String(cString: strerror(Int32(-status))))"
    }
}

/// The value, or the failure that a negative errno stands for.
@discardableResult
func checked<Number: BinaryInteger>(_ status: Number, _ what: @autoclosure () -> String) throws(Failure)
    -> Number
{
    if status < 0 { throw Failure(what(), Int(status)) }
    return status
}

/// Says something to the person, beside the table. Not through `stderr`, a variable that Swift 6 rightly distrusts.
func say(_ text: String) {
    let line = Array("seam-bench: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
