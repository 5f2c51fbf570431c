// Signatures of webhook messages by Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`.

import { createHmac, timingSafeEqual } from "node:crypto";
import { WebhookSignatureError } from "./errors.ts";
import type { WebhookEvent } from "./events.ts";

/** Headers in the forms of Node's http, of fetch and of web frameworks. */
export type HeadersLike = Headers | Record<string, string | string[] | undefined>;

const TOLERANCE_MS = 5 * 60_000;
const PREFIX = "whsec_";

/**
 * Checks that payrail signed a message with the secret of the endpoint at most five minutes ago.
 * Store the `id` with your own changes, because the same message may arrive again.
 * @param body the received bytes or text, before any parsing
 * @param secret `whsec_…`; during a rotation the new secret and the old one
 * @param now the current time, in epoch ms
 * @returns the parsed body, with the id and the time of the message
 * @throws WebhookSignatureError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string | string[],
  now: number = Date.now(),
): WebhookEvent {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ");
  const secrets = [secret].flat().map(keyOf);
  const at = Number(timestamp) * 1_000;
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookSignatureError("invalid_timestamp", "webhook-timestamp is not in seconds");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const holds = secrets.some((key) => {
    const expected = sign(key, `${id}.${timestamp}.`, body);
    return signatures.some((given) => isEqual(given, expected));
  });
  if (!holds) {
    throw new WebhookSignatureError(
      "wrong_signature",
      "No signature fits: the secret is another endpoint's, or the body is not as it was received",
    );
  }
  if (at < now - TOLERANCE_MS) {
    throw new WebhookSignatureError("too_old", "The message was signed more than 5 minutes ago");
  }
  if (at > now + TOLERANCE_MS) {
    throw new WebhookSignatureError("in_the_future", "The message was signed in the future");
  }
  return { ...(JSON.parse(text) as object), id, sentAt: new Date(at) } as WebhookEvent;
}

/**
 * Makes the headers of a message as payrail signs it, for tests of a receiver.
 * @param secret `whsec_…`
 * @param message `id`: the webhook-id; `at`: the time of the signature in epoch ms, by default now
 * @throws WebhookSignatureError `invalid_secret`
 */
export function signWebhook(
  body: string,
  secret: string,
  { id, at = Date.now() }: { id: string; at?: number },
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const timestamp = String(Math.floor(at / 1_000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": sign(keyOf(secret), `${id}.${timestamp}.`, body),
  };
}

function sign(key: Buffer, prefix: string, body: string | Uint8Array): string {
  return `v1,${createHmac("sha256", key).update(prefix).update(body).digest("base64")}`;
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  if (secret.startsWith(PREFIX) && key.length >= 24) return key;
  throw new WebhookSignatureError("invalid_secret", `A secret is ${PREFIX} and 24 bytes or more`);
}

function header(headers: HeadersLike, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (value) return value;
  throw new WebhookSignatureError("missing_header", `The message has no header ${name}`);
}

function findHeader(headers: Record<string, string | string[] | undefined>, name: string) {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}
