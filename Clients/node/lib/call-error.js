// An error reply as the class for it.

import {
  CallError, errorClasses, MethodError, ParamsError, RequestError, UnreadableLineError,
} from "./errors.js";

const codeClasses = new Map([
  [-32700, UnreadableLineError],
  [-32600, RequestError],
  [-32601, MethodError],
  [-32602, ParamsError],
]);

/** By `data.kind`; a kind of a later daemon by its code, else as a plain CallError. */
export function callError(error, method) {
  const kind = error.data?.kind;
  const known = typeof kind === "string" && Object.hasOwn(errorClasses, kind);
  const type = known ? errorClasses[kind] : codeClasses.get(error.code) ?? CallError;
  return new type(error, method);
}
