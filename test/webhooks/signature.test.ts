// Signatures, checked with the official library of Standard Webhooks.

import { Webhook } from "standardwebhooks";
import {
  newSecret,
  signedHeaders,
  signingKey,
} from "../../services/webhooks/exchange/signature.ts";
import { newId } from "../../shared/ids.ts";

const BODY = '{"eventType":"WITHDRAWAL","status":"SUCCESS","payload":{"summary":"Zoë 🎉 \\u0000"}}';
const FIVE_MINUTES_MS = 300_000;

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, "key").toString("base64")}`;

function verifies(secret: string, headers: Record<string, string>, body = BODY): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

test.each([24, 25, 26, 32, 48, 63, 64])("a secret of %d bytes signs", (bytes) => {
  const secret = secretOf(bytes);
  const headers = signedHeaders([signingKey(secret)], newId(), BODY, Date.now());
  expect(verifies(secret, headers)).toBe(true);
  expect(verifies(secretOf(bytes - 1), headers)).toBe(false);
  expect(verifies(secret, headers, `${BODY} `)).toBe(false);
  expect(verifies(secret, { ...headers, "webhook-id": newId() })).toBe(false);
  const later = String(Number(headers["webhook-timestamp"]) + 1);
  expect(verifies(secret, { ...headers, "webhook-timestamp": later })).toBe(false);
});

test("a generated secret has 32 bytes and is unique", () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(verifies(secret, signedHeaders([signingKey(secret)], newId(), BODY, Date.now()))).toBe(
      true,
    );
  }
});

test("two secrets both sign, the first one first, and each signature suffices", () => {
  const [first, second, third] = [newSecret(), newSecret(), newSecret()];
  const headers = signedHeaders([first, second].map(signingKey), newId(), BODY, Date.now());
  expect(verifies(first, headers)).toBe(true);
  expect(verifies(second, headers)).toBe(true);
  expect(verifies(third, headers)).toBe(false);

  const [one = "", two = "", ...more] = (headers["webhook-signature"] as string).split(" ");
  expect(more).toEqual([]);
  expect(verifies(first, { ...headers, "webhook-signature": one })).toBe(true);
  expect(verifies(second, { ...headers, "webhook-signature": two })).toBe(true);
  expect(verifies(first, { ...headers, "webhook-signature": two })).toBe(false);
});

test("an attempt's own time is signed, and an old recording is refused", () => {
  const secret = newSecret();
  const id = newId();
  const old = signedHeaders([signingKey(secret)], id, BODY, Date.now() - FIVE_MINUTES_MS - 10_000);
  expect(verifies(secret, old)).toBe(false);
  expect(verifies(secret, signedHeaders([signingKey(secret)], id, BODY, Date.now()))).toBe(true);
});
