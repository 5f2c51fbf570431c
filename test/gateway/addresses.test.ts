// The address of a client behind proxies, which write it in many forms: every form of one address
// counts as one client, and no client chooses the address by which it counts.

import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { clientAddress } from "../../services/gateway/http/address.ts";
import { type Random, randomFrom } from "../../tools/simulate/random.ts";

const PROXIES = ["10.0.0.0/8", "127.0.0.1", "2001:db8:ffff::/48", "::1"];
const PROXY = "10.1.2.3";

type Headers = Record<string, string>;

/** The address that payrail finds, and its warnings. */
function find(headers: Headers, remoteAddress = PROXY) {
  const warnings: unknown[] = [];
  const log = { warn: (_message: string, details: unknown) => warnings.push(details) };
  const request = { headers, socket: { remoteAddress } };
  const found = clientAddress(PROXIES, log)(request as unknown as IncomingMessage);
  return { address: found.network, exact: found.exact, warnings };
}

const xff = (text: string): Headers => ({ "x-forwarded-for": text });
const forwarded = (text: string): Headers => ({ forwarded: text });

test.each<[headers: Headers, address: string]>([
  [xff("203.0.113.7"), "203.0.113.7"],
  [xff("203.0.113.7:40000"), "203.0.113.7"],
  [xff('"203.0.113.7"'), "203.0.113.7"],
  [xff("[203.0.113.7]:443"), "203.0.113.7"],
  [xff("\t203.0.113.7 \t"), "203.0.113.7"],
  [xff("::ffff:203.0.113.7"), "203.0.113.7"],
  [xff("[::FFFF:203.0.113.7]:1"), "203.0.113.7"],
  [xff("::ffff:cb00:7107"), "203.0.113.7"],
  [xff("2001:db8:9::1"), "2001:db8:9::/64"],
  [xff("[2001:db8:9::1]"), "2001:db8:9::/64"],
  [xff("[2001:DB8:9::1]:443"), "2001:db8:9::/64"],
  [xff('"[2001:db8:9::1]:443"'), "2001:db8:9::/64"],
  [xff("2001:db8:9:0:0:0:0:1:443"), "2001:db8:9::/64"],
  [xff("fe80::1%eth0"), "fe80::/64"],
  // Behind a translator of IPv4 to IPv6.
  [xff("64:ff9b::203.0.113.7"), "203.0.113.7"],
  [xff("[64:ff9b::cb00:7107]:443"), "203.0.113.7"],
  [xff("::ffff:0:203.0.113.7"), "203.0.113.7"],
  [xff("[fe80::1%25eth0.7]:443"), "fe80::/64"],
  [xff("198.51.100.1, 203.0.113.7:1"), "203.0.113.7"],
  [xff("203.0.113.7, 10.9.9.9:5000"), "203.0.113.7"],
  [xff("203.0.113.7,[2001:db8:ffff::5]:1,,10.9.9.9, "), "203.0.113.7"],
  [xff("::ffff:10.0.0.1"), "10.0.0.1"],
  [xff("10.0.0.7, 10.0.0.8"), "10.0.0.7"],
  [forwarded("for=203.0.113.7"), "203.0.113.7"],
  [forwarded('For="203.0.113.7:40000"; proto=https'), "203.0.113.7"],
  [forwarded('proto=http;by=10.0.0.1;FOR = "[2001:db8:9::1]:4711"'), "2001:db8:9::/64"],
  [forwarded('for=198.51.100.1, for="203.0.113.7:_port"'), "203.0.113.7"],
  [forwarded('for="\\[2001:db8:9::1\\]"'), "2001:db8:9::/64"],
  [forwarded('host="a,b;for=198.51.100.1";for=203.0.113.7'), "203.0.113.7"],
  [forwarded("for=203.0.113.7;by=_x, for=10.9.9.9"), "203.0.113.7"],
  // An unfinished quote of the client's does not reach into what the proxies write.
  [forwarded('for="198.51.100.1, for="[2001:db8:9::1]"'), "2001:db8:9::/64"],
  [forwarded('for=", for=203.0.113.7'), "203.0.113.7"],
  [xff('", 203.0.113.7'), "203.0.113.7"],
  // X-Forwarded-For counts before Forwarded.
  [{ ...xff("203.0.113.7"), ...forwarded("for=198.51.100.1") }, "203.0.113.7"],
  [{ ...xff(" "), ...forwarded("for=203.0.113.7") }, "203.0.113.7"],
  [{}, PROXY],
  [xff(""), PROXY],
])("%j is %s", (headers, address) => {
  expect(find(headers)).toMatchObject({ address, warnings: [] });
});

test.each<[headers: Headers, exact: string]>([
  [xff("::ffff:203.0.113.7"), "203.0.113.7"],
  [xff("[2001:DB8:9:0::1]:443"), "2001:db8:9::1"],
  [forwarded('for="[fe80::1%25eth0]"'), "fe80::1"],
  [{}, PROXY],
  // The proxy's address must not stand for one that nobody can read.
  [xff("unknown"), "unknown"],
])("%j is exactly %s", (headers, exact) => {
  expect(find(headers).exact).toBe(exact);
});

