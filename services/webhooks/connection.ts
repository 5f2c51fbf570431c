// Connections to receivers: made to where the lookup says, within a time that the lookup and the TLS
// handshake are part of, with a certificate that is valid for the name, in development too. A
// receiver that sends more than any answer of ours can need is cut off, whatever it sends.

import { connect as connectPlainly, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { buildConnector } from "undici";
import { CODES, errorWith } from "./answer.ts";

/** In bytes: headers, body and what frames it in chunks, or interim answers without end. */
const MAX_SENT_BYTES = 512 * 1_024;

/**
 * Makes connections for a pool.
 * @param timeoutMs for each; of several addresses one that does not answer leaves time for others
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
    // Said here, so that no setting of the process says otherwise.
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
    // Stays: an error that nobody listens for would end the process.
    socket.on("error", (error) => {
      clearTimeout(timer);
      failed?.(error);
      failed = null;
    });
  };
}

/** Closes a connection over which too much has come since something was last sent. */
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
