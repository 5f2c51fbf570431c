// The authentication of API clients by their secrets. Wrong secrets are limited by client and
// address. The count is in the database, so that the limit holds over all replicas.

import { fail } from "../../shared/errors.ts";
import { digest, matches, newSecret } from "../../shared/security/secrets.ts";
import type { ApiClient, Guesses } from "./api-client.model.ts";
import type { Deps } from "./deps.ts";

const GUESSES_PER_WINDOW = 10;
const WINDOW_MS = 10 * 60_000;

/**
 * The digest that is compared for unknown clients, so that their check takes as long as that of
 * known ones.
 */
const DECOY = digest(newSecret());

/**
 * The client with this id and secret, also a disabled one, which the caller refuses by its
 * `tokensFromS`.
 * @param address the client's network address
 * @throws INVALID_CLIENT; RATE_LIMITED after ten wrong secrets in ten minutes, then for right ones
 *   too
 */
export async function authenticate(
  deps: Deps,
  { clientId, clientSecret, address }: { clientId: string; clientSecret: string; address: string },
): Promise<ApiClient> {
  const { models, clock } = deps;
  const client = await models.api_clients.findById(clientId);
  // Unknown ids count together, so that a caller with many ids is limited and fills no collection.
  const guesser = `${client?._id ?? "unknown"}|${address}`;
  const before = await models.client_guesses.findById(guesser).lean<Guesses>();
  if (before && isOver(before, GUESSES_PER_WINDOW - 1, clock.now())) limited(before, clock.now());
  if (matches(clientSecret, client?.secretHash ?? DECOY) && client) return client;
  const counted = await countGuess(deps, guesser);
  // Concurrent requests may all pass the first check, so the count decides again here.
  if (isOver(counted, GUESSES_PER_WINDOW, clock.now())) limited(counted, clock.now());
  return fail("INVALID_CLIENT");
}

function isOver({ count, expiresAt }: Guesses, most: number, now: number): boolean {
  return count > most && expiresAt.getTime() > now;
}

/**
 * Counts a wrong secret. The first one after the last window's end starts a new window.
 */
function countGuess({ models, clock }: Deps, guesser: string): Promise<Guesses> {
  const now = new Date(clock.now());
  const windowEnd = new Date(now.getTime() + WINDOW_MS);
  const runs = { $gt: ["$expiresAt", now] };
  const counted = {
    count: { $cond: [runs, { $add: ["$count", 1] }, 1] },
    expiresAt: { $cond: [runs, "$expiresAt", windowEnd] },
  };
  return models.client_guesses
    .findOneAndUpdate({ _id: guesser }, [{ $set: counted }], { upsert: true, new: true })
    .lean<Guesses>()
    .exec();
}

function limited({ expiresAt }: Guesses, now: number): never {
  const retryAfterS = Math.max(1, Math.ceil((expiresAt.getTime() - now) / 1_000));
  return fail("RATE_LIMITED", undefined, { retryAfterS });
}