test.each<[headers: Headers, node: string]>([
  [xff("unknown"), "unknown"],
  [xff("_hidden"), "_hidden"],
  [xff("198.51.100.1, unknown"), "unknown"],
  [xff("unix:"), "unix:"],
  [xff("203.0.113.300"), "203.0.113.300"],
  [xff("203.0.113.07"), "203.0.113.07"],
  [xff("203.0.113.7:x"), "203.0.113.7:x"],
  [xff("[2001:db8::1"), "[2001:db8::1"],
  [xff("1".repeat(4_000)), "1".repeat(64)],
  [xff(`for=203.0.113.7`), "for=203.0.113.7"],
  [forwarded("for=unknown"), "unknown"],
  [forwarded("for=_a.b-c"), "_a.b-c"],
  [forwarded("proto=https"), ""],
  [forwarded("for=203.0.113.7;for=198.51.100.1"), ""],
  [forwarded(`for=203.0.113.7;host=${"a".repeat(600)}`), ""],
  [forwarded("203.0.113.7"), ""],
])("%j is no address: its proxy's counts, with a warning", (headers, node) => {
  expect(find(headers)).toMatchObject({ address: PROXY, warnings: [{ proxy: PROXY, node }] });
});

test("the proxy that wrote an unreadable node counts, not the one before payrail", () => {
  expect(find(xff("unknown, 10.9.9.9")).address).toBe("10.9.9.9");
});

test("of a caller that is no trusted proxy no header counts", () => {
  for (const headers of [xff("198.51.100.1"), forwarded("for=198.51.100.1"), xff("unknown")]) {
    const own = "203.0.113.9";
    expect(find(headers, own)).toEqual({ address: own, exact: own, warnings: [] });
  }
});

test("warnings are throttled", () => {
  const warn = jest.fn();
  const findAddress = clientAddress(PROXIES, { warn });
  const request = { headers: xff("unknown"), socket: { remoteAddress: PROXY } };
  for (let i = 0; i < 100; i += 1) findAddress(request as unknown as IncomingMessage);
  expect(warn).toHaveBeenCalledTimes(1);
});

describe("generated", () => {
  const seed = Date.now();
  const random = randomFrom(seed, "addresses");

  test(`every form of an address is one client (seed ${seed})`, () => {
    for (let i = 0; i < 2_000; i += 1) {
      const client = anAddress(random);
      const expected = find({}, client).address;
      const hops = [client, ...Array.from({ length: random.between(0, 3) }, () => aProxy(random))];
      const lies = Array.from({ length: random.between(0, 3) }, () => aLie(random));
      const headers = random.chance(0.5)
        ? xff(joined([...lies, ...hops.map((hop) => written(hop, random))], random))
        : forwarded(joined([...lies, ...hops.map((hop) => element(hop, random))], random));
      const found = { headers, ...find(headers) };
      expect(found).toMatchObject({ headers, address: expected, warnings: [] });
    }
  });

  test(`no text of a client ends with an error or takes long (seed ${seed})`, () => {
    const pieces = ['"', "\\", ",", ";", "for=", "[", "]", ":", "%", " ", "1", "::", "a", "\t"];
    for (let i = 0; i < 2_000; i += 1) {
      const length = i < 10 ? 16_000 : random.between(0, 40);
      const text = Array.from({ length }, () => random.pick(pieces)).join("");
      for (const headers of [xff(text), forwarded(text)]) {
        expect(find(headers).address).toMatch(/^[\da-f.:]+(\/64)?$/);
      }
    }
  });
});

function anAddress(random: Random): string {
  const byte = () => random.between(0, 255);
  if (random.chance(0.5)) return [random.between(11, 126), byte(), byte(), byte()].join(".");
  const parts = Array.from({ length: 7 }, () =>
    random.chance(0.4) ? 0 : random.between(1, 65_535),
  );
  return new ipaddr.IPv6([random.between(0x2a00, 0x2aff), ...parts]).toString();
}

const aProxy = (random: Random) => `10.${random.between(0, 255)}.0.${random.between(1, 254)}`;

/** What a client writes into the header itself. */
const aLie = (random: Random) =>
  random.pick([
    "198.51.100.1",
    "unknown",
    'for="',
    '"',
    "10.0.0.1",
    "for=10.0.0.1",
    "\\",
    "=;",
    "[::",
  ]);

/** A form in which a proxy writes an address in X-Forwarded-For. */
function written(address: string, random: Random): string {
  const port = `:${random.between(1, 65_535)}`;
  const forms = address.includes(":")
    ? [address, full(address), address.toUpperCase(), `[${address}]`, `[${address}]${port}`]
    : [address, address + port, `::ffff:${address}`, `[::ffff:${address}]${port}`];
  const form = random.pick([...forms, ...(address.includes(":") ? [full(address) + port] : [])]);
  return random.chance(0.3) ? `"${form}"` : form;
}

const full = (address: string) => ipaddr.parse(address).toNormalizedString();

/** A form in which a proxy writes an address in Forwarded; RFC 7239 quotes colons and brackets. */
function element(address: string, random: Random): string {
  const node = written(address, random);
  const value = node.includes(":") && !node.startsWith('"') ? `"${node}"` : node;
  const pairs = [
    `${random.pick(["for", "For", "FOR"])}=${value}`,
    ...random.pick([[], ["proto=https"], ['by="_x:1"', "host=a.example"], ['host="a,b;c"']]),
  ];
  return (random.chance(0.5) ? pairs : pairs.toReversed()).join(random.pick([";", "; "]));
}

const joined = (elements: string[], random: Random) =>
  elements.join(random.pick([",", ", ", " ,", ",\t", ",, "]));
