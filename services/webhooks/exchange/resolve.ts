// Looks up host names. Outside development it queries name servers itself and does not use
// getaddrinfo, because getaddrinfo runs on the few threads that files and cryptography share: names
// with silent servers would delay all deliveries. So the hosts file and the search domains do not
// count. Development uses getaddrinfo.

import { promises as dns, type LookupAddress } from "node:dns";
import type { Resolve } from "./destination.ts";
import { MAX_RUNNING } from "./exchange.ts";

/**
 * One lookup for each exchange that may run: with fewer, names with silent servers would delay all
 * other lookups. The turns (fairness.ts) leave places to each business.
 */
const MAX_AT_ONCE = MAX_RUNNING;
const TRIES = 3;
/** How long IPv4 waits for IPv6 and the reverse, because some servers ignore one of the two. */
const OTHER_KIND_MS = 1_000;

/** @param timeoutMs of an exchange; a lookup may take half of it */
export function resolverFor(options: { allowPrivate: boolean; timeoutMs: number }): Resolve {
  const { allowPrivate, timeoutMs } = options;
  if (allowPrivate) return (hostname) => dns.lookup(hostname, { all: true });
  return createResolver({ withinMs: Math.ceil(timeoutMs / 2) });
}

/**
 * Asks name servers for IPv4 and IPv6 addresses. Concurrent lookups of one name share one answer;
 * answers are not cached.
 * @param withinMs for a lookup, including the wait for its turn
 * @param servers as setServers takes them; by default those of this machine
 */
export function createResolver(options: { withinMs: number; servers?: string[] }): Resolve {
  const { withinMs, servers } = options;
  const running = new Map<string, Promise<LookupAddress[]>>();
  const waiting = new Set<PromiseWithResolvers<void>>();
  let places = MAX_AT_ONCE;

  async function lookUp(hostname: string): Promise<LookupAddress[]> {
    const turn = Promise.withResolvers<void>();
    const resolver = new dns.Resolver({ timeout: Math.ceil(withinMs / 5), tries: TRIES });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => {
      if (waiting.delete(turn)) turn.reject(new Error("There are too many lookups"));
      else resolver.cancel();
    }, withinMs);
    try {
      if (places === 0) {
        waiting.add(turn);
        await turn.promise;
      } else {
        places -= 1;
      }
      return await ask(resolver, hostname).finally(leave);
    } finally {
      clearTimeout(timer);
    }
  }

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) places += 1;
    else if (waiting.delete(next)) next.resolve();
  }

  return (hostname) => {
    const known = running.get(hostname);
    if (known) return known;
    const lookup = lookUp(hostname).finally(() => running.delete(hostname));
    running.set(hostname, lookup);
    return lookup;
  };
}

/** @throws without an address: the error of an unanswered query before that of an empty answer */
async function ask(resolver: dns.Resolver, hostname: string): Promise<LookupAddress[]> {
  const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  const enough = Promise.any(queries).then(
    () => setTimeout(() => resolver.cancel(), OTHER_KIND_MS),
    () => undefined,
  );
  const results = await Promise.allSettled(queries);
  clearTimeout(await enough);
  const addresses = results.flatMap((result, i) => {
    const family = i === 0 ? 4 : 6;
    const found = result.status === "fulfilled" ? result.value : [];
    return found.map((address) => ({ address, family }));
  });
  if (addresses.length > 0) return addresses;
  const reasons = results.flatMap((result) => (result.status === "rejected" ? result.reason : []));
  throw reasons.find(({ code }) => code !== "ENODATA" && code !== "ENOTFOUND") ?? reasons[0];
}
