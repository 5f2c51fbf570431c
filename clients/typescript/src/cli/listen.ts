// payrail listen: prints the events of a business, or forwards them to a server without a public
// address.

import { setTimeout as sleep } from "node:timers/promises";
import { PayrailError } from "../errors.ts";
import type { Payrail } from "../payrail.ts";
import type { StoredEvent } from "../resources/events.ts";
import { type Command, coloured, type Given, type Print, textOf, UsageError } from "./command.ts";
import { clockTime, destination, forward, forwardingSecret } from "./forward.ts";

const ASK_EVERY_MS = 1_000;
/** payrail may store an event after its `createdAt`, so each request looks back by this time. */
const LOOK_BACK_MS = 120_000;
/** The greatest difference between this machine's clock and payrail's. */
const CLOCK_WRONG_BY_MS = 300_000;

export const listen: Command = {
  summary: "Print your business's events, or forward them to a server on your machine",
  help: `payrail listen [--forward-to localhost:4000/hooks] [--event-types WITHDRAWAL,REFUND]

Prints each new event of the business until Ctrl-C. With --forward-to it also sends the event to your
server, signed as payrail signs a delivery, and prints the secret for your server first;
PAYRAIL_WEBHOOK_SECRET sets it. An event is sent once: repeat one with payrail resend. Endpoints that
you registered get their events as ever.

  --forward-to   the address of your server
  --event-types  only these types, with commas; all by default
  --json         a line of JSON for each event, with its body if it is not forwarded
`,
  options: { "forward-to": { type: "string" }, "event-types": { type: "string" } },

  async run({ values, positionals, print, payrail }: Given): Promise<void> {
    if (positionals.length > 0) throw new UsageError("Name your server with --forward-to");
    const to = textOf(values, "forward-to");
    const url = to === undefined ? undefined : destination(to);
    const types = textOf(values, "event-types")?.split(",");
    const secret = forwardingSecret();
    const newEvents = await reader(payrail());
    if (url === undefined) process.stderr.write("Waiting for events; Ctrl-C ends it\n");
    else {
      print(`Forwarding to ${url}. Your server's secret: ${coloured("bold", secret)}`, {
        url,
        secret,
      });
    }
    for (;;) {
      for (const event of await newEvents()) {
        if (types && !types.includes(event.eventType)) continue;
        if (url === undefined) show(event, print);
        else await forward(event, { url, secret, print });
      }
      await sleep(ASK_EVERY_MS);
    }
  },
};

function show({ id, eventType, transactionId, createdAt, body }: StoredEvent, print: Print): void {
  const event = JSON.parse(body) as { status: string; payload: Record<string, unknown> };
  const { amount = "", currency = "" } = event.payload;
  const about = [amount, currency, transactionId ?? ""].filter((each) => each !== "");
  print(
    [clockTime(), eventType, coloured("bold", event.status), ...about, `event ${id}`].join(" "),
    { id, createdAt, ...event },
  );
}

/** Returns a function that reads the new events since its last call, each once, oldest first. */
async function reader(payrail: Payrail): Promise<() => Promise<StoredEvent[]>> {
  /** The `createdAt`, in epoch ms, of the events that the next request may find again. */
  const known = new Map<string, number>();
  let newestAt = Date.now() - CLOCK_WRONG_BY_MS;

  async function read(): Promise<StoredEvent[]> {
    const sinceMs = newestAt - LOOK_BACK_MS;
    const found = await payrail.events.list({ since: new Date(sinceMs).toISOString() }).toArray();
    const fresh = found.filter(({ id }) => !known.has(id));
    for (const { id, createdAt } of fresh) {
      known.set(id, Date.parse(createdAt));
      newestAt = Math.max(newestAt, Date.parse(createdAt));
    }
    for (const [id, at] of known) if (at < sinceMs) known.delete(id);
    return fresh;
  }

  await read();
  return () => read().catch(goOn);
}

/** Continues after an outage of payrail. Any other error ends the command. */
function goOn(error: unknown): StoredEvent[] {
  const isOutage = error instanceof PayrailError && (error.status ?? 500) >= 500;
  if (!isOutage) throw error;
  process.stderr.write(`${error.message}; trying again\n`);
  return [];
}
