// Looking up host names. Outside development by queries of our own rather than by getaddrinfo, which
// runs on the few threads that files and cryptography need too: names whose servers do not answer
// would hold up all deliveries, and more. So neither this machine's hosts file nor its search domains
// are consulted. Development asks as everything else on its machine does.

import { promises as dns, type LookupAddress } from "node:dns";
import { MAX_RUNNING } from "./delivery.ts";
import type { Resolve } from "./destination.ts";

/**
 * First come, first served, so one for each exchange that may run: fewer, and names whose servers are
 * silent would hold up everybody's. The lanes see to it that nobody has all of those.
 */
const MAX_AT_ONCE = MAX_RUNNING;
const TRIES = 3;
/** How long addresses of one kind wait for the other's: there are servers that ignore one. */
const OTHER_KIND_MS = 1_000;

/** @param timeoutMs of an exchange; a lookup may take half of it */
export function resolverFor(options: { allowPrivate: boolean; timeoutMs: number }): Resolve {
  const { allowPrivate, timeoutMs } = options;
  if (allowPrivate) return (hostname) => dns.lookup(hostname, { all: true });
  return createResolver({ withinMs: Math.ceil(timeoutMs / 2) });
}

/**
 * Asks name servers for both kinds of addresses. Whoever asks for a name that is being looked up gets
 * that answer; none is kept.
 * @param withinMs for a lookup, the wait for its turn included
 * @param servers to ask, as setServers takes them; this machine's where left out
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

/** @throws where there is none: why, rather of a query without an answer than of an empty one */
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
