// What each method of the protocol takes here: `by` in the place of an argument, `options` by name, and `pages` where
// the client reads on by itself. A test holds it against rpc.discover, so that neither side knows more than the other.

const turn = ["ifSeq", "interim"];
const mounted = ["mount", ...turn];
const creation = ["id", "params", "policies", "profile", "seed", "clock"];
const pages = ["from", "limit"];

export const methods = {
  "seam.hello": { by: ["client", "protocol", "maxLine"], options: [] },
  "seam.ping": { by: [], options: [] },
  "seam.stats": { by: [], options: [] },
  "seam.shutdown": { by: [], options: [] },
  "rpc.discover": { by: [], options: [] },
  "scenario.list": { by: [], options: [], pages },
  "scenario.describe": { by: ["scenario"], options: [] },
  "policy.list": { by: [], options: [] },
  "sim.create": { by: ["scenario"], options: [...creation, "lifetime", "trace", "history", "record"] },
  "sim.run": { by: ["scenario"], options: [...creation, "keep", "steps", "why", "trace"] },
  "sim.list": { by: [], options: [], pages },
  "sim.get": { by: ["sim"], options: ["screen", "at", "atTurn", "whole"], pages },
  "sim.check": { by: ["sim"], options: ["label", "screen", "fields", "why", "at", "atTurn", "whole"] },
  "sim.explain": { by: ["sim", "screen", "field"], options: [] },
  "sim.trace": { by: ["sim"], options: ["from", "to", "limit", "skip"] },
  "sim.fork": { by: ["sim"], options: ["id", "at", "atTurn"] },
  "sim.destroy": { by: ["sim"], options: [] },
  "sim.send": { by: ["sim", "event", "args"], options: mounted },
  "sim.advance": { by: ["sim", "ms"], options: ["ifSeq"] },
  "model.set": { by: ["sim", "values"], options: turn },
  "model.clear": { by: ["sim", "keys"], options: turn },
  "screen.declare": { by: ["sim", "screen", "fields"], options: turn },
  "screen.set": { by: ["sim", "screen", "values"], options: turn },
  "screen.clear": { by: ["sim", "screen", "keys"], options: turn },
  "bridge.assign": { by: ["sim", "bridge"], options: [...mounted, "built"] },
  "bridge.build": { by: ["sim", "bridge"], options: mounted },
  "bridge.update": { by: ["sim", "bridge"], options: [...mounted, "cause"] },
  "bridge.mount": { by: ["sim", "bridge"], options: turn },
  "bridge.unmount": { by: ["sim", "bridge"], options: mounted },
  "bridge.identify": { by: ["sim", "bridge", "identity"], options: mounted },
  "bridge.rebind": { by: ["sim", "bridge", "owner"], options: mounted },
  "bridge.items": { by: ["sim", "bridge", "items"], options: turn },
  "bridge.dismiss": { by: ["sim", "bridge"], options: mounted },
  "bridge.list": { by: ["sim"], options: ["bridge"], pages },
  "host.set": { by: ["sim", "bridge"], options: ["window", "scene", "hidden", "size", "parked", ...mounted] },
  "environment.set": { by: ["sim", "values"], options: ["bridge", ...mounted] },
  "rec.start": { by: ["sim", "path"], options: [] },
  "rec.stop": { by: ["sim"], options: [] },
  "rec.replay": { by: ["path"], options: ["id", "keep"] },
  // `snapshot: false` is start "now".
  "sub.open": { by: ["start"], options: ["sim", "match", "mode", "only", "after"] },
  "sub.close": { by: ["sub"], options: [] },
};

/** Options of the client itself, which every method has. */
export const callOptions = ["timeout", "signal"];

export function optionsOf(method) {
  return [...methods[method].options, ...callOptions];
}
