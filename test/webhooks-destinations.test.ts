// Where a connection may go outside development: the addresses that a name resolves to are checked
// when the connection is made, on every attempt.

import type { LookupAddress } from "node:dns";
import { isPublicAddress } from "../services/webhooks/destination.ts";
import webhooks from "../services/webhooks/webhooks.service.ts";
import { newId } from "../shared/ids.ts";
import { startReceiver } from "./support/receiver.ts";
import { type System, startSystem } from "./support/system.ts";
import { anEvent, deliveriesOnce } from "./support/webhook-events.ts";

const PRIVATE = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.170",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:7f00:1",
  "::ffff:0:127.0.0.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::10.0.0.1",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456:789a::1",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  "example.com",
  "",
  "127.0.0.1/8",
];

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:82a::200e",
];

test.each(PRIVATE)("%j is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(PUBLIC)("%j is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe("outside development", () => {
  let system: System;
  /** What the next look-ups answer, the last one again and again. */
  let answers: (LookupAddress[] | NodeJS.ErrnoException)[] = [];
  let lookups: string[] = [];

  const resolve = async (hostname: string) => {
    lookups.push(hostname);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (Array.isArray(answer)) return answer;
    throw answer;
  };
  const v4 = (address: string): LookupAddress => ({ address, family: 4 });
  const v6 = (address: string): LookupAddress => ({ address, family: 6 });
  const unknown = Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" });

  beforeAll(async () => {
    system = await startSystem([(config) => webhooks(config, { resolve })], {
      WEBHOOK_ALLOW_PRIVATE: "false",
      WEBHOOK_RETRY_SCHEDULE: "20ms,20ms",
      WEBHOOK_TIMEOUT: "2s",
    });
  });
  afterAll(() => system.stop());
  beforeEach(() => {
    lookups = [];
  });

  async function deliverTo(url: string) {
    const businessId = newId();
    await system.call("webhooks.createEndpoint", { businessId, url });
    const event = anEvent({ businessId });
    await system.call("webhooks.publish", { events: [event] });
    const [delivery] = await deliveriesOnce(system, event, (d) => d.status !== "PENDING");
    return delivery;
  }

  test.each([
    ["a private address", [[v4("127.0.0.1")]]],
    ["a private address in IPv6", [[v6("::ffff:127.0.0.1")]]],
    ["the metadata service", [[v4("169.254.169.254")]]],
    ["a private address among public ones", [[v4("1.1.1.1"), v6("fd00::1")]]],
  ])(
    "a name that resolves to %s is a dead letter at once, and is not tried again",
    async (_what, to) => {
      const receiver = await startReceiver();
      answers = to;
      const { port } = new URL(receiver.url());

      const delivery = await deliverTo(`https://example.com:${port}/`);

      expect(delivery).toMatchObject({
        status: "DEAD_LETTER",
        deadLetterReason: "refused",
        attempts: [{ statusCode: null, error: "The destination's address is not public" }],
      });
      expect(lookups).toEqual(["example.com"]);
      expect(receiver.requests).toEqual([]);
      await receiver.stop();
    },
  );

  test("every attempt looks the name up anew: one that changes its answer to a private address is refused then", async () => {
    answers = [unknown, unknown, [v4("10.0.0.1")]];

    const delivery = await deliverTo("https://rebind.example.com/");

    expect(delivery).toMatchObject({ status: "DEAD_LETTER", deadLetterReason: "refused" });
    expect(delivery?.attempts.map(({ error }) => error)).toEqual([
      "The host name was not found",
      "The host name was not found",
      "The destination's address is not public",
    ]);
    expect(lookups).toHaveLength(3);
  });

  test("a name that does not resolve is an ordinary failure", async () => {
    answers = [unknown, []];
    const delivery = await deliverTo("https://nowhere.example.com/");
    expect(delivery).toMatchObject({ status: "DEAD_LETTER", deadLetterReason: "exhausted" });
    expect(delivery?.attempts).toHaveLength(3);
  });
});
