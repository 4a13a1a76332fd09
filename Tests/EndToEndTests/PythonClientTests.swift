import Foundation
import SeamTestSupport
import Testing

/// The Python client's own tests, against the programs of this build. A file of them is a test here, so that several run
/// at once and a failure shows what pytest has to say of that file alone.
@Suite struct PythonClientTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Clients/python").standardizedFileURL.path

    static let files =
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/tests")) ?? [])
        .filter { $0.hasPrefix("test_") && $0.hasSuffix(".py") }.sorted()

    /// The first Python that has what the tests need: the one in PATH may be another than Debian's.
    private static let interpreter = Result {
        for python in ["python3", "/usr/bin/python3"] {
            let outcome = try? run(python, ["-c", "import pytest, hypothesis, jsonschema, mypy"])
            if outcome?.code == 0 { return python }
        }
        throw Missing()
    }

    private struct Missing: Error, CustomStringConvertible {
        let description =
            "no python3 has pytest, hypothesis, jsonschema and mypy; `make deps` installs them for Debian's"
    }

    @Test("pytest finds nothing wrong", arguments: files)
    func pytest(file: String) throws {
        let scratch = try TemporaryFolder()
        let outcome = try run(
            try Self.interpreter.get(),
            [
                "-m", "pytest", "-q", "--basetemp=\(scratch.path)/pytest", "--rootdir=\(Self.folder)",
                "\(Self.folder)/tests/\(file)",
            ],
            environment: [
                "SEAM_BIN": Products.folder,
                "SEAM_SLOW": isSanitized ? "1" : nil,
                "PYTHONDONTWRITEBYTECODE": "1",
                // Tests of their own choose what pytest loads.
                "PYTEST_ADDOPTS": nil, "PYTEST_PLUGINS": nil, "SEAMD": nil,
            ],
            within: .seconds(isSanitized ? 600 : 120))
        #expect(outcome.code == 0, "\(outcome.stdout)\(outcome.stderr)")
    }

    @Test("there are files of tests")
    func found() {
        #expect(Self.files.count >= 7)
    }
}
