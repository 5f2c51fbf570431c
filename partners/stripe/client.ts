// The client of Stripe's API: one HTTP request for each question, with a bound in time, and errors
// that contain no tokens.

import { Stripe } from "stripe";
import type { StripeSettings } from "./settings.ts";

/** The version of the API that the pinned library is written for; an upgrade changes both. */
const API_VERSION = "2026-10-28.endive";

/** The time of a request whose operation has no bound of its own, in milliseconds. */
const REQUEST_WITHIN_MS = 4_000;

/** Makes a client for the account of the secret key. */
export function createClient({ secretKey, apiUrl }: StripeSettings): Stripe {
  const { protocol = "https:", hostname = "api.stripe.com", port = "" } = apiUrl ?? {};
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    appInfo: { name: "payrail" },
    timeout: REQUEST_WITHIN_MS,
    // payrail repeats a question itself.
    maxNetworkRetries: 0,
    telemetry: false,
    // The library's default client repeats a request once after a closed connection, even with 0
    // retries, so that it may take twice its time. Errors of fetch do not make it repeat.
    httpClient: Stripe.createFetchHttpClient(),
    host: hostname,
    protocol: protocol === "http:" ? "http" : "https",
    port: port || (protocol === "http:" ? 80 : 443),
  });
}

/** The options of the next request of an operation. */
export type Within = () => { timeout: number };

/**
 * Bounds an operation of several requests: each request gets the time that is left.
 * @param totalMs the time of the whole operation
 * @returns a function that throws once the time is used up, so that no further request begins
 */
export function within(totalMs: number): Within {
  const end = performance.now() + totalMs;
  return () => {
    const timeout = Math.floor(end - performance.now());
    if (timeout <= 0) throw new Error("Stripe did not answer in time");
    return { timeout };
  };
}

/**
 * Whether Stripe refused the request itself: the card's decline (402), or a request that cannot be
 * carried out (400, 404). After every other error the request may have been carried out.
 */
export function isRefusal(
  error: unknown,
): error is Stripe.errors.StripeCardError | Stripe.errors.StripeInvalidRequestError {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
  return error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
}

/** Whether the key of the request was used with other parameters. */
export function isKeyTaken(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

/** Whether Stripe does not have the object. */
export function isMissing(error: unknown): boolean {
  return isRefusal(error) && error.code === "resource_missing";
}

/**
 * Runs an operation of the acquirer.
 * @throws an error without Stripe's message, because that may contain a card token and payrail logs
 *   errors; payrail counts it as unknown
 */
export async function discreetly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { type, code = "no code", statusCode = "no status", requestId = "no request" } = error;
    // oxlint-disable-next-line preserve-caught-error -- the cause has Stripe's message
    throw new Error(`Stripe answered ${type}: ${code}, ${statusCode}, ${requestId}`);
  }
}
