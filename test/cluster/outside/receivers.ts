// The merchants' receivers of webhooks: one HTTP server, with a path for each. A receiver checks
// the signature, logs every arrival, and answers as its seed says: at once, slowly, with a failure,
// or not at all.

import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Random } from "../../../tools/simulate/random.ts";
import type { Arrival } from "./books.ts";

const SLOW_MS = { from: 50, to: 700 };

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

export async function startReceivers(random: Random) {
  const arrivals: Arrival[] = [];
  const secrets = new Map<string, string>();
  let isCalm = false;

  async function answer(arrival: Arrival, response: ServerResponse): Promise<void> {
    const drawn = isCalm ? 99 : random.between(0, 99);
    if (drawn < 3) return;
    if (drawn < 5) return void response.destroy();
    if (drawn < 12) await setTimeout(random.between(SLOW_MS.from, SLOW_MS.to));
    arrival.answered = drawn >= 12 && drawn < 20 ? 500 : 200;
    response.writeHead(arrival.answered).end();
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const receiver = (request.url as string).slice(1);
      const text = Buffer.concat(chunks).toString();
      const id = String(request.headers["webhook-id"]);
      const isSigned = isSignedBy(secrets.get(receiver), request, text);
      const arrival = { at: Date.now(), receiver, id, isSigned, text, answered: 0 };
      arrivals.push(arrival);
      answer(arrival, response).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    arrivals,
    url: (receiver: string) => `http://127.0.0.1:${port}/${receiver}`,
    /** Sets the secret by which a receiver knows payrail. */
    trust: (receiver: string, secret: string) => void secrets.set(receiver, secret),
    /** From now on every receiver answers 200 at once. */
    calm() {
      isCalm = true;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * As docs/integrate/webhooks.md says it; without the age, because the services' clocks are minutes
 * apart.
 */
function isSignedBy(secret: string | undefined, { headers }: IncomingMessage, text: string) {
  if (secret === undefined) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const content = [headers["webhook-id"], headers["webhook-timestamp"], text].join(".");
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}
