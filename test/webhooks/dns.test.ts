// Lookup of destination names outside development, by our own queries: a silent name server blocks
// no thread of this process. dns.deep.test.ts has deliveries beside one.

import { MAX_RUNNING } from "../../services/webhooks/exchange/exchange.ts";
import { createResolver } from "../../services/webhooks/exchange/resolve.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type NameServer, type Records, startNameServer } from "../support/name-server.ts";
import { startSystem, until } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

const V6 = "20010db8000000000000000000000001";

let names: NameServer;
let records: Record<string, Records> = {};

beforeAll(async () => {
  names = await startNameServer((name) => records[name] ?? "unknown");
});
afterAll(() => names.stop());

const aResolver = (withinMs = 10_000) => createResolver({ withinMs, servers: [names.address] });

describe("a lookup", () => {
  test("finds the addresses of both families, also behind an alias", async () => {
    records = {
      "both.example.com": { A: ["192.0.2.1", "192.0.2.2"], AAAA: [V6] },
      "alias.example.com": { alias: "inside.example.net", A: ["10.0.0.1"] },
      "v6.example.com": { AAAA: [V6] },
    };
    const resolve = aResolver();
    expect(await resolve("both.example.com")).toEqual([
      { address: "192.0.2.1", family: 4 },
      { address: "192.0.2.2", family: 4 },
      { address: "2001:db8::1", family: 6 },
    ]);
    expect(await resolve("alias.example.com")).toEqual([{ address: "10.0.0.1", family: 4 }]);
    expect(await resolve("v6.example.com")).toEqual([{ address: "2001:db8::1", family: 6 }]);
  });

  test("reports a name that does not exist, or has no address", async () => {
    records = { "empty.example.com": {} };
    const resolve = aResolver();
    await expect(resolve("nowhere.example.com")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(resolve("empty.example.com")).rejects.toMatchObject({ code: "ENODATA" });
  });

  test("caches no answer: a repeated lookup queries again", async () => {
    records = { "moves.example.com": { A: ["192.0.2.1"] } };
    const resolve = aResolver();
    expect(await resolve("moves.example.com")).toMatchObject([{ address: "192.0.2.1" }]);
    records = { "moves.example.com": { A: ["10.0.0.1"] } };
    expect(await resolve("moves.example.com")).toMatchObject([{ address: "10.0.0.1" }]);
  });

  test("of one name is shared by concurrent callers", async () => {
    records = { "busy.example.com": { A: ["192.0.2.1"] } };
    const resolve = aResolver();
    await Promise.all(Array.from({ length: 50 }, () => resolve("busy.example.com")));
    // One query for each address family.
    expect(names.queries.filter((name) => name === "busy.example.com")).toHaveLength(2);
  });

  test("waits a bounded time for the address family without an answer", async () => {
    let asked = 0;
    const half = await startNameServer(() => {
      asked += 1;
      return asked === 1 ? { A: ["192.0.2.1"], AAAA: [V6] } : "silence";
    });
    const resolve = createResolver({ withinMs: 600_000, servers: [half.address] });
    expect(await resolve("half.example.com")).toHaveLength(1);
    await half.stop();
  });

  test("waits for one of a limited number of places, and fails if none is free in time", async () => {
    const silent = Array.from({ length: MAX_RUNNING + 100 }, (_, i) => `silent${i}.example.com`);
    records = Object.fromEntries(silent.map((name) => [name, "silence" as const]));
    records["last.example.com"] = { A: ["192.0.2.1"] };
    const resolve = aResolver(1_500);
    const results = await Promise.allSettled(silent.map(resolve));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    const last = () => resolve("last.example.com").catch(() => null);
    expect(await until(last)).toMatchObject([{ address: "192.0.2.1" }]);
  });
});

test("an alias that leads to a private address is refused outside development", async () => {
  records = { "alias.example.com": { alias: "metadata.example.net", A: ["169.254.169.254"] } };
  const resolve = aResolver();
  const system = await startSystem([(config) => webhooks(config, { resolve })], {
    WEBHOOK_ALLOW_PRIVATE: "false",
  });
  const businessId = newId();
  const url = "https://alias.example.com/";
  await system.call("webhooks.createEndpoint", { businessId, url });
  const event = anEvent({ businessId });
  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, (d) => d.status !== "PENDING");
  expect(delivery).toMatchObject({
    status: "DEAD_LETTER",
    deadLetterReason: "refused",
    attempts: [{ errorClass: "address" }],
  });
  await system.stop();
});
