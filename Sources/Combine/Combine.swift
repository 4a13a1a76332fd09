// `import Combine`, as bridging code has it at its top. There is nothing in here but the names.
@_exported public import SeamKit
