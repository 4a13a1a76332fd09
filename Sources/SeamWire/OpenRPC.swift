/// The document `rpc.discover` answers with, written from the method table: OpenRPC 1.2.6.
extension ByteBuffer {
    /// Writes the whole document as one value. `limits` are those of this daemon.
    public mutating func openRPC(limits: Limits) {
        object { document in
            document.member("openrpc", "1.2.6" as StaticString)
            document.object("info") { info in
                info.member("title", "Seam" as StaticString)
                info.member("version", seamVersion)
                info.member(
                    "description",
                    """
                    Simulates screens where two UI frameworks meet and says, field by field and live, whether what is \
                    shown is what should be. JSON-RPC 2.0, one message per line, over a Unix socket. Params go by name \
                    or by position.
                    """ as StaticString)
            }
            document.array("methods") { methods in
                for spec in MethodTable.specs { methods.openRPCMethod(spec, limits) }
            }
            document.array("x-notifications") { notifications in
                notifications.object { event in
                    event.member("name", "seam.event" as StaticString)
                    event.member("summary", "One line of a subscription." as StaticString)
                    event.key("params")
                    event.raw(##"{"$ref":"#/components/schemas/EventLine"}"##)
                }
            }
            // OpenRPC has no place for what any request, and a line that is none, can be answered with.
            document.object("x-errors") { errors in
                errors.member("ofEveryMethod", MethodTable.commonErrors.map(\.rawValue))
                errors.key("schema")
                errors.raw(##"{"$ref":"#/components/schemas/Error"}"##)
            }
            document.object("components") { components in
                components.object("schemas") { schemas in
                    for (name, schema) in Schemas.components {
                        schemas.key(name)
                        schemas.raw(schema)
                    }
                }
                components.object("errors") { errors in
                    for kind in ErrorKind.allCases { errors.openRPCError(kind) }
                }
            }
        }
    }

    private mutating func openRPCMethod(_ spec: MethodSpec, _ limits: Limits) {
        object { method in
            method.member("name", spec.name)
            method.member("summary", spec.summary)
            method.member("paramStructure", "either" as StaticString)
            method.array("params") { params in
                for param in spec.params {
                    params.object { descriptor in
                        descriptor.member("name", param.name)
                        descriptor.member("summary", param.doc)
                        descriptor.member("required", param.isRequired)
                        descriptor.key("schema")
                        descriptor.either(orNull: !param.isRequired) { $0.schema(param.kind, limits) }
                    }
                }
            }
            method.object("result") { result in
                result.member("name", "result" as StaticString)
                result.key("schema")
                result.raw(spec.result)
            }
            method.array("errors") { errors in
                var told: [Int] = []
                for kind in spec.errors where !told.contains(kind.code) {
                    told.append(kind.code)
                    errors.openRPCErrors(spec.errors.filter { $0.code == kind.code })
                }
            }
            method.member("x-since", spec.since)
        }
    }

    /// All kinds of one number: the specification wants each number once a method.
    private mutating func openRPCErrors(_ kinds: [ErrorKind]) {
        object { error in
            error.member("code", kinds[0].code)
            error.member(
                "message", kinds.count == 1 ? kinds[0].summary : "The parameters name something wrong.")
            error.object("data") { $0.member("kinds", kinds.map(\.rawValue)) }
        }
    }

    private mutating func openRPCError(_ kind: ErrorKind) {
        key(kind.rawValue)
        object { error in
            error.member("code", kind.code)
            error.member("message", kind.summary)
            error.object("data") { $0.member("kind", kind.rawValue) }
        }
    }

    /// What may be left out may also be null.
    private mutating func either(orNull isNullable: Bool, _ schema: (inout ByteBuffer) -> Void) {
        guard isNullable else { return schema(&self) }
        object { choice in
            choice.array("oneOf") { schemas in
                schema(&schemas)
                schemas.object { $0.member("type", "null" as StaticString) }
            }
        }
    }

    private mutating func schema(_ kind: ParamKind, _ limits: Limits) {
        object { schema in
            switch kind {
            case .plainName:
                schema.name(longest: limits.nameBytes)
                schema.member("pattern", "^[^./=*]+$" as StaticString)
            case .name: schema.name(longest: limits.nameBytes)
            case .label: schema.name(longest: limits.labelBytes)
            case .integer(let from, let to):
                schema.member("type", "integer" as StaticString)
                schema.member("minimum", from)
                schema.member("maximum", to)
            case .boolean: schema.member("type", "boolean" as StaticString)
            case .word(let list):
                schema.array("enum") { words in
                    for word in list.words { words.value(word) }
                }
            case .values: schema.map(to: ##"{"$ref":"#/components/schemas/Value"}"##, limits)
            case .settings: schema.map(to: ##"{"$ref":"#/components/schemas/Text"}"##, limits)
            case .names: schema.list(longest: limits.nameBytes, least: 1)
            case .fieldNames: schema.list(longest: 2 * limits.nameBytes + 1, least: 0)
            case .globs:
                schema.list(longest: limits.globBytes, least: 0)
                schema.member("maxItems", limits.globs)
            case .path:
                schema.member("type", "string" as StaticString)
                schema.member("pattern", "^/.*[^/]$" as StaticString)
                schema.member("maxLength", limits.pathBytes)
            case .resumePoint:
                schema.member("type", "object" as StaticString)
                schema.member("required", ["epoch"])
                schema.key("properties")
                schema.raw(
                    ##"""
                    {"epoch":{"$ref":"#/components/schemas/Epoch"},\##
                    "seq":{"type":"integer","minimum":0},"dseq":{"type":"integer","minimum":0}}
                    """##)
                // Which of the two depends on whether a simulation is named.
                schema.key("oneOf")
                schema.raw(##"[{"required":["seq"]},{"required":["dseq"]}]"##)
                schema.member("additionalProperties", false)
            case .items:
                schema.member("type", "array" as StaticString)
                schema.member("maxItems", limits.mounts)
                schema.item(limits)
            case .interim:
                schema.member("type", "object" as StaticString)
                schema.member("required", ["label"])
                schema.object("properties") { members in
                    members.object("label") { $0.name(longest: limits.labelBytes) }
                    members.key("fields")
                    members.either(orNull: true) { member in
                        member.object { $0.list(longest: 2 * limits.nameBytes + 1, least: 0) }
                    }
                    members.key("after")
                    members.either(orNull: true) { member in
                        member.object { $0.member("enum", InterimRead.Moment.allCases.map(\.rawValue)) }
                    }
                }
                schema.member("additionalProperties", false)
            }
        }
    }

    // JSON Schema counts characters and the daemon bytes; a text has at most as many characters as bytes, so the
    // document never refuses what the daemon takes.
    private mutating func name(longest: Int) {
        member("type", "string" as StaticString)
        member("minLength", 1)
        member("maxLength", longest)
    }

    private mutating func map(to schema: StaticString, _ limits: Limits) {
        member("type", "object" as StaticString)
        object("propertyNames") { names in
            names.member("minLength", 1)
            names.member("maxLength", limits.nameBytes)
        }
        key("additionalProperties")
        raw(schema)
    }

    /// An id, or an object with an id and a value.
    private mutating func item(_ limits: Limits) {
        object("items") { either in
            either.array("oneOf") { forms in
                forms.object { $0.name(longest: limits.nameBytes) }
                forms.object { item in
                    item.member("type", "object" as StaticString)
                    item.member("required", ["id"])
                    item.object("properties") { members in
                        members.object("id") { $0.name(longest: limits.nameBytes) }
                        members.key("value")
                        members.raw(##"{"$ref":"#/components/schemas/Value"}"##)
                    }
                    item.member("additionalProperties", false)
                }
            }
        }
    }

    private mutating func list(longest: Int, least: Int) {
        member("type", "array" as StaticString)
        if least > 0 { member("minItems", least) }
        object("items") { $0.name(longest: longest) }
    }
}
