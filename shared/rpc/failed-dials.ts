// Closes the NATS client's failed connection attempts for good. nats.js 2.29.3 leaves an attempt
// open if the server accepts the connection and then is silent for too long. If that server
// recovers and ends the connection later, the client takes this for the end of the connection that
// it uses, and makes another one beside it: from then on it gets every message twice.

import { NodeTransport } from "nats/lib/src/node_transport.js";

interface Transport {
  /** Whether the attempt has succeeded. */
  connected: boolean;
  /** Whether its end is reported no more. */
  done: boolean;
  /** Absent before the server has accepted the connection. */
  socket?: { destroy(): void };
  close(error?: Error): Promise<void>;
}

/** Makes the library do so, for all clients of the process. */
export function closeFailedDials(): void {
  transports.close = function (this: Transport, error) {
    if (!this.connected) {
      this.done = true;
      this.socket?.destroy();
    }
    return close.call(this, error);
  };
}

const transports = NodeTransport.prototype as unknown as Transport;
const { close } = transports;
