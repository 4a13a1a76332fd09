import Foundation
import Glibc
import SeamTestSupport
import SeamWire
import Testing

/// What whoever reaches the port may do, and may not.
@Suite struct GateTests {
    // MARK: Where it is

    /// Local addresses of the listening sockets of a process, from /proc: "0100007F:1CA5".
    private func listeners(of pid: Int32) throws -> [String] {
        let folder = "/proc/\(pid)/fd"
        let inodes = Set(
            try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }.compactMap { $0.firstMatch(of: /socket:\[([0-9]+)\]/).map { String($0.1) } })
        return try ["tcp", "tcp6"].flatMap { table in
            try String(contentsOfFile: "/proc/\(pid)/net/\(table)", encoding: .utf8).split(separator: "\n")
                .dropFirst().compactMap { line in
                    let columns = line.split(separator: " ")
                    // 0A is LISTEN.
                    guard columns.count > 9, columns[3] == "0A", inodes.contains(String(columns[9])) else {
                        return nil
                    }
                    return String(columns[1])
                }
        }
    }

    @Test("it listens on 127.0.0.1 and nowhere else")
    func listening() throws {
        let gate = try GateProcess()
        let port = String(UInt32(gate.port), radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 4 - port.count) + port
        #expect(try listeners(of: gate.process.pid) == ["0100007F:\(padded)"])
        // Another address only when it is asked for.
        let open = try GateProcess(["--listen", "127.0.0.2"], socket: "/nowhere")
        #expect(open.address.hasPrefix("http://127.0.0.2:"))
        #expect(try listeners(of: open.process.pid).allSatisfy { $0.hasPrefix("0200007F:") })
    }

    @Test("what is in its way is said, with the exit status that the manual names")
    func refusedStarts() throws {
        let gate = try GateProcess()
        for (arguments, code, part) in [
            (["--port", "\(gate.port)"], 1, "the port is taken"),
            (["--listen", "192.0.2.1", "--port", "0"], 1, "192.0.2.1"),
            (["--listen", "example.org"], 2, "--listen takes an IPv4 address"),
            (["--listen", "::1"], 2, "--listen takes an IPv4 address"),
            (["--port", "65536"], 2, "--port takes a number from 0 to 65535"),
            (["--prot", "1"], 2, "there is no option “--prot”; did you mean --port? see seam-gate --help"),
            (["--bogus"], 2, "there is no option “--bogus”; see seam-gate --help"),
            (["--verbose=1"], 2, "--verbose takes no value"),
            (["--port"], 2, "--port needs a value"),
            (["--port", ""], 2, "--port may not be empty"),
            (["--socket", ""], 2, "--socket may not be empty"),
            (["--listen", ""], 2, "--listen may not be empty"),
            (["--ready-fd", "99"], 2, "--ready-fd 99: this descriptor is not open"),
            (["--max-streams", "0"], 2, "--max-streams takes a number from 1"),
            (["here"], 2, "seam-gate takes options alone, not “here”"),
            (["--socket", String(repeating: "x", count: 200)], 1, "the system allows 107"),
        ] as [([String], Int32, String)] {
            let socket = arguments.contains("--socket") ? [] : ["--socket", "/nowhere"]
            let outcome = try run("seam-gate", socket + arguments)
            #expect(
                outcome.code == code && outcome.stderr.contains(part) && outcome.stdout.isEmpty, "\(outcome)")
        }
        #expect(try gate.probe())
    }

    @Test("it ends in order, with streams open and without a daemon")
    func end() throws {
        let gate = try GateProcess()
        let streams = try (0..<3).map { _ in try gate.stream() }
        for stream in streams { try stream.event(named: "sync") }
        let half = try gate.connect()
        try half.send("GET / HTTP/1.1\r\nHo")
        gate.process.send(signal: SIGTERM)
        #expect(try gate.process.waitForEnd() == .exit(0))
        for stream in streams { #expect(try stream.nextEvent() == nil) }
        #expect(gate.process.stderr == "")

        let folder = try TemporaryFolder()
        let alone = try GateProcess(socket: "\(folder.path)/none")
        #expect(try alone.ask("GET", "/healthz").status == 503)
        alone.process.send(signal: SIGINT)
        #expect(try alone.process.waitForEnd() == .exit(0))
        #expect(alone.process.stderr == "")
    }

    // MARK: The page

    @Test("each file of the page is served as it is, and every response forbids what it can")
    func assets() throws {
        let gate = try GateProcess()
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
        ]
        let folder = Checkout.path("Sources/seam-gate/page")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        try #require(names.contains("index.html"))
        for name in names {
            let file = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            let answer = try gate.ask("GET", "/\(name)")
            #expect(answer.status == 200 && answer.body == file, "\(name): \(answer)")
            #expect(answer["content-type"] == types[name.split(separator: ".").last.map(String.init) ?? ""])
            #expect(answer["cache-control"] == "no-cache")
            let tag = try #require(answer["etag"])
            let same = try gate.ask("GET", "/\(name)", ["If-None-Match: \(tag)"])
            #expect(same.status == 304 && same.body.isEmpty)
            let head = try gate.ask("HEAD", "/\(name)")
            #expect(head.status == 200 && head["content-length"] == "\(file.utf8.count)")
        }
        #expect(try gate.ask("GET", "/").body == gate.ask("GET", "/index.html").body)

        for path in ["/", "/nothing", "/metrics", "/events", "/healthz"] {
            let answer = try gate.ask("GET", path)
            #expect(
                answer["content-security-policy"]
                    == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'")
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(answer["x-frame-options"] == "DENY")
            #expect(answer["referrer-policy"] == "no-referrer")
            #expect(answer["cross-origin-resource-policy"] == "same-origin")
            #expect(answer["access-control-allow-origin"] == nil)
        }
    }

    // MARK: Wrong requests

    /// A request as it goes over the wire, and the status that answers it; 0 where the connection is closed instead.
    private struct Wrong {
        var request: String
        var status: Int
        init(_ request: String, _ status: Int) {
            self.request = request
            self.status = status
        }
    }

    @Test("a wrong request gets what it deserves, and the next one is answered")
    func wrongRequests() throws {
        let gate = try GateProcess()
        let host = "Host: \(gate.host)\r\n"
        let key = "\(gate.bearer)\r\n"
        func get(_ path: String, _ more: String = "") -> String {
            "GET \(path) HTTP/1.1\r\n\(host)Connection: close\r\n\(more)\r\n"
        }
        func post(_ path: String, _ more: String, _ body: String = "") -> String {
            "POST \(path) HTTP/1.1\r\n\(host)Connection: close\r\n\(more)\r\n\(body)"
        }
        let long = String(repeating: "a", count: 40_000)
        let rows: [Wrong] = [
            // Names under which somebody else's page could reach it.
            Wrong("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\nHost: example.org:\(gate.port)\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\nHost: 127.0.0.1.example.org\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\nHost: 127.0.0.2:\(gate.port)\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\nHost: localhost:99999\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\nHost: localhost@example.org\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\n\r\n", 403),
            Wrong("GET / HTTP/1.0\r\n\r\n", 403),
            Wrong("GET / HTTP/1.1\r\n\(host)Host: example.org\r\n\r\n", 403),
            Wrong("GET /metrics HTTP/1.1\r\nHost: example.org\r\n\r\n", 403),
            // Pages of others.
            Wrong(get("/", "Origin: http://example.org\r\n"), 403),
            Wrong(get("/", "Origin: null\r\n"), 403),
            Wrong(get("/", "Origin: https://\(gate.host)\r\n"), 403),
            Wrong(get("/", "Origin: http://localhost:\(gate.port)\r\n"), 403),
            Wrong(get("/events", "Origin: http://127.0.0.1:1\r\n\(key)"), 403),
            Wrong(post("/rpc", "Origin: http://example.org\r\n\(key)Content-Length: 2\r\n", "{}"), 403),
            // No key, or a wrong one.
            Wrong(get("/events"), 401),
            Wrong(get("/info"), 401),
            Wrong(get("/info", "Authorization: Bearer \(String(repeating: "0", count: 32))\r\n"), 401),
            Wrong(get("/info", "Authorization: Bearer \(gate.token)0\r\n"), 401),
            Wrong(get("/info", "Authorization: Bearer\r\n"), 401),
            Wrong(get("/info", "Authorization: Basic \(gate.token)\r\n"), 401),
            Wrong(get("/info", "Cookie: seam-\(gate.port)=\(gate.token)\r\n"), 401),
            Wrong(get("/info", "Cookie: seam-\(gate.port)=\r\n"), 401),
            Wrong(get("/info?token=\(gate.token)"), 401),
            Wrong(post("/rpc", "Content-Length: 2\r\n", "{}"), 401),
            Wrong(post("/session", "Content-Length: 14\r\n", #"{"token":"00"}"#), 403),
            Wrong(post("/session", "Content-Length: 2\r\n", "{}"), 403),
            Wrong(post("/session", "Content-Length: 5\r\n", "nope!"), 403),
            Wrong(post("/session", "Content-Length: 5000\r\n", String(repeating: " ", count: 5000)), 403),
            // Paths.
            Wrong(get("/nothing"), 404),
            Wrong(get("/../../etc/passwd"), 404),
            Wrong(get("/%2e%2e/%2e%2e/etc/passwd"), 404),
            Wrong(get("/..%2f..%2fetc%2fpasswd"), 404),
            Wrong(get("//etc/passwd"), 404),
            Wrong(get("/page/index.html"), 404),
            Wrong(get("/index.html%00.js"), 0),
            Wrong(get("/\(String(repeating: "a", count: 3000))"), 404),
            Wrong(get("/\(long)"), 0),
            Wrong(get("http://\(gate.host)/"), 403),
            Wrong(get("*"), 403),
            // Arguments.
            Wrong(get("/events?nonsense=1", key), 400),
            Wrong(get("/events?snapshot=perhaps", key), 400),
            Wrong(get("/events?history=-1", key), 400), Wrong(get("/events?history=65537", key), 400),
            Wrong(get("/events?history=", key), 400), Wrong(get("/events?history=1e3", key), 400),
            Wrong(get("/events?match=\(String(repeating: "a", count: 600))", key), 400),
            Wrong(get("/events?" + (0..<70).map { "match=a\($0)" }.joined(separator: "&"), key), 400),
            Wrong(get("/events?match=%ff%00", key), 0),
            // Methods.
            Wrong(get("/rpc", key), 405),
            Wrong(get("/session"), 405),
            Wrong(post("/", "Content-Length: 2\r\n", "{}"), 405),
            Wrong(post("/events", "\(key)Content-Length: 2\r\n", "{}"), 405),
            Wrong(post("/events", key), 405), Wrong(post("/metrics", ""), 405), Wrong(post("/", ""), 405),
            Wrong(post("/nothing", ""), 404),
            Wrong(post("/metrics", "Content-Length: 2\r\n", "{}"), 405),
            Wrong("PUT / HTTP/1.1\r\n\(host)Content-Length: 3\r\n\r\nabc", 405),
            Wrong("DELETE /info HTTP/1.1\r\n\(host)Connection: close\r\n\r\n", 405),
            Wrong("OPTIONS /rpc HTTP/1.1\r\n\(host)Connection: close\r\n\r\n", 405),
            Wrong("HEAD /events HTTP/1.1\r\n\(host)Connection: close\r\n\r\n", 405),
            Wrong("BREW / HTTP/1.1\r\n\(host)\r\n", 403),
            // Bodies.
            Wrong(post("/rpc", key), 411), Wrong(post("/session", ""), 411),
            Wrong(post("/rpc", "\(key)Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"), 411),
            Wrong(post("/rpc", "\(key)Content-Length: -5\r\n"), 400),
            Wrong(post("/rpc", "\(key)Content-Length: 1e3\r\n"), 400),
            Wrong(post("/rpc", "\(key)Content-Length: 99999999999999999999999\r\n"), 400),
            Wrong(post("/rpc", "\(key)Content-Length: 2\r\nContent-Length: 4\r\n", "{}{}"), 0),
            Wrong(post("/rpc", "\(key)Content-Length: 1048577\r\n"), 413),
            Wrong(post("/rpc", "\(key)Content-Length: 99999999999\r\n"), 413),
            // Heads.
            Wrong(get("/", "Cookie: \(long)\r\n"), 0),
            Wrong(get("/", (0..<5000).map { "X-\($0): b\r\n" }.joined()), 0),
            // Other protocols.
            Wrong(
                get(
                    "/events",
                    "\(key)Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\nSec-WebSocket-Version: 13\r\n"
                ), 0),
            Wrong(get("/", "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"), 0),
            Wrong("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403),
            Wrong("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}garbage\r\n\r\n", 403),
            Wrong("{\"method\":\"sim.list\"}\n\n", 403),
        ]
        for row in rows {
            let connection = try gate.connect()
            try connection.send(row.request)
            let answer = try connection.response(isHead: row.request.hasPrefix("HEAD"))
            #expect(answer.status == row.status, "\(row.request.prefix(200))\n\(answer)")
            // Never more of a stranger's text than a status line holds, and never as a page.
            #expect(!answer.body.contains("example.org") && !answer.body.contains(gate.token))
            #expect(try gate.probe(), "\(row.request.prefix(200))")
        }
        // Bytes of every value, and half requests.
        for bytes in [
            Array(UInt8.min...UInt8.max), Array("GET / HT".utf8), [],
            Array("POST /rpc HTTP/1.1\r\n\(host)Content-Length: 9\r\n\r\n{".utf8),
        ] {
            let connection = try gate.connect()
            try connection.send(bytes: bytes)
            connection.endSending()
            try connection.waitForEnd(within: .seconds(30))
            #expect(try gate.probe())
        }
        #expect(gate.process.stderr == "", "anybody could fill the log")
    }

    @Test("friendly names and pages get in, also through a tunnel from another port")
    func friendlyRequests() throws {
        let gate = try GateProcess()
        for host in [gate.host, "localhost:\(gate.port)", "LOCALHOST", "127.0.0.1", "localhost:8000"] {
            #expect(try gate.ask("GET", "/", ["Origin: http://\(host)"], host: host).status == 200, "\(host)")
        }
        // One connection, several requests, the second before the first is answered.
        let connection = try gate.connect()
        let request = "GET /healthz HTTP/1.1\r\nHost: \(gate.host)\r\n\r\n"
        try gate.waitUntilHealthy()
        try connection.send(request + request)
        for _ in 0..<2 { #expect(try connection.response().body == "ok\n") }
        try connection.send(request)
        #expect(try connection.response().body == "ok\n")
    }

    @Test("the token is swapped for a cookie that scripts do not get, and a half that other ports do not")
    func session() throws {
        let gate = try GateProcess()
        let answer = try gate.ask("POST", "/session", body: #"{"token":"\#(gate.token)"}"#)
        #expect(answer.status == 200 && answer["cache-control"] == "no-store", "\(answer)")
        let half = try #require(answer.json?["page"]?.text)
        #expect(half.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        let cookie = try #require(answer["set-cookie"])
        let parts = cookie.components(separatedBy: "; ")
        #expect(Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Path=/"])
        #expect(parts[0].wholeMatch(of: /seam-[0-9]+=[0-9a-f]{32}/) != nil)
        #expect(!cookie.contains(gate.token), "a cookie that leaks must not be the key")
        #expect(
            !cookie.contains(half) && !gate.token.contains(half), "the cookie must not tell the other half")
        let page = "Seam-Page: \(half)"
        for headers in [
            ["Cookie: \(parts[0])", page], ["Cookie: other=1; \(parts[0]); more=2", page], [gate.bearer],
        ] {
            #expect(try gate.ask("GET", "/info", headers).status == 200, "\(headers)")
        }
        // A browser sends the cookie to whatever listens on this machine: who has that alone has nothing.
        let wrong = String(half.reversed())
        for headers in [
            ["Cookie: \(parts[0])"], [page], ["Cookie: \(parts[0])", "Seam-Page: \(wrong)"],
            ["Cookie: \(parts[0])", "Seam-Page: \(gate.token)"],
            ["Cookie: \(parts[0].split(separator: "=")[0])=\(half)", page],
        ] {
            #expect(try gate.ask("GET", "/info", headers).status == 401, "\(headers)")
            #expect(try gate.ask("GET", "/events", headers).status == 401, "\(headers)")
            let call = try gate.ask("POST", "/rpc", headers, body: #"{"id":1,"method":"sim.list"}"#)
            #expect(call.status == 401, "\(headers)")
        }
        let info = try #require(try gate.ask("GET", "/info", [gate.bearer]).json)
        #expect(info["allowControl"] == false && info["version"] == .string(seamVersion))
        #expect(info["daemon"]?["socket"]?.text == gate.daemon?.socket)

        // Another run has other keys.
        let other = try GateProcess()
        #expect(other.token != gate.token)
        #expect(try other.ask("GET", "/info", [gate.bearer]).status == 401)
        #expect(try other.ask("GET", "/info", ["Cookie: \(parts[0])", page]).status == 401)
    }

    @Test("half a request, a body that dawdles, and silence are given up")
    func slowRequests() throws {
        let gate = try GateProcess()
        let beginnings = [
            "", "GET / HTTP/1.1\r\nHost: ",
            "POST /rpc HTTP/1.1\r\nHost: \(gate.host)\r\n\(gate.bearer)\r\nContent-Length: 100\r\n\r\n{\"id\"",
            "POST /session HTTP/1.1\r\nHost: \(gate.host)\r\nContent-Length: 100\r\n\r\n",
        ]
        let connections = try beginnings.map { text in
            let connection = try gate.connect()
            try connection.send(text)
            return connection
        }
        for connection in connections { try connection.waitForEnd(within: .seconds(60)) }
        #expect(try gate.probe())
    }

    @Test("who sends on before the answer keeps nobody waiting, and no processor busy")
    func sendingOn() throws {
        let gate = try GateProcess()
        let (host, key) = ("Host: \(gate.host)\r\n", "\(gate.bearer)\r\n")
        let get = "GET / HTTP/1.1\r\n\(host)\r\n"
        let call = #"{"id":1,"method":"sim.list"}"#
        let rpc = "POST /rpc HTTP/1.1\r\n\(host)\(key)Content-Length: \(call.utf8.count)\r\n\r\n\(call)"
        let session = "POST /session HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\n{}"
        let more = String(repeating: "x", count: 200_000)
        var kept: [WebConnection] = []
        for text in [
            session + session + session, get + session + get, rpc + rpc + rpc, get + rpc + get, session + "x",
            rpc + more,
            String(repeating: get, count: 500), "GET /events HTTP/1.1\r\n\(host)\(key)\r\nx",
            "GET /events HTTP/1.1\r\n\(host)\(key)\r\n\(more)", "GET /metrics HTTP/1.1\r\n\(host)\r\n\(more)",
            String(repeating: "GET /metrics HTTP/1.1\r\n\(host)\r\n", count: 500),
        ] {
            let connection = try WebConnection(port: gate.port, receiveBytes: 4096)
            // Nothing of what is answered is read.
            try? connection.send(bytes: Array(text.utf8), within: .seconds(1))
            kept.append(connection)
            #expect(try gate.probe(), "\(text.prefix(300))")
        }
        for connection in kept.dropLast(kept.count - 6) { try connection.waitForEnd(within: .seconds(60)) }
        try gate.expectStreams(1)
        // The marks of a quiet stream are the clock: one every five seconds, in which who sends on is cut off.
        let clock = try #require(gate.daemon).connect()
        try clock.call("sub.open")
        _ = try clock.events(through: "mark")
        let before = try processorTicks(gate.process.pid)
        _ = try clock.events(through: "mark")
        #expect(try processorTicks(gate.process.pid) - before < 50)
        #expect(try gate.probe())
    }

    // MARK: /rpc

    @Test("without --allow-control the daemon is asked, never changed")
    func readOnly() throws {
        let gate = try GateProcess()
        let daemon = try #require(gate.daemon)
        try daemon.seam("create", "lessons.hosting-unassigned", "--id", "demo")
        #expect(
            try gate.call(#"{"id":1.50,"method":"seam.ping"}"#).body.hasPrefix(
                #"{"jsonrpc":"2.0","id":1.50,"result":{"#))
        for method in ["seam.hello", "seam.stats", "rpc.discover", "scenario.list", "sim.list"] {
            let answer = try gate.call(#"{"id":"a","method":"\#(method)"}"#)
            #expect(answer.status == 200 && answer.json?["result"] != nil, "\(method): \(answer)")
        }
        for (method, params) in [
            ("sim.get", #"{"sim":"demo"}"#), ("sim.check", #"{"sim":"demo"}"#),
            ("scenario.describe", #"["live"]"#),
        ] {
            let answer = try gate.call(#"{"id":1,"method":"\#(method)","params":\#(params)}"#)
            #expect(answer.status == 200 && answer.json?["result"] != nil, "\(method): \(answer)")
        }
        // What the daemon says no to comes as it came.
        let unknown = try gate.call(#"{"id":1,"method":"sim.get","params":{"sim":"nope"}}"#)
        #expect(unknown.status == 200 && unknown.json?["error"]?["code"] == -32001)

        for request in [
            #"{"id":7,"method":"model.set","params":{"sim":"demo","values":{"openCount":9}}}"#,
            #"{"id":7,"method":"sim.create","params":["live"]}"#,
            #"{"id":7,"method":"sim.destroy","params":{"sim":"demo"}}"#,
            #"{"id":7,"method":"sim.run","params":{"scenario":"lessons.own-state"}}"#,
            #"{"id":7,"method":"seam.shutdown"}"#, #"{"id":7,"method":"sub.open"}"#,
            #"{"id":7,"\u006dethod":"seam.shutd\u006fwn"}"#, #"{"id":7,"method":"Sim.create"}"#,
            #"{"jsonrpc":"2.0","method":"sim.destroy","params":{"sim":"demo"}}"#,
            #"[{"id":1,"method":"seam.ping"},{"id":7,"method":"sim.destroy","params":{"sim":"demo"}}]"#,
        ] {
            let answer = try gate.call(request)
            #expect(answer.status == 403, "\(request): \(answer)")
            #expect(answer.json?["error"]?["code"] == -32012)
            #expect(answer.json?["error"]?["data"]?["kind"] == "read-only")
            #expect(try gate.probe())
        }
        // A second line, a second member, a second document: the body is one request or none.
        for body in [
            "{\"id\":1,\"method\":\"seam.ping\"}\n{\"id\":2,\"method\":\"seam.shutdown\"}",
            "{\"id\":1,\"method\":\"seam.ping\"}\r{\"method\":\"seam.shutdown\"}",
            #"{"id":1,"method":"seam.ping","method":"seam.shutdown"}"#,
            #"{"id":1,"method":"seam.ping"}{"id":2,"method":"seam.shutdown"}"#,
            "", "nonsense", "\u{0}", #"{"id":1"#, String(repeating: "[", count: 100_000), "{}", "[]", "1",
            #"{"method":["seam.shutdown"]}"#,
        ] {
            let answer = try gate.call(body)
            #expect(
                answer.status == 200 && answer.json?["error"]?["code"] != nil, "\(body.prefix(80)): \(answer)"
            )
            #expect(try gate.probe())
        }
        let list = try daemon.connect().call("sim.list")["sims"]?.elements
        #expect(list?.count == 1 && list?[0]["turn"] == 1, "nothing has changed: \(String(describing: list))")
    }

    @Test("an answer is long, there is none, and there are several")
    func answers() throws {
        let gate = try GateProcess()
        // Line ends between tokens are none in the line that the daemon gets.
        #expect(try gate.call("{\n\"id\":1,\r\n\"method\":\n\"seam.ping\"\n}\n").json?["id"] == 1)
        let notification = try gate.call(#"{"jsonrpc":"2.0","method":"seam.ping"}"#)
        #expect(notification.status == 204 && notification.body.isEmpty)
        let batch = try gate.call(
            #"[{"id":1,"method":"seam.ping"},{"jsonrpc":"2.0","method":"seam.ping"},{"id":"b","method":"sim.list"}]"#
        )
        #expect(batch.json?.elements?.count == 2, "\(batch)")
        let document = try gate.call(#"{"id":1,"method":"rpc.discover"}"#)
        #expect(document.body.utf8.count > 20_000 && document.json?["result"]?["openrpc"] != nil)
        // As long as it may be.
        let request = #"{"id":1,"method":"sim.list"}"#
        let padded = String(repeating: " ", count: (1 << 20) - request.utf8.count) + request
        #expect(try gate.call(padded).json?["result"] != nil)
    }

    @Test("with --allow-control the page may do what a client may, but for streams and the end")
    func control() throws {
        let gate = try GateProcess(["--allow-control"])
        let made = try gate.call(
            #"{"id":1,"method":"sim.create","params":{"scenario":"lessons.hosting-unassigned","id":"demo"}}"#)
        #expect(made.json?["result"]?["sim"] == "demo", "\(made)")
        try gate.expectFields(3)
        let stream = try gate.stream()
        #expect(try stream.event(named: "hello")["allowControl"] == true)
        try stream.event(named: "sync")
        try #require(
            try gate.call(#"{"id":2,"method":"model.set","params":{"sim":"demo","values":{"openCount":7}}}"#)
                .status == 200)
        #expect(try stream.event(named: "verdict")["to"] == "stale")
        #expect(try gate.call(#"{"id":1,"method":"seam.shutdown"}"#).status == 403)
        #expect(try gate.call(#"{"id":1,"method":"sub.open"}"#).status == 403)
        #expect(try gate.ask("POST", "/rpc", body: #"{"id":1,"method":"sim.list"}"#).status == 401)
    }

    @Test("without a daemon it says so, and serves what it has")
    func noDaemon() throws {
        let folder = try TemporaryFolder()
        let gate = try GateProcess(socket: "\(folder.path)/none")
        let health = try gate.ask("GET", "/healthz")
        #expect(health.status == 503 && health.body.contains("\(folder.path)/none"), "\(health)")
        let call = try gate.call(#"{"id":1,"method":"seam.ping"}"#)
        #expect(call.status == 503 && call.json?["error"]?["data"]?["kind"] == "unavailable", "\(call)")
        #expect(try gate.ask("GET", "/").status == 200)
        let metrics = try gate.ask("GET", "/metrics")
        #expect(metrics.status == 200 && metrics.body.contains("\nseam_up 0\n"))
        #expect(
            !metrics.body.contains("\nseam_fields{")
                && !metrics.body.contains("seam_oldest_stale_age_seconds"))
        #expect(try gate.stream().event(named: "hello")["connected"] == false)
    }

    @Test("a daemon that hangs is called silent, and what is not known any more is not told")
    func silentDaemon() throws {
        let gate = try GateProcess()
        let daemon = try #require(gate.daemon)
        let client = try daemon.connect()
        try client.call("sim.create", #"{"scenario":"lessons.hosting-unassigned","id":"demo"}"#)
        try gate.expectFields(3)
        let stream = try gate.stream()
        try stream.event(named: "sync")
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":"5"}}"#)
        try stream.event(named: "verdict")
        daemon.process.send(signal: SIGSTOP)
        // Asked at once, it waits for the daemon's counters, and not for long.
        let began = ContinuousClock.now
        let metrics = try gate.ask("GET", "/metrics")
        #expect(metrics.status == 200 && metrics.body.contains("\nseam_up 0\n"), "\(metrics)")
        for name in [
            "seam_fields{", "seam_simulations{", "seam_oldest_stale_age_seconds ", "seam_turns_total ",
        ] {
            #expect(!metrics.body.contains("\n\(name)"), "\(name)")
        }
        #expect(metrics.body.contains("\nseam_verdict_changes_total{to=\"stale\"} 1\n"))
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(try stream.event(named: "daemon")["state"] == "silent")
        let health = try gate.ask("GET", "/healthz")
        #expect(health.status == 503 && health.body.contains("silent"), "\(health)")
        // Nothing is laid in its way that it would do whenever it wakes.
        let call = try gate.call(#"{"id":1,"method":"sim.list"}"#)
        #expect(call.status == 503 && call.body.contains("silent"), "\(call)")
        let late = try gate.stream()
        #expect(try late.event(named: "hello")["connected"] == false)
        try late.event(named: "sync")
        #expect(try late.event(named: "daemon")["state"] == "silent")

        daemon.process.send(signal: SIGCONT)
        let back = try stream.event(named: "daemon")
        #expect(back["state"] == "back" && back["resumed"] == true, "\(back)")
        #expect(try gate.probe())
        try client.call("model.set", #"{"sim":"demo","values":{"openCount":"3"}}"#)
        #expect(try stream.event(named: "verdict")["to"] == "matching", "the same subscription goes on")
        #expect(try gate.ask("GET", "/metrics").body.contains("\nseam_up 1\n"))
    }
}
