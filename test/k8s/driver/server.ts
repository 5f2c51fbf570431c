// The driver: a pod in the cluster under test that sends requests to the gateway and receives its
// webhooks, so that requests take the way of a cluster's own clients. The test commands it:
//
//   POST /open            makes a business with customers
//   POST /withdraw        withdraws once, and waits for the end and its events
//   POST /pay             pays a link
//   POST /load?rate=10    begins to withdraw at a rate per second
//   POST /stop            ends the load; answers with the outcome of each attempt
//   POST /settle          waits until every withdrawal has ended; answers with the faults
//
// `node server.ts ask /open` asks the driver that runs in the same pod.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Attempt, type Load, startLoad, wrongPayouts } from "./load.ts";
import { openShop, pay, type Shop, withdraw, withdrawals, wrongBalances } from "./shop.ts";

const PORT = 4000;
const HOOK = process.env.HOOK ?? `http://driver:${PORT}/hook`;
const ENDS_WITHIN_MS = 180_000;
const SHOWN = 20;

interface Event {
  status: string;
  payload: { transactionId?: string };
}

const events: Event[] = [];
const attempts: Attempt[] = [];
let shop: Shop | null = null;
let load: Load | null = null;

function opened(): Shop {
  if (!shop) throw new Error("POST /open comes first");
  return shop;
}

async function until<T>(awaited: string, probe: () => T | Promise<T>): Promise<Exclude<T, false>> {
  const end = Date.now() + ENDS_WITHIN_MS;
  for (;;) {
    const found = await probe();
    if (found) return found as Exclude<T, false>;
    if (Date.now() > end) throw new Error(`In vain waited for ${awaited}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
}

const commands: Record<string, (query: URLSearchParams) => unknown> = {
  "/open": async () => {
    shop = await openShop(HOOK);
    return { businessId: shop.businessId };
  },
  "/withdraw": async () => {
    const [customer] = opened().customers;
    if (!customer) throw new Error("There is no customer");
    const { status, data, text } = await withdraw(customer, "First withdrawal");
    if (status !== 200) throw new Error(`${status} ${text}`);
    const own = () => events.filter(({ payload }) => payload.transactionId === data.id);
    await until("SUCCESS at the webhook", () => own().some((event) => event.status === "SUCCESS"));
    return { id: data.id, events: own().map((event) => event.status) };
  },
  "/pay": async () => ({ status: await pay(opened()) }),
  "/load": (query) => {
    load = startLoad(opened(), Number(query.get("rate")));
    return {};
  },
  "/stop": async () => {
    const made = (await load?.stop()) ?? [];
    load = null;
    attempts.push(...made);
    return made;
  },
  "/settle": async () => {
    const isOver = async () => {
      const made = await withdrawals(opened());
      return made.every(({ status }) => status === "SUCCESS" || status === "FAILED") && made;
    };
    const made = await until("the end of every withdrawal", isOver);
    const wrong = [...wrongPayouts(attempts, made), ...(await wrongBalances(opened(), made))];
    return { attempts: attempts.length, payouts: made.length, wrong: wrong.slice(0, SHOWN) };
  },
};

function serve(): void {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      response.writeHead(500).end(error.stack);
    });
  });
  // A command may take minutes.
  server.requestTimeout = 0;
  server.listen(PORT);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://driver");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (pathname === "/hook") {
    events.push(JSON.parse(Buffer.concat(chunks).toString()) as Event);
    response.writeHead(204).end();
    return;
  }
  const result = await commands[pathname]?.(searchParams);
  response.writeHead(result ? 200 : 404).end(JSON.stringify(result ?? null));
}

async function askDriver(path: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, { method: "POST" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  process.stdout.write(text);
}

const [command, path] = process.argv.slice(2);
if (command === "ask" && path) await askDriver(path);
else serve();
