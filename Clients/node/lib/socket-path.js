// Where the daemon listens, by the rules that seamd and seam follow. The first rule that applies decides, whether or
// not something listens there: a client that looked further would talk to another daemon than the one its user named.

import { statSync } from "node:fs";
import { ConnectError } from "./errors.js";

/** `sun_path` has 108 bytes, the last of them NUL. */
const pathBytesMax = 107;

function isFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Chooses the path. An empty variable counts as unset.
 * @param {string} [option]  what the caller names itself
 */
export function socketPath(option, environment = process.env, uid = process.getuid()) {
  if (option !== undefined) return checked(option, "path");
  const tried = ["no path is given"];

  if (environment.SEAM_SOCKET) return checked(environment.SEAM_SOCKET, "$SEAM_SOCKET");
  tried.push("$SEAM_SOCKET is not set");

  const folder = environment.XDG_RUNTIME_DIR;
  // The XDG base directory rules say that a relative path is to be ignored.
  if (folder?.startsWith("/")) return checked(`${folder}/seam/seam.sock`, "$XDG_RUNTIME_DIR");
  tried.push(folder ? `$XDG_RUNTIME_DIR is not an absolute path (${folder})` : "$XDG_RUNTIME_DIR is not set");

  if (isFolder(`/run/user/${uid}`)) return checked(`/run/user/${uid}/seam/seam.sock`, "/run/user");
  tried.push(`/run/user/${uid} does not exist`);
  throw new ConnectError(`No socket path: ${tried.join(", ")}.`);
}

function checked(path, rule) {
  if (typeof path !== "string" || path === "") throw new TypeError(`path is the name of a socket, not ${inspect(path)}`);
  if (path.includes("\0")) throw new TypeError("path holds a NUL, which no file name has");
  const bytes = Buffer.byteLength(path);
  if (bytes > pathBytesMax) {
    throw new ConnectError(
      `The socket path from ${rule} has ${bytes} bytes, the system allows ${pathBytesMax}: ${path}`,
      { path, code: "ENAMETOOLONG" },
    );
  }
  return path;
}

function inspect(value) {
  return value === "" ? "the empty text" : `a value of type ${value === null ? "null" : typeof value}`;
}
