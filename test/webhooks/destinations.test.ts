// The allowed destinations of webhooks outside development: checked by URL, and by the resolved
// addresses when the connection is made, on every attempt.

import type { LookupAddress } from "node:dns";
import { connect } from "node:net";
import {
  checkedLookup,
  destinationError,
  isPublicAddress,
} from "../../services/webhooks/exchange/destination.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

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
  "168.63.129.16",
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
  "100:0:0:1::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:1::1",
  "2001:3::1",
  "2001:4:112::1",
  "2001:30::1",
  "2001:1ff::1",
  "2620:4f:8000::1",
  "2a00:1450::5efe:10.0.0.1",
  "2a00:1450::200:5efe:a00:1",
  "fe80::5efe:10.0.0.1",
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
  "2606:4700:4700::1111%eth0",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  "example.com",
  "",
  "127.0.0.1/8",
  // Notations that a resolver does not return.
  "127.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "8.8",
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
  "2001:200::1",
  "192.0.1.1",
  "198.17.255.255",
  "198.20.0.1",
];

test.each(PRIVATE)("%j is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(PUBLIC)("%j is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

/** Also refused in development. */
const NEVER = [
  "",
  "example.com/hooks",
  "//example.com/hooks",
  "/hooks",
  "ftp://example.com/",
  "ws://example.com/",
  "wss://example.com/",
  "file:///etc/passwd",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "gopher://example.com/",
  "mailto:hooks@example.com",
  "https://",
  "https:///",
  "https://user@example.com/",
  "https://user:password@example.com/",
  "https://:password@example.com/",
  "https://example.com@127.0.0.1/",
  "https://example.com/#fragment",
  "https://exa\tmple.com/",
  "https://example.com/a\nb",
  "https://example.com/a b",
  "https:\\\\example.com\\hooks",
  "https://example.com\\@127.0.0.1/",
  "https://exam%00ple.com/",
  "https://exam%2fple.com/",
  "https://[::1/",
  "https://[fe80::1%25eth0]/",
  "https://example.com:99999/",
  "https://example.com:port/",
  "https://256.256.256.256/",
];

const NOT_OUTSIDE = [
  "http://example.com/",
  "http://example.com:443/",
  // Ports.
  "https://example.com:80/",
  "https://example.com:22/",
  "https://example.com:444/",
  "https://example.com:3000/",
  "https://example.com:27017/",
  "https://example.com:8444/",
  "https://example.com:0/",
  // Addresses in all notations, including public ones.
  "https://127.0.0.1/",
  "https://127.0.0.1:8443/",
  "https://127.0.0.1./",
  "https://127.1/",
  "https://127.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0177.0.0.1/",
  "https://017700000001/",
  "https://0/",
  "https://0.0.0.0/",
  "https://10.0.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://0xA9FEA9FE/",
  "https://１２７.０.０.１/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://%31%32%37.0.0.1/",
  "https://8.8.8.8/",
  "https://[::1]/",
  "https://[::]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[0:0:0:0:0:ffff:7f00:1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2606:4700:4700::1111]/",
  // Names outside the public internet.
  "https://localhost/",
  "https://localhost./",
  "https://LOCALHOST/",
  "https://hooks.localhost/",
  "https://ｌｏｃａｌｈｏｓｔ/",
  "https://loc%61lhost/",
  "https://intranet/",
  "https://printer.local/",
  "https://metadata.google.internal/",
  "https://kubernetes.default.svc.cluster.local/",
  "https://webhooks.payrail.svc/",
  "https://router.home.arpa/",
  "https://1.0.0.127.in-addr.arpa/",
  "https://duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion/",
  "https://hooks.test/",
  "https://hooks.invalid/",
  "https://hooks.example/",
  "https://hooks.lan/",
  "https://hooks.corp/",
  "https://com/",
  "https://co.uk/",
  "https://example.com./",
  "https://.example.com/",
  "https://example..com/",
  `https://${"a".repeat(64)}.com/`,
  `https://${"a.".repeat(130)}com/`,
];

const ALLOWED = [
  "https://example.com",
  "https://example.com/",
  "https://EXAMPLE.com/Hooks",
  "https://example.com:443/",
  "https://example.com:8443/hooks",
  "https://example.com/hooks?key=1&at=a@b",
  "https://hooks.shop.example.co.uk/",
  // Names similar to reserved ones can be registered, so they are resolved and checked as usual.
  "https://bücher.example.com/",
  "https://xn--bcher-kva.example.com/",
  "https://аррle.com/",
  // Names below a public suffix that a company runs are hosts, and so is the suffix itself.
  "https://shop.github.io/",
  "https://github.io/",
  "https://127.0.0.1.nip.io/",
];

test.each(NEVER)("%j is never a destination", (url) => {
  expect(destinationError(url, true)).not.toBeNull();
  expect(destinationError(url, false)).not.toBeNull();
});

test.each(NOT_OUTSIDE)("%j is not a destination outside development", (url) => {
  expect(destinationError(url, false)).not.toBeNull();
});

test.each(ALLOWED)("%j may be a destination", (url) => {
  expect(destinationError(url, false)).toBeNull();
});

test("development allows http, addresses, any name and any port", () => {
  for (const url of [
    "http://localhost:3000/",
    "http://127.0.0.1:80/",
    "https://[::1]:9/",
    "http://x/",
  ]) {
    expect(destinationError(url, true)).toBeNull();
  }
});

test("the refusal lists the open ports", () => {
  expect(destinationError("https://example.com:444/", false)).toContain("port 443 or 8443");
});

test("a connection goes to the checked address, even if the name then resolves differently", async () => {
  const ips = ["1.1.1.1", "10.0.0.1", "8.8.8.8", "127.0.0.1"];
  const lookup = checkedLookup(async () => [{ address: ips.shift() as string, family: 4 }], false);
  /** The address that a socket is about to connect to; the socket is closed before that. */
  const goesTo = () =>
    new Promise<string>((resolve) => {
      const socket = connect({ host: "rebind.example.com", port: 443, lookup });
      socket.on("lookup", (error, address) => {
        if (error) return;
        resolve(address);
        socket.destroy();
      });
      socket.on("error", ({ message }) => resolve(message));
    });

  expect(await goesTo()).toBe("1.1.1.1");
  expect(await goesTo()).toBe("rebind.example.com is not public");
  expect(await goesTo()).toBe("8.8.8.8");
  expect(await goesTo()).toBe("rebind.example.com is not public");
});

describe("outside development", () => {
  let system: System;
  /** The answers of the next lookups; the last one repeats. */
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
    "a delivery to a name that resolves to %s becomes a dead letter at once, without a retry",
    async (_case, to) => {
      answers = to;

      const delivery = await deliverTo("https://example.com/");

      expect(delivery).toMatchObject({
        status: "DEAD_LETTER",
        deadLetterReason: "refused",
        attempts: [{ statusCode: null, errorClass: "address", response: null }],
      });
      expect(delivery?.attempts[0]?.error).toBe("The destination's address is not public");
      expect(lookups).toEqual(["example.com"]);
    },
  );

  test("every attempt resolves the name again, and a new private address is refused", async () => {
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

  test("an unresolvable name is an ordinary failure", async () => {
    answers = [unknown, []];
    const delivery = await deliverTo("https://nowhere.example.com/");
    expect(delivery).toMatchObject({ status: "DEAD_LETTER", deadLetterReason: "exhausted" });
    expect(delivery?.attempts.map(({ errorClass }) => errorClass)).toEqual(["dns", "dns", "dns"]);
  });
});

describe("a connection", () => {
  let system: System;
  let receiver: Receiver;
  let lookups: string[] = [];
  let answer: LookupAddress[] = [];

  const resolve = async (hostname: string) => {
    lookups.push(hostname);
    return answer;
  };

  beforeAll(async () => {
    system = await startSystem([(config) => webhooks(config, { resolve })], {
      WEBHOOK_RETRY_SCHEDULE: "1h",
    });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await system.stop();
    await receiver.stop();
  });
  beforeEach(() => {
    lookups = [];
    answer = [{ address: "127.0.0.1", family: 4 }];
  });

  test("goes to the looked-up and checked address without another lookup", async () => {
    const { port } = new URL(receiver.url());
    const businessId = newId();
    const url = `http://nowhere.example.com:${port}/once`;
    await system.call("webhooks.createEndpoint", { businessId, url });
    const event = anEvent({ businessId });

    await system.call("webhooks.publish", { events: [event] });
    await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");

    expect(lookups).toEqual(["nowhere.example.com"]);
    const [request] = receiver.requests.filter(({ path }) => path === "/once");
    expect(request?.headers.host).toBe(`nowhere.example.com:${port}`);
  });

  test("looks the name up again, independent of earlier answers", async () => {
    const { port } = new URL(receiver.url());
    const businessId = newId();
    const url = `http://moves.example.com:${port}/`;
    await system.call("webhooks.createEndpoint", { businessId, url });
    const deliver = async () => {
      const event = anEvent({ businessId });
      await system.call("webhooks.publish", { events: [event] });
      const [delivery] = await deliveriesOnce(system, event, (d) => d.attempts.length > 0);
      return delivery?.attempts[0];
    };

    // Each answer closes the connection by its header.
    receiver.behave(() => ({ headers: { connection: "close" } }));
    expect(await deliver()).toMatchObject({ errorClass: null });
    answer = [];
    expect(await deliver()).toMatchObject({ errorClass: "dns" });
    expect(lookups).toHaveLength(2);
  });
});
