// Connections to receivers: to the looked-up address, within a time that includes the lookup and
// the TLS handshake, and with a certificate that is valid for the name, also in development. A
// connection over which a receiver sends far more than an answer is closed.

import { connect as connectPlainly, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { buildConnector } from "undici";
import { CODES, errorWith } from "./answer.ts";

/** Bytes after one request: headers, body with chunk framing, endless interim answers. */
const MAX_SENT_BYTES = 512 * 1_024;

/**
 * Makes connections for a pool.
 * @param timeoutMs for each connection; an address that does not answer leaves time for the others
 */
export function connector(options: {
  lookup: LookupFunction;
  timeoutMs: number;
}): buildConnector.connector {
  const { lookup, timeoutMs } = options;
  return ({ hostname, port, protocol }, callback) => {
    const to = {
      host: hostname,
      lookup,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.max(10, Math.round(timeoutMs / 5)),
    };
    const secure = protocol === "https:";
    const servername = isIP(hostname) === 0 ? hostname : "";
    // Explicit, so that no setting of the process can change it.
    const trust = { servername, rejectUnauthorized: true };
    const socket: Socket = secure
      ? connectSecurely({ ...to, ...trust, port: Number(port || 443) })
      : connectPlainly({ ...to, port: Number(port || 80) });
    let failed: ((error: Error) => void) | null = (error) => callback(error, null);
    const timer = setTimeout(
      () => socket.destroy(errorWith(CODES.noConnection, "No connection in time")),
      timeoutMs,
    );
    socket.once(secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      failed = null;
      callback(null, socket);
      cutOffEndless(socket);
    });
    // This listener stays, because an error without a listener would end the process.
    socket.on("error", (error) => {
      clearTimeout(timer);
      failed?.(error);
      failed = null;
    });
  };
}

/** Closes a connection that has received too much since the last request. */
function cutOffEndless(socket: Socket): void {
  let written = -1;
  let readBefore = 0;
  socket.on("readable", () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      readBefore = socket.bytesRead;
    }
    if (socket.bytesRead - readBefore > MAX_SENT_BYTES) {
      socket.destroy(errorWith(CODES.tooMuch, "Too much was sent"));
    }
  });
}
