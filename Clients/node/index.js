// Everything the package offers; what is not named here may change in any version.

export { connect, Client } from "./lib/client.js";
export { Simulation, verdicts } from "./lib/simulation.js";
export { Watch } from "./lib/watch.js";
export { PrivateDaemon, startDaemon } from "./lib/daemon.js";
export { socketPath } from "./lib/socket-path.js";
export {
  Change, Diagnostic, End, Gap, Lag, Mark, Restarted, SeamEvent, SimEvent, State, Sync, Unknown,
} from "./lib/events.js";
export * from "./lib/errors.js";
