import CGatePage

/// A file of the page.
struct Asset {
    private let type: String
    private let bytes: [UInt8]
    private let tag: String

    private init(_ name: String, _ bytes: [UInt8]) {
        type =
            switch name[(name.lastIndex(of: ".") ?? name.startIndex)...] {
            case ".html": "text/html; charset=utf-8"
            case ".js": "text/javascript; charset=utf-8"
            case ".css": "text/css; charset=utf-8"
            case ".svg": "image/svg+xml"
            default: "application/octet-stream"
            }
        self.bytes = bytes
        // FNV-1a: it tells versions of one file apart and keeps no secret.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        tag = "\"\(String(hash, radix: 16))\""
    }

    /// By the path that they are asked for.
    static let all: [String: Asset] = {
        var all: [String: Asset] = [:]
        for index in 0..<seam_page_file_count {
            guard let file = seam_page_file_at(index)?.pointee, let path = file.path else { continue }
            let name = String(cString: path)
            all[name] = Asset(name, Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
        all["/"] = all["/index.html"]
        return all
    }()

    func response(ifNoneMatch: String?, isHead: Bool) -> Response {
        let headers = "Cache-Control: no-cache\r\nETag: \(tag)\r\n"
        if ifNoneMatch?.contains(tag) == true {
            return Response(.notModified, headers: headers, body: [])
        }
        return Response(.ok, type: type, headers: headers, body: bytes, isHead: isHead)
    }
}
