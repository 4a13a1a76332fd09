/// JSON Schema of what the daemon answers with: text that goes into the generated document as it stands. Shapes used
/// more than once are in `components` and referred to.
enum Schemas {
    static let nothing: StaticString = ##"{"type":"object"}"##
    static let ping: StaticString =
        ##"""
        {"type":"object","required":["daemonEpoch"],"properties":{\##
        "daemonEpoch":{"$ref":"#/components/schemas/Epoch"}}}
        """##
    static let stats: StaticString =
        ##"{"type":"object","description":"Counters by name; more may come.","additionalProperties":true}"##
    static let openRPC: StaticString =
        ##"{"type":"object","description":"An OpenRPC 1.2.6 document.","required":["openrpc","info","methods"]}"##
    static let hello: StaticString = #"""
        {"type":"object",\#
        "required":["protocol","server","version","daemonEpoch","pid","capabilities","limits"],\#
        "properties":{\#
        "protocol":{"type":"object","required":["major","minor"],"properties":{\#
        "major":{"type":"integer"},"minor":{"type":"integer"}}},\#
        "server":{"type":"string"},"version":{"type":"string"},\#
        "daemonEpoch":{"$ref":"#/components/schemas/Epoch"},"pid":{"type":"integer"},\#
        "capabilities":{"type":"array","items":{"type":"string"}},\#
        "limits":{"type":"object","additionalProperties":{"type":"integer"}}}}
        """#
    static let scenarioList: StaticString = #"""
        {"type":"object","required":["scenarios","failed"],"properties":{\#
        "scenarios":{"type":"array","items":{"type":"object","required":["id","title","summary","plugin"],\#
        "properties":{"id":{"type":"string"},"title":{"type":"string"},"summary":{"type":"string"},\#
        "plugin":{"type":["string","null"]}}}},\#
        "failed":{"type":"array","items":{"type":"object","required":["file","reason"],\#
        "properties":{"file":{"type":"string"},"reason":{"type":"string"}}}},\#
        "next":{"$ref":"#/components/schemas/Next"}}}
        """#
    static let scenarioDescribe: StaticString = ##"{"$ref":"#/components/schemas/Scenario"}"##
    static let simCreate: StaticString = #"""
        {"type":"object","required":["sim","epoch","seq","turn"],"properties":{\#
        "sim":{"type":"string"},"epoch":{"$ref":"#/components/schemas/Epoch"},\#
        "seq":{"type":"integer"},"turn":{"type":"integer"}}}
        """#
    static let simList: StaticString = #"""
        {"type":"object","required":["sims"],"properties":{\#
        "sims":{"type":"array","items":{"type":"object",\#
        "required":["sim","scenario","epoch","seq","turn","status"],"properties":{\#
        "sim":{"type":"string"},"scenario":{"type":"string"},"epoch":{"$ref":"#/components/schemas/Epoch"},\#
        "seq":{"type":"integer"},"turn":{"type":"integer"},"status":{"$ref":"#/components/schemas/Status"}}}},\#
        "next":{"$ref":"#/components/schemas/Next"}}}
        """#
    static let simGet: StaticString = #"""
        {"type":"object","required":["sim","scenario","epoch","seq","turn","ms","status","fields"],"properties":{\#
        "sim":{"type":"string"},"scenario":{"type":"string"},"epoch":{"$ref":"#/components/schemas/Epoch"},\#
        "seq":{"type":"integer"},"turn":{"type":"integer"},"ms":{"type":"integer"},\#
        "status":{"$ref":"#/components/schemas/Status"},\#
        "counts":{"$ref":"#/components/schemas/LiveCounts"},\#
        "fields":{"type":"array","items":{"$ref":"#/components/schemas/Field"}},\#
        "next":{"$ref":"#/components/schemas/Next"}}}
        """#
    static let simDestroy: StaticString =
        ##"{"type":"object","required":["sim","seq"],"properties":{"sim":{"type":"string"},"seq":{"type":"integer"}}}"##
    static let change: StaticString = ##"{"$ref":"#/components/schemas/Change"}"##
    static let check: StaticString = ##"{"$ref":"#/components/schemas/Check"}"##
    static let bridgeMount: StaticString = #"""
        {"allOf":[{"$ref":"#/components/schemas/Change"},\#
        {"type":"object","required":["mount"],"properties":{"mount":{"type":"integer"}}}]}
        """#
    static let simRun: StaticString = #"""
        {"type":"object","required":["checks","diagnostics"],"properties":{"sim":{"type":"string"},\#
        "checks":{"type":"array","items":{"$ref":"#/components/schemas/Check"}},\#
        "diagnostics":{"type":"array","items":{"$ref":"#/components/schemas/Diagnostic"}},\#
        "steps":{"type":"array","items":{"$ref":"#/components/schemas/StepReport"}},\#
        "dropped":{"type":"integer"},\#
        "trace":{"type":"array","items":{"$ref":"#/components/schemas/Record"}}}}
        """#
    static let simTrace: StaticString = #"""
        {"type":"object","required":["sim","from","to","oldest","dropped","records"],"properties":{\#
        "sim":{"type":"string"},"from":{"type":"integer"},"to":{"type":"integer"},\#
        "oldest":{"type":"integer"},"dropped":{"type":"integer"},\#
        "records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},\#
        "omitted":{"type":"integer","description":"Records of the only turn that did not fit; skip reaches them."},\#
        "next":{"type":"integer","description":"The turn with which the next page begins; absent on the last."}}}
        """#
    static let simExplain: StaticString = #"""
        {"type":"object","required":["sim","screen","field","verdict","model","shown","sentence","modelChanged",\#
        "shownWritten","carriers","calls"],"properties":{"sim":{"type":"string"},"screen":{"type":"string"},\#
        "field":{"type":"string"},"verdict":{"$ref":"#/components/schemas/Verdict"},\#
        "model":{"type":["string","null"]},"shown":{"type":["string","null"]},\#
        "modelBytes":{"type":"integer"},"shownBytes":{"type":"integer"},"sentence":{"type":"string"},\#
        "modelChanged":{"$ref":"#/components/schemas/Write"},"shownWritten":{"$ref":"#/components/schemas/Write"},\#
        "carriers":{"type":"array","items":{"type":"object","required":["bridge","call","lastTurn","since"],\#
        "properties":{"bridge":{"type":"string"},"call":{"enum":["assign","draw","update","call"]},\#
        "mount":{"type":"integer"},"lastTurn":{"type":["integer","null"]},"since":{"type":"integer"}}}},\#
        "calls":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},"omitted":{"type":"integer"}}}
        """#
    static let bridgeList: StaticString = #"""
        {"type":"object","required":["mounts"],"properties":{\#
        "mounts":{"type":"array","items":{"$ref":"#/components/schemas/Mount"}},\#
        "next":{"$ref":"#/components/schemas/Next"}}}
        """#
    static let policyList: StaticString = #"""
        {"type":"object","required":["policies","profiles"],"properties":{\#
        "policies":{"type":"array","items":{"type":"object",\#
        "required":["name","scope","kind","default","meaning"],"properties":{"name":{"type":"string"},\#
        "scope":{"enum":["bridge","simulation"]},"kind":{"enum":["words","integer","names"]},\#
        "words":{"type":"array","items":{"type":"string"}},"minimum":{"type":"integer"},\#
        "maximum":{"type":"integer"},"default":{"type":"string"},"meaning":{"type":"string"}}}},\#
        "profiles":{"type":"array","items":{"type":"object","required":["name","policies"],"properties":{\#
        "name":{"type":"string"},"policies":{"type":"object","additionalProperties":{"type":"string"}}}}}}}
        """#
    static let subOpen: StaticString = #"""
        {"type":"object","required":["sub","epoch","count"],"properties":{"sub":{"type":"integer"},\#
        "epoch":{"$ref":"#/components/schemas/Epoch"},"seq":{"type":"integer"},"dseq":{"type":"integer"},\#
        "count":{"type":"integer","description":"How many lines of kind state follow."}}}
        """#
    static let subClose: StaticString =
        ##"{"type":"object","required":["sub"],"properties":{"sub":{"type":"integer"}}}"##

    static let recStart: StaticString = #"""
        {"type":"object","required":["sim","path","turn"],"properties":{\#
        "sim":{"type":"string"},"path":{"type":"string"},\#
        "turn":{"type":"integer","description":"The last turn before those whose results are recorded."}}}
        """#
    static let recStop: StaticString = #"""
        {"type":"object","required":["sim","path","lines","bytes"],"properties":{"sim":{"type":"string"},\#
        "path":{"type":"string"},"lines":{"type":"integer"},"bytes":{"type":"integer"}}}
        """#
    static let recReplay: StaticString = #"""
        {"type":"object","required":["turns","lines","same"],"properties":{"sim":{"type":"string"},\#
        "turns":{"type":"integer"},"lines":{"type":"integer"},"same":{"type":"boolean"},\#
        "torn":{"type":"boolean","description":"The last line was cut off and left out."},\#
        "unfinished":{"type":"boolean","description":"The last line is no `end`."},\#
        "difference":{"type":"object","required":["line","turn","expected","got"],"properties":{\#
        "line":{"type":"integer"},"turn":{"type":"integer"},"expected":{"type":["string","null"]},\#
        "got":{"type":["string","null"]},"text":{"type":"string"}}}}}
        """#

    /// The shared shapes, in the order the document lists them.
    static let components: [(name: StaticString, schema: StaticString)] = [
        (
            "Value",
            #"""
            {"type":["string","number","boolean","null"],\#
            "description":"A text, or null for none. A number, true or false is taken as it is written."}
            """#
        ),
        (
            "Text",
            #"""
            {"type":["string","number","boolean"],\#
            "description":"A text. A number, true or false is taken as it is written."}
            """#
        ),
        (
            "Epoch",
            #"""
            {"type":"string","pattern":"^[0-9a-f]{16}$",\#
            "description":"New for each simulation, and for each start of the daemon."}
            """#
        ),
        ("Next", ##"{"type":"integer","description":"Where the next page begins; absent on the last."}"##),
        ("Status", ##"{"enum":["running","failed"]}"##),
        ("Verdict", ##"{"enum":["out-of-scope","leftover","missing","matching","stale"]}"##),
        (
            "Field",
            #"""
            {"type":"object","required":["screen","field","verdict","model","shown"],"properties":{\#
            "screen":{"type":"string"},"field":{"type":"string"},\#
            "verdict":{"$ref":"#/components/schemas/Verdict"},\#
            "model":{"type":["string","null"]},"shown":{"type":["string","null"]},\#
            "modelBytes":{"type":"integer"},"shownBytes":{"type":"integer"},\#
            "expected":{"$ref":"#/components/schemas/Verdict"},"why":{"type":"string"}}}
            """#
        ),
        (
            "Change",
            #"""
            {"type":"object","required":["seq","turn","changes","diagnostics"],"properties":{\#
            "seq":{"type":"integer"},"turn":{"type":"integer"},\#
            "changes":{"type":"integer"},"diagnostics":{"type":"integer"},\#
            "interim":{"$ref":"#/components/schemas/Interim"}}}
            """#
        ),
        (
            "Interim",
            #"""
            {"allOf":[{"$ref":"#/components/schemas/Check"},{"type":"object","properties":{\#
            "omitted":{"type":"integer","description":"Fields and diagnostics that the reply had no room for."}}}]}
            """#
        ),
        (
            "LiveCounts",
            #"""
            {"type":"object","description":"What there is now; absent for a simulation without a plug-in.",\#
            "required":["mounts","controls","coordinators","objects","subscriptions","registrations","pooled"],\#
            "additionalProperties":{"type":"integer"}}
            """#
        ),
        (
            "Mount",
            #"""
            {"type":"object","required":["mount","bridge","parent","owner","item","identity","window","scene",\#
            "hidden","size","parked","made","attached","withheld","failure"],"properties":{\#
            "mount":{"type":"integer"},"bridge":{"type":"string"},"parent":{"type":["integer","null"]},\#
            "owner":{"type":["string","null"]},"item":{"type":["string","null"]},"itemBytes":{"type":"integer"},\#
            "identity":{"type":["string","null"]},"window":{"type":"boolean"},"scene":{"enum":["active","inactive"]},\#
            "hidden":{"type":"boolean"},"size":{"type":"boolean"},"parked":{"type":"boolean"},\#
            "made":{"type":"boolean"},"attached":{"type":"boolean"},"withheld":{"type":["string","null"]},\#
            "failure":{"type":["string","null"]},"failureBytes":{"type":"integer"}}}
            """#
        ),
        (
            "Diagnostic",
            #"""
            {"type":"object","required":["code","severity","text"],"properties":{"code":{"type":"string"},\#
            "severity":{"enum":["info","warning","error"]},"screen":{"type":"string"},"field":{"type":"string"},\#
            "bridge":{"type":"string"},"mount":{"type":"integer"},"turn":{"type":"integer"},\#
            "text":{"type":"string"}}}
            """#
        ),
        (
            "Check",
            #"""
            {"type":"object","required":["label","fields","counts","diagnostics"],"properties":{\#
            "label":{"type":"string"},"fields":{"type":"array","items":{"$ref":"#/components/schemas/Field"}},\#
            "counts":{"type":"object","required":["matching","stale","missing","leftover"],"properties":{\#
            "matching":{"type":"integer"},"stale":{"type":"integer"},"missing":{"type":"integer"},\#
            "leftover":{"type":"integer"}}},"met":{"type":"boolean"},\#
            "diagnostics":{"type":"array","items":{"$ref":"#/components/schemas/Diagnostic"}}}}
            """#
        ),
        (
            "Argument",
            #"""
            {"type":"object","required":["id","title","kind"],"properties":{"id":{"type":"string"},\#
            "title":{"type":"string"},"kind":{"type":"string"},"initial":{"type":["string","null"]},\#
            "minimum":{"type":["integer","null"]},"maximum":{"type":["integer","null"]},\#
            "choices":{"type":["array","null"],"items":{"type":"string"}}}}
            """#
        ),
        (
            "Step",
            #"""
            {"type":"object","required":["step"],"properties":{\#
            "step":{"enum":["create","model_set","model_clear","event","assign","update","mount","unmount",\#
            "advance","check","activity","identify","items","rebind","dismiss","environment","build",\#
            "assign_built"]},"key":{"type":"string"},"value":{"type":["string","null"]},\#
            "event":{"type":"string"},"args":{"type":"object"},"bridge":{"type":"string"},"mount":{},\#
            "label":{"type":"string"},"ms":{"type":"integer"},"cause":{"type":"string"},\#
            "window":{"type":"boolean"},"scene":{"type":"string"},"hidden":{"type":"boolean"},\#
            "size":{"type":"boolean"},"parked":{"type":"boolean"},"id":{"type":"string"},\#
            "owner":{"type":"string"},"items":{"type":"array","items":{"type":"object","required":["id"],\#
            "properties":{"id":{"type":"string"},"value":{"type":"string"}}}}}}
            """#
        ),
        (
            "StepReport",
            #"""
            {"type":"object","required":["step","calls","changes","diagnostics"],"properties":{\#
            "step":{"$ref":"#/components/schemas/Step"},"calls":{"type":"array","items":{"type":"object",\#
            "required":["call","round"],"properties":{"call":{"type":"string"},"bridge":{"type":"string"},\#
            "mount":{"type":"integer"},"why":{"type":"string"},"round":{"type":"integer"},\#
            "wrote":{"type":"array","items":{"type":"string"}},\#
            "set":{"type":"array","items":{"type":"string"}}}}},\#
            "changes":{"type":"array","items":{"type":"object","properties":{"screen":{"type":"string"},\#
            "field":{"type":"string"},"from":{"$ref":"#/components/schemas/Verdict"},\#
            "to":{"$ref":"#/components/schemas/Verdict"},"model":{"type":["string","null"]},\#
            "shown":{"type":["string","null"]}}}},\#
            "diagnostics":{"type":"array","items":{"$ref":"#/components/schemas/Diagnostic"}}}}
            """#
        ),
        (
            "Record",
            #"""
            {"type":"object","required":["turn","ms","round","call"],"properties":{"turn":{"type":"integer"},\#
            "ms":{"type":"integer"},"round":{"type":"integer"},"call":{"type":"string"},\#
            "bridge":{"type":"string"},"mount":{"type":"integer"},"control":{"type":"integer"},\#
            "coordinator":{"type":"integer"},"cause":{"type":"string"},"origin":{"type":"string"},\#
            "wrote":{"type":"array","items":{"type":"string"}},"held":{"type":"array","items":{"type":"string"}},\#
            "set":{"type":"array","items":{"type":"string"}},\#
            "assigned":{"type":"array","items":{"type":"integer"}},\#
            "source":{"$ref":"#/components/schemas/CallSource"},"omitted":{"type":"integer"},\#
            "text":{"type":"string"}}}
            """#
        ),
        (
            "CallSource",
            #"""
            {"type":"object","required":["turn","by"],"properties":{"turn":{"type":"integer"},\#
            "by":{"type":"string"},"bridge":{"type":"string"},"mount":{"type":"integer"}}}
            """#
        ),
        (
            "Write",
            #"""
            {"type":["object","null"],"required":["turn","by"],"properties":{"turn":{"type":"integer"},\#
            "ms":{"type":"integer"},"by":{"type":"string"},"bridge":{"type":"string"},"mount":{"type":"integer"},\#
            "source":{"$ref":"#/components/schemas/CallSource"}}}
            """#
        ),
        (
            "Scenario",
            #"""
            {"type":"object","required":["id","title","summary","revision","plugin","params","screens","bridges",\#
            "events","script","checks","policies"],"properties":{"id":{"type":"string"},"title":{"type":"string"},\#
            "summary":{"type":"string"},"revision":{"type":"integer"},\#
            "plugin":{"type":["object","null"],"properties":{"id":{"type":"string"},"name":{"type":"string"},\#
            "version":{"type":"string"},"vendor":{"type":"string"},"license":{"type":"string"},\#
            "url":{"type":"string"},"file":{"type":"string"}}},\#
            "params":{"type":"array","items":{"$ref":"#/components/schemas/Argument"}},\#
            "screens":{"type":"array","items":{"type":"object","required":["id","title","side","fields"],\#
            "properties":{"id":{"type":"string"},"title":{"type":"string"},\#
            "side":{"enum":["imperative","declarative"]},"fields":{"type":"array","items":{"type":"object",\#
            "required":["key","title","kind"],"properties":{"key":{"type":"string"},"title":{"type":"string"},\#
            "kind":{"type":"string"}}}}}}},\#
            "bridges":{"type":"array","items":{"type":"object","required":["id","title","kind","screen"],\#
            "properties":{"id":{"type":"string"},"title":{"type":"string"},"kind":{"enum":["embed","wrap","custom"]},\#
            "screen":{"type":"string"},"inputs":{"type":"array","items":{"type":"string"}},\#
            "observed":{"type":"boolean"},"echo":{"type":"boolean"},\#
            "policies":{"type":"array","items":{"type":"string"}}}}},\#
            "events":{"type":"array","items":{"type":"object","required":["id","title","origin"],"properties":{\#
            "id":{"type":"string"},"title":{"type":"string"},"origin":{"enum":["model","native","lifecycle"]},\#
            "bridge":{"type":["string","null"]},\#
            "args":{"type":"array","items":{"$ref":"#/components/schemas/Argument"}}}}},\#
            "script":{"type":"array","items":{"$ref":"#/components/schemas/Step"}},\#
            "checks":{"type":"array","items":{"type":"object","required":["label","screen","fields"],"properties":{\#
            "label":{"type":"string"},"screen":{"type":"string"},\#
            "fields":{"type":"array","items":{"type":"string"}},\#
            "expected":{"type":["array","null"],"items":{"type":"string"}}}}},\#
            "policies":{"type":"array","items":{"type":"string"}}}}
            """#
        ),
        (
            "StateLine",
            #"""
            {"type":"object","description":"A field as it was when the subscription opened.",\#
            "required":["sub","kind","sim","seq","screen","field","verdict","model","shown"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"state"},"seq":{"type":"integer"},"screen":{"type":"string"},\#
            "field":{"type":"string"},"verdict":{"$ref":"#/components/schemas/Verdict"},\#
            "model":{"type":["string","null"]},"shown":{"type":["string","null"]},\#
            "modelBytes":{"type":"integer"},"shownBytes":{"type":"integer"}}}
            """#
        ),
        (
            "SyncLine",
            #"""
            {"type":"object","description":"The snapshot is complete.","required":["sub","kind"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"sync"},"seq":{"type":"integer"}}}
            """#
        ),
        (
            "VerdictLine",
            #"""
            {"type":"object","description":"One field changed.","required":["sub","kind","sim","seq",\#
            "turn","ms","screen","field","from","to","model","shown"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"verdict"},"seq":{"type":"integer"},"turn":{"type":"integer"},\#
            "ms":{"type":"integer"},"screen":{"type":"string"},"field":{"type":"string"},\#
            "from":{"$ref":"#/components/schemas/Verdict"},"to":{"$ref":"#/components/schemas/Verdict"},\#
            "model":{"type":["string","null"]},"shown":{"type":["string","null"]},\#
            "modelBytes":{"type":"integer"},"shownBytes":{"type":"integer"}}}
            """#
        ),
        (
            "DiagnosticLine",
            #"""
            {"type":"object","description":"A finding that end states cannot show.","required":["sub",\#
            "kind","sim","seq","turn","ms","code","severity","text"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"diagnostic"},"seq":{"type":"integer"},"turn":{"type":"integer"},\#
            "ms":{"type":"integer"},"code":{"type":"string"},"severity":{"enum":["info","warning",\#
            "error"]},"screen":{"type":"string"},"field":{"type":"string"},"bridge":{"type":"string"},\#
            "mount":{"type":"integer"},"text":{"type":"string"}}}
            """#
        ),
        (
            "MarkLine",
            #"""
            {"type":"object","description":"Everything up to here was sent.","required":["sub","kind"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"mark"},"seq":{"type":"integer"}}}
            """#
        ),
        (
            "LagLine",
            #"""
            {"type":"object","description":"The reader was too slow.","required":["sub","kind"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"lag"},"fromSeq":{"type":"integer"},"toSeq":{"type":"integer"},\#
            "fromDseq":{"type":"integer"},"toDseq":{"type":"integer"},"collapsed":{"type":"integer"},\#
            "lost":{"type":"integer"}},"oneOf":[{"required":["collapsed"]},{"required":["lost"]}]}
            """#
        ),
        (
            "EndLine",
            #"""
            {"type":"object","description":"The subscription is over.","required":["sub","kind","reason"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"end"},"seq":{"type":"integer"},"reason":{"enum":["closed","destroyed",\#
            "failed","slow","shutdown"]},"resume":{"$ref":"#/components/schemas/ResumePoint"}}}
            """#
        ),
        (
            "SimLine",
            #"""
            {"type":"object","description":"A simulation exists (in the snapshot), was created, destroyed or has failed.",\#
            "required":["sub","kind","sim","what","scenario","epoch"],\#
            "properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},"sim":{"type":"string"},\#
            "kind":{"const":"sim"},"what":{"enum":["exists","created","destroyed","failed"]},\#
            "scenario":{"type":"string"},"epoch":{"$ref":"#/components/schemas/Epoch"},\#
            "status":{"enum":["running","failed"]}}}
            """#
        ),
        (
            "ResumePoint",
            #"""
            {"type":"object","required":["epoch"],\#
            "properties":{"epoch":{"$ref":"#/components/schemas/Epoch"},"seq":{"type":"integer"},\#
            "dseq":{"type":"integer"}}}
            """#
        ),
        (
            "EventLine",
            #"""
            {"description":"The params of a seam.event notification.",\#
            "oneOf":[{"$ref":"#/components/schemas/StateLine"},{"$ref":"#/components/schemas/SyncLine"},\#
            {"$ref":"#/components/schemas/VerdictLine"},{"$ref":"#/components/schemas/DiagnosticLine"},\#
            {"$ref":"#/components/schemas/MarkLine"},{"$ref":"#/components/schemas/LagLine"},\#
            {"$ref":"#/components/schemas/EndLine"},{"$ref":"#/components/schemas/SimLine"}]}
            """#
        ),
        (
            "Error",
            #"""
            {"type":"object","description":"The error member of a reply.","required":["code","message",\#
            "data"],"properties":{"code":{"type":"integer"},"message":{"type":"string"},\#
            "data":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},\#
            "path":{"type":"string"},"expected":{"type":"string"},"known":{"type":"array",\#
            "items":{"type":"string"}},"offset":{"type":"integer"},"near":{"type":"string"},\#
            "limit":{"type":"integer"},"option":{"type":"string"},"what":{"type":"string"},\#
            "sim":{"type":"string"},"scenario":{"type":"string"},"sub":{"type":"integer"},\#
            "text":{"type":"string"},"seq":{"type":"integer"},\#
            "epoch":{"$ref":"#/components/schemas/Epoch"},"oldest":{"type":"integer"},\#
            "latest":{"type":"integer"},"line":{"type":"integer"},"file":{"type":"string"},\#
            "turn":{"type":"integer"},"reason":{"type":"string"},"lines":{"type":"integer"},\#
            "bytes":{"type":"integer"}}}}}
            """#
        ),
    ]
}
