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
        "steps":{"type":"array","items":{"$ref":"#/components/schemas/StepReport"}}}}
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
            "expected":{"$ref":"#/components/schemas/Verdict"}}}
            """#
        ),
        (
            "Change",
            #"""
            {"type":"object","required":["seq","turn","changes","diagnostics"],"properties":{\#
            "seq":{"type":"integer"},"turn":{"type":"integer"},\#
            "changes":{"type":"integer"},"diagnostics":{"type":"integer"}}}
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
            "advance","check"]},"key":{"type":"string"},"value":{"type":["string","null"]},\#
            "event":{"type":"string"},"args":{"type":"object"},"bridge":{"type":"string"},"mount":{},\#
            "label":{"type":"string"},"ms":{"type":"integer"}}}
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
            "EventLine",
            #"""
            {"type":"object","description":"The params of a seam.event notification; members depend on kind.",\#
            "required":["sub","kind"],"properties":{"sub":{"type":"integer"},"dseq":{"type":"integer"},\#
            "sim":{"type":"string"},\#
            "kind":{"enum":["state","sync","verdict","diagnostic","mark","lag","end","sim"]},\#
            "seq":{"type":"integer"},"turn":{"type":"integer"},"ms":{"type":"integer"},\#
            "screen":{"type":"string"},"field":{"type":"string"},\#
            "verdict":{"$ref":"#/components/schemas/Verdict"},"from":{"$ref":"#/components/schemas/Verdict"},\#
            "to":{"$ref":"#/components/schemas/Verdict"},"model":{"type":["string","null"]},\#
            "shown":{"type":["string","null"]},"modelBytes":{"type":"integer"},"shownBytes":{"type":"integer"},\#
            "code":{"type":"string"},"severity":{"enum":["info","warning","error"]},"bridge":{"type":"string"},\#
            "mount":{"type":"integer"},"text":{"type":"string"},"fromSeq":{"type":"integer"},\#
            "toSeq":{"type":"integer"},"fromDseq":{"type":"integer"},"toDseq":{"type":"integer"},\#
            "collapsed":{"type":"integer"},"lost":{"type":"integer"},\#
            "reason":{"enum":["closed","destroyed","failed","slow","shutdown"]},\#
            "resume":{"type":"object","required":["epoch"],"properties":{\#
            "epoch":{"$ref":"#/components/schemas/Epoch"},"seq":{"type":"integer"},"dseq":{"type":"integer"}}},\#
            "what":{"enum":["created","destroyed","failed"]},"scenario":{"type":"string"},\#
            "epoch":{"$ref":"#/components/schemas/Epoch"}}}
            """#
        ),
    ]
}
