// Connections to receivers: to the looked-up address, within a time that includes the lookup and
// the TLS handshake, and with a certificate that is valid for the name, also in development. They
// are kept per endpoint, so that two businesses never share one.

import { Agent, type RequestOptions } from "node:http";
import { connect as connectPlainly, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { CODES, errorWith } from "./answer.ts";

const IDLE_CONNECTION_MS = 4_000;

/** A receiver; node:http gives it to the agent unchanged. */
export interface Destination extends RequestOptions {
  endpointId: string;
  secure: boolean;
  hostname: string;
  port: number;
}

/**
 * Makes and keeps connections.
 * @param timeoutMs for each connection; an address that does not answer leaves time for the others
 * @param connections the most connections of one endpoint
 * @param kept the number of open connections from which an idle one is closed immediately
 * @param connectionAgeMs after which a connection is not used again, so that a changed DNS entry
 *   takes effect
 */
export function connectionsOf(options: {
  lookup: LookupFunction;
  timeoutMs: number;
  connections: number;
  kept: number;
  connectionAgeMs: number;
}): Agent {
  const { connections, kept, connectionAgeMs } = options;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    timeout: IDLE_CONNECTION_MS,
  });
  const since = new WeakMap<object, number>();
  const keep = agent.keepSocketAlive;
  let open = 0;
  return Object.assign(agent, {
    getName: (to?: RequestOptions) => nameOf(to as Destination),
    createConnection(to: RequestOptions) {
      const socket = connect(to as Destination, options);
      open += 1;
      socket.once("close", () => {
        open -= 1;
      });
      since.set(socket, performance.now());
      return socket;
    },
    keepSocketAlive(socket: Socket) {
      const age = performance.now() - (since.get(socket) ?? 0);
      return open <= kept && age < connectionAgeMs && keep.call(agent, socket);
    },
  });
}

const nameOf = ({ endpointId, secure, hostname, port }: Destination) =>
  `${endpointId} ${secure} ${hostname} ${port}`;

function connect(
  { hostname: host, port, secure }: Destination,
  { lookup, timeoutMs }: { lookup: LookupFunction; timeoutMs: number },
): Socket {
  const to = {
    host,
    port,
    lookup,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.round(timeoutMs / 5)),
  };
  // Explicit, so that no setting of the process can change it.
  const trust = { servername: isIP(host) === 0 ? host : "", rejectUnauthorized: true };
  const socket = secure ? connectSecurely({ ...to, ...trust }) : connectPlainly(to);
  const timer = setTimeout(
    () => socket.destroy(errorWith(CODES.noConnection, "No connection in time")),
    timeoutMs,
  );
  const stop = () => clearTimeout(timer);
  return socket.once(secure ? "secureConnect" : "connect", stop).once("close", stop);
}
