"""Holds what a daemon says to its own OpenRPC document, with jsonschema, which nobody here wrote."""

import json

import jsonschema


class Document:
    def __init__(self, document):
        self.document = document
        self.methods = {one["name"]: one for one in document["methods"]}
        self.common = set(document["x-errors"]["ofEveryMethod"])
        self.schemas = document["components"]["schemas"]
        # An object with members that its schema does not name is a hole in the document.
        strict = {name: self.strict(one) for name, one in self.schemas.items()}
        self._root = {"components": {"schemas": strict}}
        self._results = {name: self._validator(self.strict(one["result"]["schema"])) for name, one in self.methods.items()}
        self._event = self._validator({"$ref": "#/components/schemas/EventLine"})
        self._error = self._validator(self.strict(document["x-errors"]["schema"]))

    def _validator(self, schema):
        jsonschema.Draft7Validator.check_schema(schema)
        return jsonschema.Draft7Validator({**self._root, **schema} if "$ref" not in schema else {**self._root, "allOf": [schema]})

    def resolve(self, schema):
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def strict(self, schema):
        if isinstance(schema, list):
            return [self.strict(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        if "allOf" in schema:
            # Two closed objects would each refuse the members of the other.
            parts = [self.resolve(one) for one in schema["allOf"]]
            schema = {
                "type": "object",
                "required": [name for one in parts for name in one.get("required", [])],
                "properties": {name: value for one in parts for name, value in one["properties"].items()},
            }
        schema = {name: self.strict(value) for name, value in schema.items()}
        if isinstance(schema.get("properties"), dict) and "type" in schema:
            schema.setdefault("additionalProperties", False)
        return schema

    def check_event(self, message):
        assert set(message) == {"jsonrpc", "method", "params"} and message["method"] == "seam.event", message
        self._event.validate(message["params"])

    def check_reply(self, message, method):
        """`method` is None when the request was not one."""
        assert message["jsonrpc"] == "2.0" and "id" in message and len(message) == 3, message
        if "result" in message:
            self._results[method].validate(message["result"])
            return
        error = message["error"]
        self._error.validate(error)
        kind = error["data"]["kind"]
        assert self.document["components"]["errors"][kind]["code"] == error["code"], message
        told = {one for error in self.methods.get(method, {}).get("errors", []) for one in error["data"]["kinds"]}
        assert kind in told | self.common, f"{method} is not said to answer with {kind}: {message}"


class Check:
    """Looks at both directions of connections. Replies are matched to requests by id, those without one by form."""

    def __init__(self, document):
        self.document = document
        self._asked = {}
        self.replies = self.errors = self.events = 0

    def sent(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            return
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict) and isinstance(one.get("method"), str):
                self._asked.setdefault(json.dumps(one.get("id")), []).append(one["method"])

    def came(self, line):
        message = json.loads(line)
        for one in message if isinstance(message, list) else [message]:
            if "method" in one:
                self.document.check_event(one)
                self.events += 1
            else:
                self._reply(one)

    def _reply(self, message):
        asked = self._asked.get(json.dumps(message["id"]), [])
        self.replies += 1
        self.errors += "error" in message
        problem = None
        for method in asked if "result" in message else [*asked, None]:
            try:
                self.document.check_reply(message, method if method in self.document.methods else None)
            except (jsonschema.ValidationError, AssertionError, KeyError) as found:
                problem = problem or found
                continue
            if method is not None:
                asked.remove(method)
            return
        raise problem or AssertionError(f"a result that nobody asked for: {message}")
