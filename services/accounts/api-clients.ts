// API clients: who they are is proven by their secret, and guessing it is limited by client and
// address, over all replicas: the count is in the database.

import type { Model } from "mongoose";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import type { ApiClient, Guesses } from "./api-client.model.ts";
import { digest, matches, newSecret } from "./secrets.ts";

export const GUESSES_PER_WINDOW = 10;
const WINDOW_MS = 10 * 60_000;

/** What an unknown client's secret is compared with, so that both kinds take as long. */
const NOBODYS = digest(newSecret());

/** The client with its secret, which is nowhere else from here on. */
export async function createClient(
  clients: Model<ApiClient>,
  businessId: string,
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = newId();
  const clientSecret = newSecret();
  const secretHash = digest(clientSecret);
  await clients.create({ _id: clientId, businessId, secretHash, createdAt: new Date() });
  return { clientId, clientSecret };
}

/**
 * The client with this id and secret.
 * @param address where the request came from
 * @throws INVALID_CLIENT; RATE_LIMITED after ten wrong secrets in ten minutes, right ones too
 */
export async function authenticate(
  clients: Model<ApiClient>,
  guesses: Model<Guesses>,
  { clientId, clientSecret, address }: { clientId: string; clientSecret: string; address: string },
): Promise<ApiClient> {
  const client = await clients.findById(clientId).lean<ApiClient>();
  // Unknown clients count together: whoever tries ids is limited, and fills no collection.
  const window = windowOf(client?._id ?? "unknown", address);
  const before = await guesses.findById(window.id).lean<Guesses>();
  if (before && before.count >= GUESSES_PER_WINDOW) limited(window);
  if (matches(clientSecret, client?.secretHash ?? NOBODYS) && client) return client;
  const count = await countGuess(guesses, window);
  // Those that were let in together are judged by their count, one by one.
  if (count > GUESSES_PER_WINDOW) limited(window);
  return fail("INVALID_CLIENT");
}

interface Window {
  id: string;
  endsAt: number;
}

function windowOf(client: string, address: string): Window {
  const start = Math.floor(Date.now() / WINDOW_MS) * WINDOW_MS;
  return { id: `${client}|${address}|${start}`, endsAt: start + WINDOW_MS };
}

async function countGuess(guesses: Model<Guesses>, { id, endsAt }: Window): Promise<number> {
  const { count } = await guesses.findOneAndUpdate(
    { _id: id },
    { $inc: { count: 1 }, $setOnInsert: { expiresAt: new Date(endsAt) } },
    { upsert: true, new: true, projection: { count: 1 } },
  );
  return count;
}

function limited({ endsAt }: Window): never {
  const retryAfterS = Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000));
  return fail("RATE_LIMITED", undefined, { retryAfterS });
}
