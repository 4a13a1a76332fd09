// `import SwiftUI`, as bridging code has it at its top. There is nothing in here but the names.
@_exported public import Foundation
@_exported public import Observation
@_exported public import SeamKit
@_exported public import SeamUIKit
